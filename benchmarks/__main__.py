"""Run every benchmark: `python -m benchmarks`."""

from importlib import import_module

NAMES = (
    "startup",
    "loop",
    "bvh",
    "feet",
    "library",
    "drawing",
    "studio",
    "gait",
    "takes",
    "audit",
    "killed_writes",
    "killed_takes",
    "distance",
    "graph",
    "snap",
    "snap_player",
    "path",
    "sung2005",
    "short_legs",
    "page",
    "export",
)

for name in NAMES:
    print(f"\n=== {name}: python -m benchmarks.{name}", flush=True)
    import_module(f"benchmarks.{name}").main()
