"""The designer's server over real sockets: who may speak, what is answered, and what is never changed."""

import contextlib
import http.client
import json
import socket
import sys
import threading
import time

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from snap_libraries import performer
from walkon._base.errors import InvalidValue, MissingExtra
from walkon.viewer import listening, page_file
from walkon.viewer.designer import DesignServer, DesignSession, serve_designer
from walkon.viewer.designer.server import MAX_MESSAGE_BYTES, WRONG_TOKEN

PAGE = '<!doctype html><html><head><title>x</title></head><body><script type="module">1;</script></body></html>'


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    made = DesignSession.open(tmp_path_factory.mktemp("graphs") / "first.graph", library=performer())
    made.save()
    return made.file.read_bytes()


@pytest.fixture
def running(saved, tmp_path):
    (tmp_path / "office.graph").write_bytes(saved)
    with DesignServer(DesignSession.open(tmp_path / "office.graph")) as server:
        yield server


@pytest.fixture(scope="module")
def steady(saved, tmp_path_factory):
    """A server whose design no test changes."""
    folder = tmp_path_factory.mktemp("steady")
    (folder / "office.graph").write_bytes(saved)
    with DesignServer(DesignSession.open(folder / "office.graph")) as server:
        server.session.rename(0, "mine")
        yield server
        assert server.session.version == 1, "a test changed the design"


@pytest.fixture
def page_there(tmp_path, monkeypatch):
    (tmp_path / "designer.html").write_text(PAGE, encoding="utf-8")
    monkeypatch.setattr(page_file, "STATIC", tmp_path)


def opened(server, *, token=None, host=None, origin=None, path="/socket"):
    host = host or f"127.0.0.1:{server.port}"
    return connect(
        f"ws://{host}{path}?token={server.token if token is None else token}",
        origin=f"http://{host}" if origin is None else (origin or None),
        sock=socket.create_connection(("127.0.0.1", server.port)),
        max_size=None,
    )


def ask(page, do, *, number=7, **fields):
    """Ask for something; returns what was pushed before the answer, and the answer (a header and bytes, if binary)."""
    page.send(json.dumps({"id": number, "do": do} | fields))
    pushed = []
    while True:
        message = page.recv(timeout=30)
        if isinstance(message, bytes):
            length = int.from_bytes(message[:4], "little")
            assert (4 + length) % 8 == 0
            return pushed, (json.loads(message[4 : 4 + length]), message[4 + length :])
        read = json.loads(message)
        if "push" not in read:
            return pushed, read
        pushed.append(read)


def state_of(page):
    return ask(page, "hello")[1]["state"]


def get(server, path, *, method="GET", **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
    connection.request(method, path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer, body


def test_the_page_is_given_with_a_policy_and_nothing_else_is(steady, page_there):
    answer, body = get(steady, f"/?token={steady.token}")
    assert answer.status == 200 and answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert body.decode() == PAGE.replace("<title>x<", "<title>office.graph – Walkon<")
    policy = answer.headers["Content-Security-Policy"]
    assert f"connect-src 'self' ws://127.0.0.1:{steady.port}" in policy and "default-src 'none'" in policy
    assert "sha256-" in policy and answer.headers["X-Content-Type-Options"] == "nosniff"
    assert steady.token not in body.decode()
    for path in ("/office.graph", "/../office.graph", "/static/designer.html", "/socket", "/%2e%2e/", "//", "//["):
        assert get(steady, path)[0].status == 404, path
    for method in ("POST", "PUT", "DELETE"):
        assert get(steady, "/", method=method)[0].status == 405


def test_a_page_that_is_not_built_is_told_in_a_sentence(steady, monkeypatch, tmp_path):
    monkeypatch.setattr(page_file, "STATIC", tmp_path / "nowhere")
    answer, body = get(steady, "/")
    assert answer.status == 200 and b"make page" in body


def test_other_hosts_are_not_served(steady):
    for host in ("evil.example", f"evil.example:{steady.port}", "127.0.0.1", "127.0.0.1:1", ""):
        assert get(steady, "/", Host=host)[0].status == 403, host
    assert get(steady, "/", Host=f"localhost:{steady.port}")[0].status == 200


@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "https://127.0.0.1:{port}", "http://127.0.0.1:1", "http://localhost:{port}", "null"],
)
def test_a_socket_of_another_origin_is_refused(steady, origin):
    with pytest.raises(InvalidStatus) as refused, opened(steady, origin=origin.format(port=steady.port)):
        pass
    assert refused.value.response.status_code == 403


