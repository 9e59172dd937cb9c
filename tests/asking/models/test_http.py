"""One address: what each refusal of a server means, and how long it wants to be left alone."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.asking.models.base import Hopeless, ModelUnusable, TryAgain
from counterfoil.asking.models.http import Rejected
from http_posts import KEY, post, post_to, trouble
from mock_server import Answer, MockServer, error

# 1,800,000,000 seconds after 1970 began it is 08:00:00 UTC on Friday, 15 January 2027.
NOW = 1_800_000_000.0


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


@pytest.mark.parametrize("status", [401, 403])
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
    assert "credit" in str(raised)


def test_an_account_without_credit_is_not_told_to_check_its_key() -> None:
    raised = trouble(error(402, "Payment required"))
    assert type(raised) is ModelUnusable
    assert str(raised).startswith("the server said 402: Payment required; see to the account's credit")


def test_a_status_that_is_no_redirection_is_told_as_it_is() -> None:
    raised = trouble(Answer(status=304))
    assert type(raised) is ModelUnusable
    assert "the server said 304" in str(raised)
    assert "None" not in str(raised)


@pytest.mark.parametrize("spelled", [KEY, quote(KEY, safe="")])
def test_where_a_redirection_leads_is_told_without_the_key(spelled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    # A server may put whatever it was sent, the key among it, into the address; and what steers a terminal.
    raised = trouble(Answer(status=302, headers={"Location": f"http://h/{spelled}\x1b[2J?token={spelled}"}), secret=KEY)
    assert type(raised) is ModelUnusable
    assert spelled not in str(raised)
    assert "\x1b" not in str(raised)
    assert "http://h/" in str(raised)


@pytest.mark.parametrize(
    "answer",
    [error(status, "\x1b[31mred\x07 \u202e\r\nnext") for status in (400, 401, 404, 429, 500)]
    + [Answer(b"\x1b[2J<html>"), Answer(b'{"error": "\\u001b[2J"}')],
)
def test_no_words_of_a_server_steer_a_terminal(answer: Answer) -> None:
    assert str(trouble(answer)).isprintable()


def test_what_came_instead_of_json_is_shown() -> None:
    assert "<html>Sign in" in str(trouble(Answer(b"<html>Sign in to the hotel's network</html>")))
    assert "model is loading" in str(trouble(Answer(b'{"error": "model is loading"}')))


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
