"""How long a newcomer waits: importing, asking for help, compiling once, and loading what was compiled.

python -m benchmarks.startup
"""

import os
import subprocess
import sys
import tempfile

from benchmarks.measuring import best, calibrate


def run(*arguments: str, **environment: str) -> float:
    """Return the best time in seconds of a fresh process; its output is thrown away."""
    command = [sys.executable, *arguments]
    return best(lambda: subprocess.run(command, check=True, capture_output=True, env=os.environ | environment))


def main() -> None:
    calibrate()
    bare = run("-c", "pass")
    numpy = run("-c", "import numpy")
    both = run("-c", "import numpy, walkon")
    shown = run("-m", "walkon", "--help")
    print(f"python                        {bare * 1e3:7.0f} ms")
    print(f"import numpy                  {numpy * 1e3:7.0f} ms")
    adds = (both - numpy) * 1e3
    print(f"import numpy, walkon          {both * 1e3:7.0f} ms   walkon adds {adds:.0f} (asked for: at most 50)")
    print(f"walkon --help                 {shown * 1e3:7.0f} ms   (asked for: under 300)")
    with tempfile.TemporaryDirectory() as cache:
        done = subprocess.run(
            [sys.executable, "-m", "walkon", "warm-up"],
            check=True,
            capture_output=True,
            text=True,
            env=os.environ | {"WALKON_CACHE": cache},
        )
        print("first compilation of each family, empty cache:")
        print(done.stdout, end="")
        again = run("-m", "walkon", "warm-up", WALKON_CACHE=cache)
        print(f"all families from the cache   {again * 1e3:7.0f} ms")


if __name__ == "__main__":
    main()
