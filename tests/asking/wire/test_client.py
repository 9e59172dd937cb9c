"""The client for one address, against servers on real sockets that behave well, or do not."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
import uvloop

from counterfoil.asking.wire import client as wire
from counterfoil.asking.wire.client import Client
from counterfoil.asking.wire.errors import BrokenOff, NoConnection, NotTrusted, TooLarge
from counterfoil.asking.wire.response import LARGEST_BODY, Response
from scripted_server import CLOSE, RESET, TURN, ScriptedServer, Step, whole

HEAD = b"HTTP/1.1 200 OK\r\n"


def with_client(url: str, work: Callable[[Client], Awaitable[Response]]) -> Response:
    async def run() -> Response:
        client = Client(url, {"Authorization": "Bearer ä"})
        try:
            return await work(client)
        finally:
            await client.close()

    return asyncio.run(run())


def posted(url: str, times: int = 1) -> Response:
    """The response to the last of so many requests, one after another."""

    async def work(client: Client) -> Response:
        for _ in range(times - 1):
            await client.post(b"{}")
        return await client.post(b'{"a":1}')

    return with_client(url, work)


def test_a_request_says_what_servers_need() -> None:
    with ScriptedServer(lambda connection, request: [whole()]) as server:
        assert posted(f"{server.url}/ü b?x=ß%20y").body == b"{}"
    (request,) = server.requests[0]
    head, _, body = request.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    assert first == "POST /v1/%C3%BC%20b?x=%C3%9F%20y HTTP/1.1"
    assert f"Host: 127.0.0.1:{server.port}" in lines
    assert "Authorization: Bearer ä" in lines
    assert "Accept-Encoding: gzip, deflate" in lines
    assert "Content-Length: 7" in lines
    assert body == b'{"a":1}'


def test_one_connection_carries_requests_one_after_another() -> None:
    with ScriptedServer(lambda connection, request: [whole(b"%d" % request)]) as server:
        assert posted(server.url, 3).body == b"2"
    assert [len(requests) for requests in server.requests] == [3]


def test_requests_at_the_same_time_have_connections_of_their_own() -> None:
    async def work(client: Client) -> Response:
        await asyncio.gather(*(client.post(b"{}") for _ in range(5)))
        return await client.post(b"{}")

    with ScriptedServer(lambda connection, request: [whole()]) as server:
        with_client(server.url, work)
    assert len(server.requests) == 5
    assert sum(map(len, server.requests)) == 6


@pytest.mark.parametrize(
    "steps",
    [
        [whole(), CLOSE],
        [whole(head=b"Connection: close\r\n")],
        [whole(version=b"HTTP/1.0"), CLOSE],
        [HEAD + b"\r\n{}", CLOSE],
        [whole() + b"more than was announced"],
    ],
    ids=["closed behind it", "said to be closed", "HTTP/1.0", "no length", "more than its length"],
)
def test_a_connection_that_can_not_go_on_is_followed_by_another(steps: Sequence[Step]) -> None:
    async def work(client: Client) -> Response:
        await client.post(b"{}")
        while any(not one.transport.is_closing() for one in client._idle):  # the server closes it in its own time
            await asyncio.sleep(0)
        return await client.post(b"{}")

    with ScriptedServer(lambda connection, request: steps) as server:
        assert with_client(server.url, work).body == b"{}"
    assert [len(requests) for requests in server.requests] == [1, 1]


def test_a_connection_that_was_idle_for_long_is_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "LONGEST_IDLE", -1.0)
    with ScriptedServer(lambda connection, request: [whole()]) as server:
        posted(server.url, 2)
    assert [len(requests) for requests in server.requests] == [1, 1]


def test_a_body_may_come_a_byte_at_a_time() -> None:
    steps = [step for byte in whole(b'{"slow":true}') for step in (bytes([byte]), TURN)]
    with ScriptedServer(lambda connection, request: steps) as server:
        assert posted(server.url, 2).body == b'{"slow":true}'


@pytest.mark.parametrize(
    "steps",
    [
        [RESET],
        [CLOSE],
        [HEAD, CLOSE],
        [HEAD + b"Content-Length: 100\r\n\r\n{", RESET],
        [HEAD + b"Content-Length: 100\r\n\r\n{", CLOSE],
        [HEAD + b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", CLOSE],
        [b"nonsense\r\n\r\n"],
        [HEAD + b"X: y\r\n" * 50_000],
    ],
)
def test_a_response_that_breaks_off_takes_its_connection_along(steps: Sequence[Step]) -> None:
    async def work(client: Client) -> Response:
        with pytest.raises(BrokenOff):
            await client.post(b"{}")
        return await client.post(b"{}")

    with ScriptedServer(lambda connection, request: [whole()] if connection else steps) as server:
        assert with_client(server.url, work).body == b"{}"
    assert [len(requests) for requests in server.requests] == [1, 1]


def test_a_body_without_end_is_not_read_to_its_end() -> None:
    async def work(client: Client) -> Response:
        with pytest.raises(TooLarge):
            await client.post(b"{}")
        return await client.post(b"{}")

    endless = [HEAD + b"\r\n", bytes(LARGEST_BODY + 1)]
    with ScriptedServer(lambda connection, request: [whole()] if connection else endless) as server:
        with_client(server.url, work)


def test_who_gives_up_waiting_leaves_no_connection_with_a_response_to_come() -> None:
    async def work(client: Client) -> Response:
        waiting = asyncio.ensure_future(client.post(b"{}"))
        while not server.requests or not server.requests[0]:
            await asyncio.sleep(0.001)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        return await client.post(b"{}")

    with ScriptedServer(lambda connection, request: [whole()] if connection else []) as server:
        assert with_client(server.url, work).body == b"{}"
    assert len(server.requests) == 2


def test_a_redirection_is_given_as_it_is() -> None:
    moved = b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n"
    with ScriptedServer(lambda connection, request: [moved]) as server:
        response = posted(server.url)
    assert (response.status, response.headers["location"]) == (302, "http://127.0.0.1:1/")


def test_nobody_listens() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        with pytest.raises(NoConnection) as raised:
            posted(f"http://127.0.0.1:{closed.getsockname()[1]}/")
    assert isinstance(raised.value.error, ConnectionRefusedError)


@pytest.mark.parametrize("host", ["no-such-host.invalid", "x" * 64 + ".invalid"])
def test_a_name_that_nobody_has(host: str) -> None:
    with pytest.raises(NoConnection):
        posted(f"http://{host}/")


def test_an_address_of_ipv6() -> None:
    try:
        with socket.socket(socket.AF_INET6) as probe:
            probe.bind(("::1", 0))
    except OSError:
        pytest.skip("this machine has no IPv6")
    with ScriptedServer(lambda connection, request: [whole()], host="::1") as server:
        assert posted(server.url).body == b"{}"
    assert b"Host: [::1]:%d\r\n" % server.port in server.requests[0][0]


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate that nobody has signed for the name localhost, with its key in one file."""
    if (openssl := shutil.which("openssl")) is None:
        pytest.skip("there is no openssl here to make a certificate")
    folder = tmp_path_factory.mktemp("certificate")
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    command += ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", "key.pem", "-out", "both.pem"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    both = folder / "both.pem"
    both.write_text(both.read_text() + (folder / "key.pem").read_text())
    return both


