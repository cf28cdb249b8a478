"""Installs a browser for the tests of the page where that is possible, and says plainly where it is not.

Run by `make test`. The tests look for a browser in the same places, and are skipped with a reason without one.
"""

import os
import shutil
import subprocess
import sys


def main() -> None:
    if shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome"):
        return
    if shutil.which("apt-get") and os.geteuid() == 0:
        print("installing Chromium for the tests of the page (once)", flush=True)
        for command in (["apt-get", "update", "-qq"], ["apt-get", "install", "-y", "-qq", "chromium"]):
            done = subprocess.run(command, capture_output=True, text=True, check=False, env=QUIET)
            if done.returncode:
                break
        if shutil.which("chromium"):
            return
    print(
        "no Chromium was found and it could not be installed: the tests of the page will be skipped. "
        "Install the package chromium (Debian, Ubuntu) or put a browser called chromium on the path.",
        file=sys.stderr,
    )


QUIET = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}

if __name__ == "__main__":
    main()
