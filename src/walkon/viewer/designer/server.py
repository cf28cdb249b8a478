"""The designer's server: its page over plain GET, and a web socket through which pages watch and change one session.

It listens on loopback only. Three things are checked before a page may speak:

* Host: the server's own address, so that no other name that points to this machine is served (DNS rebinding);
* Origin: that same address, so that no other site's page can open the socket;
* the token that the printed address carries, compared in constant time.

A message has at most `MAX_MESSAGE_BYTES`. Every page sees every change: the state is sent to all of them before
the answer goes to the one who asked. Requests run in threads of their own (see `desk`), so that a slider moves while a
graph is built; a page that asks for more than `MAX_PENDING_REQUESTS` at once waits.
"""

import asyncio
import contextlib
import http
import logging
import secrets
import threading
from asyncio import wrap_future
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Self, TypeVar
from urllib.parse import parse_qs

from walkon._base.errors import MissingExtra, UnreadableFile
from walkon.viewer.designer.desk import LANES, REQUESTS, Desk
from walkon.viewer.designer.protocol import read_request, refusal
from walkon.viewer.designer.session import DesignSession
from walkon.viewer.listening import LOOPBACK, PRIVATE, PageOnPort, bind_socket, serve_until_interrupt
from walkon.viewer.page_file import page_policy, read_page

if TYPE_CHECKING:
    from websockets.asyncio.server import Server, ServerConnection
    from websockets.http11 import Request, Response

Work = TypeVar("Work")

__all__ = ["MAX_MESSAGE_BYTES", "WRONG_TOKEN", "DesignServer", "serve_designer"]

MAX_MESSAGE_BYTES = 1_000_000
"""Bytes of a message that comes in."""
MAX_PENDING_REQUESTS = 64
"""Requests of one page that may wait."""
WRONG_TOKEN = 4003
"""Code with which a socket is closed that does not know the token."""
SILENT = logging.Logger("walkon.viewer.designer")
"""Says nothing: the terminal is the user's, and strangers may knock."""
SILENT.addHandler(logging.NullHandler())
UNBUILT = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Walkon</title></head><body><p>The designer\'s '
    "page has not been built; run <code>make page</code> in Walkon's source tree (it needs Node).</p></body></html>"
)