@pytest.fixture
def secure(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    return context


def test_a_certificate_that_nobody_vouches_for_is_not_trusted(secure: ssl.SSLContext) -> None:
    with ScriptedServer(lambda connection, request: [whole()], tls=secure) as server:
        with pytest.raises(NotTrusted):
            posted(server.url)
        assert not any(server.requests)


def test_requests_over_tls(secure: ssl.SSLContext, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_secure", lambda: ssl.create_default_context(cafile=certificate))
    with ScriptedServer(lambda connection, request: [whole(b"x" * 100_000)], tls=secure) as server:
        assert len(posted(server.url, 3).body) == 100_000
        assert [len(requests) for requests in server.requests] == [3]


def test_it_runs_in_another_loop_as_well() -> None:
    async def work(url: str) -> Response:
        client = Client(url, {})
        try:
            return await client.post(b"{}")
        finally:
            await client.close()

    with ScriptedServer(lambda connection, request: [whole()]) as server:
        assert uvloop.run(work(server.url)).body == b"{}"


def test_a_server_that_speaks_no_tls_is_no_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse() -> None:
            connection, _ = server.accept()
            with connection:
                connection.recv(1)
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

        threading.Thread(target=refuse, daemon=True).start()
        with pytest.raises(NoConnection):
            posted(f"https://127.0.0.1:{server.getsockname()[1]}/v1")
