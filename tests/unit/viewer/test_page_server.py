"""The server gives its page and its take to this machine, and nothing else to nobody."""

import gzip
import http.client
import socket
import threading

import pytest

from small_take import small_take
from walkon._base.errors import InvalidValue, UnreadableFile
from walkon.take.storing.file import load_take, save_take
from walkon.viewer import PageServer, listening, serve


@pytest.fixture(scope="module")
def take():
    return small_take()


@pytest.fixture
def running(page, take):
    with PageServer(take, title="crowd.take") as server:
        yield server


def ask(server, path, *, method="GET", zipped=True, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request(method, path, headers=({"Accept-Encoding": "gzip"} if zipped else {}) | headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_it_listens_to_this_machine_only(running):
    assert running.address == f"http://127.0.0.1:{running.port}/"
    assert running._server.socket.getsockname()[0] == "127.0.0.1"


def test_the_page_and_the_take_are_served_zipped(running, take, tmp_path):
    answer, body = ask(running, "/?theme=dark")
    assert answer.status == 200
    assert answer.getheader("Content-Encoding") == "gzip"
    assert "<title>crowd.take</title>" in gzip.decompress(body).decode()
    answer, body = ask(running, "/take")
    assert answer.status == 200
    file = tmp_path / "served.take"
    file.write_bytes(gzip.decompress(body))
    assert load_take(file).names == take.names
    _, plain = ask(running, "/take", zipped=False)
    assert plain == gzip.decompress(body)


def test_every_answer_carries_the_headers_that_protect_it(running):
    for path in ("/", "/take", "/audit", "/nowhere"):
        answer, _ = ask(running, path)
        assert answer.getheader("X-Content-Type-Options") == "nosniff"
        assert "script-src 'sha256-" in answer.getheader("Content-Security-Policy")
        assert answer.getheader("Cache-Control") == "no-store"
        assert answer.getheader("Server") == "walkon"


@pytest.mark.parametrize("path", ["/nowhere", "/../pyproject.toml", "/take/", "/static/viewer.html", "/%2e%2e/", "//["])
def test_anything_else_is_not_here(running, path):
    assert ask(running, path)[0].status == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "BREW"])
def test_only_get_and_head(running, method):
    answer, _ = ask(running, "/take", method=method)
    assert answer.status == 405
    assert answer.getheader("Allow") == "GET, HEAD"


def test_head_gives_the_length_and_no_content(running):
    answer, body = ask(running, "/take", method="HEAD")
    assert (answer.status, body) == (200, b"")
    assert int(answer.getheader("Content-Length")) == len(ask(running, "/take")[1])


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost", 200),
        ("localhost:1234", 200),
        ("127.0.0.1", 200),
        ("[::1]:80", 200),
        ("evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("localhost.evil.example:80", 403),
        ("", 403),
        ("[", 403),
    ],
)
def test_names_that_others_could_point_here_are_refused(running, host, status):
    assert ask(running, "/take", Host=host)[0].status == status


def test_the_audit_is_served_where_there_is_one(page, take, running):
    assert ask(running, "/audit")[0].status == 204
    with PageServer(take, audit=take.audit()) as server:
        answer, body = ask(server, "/audit")
        assert answer.status == 200
        assert answer.getheader("Content-Type") == "application/json"
        assert b'"worst"' in gzip.decompress(body)


def test_a_port_that_is_taken_gives_a_sentence(running, take):
    with pytest.raises(InvalidValue, match=rf"port {running.port} is taken"):
        PageServer(take, port=running.port)
    with pytest.raises(InvalidValue, match="to 65535"):
        PageServer(take, port=70_000)
    with pytest.raises(InvalidValue, match="cannot listen on"):
        PageServer(take, host="no.such.host.invalid")


def test_a_closed_server_frees_its_port(page, take):
    server = PageServer(take).start()
    port = server.port
    server.close()
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


def test_waiting_ends_with_the_server_and_not_before(page, take):
    server = PageServer(take).start()
    waiting = threading.Thread(target=server.wait)
    waiting.start()
    waiting.join(0.2)
    assert waiting.is_alive()
    server.close()
    waiting.join(10)
    assert not waiting.is_alive()
    server.close()  # once more does nothing
    PageServer(take).close()  # nor does one that was never started


def test_only_browsers_that_go_away_are_passed_over(running, capsys):
    for error, told in ((ConnectionResetError(), False), (TimeoutError(), False), (ValueError("ours"), True)):
        try:
            raise error
        except Exception:
            running._server.handle_error(None, ("127.0.0.1", 1))
        assert ("ours" in capsys.readouterr().err) == told


def test_serve_tells_the_address_and_ends_with_an_interrupt(page, take, tmp_path, monkeypatch):
    file = save_take(take, tmp_path / "some.take")
    opened, told = [], []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(listening.webbrowser, "open", opened.append)

    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(PageServer, "wait", interrupted)
    before = threading.active_count()
    serve(file, ready=told.append)
    serve(file, open_browser=False, ready=told.append)
    assert opened == told[:1]
    assert told[0].startswith("http://127.0.0.1:")
    assert threading.active_count() <= before + 1


def test_a_damaged_file_is_refused_before_anything_is_served(page, tmp_path):
    (tmp_path / "bad.take").write_bytes(b"nothing")
    with pytest.raises(UnreadableFile, match="not a Walkon take"):
        serve(tmp_path / "bad.take", ready=pytest.fail)
