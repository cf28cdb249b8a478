"""Serving pages from this machine: a server in a thread of its own, and a sentence for whatever is in the way."""

import contextlib
import errno
import os
import socket
import sys
import threading
import webbrowser
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Self

from walkon._base.errors import InvalidValue

__all__ = ["LOOPBACK", "PRIVATE", "PageOnPort", "bind_socket", "serve_until_interrupt"]

LOOPBACK = "127.0.0.1"
PRIVATE = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
"""Headers of every answer: what is served is for this page alone."""


def bind_socket(host: str, port: int) -> socket.socket:
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


class PageOnPort(ABC):
    """A page that is served in threads of its own, from `start` (or `with`) to `close`."""

    address: str
    """What to open in a browser."""

    def __init__(self, listening: socket.socket) -> None:
        self.port = int(listening.getsockname()[1])
        self._ended = threading.Event()  # an interrupt in the middle of `join` would make the thread look dead
        self._thread = threading.Thread(target=self._run, name=f"walkon {type(self).__name__}", daemon=True)

    def start(self) -> Self:
        """Begin to answer."""
        self._thread.start()
        return self

    def wait(self) -> None:
        """Return when the server is closed; an interrupt goes through."""
        while not self._ended.wait(0.5):
            pass

    @abstractmethod
    def close(self) -> None:
        """Stop answering and free the port."""

    @abstractmethod
    def _answer_all(self) -> None:
        """Answer until it is closed."""

    def _run(self) -> None:
        try:
            self._answer_all()
        finally:
            self._ended.set()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()


def serve_until_interrupt(page: PageOnPort, *, open_browser: bool, ready: Callable[[str], None] | None) -> None:
    """Serve a page until an interrupt; `ready` is told the address."""
    with page:
        if ready is not None:
            ready(page.address)
        if open_browser:
            _open_address(page.address)
        with contextlib.suppress(KeyboardInterrupt):
            page.wait()


def _open_address(address: str) -> None:
    """Open a browser window, where there are windows: a browser in this terminal would be in the way."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    with contextlib.suppress(webbrowser.Error, OSError):
        webbrowser.open(address)
