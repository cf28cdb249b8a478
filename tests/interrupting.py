"""Commands that a test starts and interrupts.

Programs that are started in the background of a script inherit a Ctrl-C that is ignored, and Python then leaves it so.
A test that interrupts what it started would wait for ever; so the child gets the ordinary meaning back first.
"""

import os
import signal
from typing import Any

__all__ = ["INTERRUPTIBLE"]


def _listen() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


INTERRUPTIBLE: dict[str, Any] = {} if os.name == "nt" else {"preexec_fn": _listen}
"""Arguments for `subprocess.Popen`."""
