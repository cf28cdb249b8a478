"""Random scenes of kinds that people write, and how goal-directed crowds do on them: `python -m benchmarks.unseen`."""
