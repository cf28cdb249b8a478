"""Side-by-side runs against peers and limits: `python -m benchmarks.<name>`. Times are of this machine, now."""