class DesignServer(PageOnPort):
    """Serves a session."""

    def __init__(self, session: DesignSession, *, port: int = 0) -> None:
        try:
            import websockets.asyncio.server  # noqa: F401
        except ImportError:
            raise MissingExtra.named("serve", "the graph designer") from None
        self.session = session
        self.token = secrets.token_urlsafe(32)
        self._socket = bind_socket(LOOPBACK, port)
        super().__init__(self._socket)
        self._hosts = (f"{LOOPBACK}:{self.port}", f"localhost:{self.port}")
        self.address = f"http://{LOOPBACK}:{self.port}/?token={self.token}"
        self._desk = Desk(session, self._push)
        self._lanes = {lane: _Lane(lane) for lane in LANES}
        self._pages: set[ServerConnection] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()

    def start(self) -> Self:
        """Begin to answer."""
        super().start()
        self._lanes["picture"].do(self._desk.warm_up)
        return self

    def close(self) -> None:
        """Stop answering; a file that is being written is finished first."""
        self.session.close()
        if self._thread.ident is None:  # never started
            self._loop.close()
        else:
            with contextlib.suppress(RuntimeError):  # the loop is closed already
                self._loop.call_soon_threadsafe(self._stop.set)
            self._ended.wait(10.0)
        for lane in self._lanes.values():
            lane.close()
        with contextlib.suppress(OSError):
            self._socket.close()

    # The loop

    def _answer_all(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._serve())
        finally:
            self._loop.close()

    async def _serve(self) -> None:
        from websockets.asyncio.server import serve

        server: Server
        async with serve(
            self._talk,
            sock=self._socket,
            process_request=self._request,
            max_size=MAX_MESSAGE_BYTES,
            server_header="walkon",
            ping_timeout=120,  # a laptop may be shut for a minute
            compression=None,  # what is large is packed already, and all of it stays on this machine
            logger=SILENT,
        ) as server:
            await self._stop.wait()
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _request(self, page: "ServerConnection", request: "Request") -> "Response | None":
        """Answer plain requests; let the socket go on where Host and Origin are ours."""
        path = request.path.partition("?")[0]
        hosts, origins = request.headers.get_all("Host"), request.headers.get_all("Origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return _plain(page, http.HTTPStatus.FORBIDDEN, "unknown host\n")
        upgrade = "websocket" in request.headers.get("Upgrade", "").lower()
        if upgrade and path == "/socket":
            if origins != [f"http://{hosts[0].lower()}"]:
                return _plain(page, http.HTTPStatus.FORBIDDEN, "unknown origin\n")
            return None
        if getattr(request, "method", "GET") != "GET":
            return _plain(page, http.HTTPStatus.METHOD_NOT_ALLOWED, "GET only\n")
        if upgrade or path != "/":
            return _plain(page, http.HTTPStatus.NOT_FOUND, "not here\n")
        return self._page(page)

    def _page(self, page: "ServerConnection") -> "Response":
        try:
            text = read_page("designer", title=f"{self.session.file.name} – Walkon")
        except UnreadableFile:
            text = UNBUILT
        sockets = " ".join(f"ws://{host}" for host in self._hosts)
        response = _plain(page, http.HTTPStatus.OK, text)
        del response.headers["Content-Type"]
        response.headers["Content-Type"] = "text/html; charset=utf-8"
        response.headers["Content-Security-Policy"] = (
            page_policy(text, connect=f"'self' {sockets}") + "; frame-ancestors 'none'"
        )
        return response

    async def _talk(self, page: "ServerConnection") -> None:
        """Answer one page until it goes."""
        from websockets.exceptions import ConnectionClosed

        assert page.request is not None
        given = parse_qs(page.request.path.partition("?")[2]).get("token", [""])
        if len(given) != 1 or not secrets.compare_digest(given[0].encode(), self.token.encode()):
            await page.close(WRONG_TOKEN, "wrong token: open the address that walkon graph design printed")
            return
        self._pages.add(page)
        room = asyncio.Semaphore(MAX_PENDING_REQUESTS)
        try:
            async for message in page:
                await room.acquire()
                task = asyncio.create_task(self._answer(page, message))
                self._tasks.add(task)  # also when the page goes: others must see what it changed
                task.add_done_callback(self._tasks.discard)
                task.add_done_callback(lambda _: room.release())
        except ConnectionClosed:
            pass
        finally:
            self._pages.discard(page)

    async def _answer(self, page: "ServerConnection", message: str | bytes) -> None:
        from websockets.asyncio.server import broadcast
        from websockets.exceptions import ConnectionClosed

        answer: str | bytes
        request = read_request(message, REQUESTS)
        if isinstance(request, str):
            answer = request
        else:
            lane = next(lane for lane, names in LANES.items() if type(request).__name__ in names)
            try:
                answer, changed = await wrap_future(self._lanes[lane].do(lambda: self._desk.answer(request)))
                if changed:
                    broadcast(self._pages, await wrap_future(self._lanes["hand"].do(self._desk.state_message)))
            except Exception as error:
                words = f"something is wrong inside Walkon ({type(error).__name__}: {error}); please report it"
                answer = refusal(request.id, words)
        with contextlib.suppress(ConnectionClosed):
            await page.send(answer)

    def _push(self, message: str) -> None:
        """Send something to every page, from any thread."""
        from websockets.asyncio.server import broadcast

        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is there
            self._loop.call_soon_threadsafe(lambda: broadcast(self._pages, message))


class _Lane:
    """A thread that does one thing after the other, and does not keep the process alive."""

    def __init__(self, name: str) -> None:
        self._queue: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        threading.Thread(target=self._run, name=f"walkon designer {name}", daemon=True).start()

    def do(self, work: Callable[[], Work]) -> "Future[Work]":
        """Do this when everything before it is done."""
        future: Future[Work] = Future()
        self._queue.put((work, future))
        return future

    def close(self) -> None:
        """End when what was asked for is done."""
        self._queue.put(None)

    def _run(self) -> None:
        while (job := self._queue.get()) is not None:
            work, future = job
            if not future.set_running_or_notify_cancel():
                continue
            try:
                future.set_result(work())
            except BaseException as error:  # whoever asked gets it
                future.set_exception(error)


def serve_designer(
    session: DesignSession,
    *,
    port: int = 0,
    open_browser: bool = True,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve a session until an interrupt; `ready` is told the address. Port 0 takes a free one."""
    serve_until_interrupt(DesignServer(session, port=port), open_browser=open_browser, ready=ready)


def _plain(page: "ServerConnection", status: http.HTTPStatus, text: str) -> "Response":
    response = page.respond(status, text)
    response.headers.update(PRIVATE)
    return response