def test_a_socket_without_an_origin_or_on_another_host_or_path_is_refused(steady):
    for how, status in (
        ({"origin": ""}, 403),
        ({"host": "evil.example"}, 403),
        ({"host": f"evil.example:{steady.port}"}, 403),
        ({"path": "/"}, 404),
        ({"path": "/other"}, 404),
    ):
        with pytest.raises(InvalidStatus) as refused, opened(steady, **how):
            pass
        assert refused.value.response.status_code == status, how


@pytest.mark.parametrize("token", ["", "x", "%00", "ü", "a" * 5000, "{token}x", "{token}&token=x"])
def test_a_wrong_token_is_closed_at_once_and_gets_no_answer(steady, token):
    with opened(steady, token=token.format(token=steady.token)) as page, pytest.raises(ConnectionClosed) as closed:
        page.send('{"id": 1, "do": "hello"}')
        page.recv(timeout=10)
    assert closed.value.rcvd.code == WRONG_TOKEN and "wrong token" in closed.value.rcvd.reason


def test_tokens_differ_and_are_long(saved, tmp_path):
    path = tmp_path / "x.graph"
    path.write_bytes(saved)
    session = DesignSession.open(path)
    servers = [DesignServer(session) for _ in range(2)]
    assert servers[0].token != servers[1].token and len(servers[0].token) >= 43
    for server in servers:
        assert server.address == f"http://127.0.0.1:{server.port}/?token={server.token}"
        assert server._socket.getsockname()[0] == "127.0.0.1"
        server.close()


def test_hello_tells_everything_that_a_page_needs(running):
    with opened(running) as page:
        _, told = ask(page, "hello")
    assert told["ok"] and told["id"] == 7
    assert [clip["name"] for clip in told["clips"]] == ["straight", "left", "right", "sit"]
    assert told["clips"][0]["labels"] == ["walk"] and told["clips"][3]["seconds"] > 5
    assert told["starts"][-1] == sum(round(clip["seconds"] * told["rate"]) + 1 for clip in told["clips"])
    assert len(told["skeleton"]["names"]) == len(told["skeleton"]["parents"]) == len(told["skeleton"]["offsets"])
    state = told["state"]
    assert state["built"] and state["saved"] and state["file"] == "office.graph"
    assert [hub["stance"] for hub in state["hubs"]] == ["left", "right", "both"]
    assert state["hubs"][0]["labels"] == ["walk"] and state["hubs"][0]["seed"] is not None
    edges = sum(match["edges"] for hub in state["hubs"] for match in hub["matches"])
    assert edges == 2 * len(state["edges"]) == 2 * sum(map(sum, state["counts"]))
    assert state["quality"]["edges"] == len(state["edges"]) and 0 < state["quality"]["median_deg"] < 5


def test_every_page_sees_a_change_before_it_is_answered(running):
    with opened(running) as one, opened(running) as other:
        state_of(other)
        pushed, answer = ask(one, "grow", clip=0, time=2.0, threshold_cm=4.0, name="mine")
        assert answer == {"id": 7, "ok": True, "hub": 3}
        assert pushed[-1]["push"] == "state" and pushed[-1]["state"]["hubs"][3]["name"] == "mine"
        told = json.loads(other.recv(timeout=10))
        assert told == pushed[-1] and told["state"]["undo"] == 1 and not told["state"]["saved"]
        pushed, answer = ask(other, "undo")
        assert answer["ok"] and len(pushed[-1]["state"]["hubs"]) == 3 and pushed[-1]["state"]["redo"] == 1


def test_a_refused_request_is_a_sentence_and_changes_nothing(steady):
    with opened(steady) as page:
        before = state_of(page)
        for do, fields, words in (
            ("rename", {"hub": 0, "name": "stand"}, "already"),
            ("grow", {"clip": 0, "time": 0.0}, "too near an end"),
            ("set_threshold", {"hub": 9, "threshold_cm": 3.0}, "hubs are numbered"),
            ("preview", {"threshold_cm": 3.0}, "give either"),
            ("image", {"a": 1}, "give either"),
            ("motion", {}, "give one of them"),
            ("motion", {"clip": 0, "edge": 0}, "give one of them"),
            ("redo", {}, "nothing to redo"),
        ):
            pushed, answer = ask(page, do, **fields)
            assert answer["ok"] is False and words in answer["error"] and not pushed
        assert state_of(page) == before


