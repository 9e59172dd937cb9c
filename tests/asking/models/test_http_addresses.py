"""One address: how it may be written, and that the key stays secret."""

from __future__ import annotations

import json
import socket

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.models.base import Unreachable
from counterfoil.asking.models.http import checked_base_url, key_from, refuse_proxy
from counterfoil.asking.wire.client import address_of
from counterfoil.errors import UserError
from http_posts import KEY, post, post_to, trouble
from mock_server import Answer


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
    ],
)
def test_what_is_no_address_is_said_with_an_example(url: str) -> None:
    with pytest.raises(UserError, match=r"^--base-url .*is no address.*http://localhost:8000/v1"):
        checked_base_url(url)


@pytest.mark.parametrize("url", ["http://host:99999", "http://a:b/"])
def test_a_port_that_is_none_is_named(url: str) -> None:
    with pytest.raises(UserError, match=rf"^--base-url {url}: its port must be a number from 1 to 65535"):
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
    address_of(checked + "/chat/completions")  # fails on what can't be an address


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"ALL_PROXY": "socks5://u:secret@proxy:1080"}, "ALL_PROXY names a socks5:// proxy for example.org"),
        ({"HTTPS_PROXY": "socks5h://proxy:1080"}, "HTTPS_PROXY names a socks5h:// proxy for example.org"),
        ({"all_proxy": "http://proxy:3128"}, "ALL_PROXY names a http:// proxy for example.org"),
    ],
)
def test_a_proxy_that_can_not_be_used_is_no_reason_to_ask_without_one(
    variables: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UserError, match=said) as raised:
        refuse_proxy("https://example.org/v1")
    assert "set HTTPS_PROXY" in str(raised.value)
    assert "secret" not in str(raised.value)
    refuse_proxy("http://localhost:8000/v1")
    monkeypatch.setenv("NO_PROXY", "example.org")
    refuse_proxy("https://example.org/v1")


def test_a_proxy_that_does_not_answer_is_named_and_not_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as nobody:  # bound, and never listening
        nobody.bind(("127.0.0.1", 0))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{nobody.getsockname()[1]}")
        with pytest.raises(Unreachable, match=r"^the proxy that the environment names does not answer"):
            post_to("http://example.org/v1")


def test_an_http_proxy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    refuse_proxy("https://example.org/v1")
