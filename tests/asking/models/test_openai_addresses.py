"""Where chat completions are asked for, and with which key."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from counterfoil.asking.ask import Ask
from counterfoil.asking.models.base import ModelSpec, Sent
from counterfoil.asking.models.openai import OpenAIModel
from counterfoil.errors import UserError
from mock_server import MockServer
from openai_asks import KEY, MESSAGES, head_of, send_all


def test_the_key_and_the_organization_travel_in_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\n")  # as a file gives it
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    first, headers = head_of(name="openai/m")
    assert first == "POST /v1/chat/completions HTTP/1.1"
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["openai-organization"] == "org-1"
    assert headers["content-type"] == "application/json"


@pytest.mark.parametrize("value", [None, "", " \n"])
@pytest.mark.parametrize("name", ["openai/m", "azure/m", "vllm/m"])
def test_without_a_key_no_key_is_sent(name: str, value: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_VERSION", "1")
    for variable in ("OPENAI_API_KEY", "AZURE_OPENAI_API_KEY", "OPENAI_ORG_ID"):
        if value is not None:
            monkeypatch.setenv(variable, value)
    _, headers = head_of(name=name)
    assert not {"authorization", "api-key", "openai-organization"} & headers.keys()


def test_one_providers_key_does_not_go_to_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_ORG_ID", "org-1")
    for name in ("vllm/m", "together/m", "openrouter/m"):
        _, headers = head_of(name=name)
        assert not {"authorization", "openai-organization"} & headers.keys()


def test_azure_has_its_deployment_in_the_address_and_a_header_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AZURE_OPENAI_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-10-21")
    with MockServer() as server:
        monkeypatch.setenv("AZURE_OPENAI_ENDPOINT", f"http://127.0.0.1:{server.port}/")
        (sent,) = send_all(server, name="azure/my-gpt", base_url=None)
        assert isinstance(sent, Sent)
        head = server.heads[0]
    assert head.startswith("POST /openai/deployments/my-gpt/chat/completions?api-version=2024-10-21 HTTP/1.1\r\n")
    assert f"\r\napi-key: {KEY}" in head
    assert "authorization" not in head.lower()


@pytest.mark.parametrize("end", ["", "/", "/chat/completions", "/chat/completions/"])
def test_the_address_may_or_may_not_end_with_the_interface(end: str) -> None:
    with MockServer() as server:
        send_all(server, base_url=f"{server.url}{end}")
        assert server.heads[0].startswith("POST /v1/chat/completions HTTP/1.1\r\n")


def test_clova_is_where_its_variable_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOVA_API_KEY", KEY)
    with MockServer() as server:
        monkeypatch.setenv("CLOVA_URL", server.url)
        (sent,) = send_all(server, name="clova/HCX-005", base_url=None)
        assert isinstance(sent, Sent)
        assert f"Authorization: Bearer {KEY}" in server.heads[0]


def test_the_address_is_part_of_the_ask_only_where_the_user_gave_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    own = OpenAIModel(ModelSpec(name="openai/m"))
    other = OpenAIModel(ModelSpec(name="openai/m", base_url="http://localhost:1/v1/"))
    assert own.ask(MESSAGES, {"top_p": 1}, 2) == Ask(
        provider="openai", model="m", messages=MESSAGES, params={"top_p": 1}, sample=2
    )
    assert other.ask(MESSAGES, {}, 0).base_url == "http://localhost:1/v1"
    assert KEY not in own.ask(MESSAGES, {}, 0).canonical


@pytest.mark.parametrize(
    ("name", "variables", "missing"),
    [
        ("openai/m", {}, "OPENAI_API_KEY"),
        ("openai/m", {"OPENAI_API_KEY": ""}, "OPENAI_API_KEY"),
        ("openrouter/m", {}, "OPENROUTER_API_KEY"),
        ("together/m", {}, "TOGETHER_API_KEY"),
        ("clova/m", {}, "CLOVA_API_KEY and CLOVA_URL"),
        ("azure/m", {}, "AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT and OPENAI_API_VERSION"),
        ("azure/m", {"AZURE_OPENAI_API_KEY": KEY, "AZURE_OPENAI_ENDPOINT": "https://x"}, "OPENAI_API_VERSION"),
    ],
)
def test_missing_variables_are_named(
    name: str, variables: Mapping[str, str], missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in variables.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(UserError) as raised:
        OpenAIModel(ModelSpec(name=name))
    assert str(raised.value) == f"{name} needs {missing}: set the environment variable, then run again."


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        (ModelSpec(name="vllm/"), "vllm/ names no model: write vllm/NAME."),
        (ModelSpec(name="ollama"), "ollama names no model: write ollama/NAME."),
        (ModelSpec(name="vllm/m", base_url="localhost:8000"), "--base-url localhost:8000 is no address"),
        (ModelSpec(name="vllm/m", base_url="http://me:pass@host/v1"), "--base-url holds a password"),
    ],
)
def test_other_mistakes_are_said_in_a_sentence(spec: ModelSpec, sentence: str) -> None:
    with pytest.raises(UserError, match=re.escape(sentence)):
        OpenAIModel(spec)


def test_a_wrong_address_in_a_variable_is_said_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOVA_API_KEY", KEY)
    monkeypatch.setenv("CLOVA_URL", "clova.example")
    with pytest.raises(UserError, match=r"^CLOVA_URL clova\.example is no address"):
        OpenAIModel(ModelSpec(name="clova/m"))


def test_a_key_that_can_not_be_sent_is_said_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", f"{KEY}\r\nX-Other: 1")
    with pytest.raises(UserError, match=r"^OPENAI_API_KEY holds a line break") as raised:
        OpenAIModel(ModelSpec(name="openai/m"))
    assert KEY not in str(raised.value)
