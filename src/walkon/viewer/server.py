"""A server for one take and its page: loopback unless told otherwise, GET and HEAD only, nothing else of the disk.

It answers `/` (the page), `/take` (the packed take, gzipped), `/audit` (the audit's figures as JSON, or 204 where there
is none) and `/character` (the .glb that people are shown as, if any); all of it is in memory before the first request,
so a take that grows is shown as it was then.

A page of another site could reach a loopback server through a name that it points there (DNS rebinding); so the Host
header must be an address, `localhost` or the host that was asked for. Scripts are bound by a Content-Security-Policy.
"""

import gzip
import ipaddress
import sys
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from walkon.take.storing.file import load_take
from walkon.take.take import Take
from walkon.viewer.character import RiggedCharacter, resolve_character
from walkon.viewer.listening import LOOPBACK, PRIVATE, PageOnPort, bind_socket, serve_until_interrupt
from walkon.viewer.packing import pack_take
from walkon.viewer.page_file import audit_json, character_tag, page_policy, read_page

if TYPE_CHECKING:
    from walkon.take.auditing import Audit

__all__ = ["LOOPBACK", "PageServer", "serve"]

IDLE_TIMEOUT_S = 30.0
"""Seconds after which a silent connection is closed."""


class PageServer(PageOnPort):
    """Serves the page and a take in threads of its own, from `start` (or `with`) to `close`."""

    def __init__(
        self,
        take: Take,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        title: str = "Walkon",
        audit: "Audit | None" = None,
        character: str | Path | RiggedCharacter | None = None,
    ) -> None:
        page = read_page(title=title)
        worn = resolve_character(character, take)
        shown = page
        if worn is not None:
            head, mark, tail = page.rpartition("</body>")
            shown = head + character_tag(worn) + mark + tail
        contents = {
            "/": ("text/html; charset=utf-8", gzip.compress(shown.encode(), mtime=0)),
            "/take": ("application/octet-stream", pack_take(take)),
        }
        if audit is not None:
            contents["/audit"] = ("application/json", gzip.compress(audit_json(audit).encode(), mtime=0))
        if worn is not None:
            contents["/character"] = ("model/gltf-binary", gzip.compress(worn.rig.content, mtime=0))
        policy = page_policy(page, connect="'self'") + "; frame-ancestors 'self'"
        handler = type("PageHandler", (_Handler,), {"contents": contents, "policy": policy, "own_host": host})
        listening = bind_socket(host, port)
        super().__init__(listening)
        shown_host = "localhost" if host in ("", "0.0.0.0", "::") else host
        self.address = f"http://{f'[{shown_host}]' if ':' in shown_host else shown_host}:{self.port}/"
        self._server = _Server((host, port), handler, bind_and_activate=False)
        self._server.socket.close()
        self._server.socket = listening
        self._server.server_address = listening.getsockname()

    def close(self) -> None:
        """Stop answering and free the port."""
        if self._thread.ident is not None:  # it was started
            self._server.shutdown()
        self._server.server_close()

    def _answer_all(self) -> None:
        self._server.serve_forever()


def serve(
    take: Take | str | Path,
    *,
    port: int = 0,
    open_browser: bool = True,
    host: str = LOOPBACK,
    title: str | None = None,
    audit: "Audit | None" = None,
    character: str | Path | RiggedCharacter | None = None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve a take (or a take file) until an interrupt; `ready` is told the address. Port 0 takes a free one.

    With a `character`, a rigged person in a .glb file, people are shown as that.
    """
    title = title or ("Walkon" if isinstance(take, Take) else Path(take).name)
    loaded = take if isinstance(take, Take) else load_take(take)
    page = PageServer(loaded, host=host, port=port, title=title, audit=audit, character=character)
    serve_until_interrupt(page, open_browser=open_browser, ready=ready)


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a browser that goes away in the middle; anything else is an error of ours."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    contents: dict[str, tuple[str, bytes]]
    """What each path gives: its kind, and gzipped bytes."""
    policy: str
    own_host: str
    protocol_version = "HTTP/1.1"
    timeout = IDLE_TIMEOUT_S

    def _answer(self) -> None:
        """Answer with the content of a path; a HEAD without it."""
        if not _is_own(self.headers.get("Host", ""), self.own_host):
            self._send(HTTPStatus.FORBIDDEN, "text/plain", b"unknown host\n")
            return
        path = self.path.partition("?")[0]
        content = self.contents.get(path)
        if content is None and path == "/audit":
            self._send(HTTPStatus.NO_CONTENT, "application/json", b"")
        elif content is None:
            self._send(HTTPStatus.NOT_FOUND, "text/plain", b"not here\n")
        elif "gzip" in self.headers.get("Accept-Encoding", ""):
            self._send(HTTPStatus.OK, *content, extra={"Content-Encoding": "gzip"})
        else:
            self._send(HTTPStatus.OK, content[0], gzip.decompress(content[1]))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("do_"):  # whatever method a client can think of
            return self._answer if name in ("do_GET", "do_HEAD") else self._refuse
        raise AttributeError(name)

    def _refuse(self) -> None:
        self.close_connection = True  # what a body it may have is not read
        self._send(HTTPStatus.METHOD_NOT_ALLOWED, "text/plain", b"GET and HEAD only\n", extra={"Allow": "GET, HEAD"})

    def _send(self, status: HTTPStatus, kind: str, content: bytes, *, extra: dict[str, str] | None = None) -> None:
        self.send_response(status)
        headers = {**PRIVATE, "Content-Security-Policy": self.policy, "Vary": "Accept-Encoding", **(extra or {})}
        if status != HTTPStatus.NO_CONTENT:
            headers |= {"Content-Type": kind, "Content-Length": str(len(content))}
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def version_string(self) -> str:
        """Name the server and none of its versions."""
        return "walkon"

    def log_message(self, *_: Any) -> None:
        """Say nothing: the terminal is the user's."""


def _is_own(header: str, own: str) -> bool:
    """Tell whether a Host header is one that no other site can have made a browser send."""
    try:
        name = urlsplit(f"//{header}").hostname or ""
        if name != "localhost" and not (own and name == own.lower()):
            ipaddress.ip_address(name)  # or it is a name that may point anywhere
    except ValueError:
        return False
    return True
