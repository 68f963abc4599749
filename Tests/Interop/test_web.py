# SPDX-License-Identifier: Apache-2.0
"""What a browser does with the daemon: gRPC-Web, and the files of the web app."""

import gzip
import hashlib
import json

import pytest

from atrest.sync.v1 import accounts_pb2, devices_pb2, sync_pb2
from harness import Daemon, Device, open_channel
from values import offer, water
from wire import Wire, message

CONTENT_TYPE = "application/grpc-web+proto"
CHECK, WATCH_HEALTH = "/grpc.health.v1.Health/Check", "/grpc.health.v1.Health/Watch"
SERVING = b"\x08\x01"


def browser(wire, path, **more):
    """The headers of a call that a page of the server's own makes."""
    fields = {"content_type": CONTENT_TYPE, "te": None, "sec_fetch_site": "same-origin"}
    return {"path": path, "x_grpc_web": "1", "x_user_agent": "test", **fields, **more}


def frames(body):
    """The messages of a body, and its status if that has come."""
    messages, trailers = [], None
    while body:
        flag, length = body[0], int.from_bytes(body[1:5], "big")
        part, body = body[5 : 5 + length], body[5 + length :]
        assert len(part) == length, "a frame is whole"
        assert trailers is None, "nothing follows the trailers"
        if flag == 0x80:
            lines = part.decode("ascii")
            assert lines.endswith("\r\n") and lines == lines.lower() or "grpc-message" in lines
            trailers = dict(line.split(": ", 1) for line in lines.splitlines())
        else:
            messages.append((flag, part))
    return messages, trailers


@pytest.fixture
def wire(daemon):
    with Wire(daemon.address) as wire:
        yield wire.handshake()


def call(wire, path, request=b"", **more):
    """One unary call. Returns its messages, its status and its headers."""
    answer = wire.call(message(request), **browser(wire, path, **more))
    assert answer.headers[":status"] == "200"
    assert answer.headers["content-type"] == more.get("content_type", CONTENT_TYPE)
    assert answer.trailers is None, "a browser could not read them"
    messages, trailers = frames(answer.body)
    return [part for _, part in messages], trailers or answer.headers, answer


@pytest.mark.parametrize("content_type", ["application/grpc-web", CONTENT_TYPE])
def test_a_call_comes_back_with_its_status_in_the_body(wire, content_type):
    messages, status, answer = call(wire, CHECK, content_type=content_type)
    assert messages == [SERVING] and status == {"grpc-status": "0"}
    assert "grpc-status" not in answer.headers


def test_a_browser_pairs_and_uses_its_account(wire, account):
    pair = devices_pb2.PairRequest(code=account.invite().code, device_name="phone")
    (answer,), _, _ = call(wire, "/atrest.sync.v1.Devices/Pair", pair.SerializeToString())
    phone = devices_pb2.PairResponse.FromString(answer)
    bearer = {"authorization": f"Bearer {phone.token}"}
    request = sync_pb2.ExchangeRequest(offers=[offer(water(phone.replica))])
    (answer,), status, _ = call(
        wire, "/atrest.sync.v1.Sync/Exchange", request.SerializeToString(), **bearer
    )
    assert status == {"grpc-status": "0"}
    assert sync_pb2.ExchangeResponse.FromString(answer).cursor.sequence == 1
    (answer,), _, _ = call(wire, "/atrest.sync.v1.Accounts/Get", **bearer)
    assert accounts_pb2.AccountsGetResponse.FromString(answer)
    assert len(account.all_records()) == 1, "the phone's water reached the others"


def test_a_stream_brings_what_others_commit(wire, account):
    phone = account.add_device("phone")
    stream = wire.start(
        **browser(wire, "/atrest.sync.v1.Sync/Watch", authorization=f"Bearer {phone.token}")
    )
    wire.send(stream, message(), end=True)
    answer = wire.answers[stream]
    wire.read_until(lambda: answer.body)
    account.exchange(offers=[offer(water(account.replica))])
    wire.read_until(lambda: len(frames(answer.body)[0]) > 1)
    messages, trailers = frames(answer.body)
    assert trailers is None and not answer.is_ended
    assert sync_pb2.WatchResponse.FromString(messages[-1][1]).records


