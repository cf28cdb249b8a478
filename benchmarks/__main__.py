"""Run every benchmark: `python -m benchmarks`."""

from importlib import import_module

for name in ("startup", "bvh", "feet", "library", "drawing", "studio", "gait"):
    print(f"\n=== {name}: python -m benchmarks.{name}", flush=True)
    import_module(f"benchmarks.{name}").main()