@pytest.mark.parametrize(
    "message",
    [
        "",
        "garbage",
        "[]",
        "null",
        "7",
        '{"id": 1}',
        '{"id": 1, "do": "format_disk"}',
        '{"id": 1, "do": 3}',
        '{"id": "x", "do": "undo"}',
        '{"id": -1, "do": "undo"}',
        '{"id": 1, "do": "undo", "more": 1}',
        '{"id": 1, "do": "save", "file": "/etc/passwd"}',
        '{"id": 1, "do": "remove_hub"}',
        '{"id": 1, "do": "remove_hub", "hub": "0"}',
        '{"id": 1, "do": "remove_hub", "hub": 0.5}',
        '{"id": 1, "do": "remove_hub", "hub": -1}',
        '{"id": 1, "do": "set_threshold", "hub": 0, "threshold_cm": NaN}',
        '{"id": 1, "do": "set_threshold", "hub": 0, "threshold_cm": 1e999}',
        '{"id": 1, "do": "set_threshold", "hub": 0, "threshold_cm": -3}',
        '{"id": 1, "do": "set_threshold", "hub": 0, "threshold_cm": null}',
        '{"id": 1, "do": "rename", "hub": 0, "name": "' + "x" * 2000 + '"}',
        "[" * 100_000,
        '{"id": 1, "do": ' + '{"a":' * 50_000,
        '{"id": 1, "do": "undo"}{"id": 2, "do": "undo"}',
        b'{"id": 1, "do": "undo"}',
        b"\xff\x00",
    ],
    ids=lambda message: repr(message[:40]),
)
def test_garbage_is_answered_in_words_and_changes_nothing(steady, message):
    with opened(steady) as page:
        page.send(message)
        answer = json.loads(page.recv(timeout=10))
        assert answer["ok"] is False and answer["id"] in (None, 1, -1) and len(answer["error"]) > 10
        state = state_of(page)
        assert state["version"] == 1 and state["hubs"][0]["name"] == "mine"


def test_a_message_that_is_too_large_ends_the_socket_and_nothing_else(running):
    with opened(running) as page, opened(running) as other:
        page.send('{"id": 1, "do": "rename", "hub": 0, "name": "' + "x" * MAX_MESSAGE_BYTES + '"}')
        with pytest.raises(ConnectionClosed) as closed:
            page.recv(timeout=10)
        assert closed.value.rcvd.code == 1009
        assert state_of(other)["undo"] == 0


def test_previews_and_slices_over_the_wire_agree_with_the_session(steady):
    material = steady.session.material
    with opened(steady) as page:
        hub = state_of(page)["hubs"][0]
        _, told = ask(page, "preview", hub=0, threshold_cm=hub["threshold_cm"])
        assert [m["time"] for m in told["matches"]] == [m["time"] for m in hub["matches"]] and told["refused"] is None
        _, new = ask(page, "preview", clip=3, time=4.0, threshold_cm=60.0)
        assert "would join sitting" in new["refused"] and len(new["counts"]) == 4
        _, (header, content) = ask(page, "slice", **hub["seed"], hub=0)
    assert header["kind"] == "slice" and header["threshold_cm"] == hub["threshold_cm"]
    found = np.frombuffer(content, "<f4")
    np.testing.assert_allclose(found, material.distances(steady.session.design.hubs[0].seed), atol=1e-6)
    times = {(m["clip"], m["time"]) for m in header["minima"]}
    assert {(m["clip"], m["time"]) for m in header["matches"]} <= times
    assert all(np.isfinite(m["distance_cm"]) for m in header["minima"])


def test_images_motions_and_edges_come_as_bytes(steady):
    with opened(steady) as page:
        _, (image, pixels) = ask(page, "image", a=0, b=1)
        assert image["width"] * image["height"] == len(pixels) and image["frames"] == [image["height"], image["width"]]
        _, (whole, pixels) = ask(page, "image", all=True)
        assert whole["width"] * whole["height"] == len(pixels) and whole["metres_max"] == image["metres_max"]
        _, (take, packed) = ask(page, "motion", **{"clip": 1, "from": 1.0, "to": 2.5})
        assert take["kind"] == "take" and take["seconds"] == 1.5 and packed[:2] == b"\x1f\x8b"
        _, (edges, content) = ask(page, "edges")
        state = state_of(page)
    for name, wanted in (("start", "start"), ("stop", "stop")):
        about = edges["arrays"][name]
        found = np.frombuffer(content, about["type"], count=about["shape"][0], offset=about["offset"])
        assert found.tolist() == [edge[wanted] for edge in state["edges"]]
    rotations = edges["arrays"]["rotations"]
    assert all(about["offset"] % 8 == 0 for about in edges["arrays"].values())
    size = int(np.prod(rotations["shape"])) * 2
    assert rotations["offset"] + size <= len(content) < rotations["offset"] + size + 8