def test_a_refusal_without_a_message_is_in_the_headers(wire):
    messages, status, answer = call(wire, "/atrest.sync.v1.Sync/Exchange")
    assert messages == [] and answer.body == b""
    assert status["grpc-status"] == "16" and status["grpc-status-details-bin"]


def test_a_deadline_ends_a_stream_in_its_body(wire):
    answer = wire.call(message(), **browser(wire, WATCH_HEALTH, grpc_timeout="300m"))
    messages, trailers = frames(answer.body)
    assert [part for _, part in messages] == [SERVING]
    assert trailers["grpc-status"] == "4"


def test_a_method_that_does_not_exist_and_one_that_takes_a_stream_are_unimplemented(wire):
    _, status, _ = call(wire, "/atrest.sync.v1.Sync/Guess")
    assert status["grpc-status"] == "12"
    _, status, _ = call(wire, "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo")
    assert status["grpc-status"] == "12" and "gRPC-Web" in status["grpc-message"]


def test_a_message_that_is_too_large_is_refused(wire, account):
    bearer = {"authorization": f"Bearer {account.token}"}
    stream = wire.start(**browser(wire, "/atrest.sync.v1.Sync/Exchange", **bearer))
    wire.send(stream, message(length=1 << 20))
    answer = wire.await_end(stream)
    assert answer.status == "8" and answer.headers["content-type"] == CONTENT_TYPE


def test_messages_are_compressed_for_a_page_that_asks(wire, account):
    records = [offer(water(account.replica)) for _ in range(40)]
    account.exchange(offers=records)
    bearer = {"authorization": f"Bearer {account.token}"}
    body = b"\x01" + message(gzip.compress(b""))[1:]
    answer = wire.call(
        body,
        **browser(
            wire,
            "/atrest.sync.v1.Sync/Exchange",
            grpc_encoding="gzip",
            grpc_accept_encoding="gzip",
            **bearer,
        ),
    )
    ((flag, part),), trailers = frames(answer.body)
    assert flag == 1 and answer.headers["grpc-encoding"] == "gzip"
    assert len(sync_pb2.ExchangeResponse.FromString(gzip.decompress(part)).records) == 40
    assert trailers == {"grpc-status": "0"}


@pytest.mark.parametrize(
    "fields",
    [
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": None, "origin": "https://evil.example"},
    ],
)
def test_a_page_of_another_origin_may_not_call(wire, fields):
    answer = wire.call(message(), **browser(wire, CHECK, **fields))
    assert answer.headers[":status"] == "403" and answer.status is None
    asked = wire.await_end(
        wire.start(
            path=CHECK, end=True, method="OPTIONS", origin="https://evil.example",
            access_control_request_method="POST", content_type=None,
        )
    )
    assert asked.headers[":status"] == "405"
    for heard in (answer, asked):
        assert not any(name.startswith("access-control") for name in heard.headers)


def test_the_base64_form_is_refused_with_a_sentence(wire):
    for content_type in ("application/grpc-web-text", "application/grpc-web-text+proto"):
        answer = wire.call(b"AAAAAAA=", **browser(wire, CHECK, content_type=content_type))
        assert answer.headers[":status"] == "415" and CONTENT_TYPE.encode() in answer.body


# The web app's files.

PAGE = b"<!doctype html><title>Atrest</title>" + b"<p>water</p>" * 200
SCRIPT = b"export const water = 250;\n" * 100
# Stands for the page as brotli, which the daemon passes on as it is.
BROTLI = b"\x0bthe page"


@pytest.fixture(scope="module")
def app(tmp_path_factory):
    """A folder as Scripts/build-web makes it."""
    folder = tmp_path_factory.mktemp("app")
    assets = []
    for path, content, kind, immutable in [
        ("/", PAGE, "text/html; charset=utf-8", False),
        ("/app.js", SCRIPT, "text/javascript", True),
    ]:
        name = path.strip("/") or "index.html"
        forms = []
        compressed = {"br": BROTLI, "gzip": gzip.compress(content)}
        for coding, form in ({"identity": content} if immutable else compressed).items():
            file = name if coding == "identity" else f"{name}.{coding}"
            (folder / file).write_bytes(form)
            digest = hashlib.sha256(form).hexdigest()
            forms.append({"coding": coding, "file": file, "sha256": digest})
        digest = hashlib.sha256(content).hexdigest()
        assets.append(
            {"path": path, "sha256": digest, "type": kind, "immutable": immutable, "forms": forms}
        )
    (folder / "assets.json").write_text(json.dumps({"assets": assets}))
    (folder / "secret.txt").write_text("not listed")
    return folder


