"""One address: bodies that are not as they should be, and connections that break."""

from __future__ import annotations

import json
import socket
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.models.base import ModelError, ModelUnusable, TimedOut, TryAgain, Unreachable
from counterfoil.asking.models.http import Rejected, decode_json
from http_posts import KEY, Raw, post, post_to, trouble
from mock_server import Answer, completion, error


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (400, Rejected),
        (401, ModelUnusable),
        (402, ModelUnusable),
        (429, TryAgain),
        (502, TryAgain),
        ("server_error", TryAgain),
        (None, TryAgain),
        (0, TryAgain),
        (200, TryAgain),
        (True, TryAgain),
    ],
)
def test_an_error_behind_a_200_counts_as_its_code_says(code: Any, kind: type[ModelError]) -> None:
    raised = trouble(error(200, "Provider returned error", code=code))
    assert type(raised) is kind
    assert "Provider returned error" in str(raised)


def test_a_status_that_was_not_sent_is_not_claimed() -> None:
    assert (
        str(trouble(Answer(b'{"error": "no such thing"}', 200))) == "the server said 200, and an error: no such thing"
    )


def test_a_reply_with_choices_is_a_reply_whatever_stands_beside_them() -> None:
    body = {"choices": [], "error": {"message": "half of it", "code": 502}}
    assert post(Answer(json.dumps(body).encode())).body == body


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b"<html><body>502 Bad Gateway</body></html>",
        completion().body[:-20],
        b"{'choices': []}",
        b"[]",
        b"null",
        b'"choices"',
        b"1",
        b"[" * 100_000,
        b'{"a":' * 100_000,
    ],
    ids=lambda body: repr(body[:12]),
)
def test_a_200_that_is_no_json_object_is_tried_again(body: bytes) -> None:
    raised = trouble(Answer(body), secret=KEY)
    assert isinstance(raised, TryAgain)
    assert raised.overloaded is False


def test_an_object_nested_almost_too_deeply_for_python_is_tried_again_or_read() -> None:
    depth = 700
    body = b'{"a":' * depth + b'"\\n"' + b"}" * depth
    try:
        read: Any = post(Answer(body), secret=KEY).body
    except TryAgain:
        return
    for _ in range(depth):
        read = read["a"]
    assert read == "\n"


def test_an_empty_object_is_passed_on() -> None:
    assert post(Answer(b"{}")).body == {}


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (rb'{"a": "caf\u00e9 \ud83d\ude00"}', {"a": "café 😀"}),
        (rb'{"a": "\ud83d"}', {"a": "\ufffd"}),
        (rb'{"a": "x\ud83dy", "\ude00": 1}', {"a": "x\ufffdy", "\ufffd": 1}),
        (rb'{"a": "\ud83d", "b": "\ud83d\ude00"}', {"a": "\ufffd", "b": "😀"}),
        (b"\xef\xbb\xbf{}", {}),  # with a byte order mark
        (b'{"a": NaN, "b": -Infinity, "c": 1e999}', {"a": None, "b": None, "c": None}),
        (b'{"a": 123456789012345678901234567890}', {"a": 123456789012345678901234567890}),
    ],
)
def test_json_as_servers_write_it(raw: bytes, value: Any) -> None:
    assert decode_json(raw) == value


@given(st.binary(max_size=40) | st.text(max_size=40).map(lambda text: json.dumps(text).encode()))
def test_any_bytes_are_json_or_tried_again_and_what_is_read_can_be_kept(raw: bytes) -> None:
    try:
        value = decode_json(raw)
    except TryAgain:
        return
    json.dumps(value, ensure_ascii=False).encode()  # fails on half of a surrogate pair


@pytest.mark.parametrize("status", [400, 403, 404, 500])
@pytest.mark.parametrize(
    "body", [b"", b"<html>\n <p>\xff Bad</p>\n</html>", b"[]", b"null", b'"no"', b"{}", b'{"error": []}']
)
def test_an_error_without_the_documented_body_means_what_its_status_means(status: int, body: bytes) -> None:
    expected = {400: Rejected, 403: ModelUnusable, 404: ModelUnusable, 500: TryAgain}[status]
    assert type(trouble(Answer(body, status), secret=KEY)) is expected


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"<p>\n  Bad\n\n  gateway </p>", "<p> Bad gateway </p>"),
        (b'{"error": "just a text"}', "just a text"),
        (b'{"message": "not in an error"}', "not in an error"),
        (b"", "no reason given"),
        (b"x" * 1000, "x" * 300),
    ],
)
def test_what_the_server_said_is_told_on_one_line_and_not_at_length(body: bytes, said: str) -> None:
    assert str(trouble(Answer(body, 500))) == f"the server said 500: {said}"


def test_a_server_that_is_not_there_is_unreachable() -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # taken, but nobody listens
        port = closed.getsockname()[1]
        with pytest.raises(Unreachable, match=f"no server answers at http://127.0.0.1:{port} ") as raised:
            post_to(f"http://127.0.0.1:{port}/v1")
        assert raised.value.overloaded is False


def test_a_proxy_that_is_not_there_is_not_taken_for_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{closed.getsockname()[1]}")
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(Unreachable, match="the proxy that the environment names does not answer") as raised:
            post_to("http://server.invalid/v1")
        assert "server.invalid" not in str(raised.value)


@pytest.mark.parametrize(
    "answer",
    [
        Answer(reset=True),
        Raw(b"this is not HTTP\r\n\r\n"),
        Raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        Answer(b"this is not gzip", headers={"Content-Encoding": "gzip"}),
    ],
    ids=["reset", "no HTTP", "bad chunk", "bad gzip"],
)
def test_a_connection_that_breaks_is_tried_again(answer: Answer) -> None:
    assert type(trouble(answer)) is TryAgain


@pytest.mark.parametrize(
    "answer", [Answer(hang=True), Raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{")], ids=["never", "half"]
)
def test_a_server_that_never_finishes_is_given_up_at_the_limit(answer: Answer) -> None:
    raised = trouble(answer, timeout=0.2)
    assert type(raised) is TimedOut
    assert str(raised) == "no reply within 0.2 seconds"
