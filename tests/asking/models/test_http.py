"""One address: what each answer, refusal and breakdown of a server means, and that the key stays secret."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.asking.models.base import Hopeless, ModelError, ModelUnusable, TimedOut, TryAgain, Unreachable
from counterfoil.asking.models.http import Answer as Answered
from counterfoil.asking.models.http import Endpoint, Rejected, checked_base_url, decode_json, key_from
from counterfoil.errors import UserError
from mock_server import Answer, MockServer, completion, error

KEY = "sk-test/0123456789+abcdef"
# 1,800,000,000 seconds after 1970 began it is 08:00:00 UTC on Friday, 15 January 2027.
NOW = 1_800_000_000.0


class Raw(Answer):
    """Bytes as they are, without a head of their own."""

    def raw(self) -> bytes:
        return self.body


def post_to(url: str, *, secret: str | None = None, timeout: float = 10.0) -> Answered:
    async def post() -> Answered:
        endpoint = Endpoint(url, {}, secret=secret, remedy="check THE_KEY")
        try:
            return await endpoint.post({}, timeout)
        finally:
            await endpoint.close()

    return asyncio.run(post())


def post(answer: Answer, *, secret: str | None = None, timeout: float = 10.0) -> Answered:
    """What the endpoint makes of an answer."""
    with MockServer(lambda request: answer) as server:
        return post_to(server.url, secret=secret, timeout=timeout)


def trouble(answer: Answer, *, secret: str | None = None, timeout: float = 10.0) -> ModelError:
    """The error that the endpoint makes of an answer."""
    with pytest.raises(ModelError) as raised:
        post(answer, secret=secret, timeout=timeout)
    return raised.value


@pytest.fixture
def _at_eight(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("counterfoil.asking.models.http.time", SimpleNamespace(time=lambda: NOW))


@pytest.mark.parametrize("status", [400, 413, 422])
def test_what_the_server_does_not_accept_is_hopeless_for_this_ask_only(status: int) -> None:
    raised = trouble(error(status, "this is too long"))
    assert type(raised) is Rejected
    assert isinstance(raised, Hopeless)
    assert (raised.parameter, raised.filtered) == (None, False)
    assert str(raised) == f"the server said {status}: this is too long"


@pytest.mark.parametrize("status", [401, 402, 403])
def test_a_refused_key_makes_the_model_unusable_and_says_the_remedy(status: int) -> None:
    raised = trouble(error(status, "who are you?"))
    assert type(raised) is ModelUnusable
    assert str(raised) == f"the server said {status}: who are you?; check THE_KEY"


@pytest.mark.parametrize("status", [404, 405])
def test_a_wrong_address_makes_the_model_unusable_and_names_the_address(status: int) -> None:
    with MockServer(lambda request: error(status, "not here", {"Location": "http://127.0.0.1:1/"})) as server:
        with pytest.raises(ModelUnusable) as raised:
            post_to(f"{server.url}/x?api-version=1")
        assert str(raised.value) == (
            f"the server said {status}: not here; check the model's name and the address {server.url}/x"
        )


def test_a_redirection_is_named_and_not_followed_since_the_key_would_go_elsewhere() -> None:
    with MockServer(lambda request: error(301, "moved", {"Location": "http://127.0.0.1:1/"})) as server:
        with pytest.raises(ModelUnusable, match=r"sends asks on to http://127\.0\.0\.1:1/: give that address instead"):
            post_to(f"{server.url}/x")
        assert len(server.requests) == 1


@pytest.mark.parametrize("status", [408, 409, 425, 500, 502, 503, 504])
def test_what_may_get_better_is_tried_again_at_the_same_pace(status: int) -> None:
    raised = trouble(error(status, "hiccup"))
    assert type(raised) is TryAgain
    assert (raised.wait, raised.overloaded) == (None, False)
    assert str(raised) == f"the server said {status}: hiccup"


@pytest.mark.parametrize("status", [429, 529])
def test_an_overloaded_server_wants_fewer_asks(status: int) -> None:
    raised = trouble(error(status, "slower"))
    assert type(raised) is TryAgain
    assert (raised.wait, raised.overloaded) == (None, True)


def test_an_account_without_credit_is_no_rate_limit() -> None:
    raised = trouble(error(429, "You exceeded your current quota", code="insufficient_quota"))
    assert type(raised) is ModelUnusable


@pytest.mark.usefixtures("_at_eight")
@pytest.mark.parametrize("status", [429, 503, 529])
@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0"}, 0.0),
        ({"retry-after": "1.5"}, 1.5),
        ({"Retry-After": "Fri, 15 Jan 2027 08:01:30 GMT"}, 90.0),  # a minute and a half after eight
        ({"Retry-After": "Fri, 15 Jan 2027 07:00:00 GMT"}, 0.0),  # an hour ago
        ({"retry-after-ms": "250"}, 0.25),
        ({"retry-after-ms": "250", "Retry-After": "1"}, 0.25),  # the finer one
        ({}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": ""}, None),
        ({"Retry-After": "-1"}, None),
    ],
)
def test_the_wait_the_server_asks_for(status: int, headers: Mapping[str, str], wait: float | None) -> None:
    raised = trouble(error(status, "slower", headers))
    assert isinstance(raised, TryAgain)
    assert raised.wait == wait


@pytest.mark.usefixtures("_at_eight")
@pytest.mark.parametrize(
    ("headers", "quiet"),
    [
        ({}, 0.0),
        ({"x-ratelimit-remaining-requests": "1", "x-ratelimit-reset-requests": "6m0s"}, 0.0),  # there is room
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}, 360.0),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "20ms"}, 0.02),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "1h1m1.5s"}, 3661.5),
        ({"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "12"}, 12.0),
        (
            {
                "anthropic-ratelimit-requests-remaining": "0",
                "anthropic-ratelimit-requests-reset": "2027-01-15T08:00:45Z",
            },
            45,
        ),
        (
            {"anthropic-ratelimit-tokens-remaining": "0", "anthropic-ratelimit-tokens-reset": "2027-01-15T07:00:00Z"},
            0.0,
        ),
        (  # of two limits that are reached, the longer one holds
            {
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-requests": "3s",
                "x-ratelimit-remaining-tokens": "0",
                "x-ratelimit-reset-tokens": "1s",
            },
            3.0,
        ),
        ({"x-ratelimit-remaining-requests": "0"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "soon"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "Tomorrow"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "..s"}, 0.0),
    ],
)
def test_a_reply_says_how_long_to_be_quiet(headers: Mapping[str, str], quiet: float) -> None:
    assert post(Answer(b"{}", headers=headers)).quiet == pytest.approx(quiet)


header_values = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=12) | st.from_regex(
    r"\A[0-9TZ:.+-]{1,25}(ms|s|m|h)?\Z"
)


@settings(max_examples=60, deadline=None)
@given(header_values)
def test_no_header_of_a_server_breaks_anything(value: str) -> None:
    answers = [
        error(429, "slower", {"Retry-After": value}),
        error(429, "slower", {"retry-after-ms": value}),
        Answer(b"{}", headers={"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": value}),
    ]
    with MockServer(lambda request: answers[len(server.requests) - 1]) as server:
        for _ in range(2):
            with pytest.raises(TryAgain) as raised:
                post_to(server.url)
            assert raised.value.wait is None or raised.value.wait >= 0
        assert post_to(server.url).quiet >= 0


@pytest.mark.parametrize(
    "details",
    [
        {"code": "content_filter"},
        {"code": "content_policy_violation"},
        {"code": "x", "innererror": {"code": "ResponsibleAIPolicyViolation", "content_filter_result": {}}},
        {"code": 403, "metadata": {"reasons": ["violence"], "flagged_input": "…", "provider_name": "p"}},
    ],
)
@pytest.mark.parametrize("status", [400, 403])
def test_a_content_filter_is_told_apart(status: int, details: Mapping[str, Any]) -> None:
    raised = trouble(error(status, "flagged", **details))
    assert type(raised) is Rejected
    assert raised.filtered


@pytest.mark.parametrize(
    ("details", "parameter"),
    [
        ({"param": "max_tokens", "code": "unsupported_parameter"}, "max_tokens"),
        ({"param": "temperature", "code": "unsupported_value"}, "temperature"),
        ({"param": "seed", "message": "seed is not supported here"}, "seed"),
        ({"param": "temperature", "code": "decimal_above_max_value"}, None),  # the user's mistake, not the model's lack
        ({"param": "temperature", "message": "too high; if this is wrong, contact support"}, None),
        ({"param": "temperature", "message": "Unsupported value: only the default (1) is possible"}, "temperature"),
        ({"param": None, "code": "unsupported_parameter"}, None),
        ({"param": ["temperature"], "code": "unsupported_parameter"}, None),
        ({}, None),
    ],
)
def test_a_parameter_that_is_not_taken_is_named(details: dict[str, Any], parameter: str | None) -> None:
    raised = trouble(error(400, **{"message": "no", **details}))
    assert isinstance(raised, Rejected)
    assert raised.parameter == parameter


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


def escaped(text: str) -> bytes:
    """The text in JSON with each character as an escape."""
    return "".join(f"\\u{ord(character):04x}" for character in text).encode()


@pytest.mark.parametrize("spelling", [KEY.encode(), KEY.replace("/", "\\/").encode(), escaped(KEY)])
@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
def test_the_key_does_not_come_back(status: int, spelling: bytes) -> None:
    body = b'{"error": {"message": "wrong key %s", "code": "%s"}, "%s": 1}' % (spelling, spelling, spelling)
    raised = trouble(Answer(body, status), secret=KEY)
    assert "wrong key [key]" in str(raised)
    assert KEY not in repr(raised)


def test_the_key_does_not_come_back_on_a_page_or_in_a_reply() -> None:
    page = trouble(Answer(f"<p>{KEY}</p>".encode(), 401), secret=KEY)
    assert str(page) == "the server said 401: <p>[key]</p>; check THE_KEY"
    reply = post(Answer(json.dumps({"choices": [{"text": f"a {KEY} b"}], KEY: KEY}).encode()), secret=KEY)
    assert reply.body == {"choices": [{"text": "a [key] b"}], "[key]": "[key]"}


def test_a_placeholder_for_a_key_is_left_in_the_replies() -> None:
    body = {"choices": [{"text": "none of them"}]}
    assert post(Answer(json.dumps(body).encode()), secret="none").body == body


def test_a_key_is_taken_without_the_white_space_around_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert key_from("THE_KEY") is None
    for value, key in ((" sk-1\n", "sk-1"), ("", None), (" \n", None)):
        monkeypatch.setenv("THE_KEY", value)
        assert key_from("THE_KEY") == key
    monkeypatch.setenv("THE_KEY", "sk-secret\nX-Other: 1")
    with pytest.raises(UserError, match="THE_KEY holds a line break") as raised:
        key_from("THE_KEY")
    assert "sk-secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("given_url", "url"),
    [
        ("http://localhost:8000/v1", "http://localhost:8000/v1"),
        ("https://example.org/v1//", "https://example.org/v1"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("https://example.org/@team/v1", "https://example.org/@team/v1"),
    ],
)
def test_an_address_loses_the_slash_at_its_end(given_url: str, url: str) -> None:
    assert checked_base_url(given_url) == url


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8000",
        "ftp://example.org",
        "http://",
        "http:///v1",
        "http://[::1",
        "http://host:99999",
        "http://a:b/",
    ],
)
def test_what_is_no_address_is_said_with_an_example(url: str) -> None:
    with pytest.raises(UserError, match=r"^--base-url .*is no address.*http://localhost:8000/v1"):
        checked_base_url(url)


@pytest.mark.parametrize(
    "url",
    ["https://me:geheim@example.org/v1", "https://geheim@example.org", "ftp://me:geheim@x", "me:geheim@example.org"],
)
def test_a_password_in_the_address_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UserError, match="--base-url holds a password") as raised:
        checked_base_url(url)
    assert "geheim" not in str(raised.value)


@pytest.mark.parametrize("url", ["https://example.org/v1?key=geheim", "https://example.org/v1#geheim"])
def test_what_comes_after_the_path_is_refused_and_not_repeated(url: str) -> None:
    with pytest.raises(UserError, match=r"--base-url goes on after its path: leave out the \?") as raised:
        checked_base_url(url)
    assert "geheim" not in str(raised.value)


def test_the_sentence_names_where_the_address_came_from() -> None:
    with pytest.raises(UserError, match=r"^CLOVA_URL nonsense is no address"):
        checked_base_url("nonsense", "CLOVA_URL")


@given(st.text(max_size=30) | st.text(max_size=20).map("http://{}".format))
def test_any_text_is_an_address_or_a_users_mistake(url: str) -> None:
    try:
        checked = checked_base_url(url)
    except UserError:
        return
    Endpoint(checked + "/chat/completions", {}, secret=None, remedy="")  # fails on what can't be an address