@pytest.fixture(scope="module")
def site(binaries, tmp_path_factory, app):
    daemon = Daemon(binaries, tmp_path_factory.mktemp("site"))
    daemon.start(more=["--web", str(app), "--advertise", "sync.example.org:443"])
    yield daemon
    assert daemon.stop() == 0, daemon.log_tail()


def get(wire, path="/", **more):
    more = {"method": "GET", "content_type": None, "te": None, **more}
    return wire.await_end(wire.start(path=path, end=True, **more))


def test_a_browser_gets_the_app_and_keeps_it(site):
    with Wire(site.address) as wire:
        wire.handshake()
        assert get(wire, accept_encoding="gzip, deflate, br, zstd").body == BROTLI
        assert get(wire, accept_encoding="identity").body == PAGE
        page = get(wire, accept_encoding="gzip, deflate, br;q=0")
        assert page.headers[":status"] == "200" and gzip.decompress(page.body) == PAGE
        assert page.headers["content-encoding"] == "gzip"
        assert page.headers["vary"] == "accept-encoding"
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        assert page.headers["content-security-policy"].startswith("default-src 'self';")
        assert page.headers["referrer-policy"] == "no-referrer"
        assert "strict-transport-security" not in page.headers, "this server speaks in the clear"
        assert "set-cookie" not in page.headers
        again = get(wire, if_none_match=page.headers["etag"])
        assert again.headers[":status"] == "304" and again.body == b""
        script = get(wire, "/app.js")
        assert script.body == SCRIPT and script.headers["content-length"] == str(len(SCRIPT))
        assert "immutable" in script.headers["cache-control"]
        head = get(wire, "/app.js", method="HEAD")
        assert head.headers["content-length"] == str(len(SCRIPT)) and head.body == b""
        # Calls go on beside it.
        assert call(wire, CHECK)[0] == [SERVING]


@pytest.mark.parametrize("path", ["/secret.txt", "/assets.json", "/../secret.txt", "/index.html"])
def test_what_is_not_listed_does_not_exist(site, path):
    with Wire(site.address) as wire:
        missing = get(wire.handshake(), path)
        assert missing.headers[":status"] == "404" and b"not listed" not in missing.body
        assert missing.headers["x-content-type-options"] == "nosniff"


def test_links_for_browsers_come_with_the_app(site, account):
    for command in ("add", "invite"):
        link = json.loads(site.admin("account", command, "home", "--json").stdout)
        code = link["link"].rpartition("/")[2]
        assert link["web_link"] == f"https://sync.example.org/#pair={code}"
    spoken = site.admin("account", "invite", "home")
    assert "https://sync.example.org/#pair=" in spoken.stderr
    assert spoken.stdout.startswith("atrest://") and spoken.stdout.count("\n") == 1
    with open_channel(site.address) as channel:
        phone = Device.pair(channel, code, "phone")
        assert phone.invite().serves_app
    assert not account.invite().serves_app, "without the app nobody is sent there"


def test_no_web_serves_calls_alone(binaries, tmp_path, app):
    daemon = Daemon(binaries, tmp_path)
    daemon.start(more=["--no-web"])
    try:
        with Wire(daemon.address) as wire:
            assert get(wire.handshake()).headers[":status"] == "405"
            assert call(wire, CHECK)[0] == [SERVING]
        assert "web=off" in daemon.log_tail()
    finally:
        assert daemon.stop() == 0


def test_a_folder_that_is_not_what_its_list_says_is_refused_at_the_start(binaries, tmp_path, app):
    stale = tmp_path / "stale"
    stale.mkdir()
    for file in app.iterdir():
        (stale / file.name).write_bytes(file.read_bytes())
    (stale / "app.js").write_text("changed")
    daemon = Daemon(binaries, tmp_path)
    with pytest.raises(AssertionError):
        daemon.start(more=["--web", str(stale)])
    assert "app.js is another one than assets.json lists." in daemon.log_tail()


def test_a_browser_in_the_clear_is_cut(site):
    """It speaks HTTP/1.1 there. docs/operate/server.md says what to do instead."""
    with Wire(site.address) as wire:
        wire.socket.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        heard = b""
        while part := wire.socket.recv(4096):
            heard += part
        assert PAGE not in heard