def test_building_shows_its_progress_and_saving_writes_the_file(running):
    file = running.session.file
    before = file.read_bytes()
    with opened(running) as page:
        ask(page, "set_threshold", hub=0, threshold_cm=5.0)
        assert "build it first" in ask(page, "edges")[1]["error"]
        pushed, answer = ask(page, "save")
        assert answer == {"id": 7, "ok": True, "file": str(file)}
        progress = [push for push in pushed if push["push"] == "progress"]
        assert [push["done"] for push in progress] == [*sorted(push["done"] for push in progress[:-1]), 1]
        assert {"common poses", "edges"} <= {push["what"] for push in progress}
        state = pushed[-1]["state"]
        assert state["saved"] and state["built"]
    assert file.read_bytes() != before and [path.name for path in file.parent.iterdir()] == ["office.graph"]
    assert DesignSession.open(file).design == running.session.design


def test_a_save_that_is_refused_keeps_the_old_file(running):
    before = running.session.file.read_bytes()
    with opened(running) as page:
        ask(page, "remove_hub", hub=2)
        ask(page, "grow", clip=3, time=3.0, threshold_cm=0.1, name="alone")
        _, answer = ask(page, "save")
        assert not answer["ok"] and "cut off" in answer["error"] and "alone" in answer["error"]
        assert state_of(page)["saved"] is False
    assert running.session.file.read_bytes() == before


def test_a_slider_moves_while_a_graph_is_built(running, monkeypatch):
    from walkon.viewer.designer import session as sessions

    wait, real = threading.Event(), sessions.build_snap_graph

    def slow(*args, **kwargs):
        wait.wait(20)
        return real(*args, **kwargs)

    monkeypatch.setattr(sessions, "build_snap_graph", slow)
    with opened(running) as page, opened(running) as other:
        ask(page, "set_threshold", hub=0, threshold_cm=5.0)
        page.send('{"id": 1, "do": "build"}')
        assert ask(page, "preview", hub=0, threshold_cm=4.0)[1]["ok"]
        assert ask(other, "rename", hub=1, name="meanwhile")[1]["ok"]
        wait.set()
        deadline = time.monotonic() + 20
        while not (state := state_of(other))["built"]:
            assert time.monotonic() < deadline
        assert state["hubs"][1]["name"] == "meanwhile"


def test_something_wrong_inside_is_an_answer_too(running, monkeypatch):
    monkeypatch.setattr(running.session, "undo", lambda: 1 / 0)
    with opened(running) as page:
        _, answer = ask(page, "undo")
        assert not answer["ok"] and "wrong inside Walkon (ZeroDivisionError" in answer["error"]
        assert ask(page, "hello")[1]["ok"]


def test_a_page_that_goes_away_in_the_middle_harms_nobody(steady):
    with opened(steady) as page:
        for number in range(40):
            page.send(json.dumps({"id": number, "do": "preview", "hub": 0, "threshold_cm": 3.0 + number}))
        page.socket.shutdown(socket.SHUT_RDWR)
    with opened(steady) as other:
        assert state_of(other)["undo"] == 1


def test_strangers_who_say_nothing_or_nonsense_harm_nobody(steady, capfd):
    silent = socket.create_connection(("127.0.0.1", steady.port))
    for noise in (
        b"\x00\xff\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"x: y\r\n" * 5000 + b"\r\n",
        b"BREW / HTCPCP/1.0\r\n\r\n",
    ):
        with socket.create_connection(("127.0.0.1", steady.port)) as stranger:
            stranger.sendall(noise)
            stranger.settimeout(5)
            with contextlib.suppress(OSError):
                stranger.recv(1000)
    with opened(steady) as page:
        assert state_of(page)["built"]
    silent.close()
    assert capfd.readouterr() == ("", "")


def test_ports_that_cannot_be_had_are_told(steady):
    with pytest.raises(InvalidValue, match="is taken"):
        DesignServer(steady.session, port=steady.port)
    with pytest.raises(InvalidValue, match="from 0"):
        DesignServer(steady.session, port=70000)


def test_a_missing_extra_is_told(steady, monkeypatch):
    monkeypatch.setitem(sys.modules, "websockets.asyncio.server", None)
    with pytest.raises(MissingExtra, match=r"walkon\[serve\]"):
        DesignServer(steady.session)


def test_serving_ends_with_an_interrupt_and_frees_the_port(steady, monkeypatch):
    told = []

    def interrupted(self):
        raise KeyboardInterrupt

    monkeypatch.setattr(DesignServer, "wait", interrupted)
    monkeypatch.setattr(listening, "_open_address", told.append)
    serve_designer(steady.session, ready=told.append)
    assert len(told) == 2 and told[0] == told[1]
    port = int(told[0].split(":")[2].split("/")[0])
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", port), timeout=1)
