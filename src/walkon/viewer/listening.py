"""Listening on a port, with a sentence for whatever is in the way; and opening a page in the browser."""

import contextlib
import errno
import os
import socket
import sys
import webbrowser

from walkon._base.errors import InvalidValue

__all__ = ["LOOPBACK", "bound", "open_address"]

LOOPBACK = "127.0.0.1"


def bound(host: str, port: int) -> socket.socket:
    """Return a socket that listens on a host and port; 0 takes a free port."""
    if not 0 <= port <= 65535:
        raise InvalidValue(f"a port is a number from 0 (any free one) to 65535, got {port}")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        number = getattr(error, "errno", None)
        if number == errno.EADDRINUSE:
            raise InvalidValue(f"port {port} is taken; choose another one, or 0 for any that is free") from None
        if number == errno.EACCES:
            raise InvalidValue(f"port {port} is not for everyone; choose one from 1024 on, or 0") from None
        reason = (getattr(error, "strerror", None) or str(error)).partition(" (while")[0]
        raise InvalidValue(f"cannot listen on {host!r} ({reason}); leave the host out to serve this machine") from None


def open_address(address: str) -> None:
    """Open a browser window, where there are windows: a browser in this terminal would be in the way."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    with contextlib.suppress(webbrowser.Error, OSError):
        webbrowser.open(address)
