"""--verbose and COUNTERFOIL_LOG=debug: what a command does, line by line, and no secret among it."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
from pathlib import Path
from typing import Any

import pytest

from batch_server import ANTHROPIC_MODEL, OPENAI_MODEL, BatchServer
from command_help import help_of
from commands import SUITE
from counterfoil.asking.ask import Message
from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.providers import PROVIDERS
from counterfoil.cli.main import COMMANDS, main
from counterfoil.log import log_request, masked, masked_url, shown
from mock_server import Answer, MockServer, completion, error
from quick_batches import have_little_patience
from run_folders import make_run, record
from sites import Client, serving

pytestmark = pytest.mark.heavy

KEY = "sk-te\"st/0123456789+abc'def"
MESSAGE = Answer(json.dumps({"content": [{"type": "text", "text": "B"}], "stop_reason": "end_turn"}).encode())
OVER_HTTP = [row.name for row in PROVIDERS.values() if row.takes_base_url and row.name != "inspect"]
PLANTED = ("--model", "planted/three_choice:suite", "--data", "5", "--out", "out")


@pytest.fixture(autouse=True)
def _apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_ORG_ID")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


def run(server: MockServer | BatchServer, model: str, *more: str) -> int:
    url = server.url if isinstance(server, MockServer) else server.url(model)
    return main(["run", SUITE, "--model", model, "--base-url", url, "--data", "1", "--out", "out", *more])


def test_requests_answers_retries_ledger_and_files_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    answers = [error(429, "slow \x1b[31mdown\x1b[0m", {"Retry-After": "0"}), error(500), completion("B")]
    with MockServer(lambda request: answers.pop(0)) as server:
        assert run(server, "vllm/m", "--verbose") == 0
        [body, *_] = server.requests
        lines = capsys.readouterr().err.splitlines()
        assert run(server, "vllm/m", "--verbose") == 0
        again = capsys.readouterr().err
    assert all(re.match(r"\d\d:\d\d:\d\d\.\d{3} counterfoil\.[a-z_.]+: ", line) for line in lines)
    said = [line.partition(": ")[2] for line in lines]
    sent = [line for line in said if " POST " in line]
    assert len(sent) == 3
    number, method, url, rest = sent[0].split(" ", 3)
    assert (method, url) == ("POST", f"{server.url}/chat/completions")
    head, _, shown_body = rest.partition(") ")
    assert head == "(Content-Type: application/json, Accept: application/json"
    assert json.loads(shown_body) == body
    assert re.fullmatch(rf"{number} 429 in \d+\.\d{{3}} s", said[said.index(sent[0]) + 1])
    assert "vllm/m: overloaded: at most 8 asks at a time" in said
    slow = "vllm/m: attempt 1: the server said 429: slow \\x1b[31mdown\\x1b[0m; the next in 0.0 s"
    assert slow in said, "nothing in it steers the terminal"
    assert any(line.startswith("vllm/m: attempt 2: the server said 500: no; the next in ") for line in said)
    assert f"{Path('.counterfoil/ledger.sqlite')} holds 0 of 1 replies" in said
    for name in ("records.parquet", "summary.json", "manifest.json", "report.html"):
        assert f"wrote {Path('out') / name}" in said
    assert f"{Path('.counterfoil/ledger.sqlite')} holds 1 of 1 replies" in again
    assert " POST " not in again


@pytest.mark.parametrize("provider", OVER_HTTP)
def test_no_key_is_shown(provider: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Each provider wants its key in a form of its own; and a prompt may hold it, too."""
    variable = PROVIDERS[provider].key
    for name in (variable or "SOME_API_KEY", "OPENAI_ORG_ID"):
        monkeypatch.setenv(name, KEY)
    monkeypatch.setenv("OPENAI_API_VERSION", "2024-06-01")

    async def send(url: str) -> None:
        model = open_model(ModelSpec(name=f"{provider}/m", base_url=url))
        try:
            await model.send(model.ask((Message("user", f"My key is {KEY}."),), {}, 0), 10.0)
        finally:
            await model.close()

    with MockServer(lambda request: MESSAGE if provider == "anthropic" else completion("B")) as server, shown():
        asyncio.run(send(server.url))
    assert (KEY in server.heads[0]) == (variable is not None), "it was sent"
    assert KEY in server.prompts[0]
    said = capsys.readouterr().err
    assert "My key is [masked]." in said
    assert variable is None or re.search(r"\((?:anthropic-version: [\d-]+, )?[\w-]+: \[masked\], ", said)
    assert "0123456789" not in said
    assert provider != "azure" or "?api-version=2024-06-01 " in said


@pytest.mark.parametrize("model", [OPENAI_MODEL, ANTHROPIC_MODEL])
def test_no_key_is_shown_where_batches_are_made(
    model: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, KEY)
    have_little_patience(monkeypatch)
    with BatchServer() as server:
        assert run(server, model, "--batch", "--verbose") == 0
    said = capsys.readouterr().err
    for request in server.requests:
        assert request.partition("?")[0].split()[-1] in said, request
    assert "0123456789" not in said


@pytest.mark.parametrize(
    ("url", "as_shown"),
    [
        ("https://h/v1/chat?api-version=1&key=abc", "https://h/v1/chat?api-version=1&key=[masked]"),
        ("https://h/f?X-Amz-Signature=a%2Fb&Expires=1", "https://h/f?X-Amz-Signature=[masked]&Expires=[masked]"),
        ("https://h/v1/files?limit=20&after=file-1", "https://h/v1/files?limit=20&after=file-1"),
        ("https://me:secret@h/v1", "https://[masked]@h/v1"),
        ("https://token@h/v1", "https://[masked]@h/v1"),
        ("https://h/v1?", "https://h/v1"),
    ],
)
def test_addresses_are_shown_without_secrets(url: str, as_shown: str) -> None:
    assert masked_url(url) == as_shown


@pytest.mark.parametrize("spelled", [KEY, json.dumps(KEY), "sk-te%22st%2F0123456789%2Babc%27def"])
@pytest.mark.parametrize("variable", ["MY_API_KEY", "HF_TOKEN", "db_password", "CLIENT_SECRET"])
def test_keys_are_masked_however_they_are_spelled(variable: str, spelled: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, f" {KEY}\n")
    assert "0123456789" not in masked(f"before {spelled} after")
    assert masked("before after") == "before after"


def test_a_placeholder_is_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VLLM_API_KEY", "EMPTY")
    assert masked("EMPTY words") == "EMPTY words"


@pytest.mark.parametrize(("switch", "level"), [(["--verbose"], ""), ([], "debug"), ([], "DEBUG"), ([], "")])
def test_the_traceback_behind_a_sentence_is_shown_only_where_it_is_wanted(
    switch: list[str], level: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COUNTERFOIL_LOG", level)
    Path("wrong.toml").write_text("= 3")
    assert main(["run", "--experiment", "wrong.toml", *switch]) == 2
    *before, sentence = capsys.readouterr().err.splitlines()
    assert sentence.startswith("counterfoil: The experiment file wrong.toml is not valid TOML")
    if not switch and not level:
        assert before == []
        return
    text = "\n".join(before)
    assert "Traceback (most recent call last):" in text
    assert "tomllib.TOMLDecodeError: " in text, "what was behind it"
    assert "counterfoil.errors.UserError: The experiment file wrong.toml" in text
    assert "request.py" in text, "where it was raised"


@pytest.mark.parametrize("switch", ["--verbose", ""])
def test_the_traceback_behind_a_page_of_the_site_is_shown_too(switch: str, tmp_path: Path) -> None:
    make_run(tmp_path / "run", [record()], suite="no:suite")
    with serving(tmp_path, *filter(None, [switch])) as site:
        assert Client(site).get("/run/run").status == 400
        site.process.terminate()
        assert site.process.stderr is not None
        said = site.process.stderr.read()
    assert ("Traceback" in said, "counterfoil.errors.UserError: " in said) == (bool(switch), bool(switch))


def test_without_it_nothing_is_shown_and_afterwards_nothing_stays(capsys: pytest.CaptureFixture[str]) -> None:
    logger = logging.getLogger("counterfoil")
    before = (logger.level, list(logger.handlers))
    assert main(["run", SUITE, *PLANTED, "--verbose"]) == 0
    verbose = capsys.readouterr()
    assert (logger.level, list(logger.handlers)) == before
    assert main(["run", SUITE, *PLANTED]) == 0
    usual = capsys.readouterr()
    # But for how many of the replies were in the ledger.
    [sentence] = usual.err.splitlines()
    assert "replies are from the ledger, the oldest of " in sentence
    assert len(verbose.err.splitlines()) > 1
    assert verbose.out == usual.out


def test_a_level_that_is_none_is_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COUNTERFOIL_LOG", "loud")
    assert main(["models"]) == 2
    assert capsys.readouterr().err == "counterfoil: COUNTERFOIL_LOG is 'loud': set it to debug, or leave it unset.\n"


@pytest.mark.parametrize(
    "arguments", [["--verbose", "models"], ["models", "--verbose"], ["ledger", "info", "--verbose"]]
)
def test_it_can_stand_anywhere(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    main(arguments)
    assert "Unrecognized" not in capsys.readouterr().err


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS), ("run", SUITE), ("data", "perturb")])
def test_every_command_takes_it(command: tuple[str, ...]) -> None:
    assert "--verbose" in help_of(*command)


def test_an_ask_costs_nothing_more_where_nobody_listens() -> None:
    class Untold:
        def __str__(self) -> str:
            raise AssertionError("nobody wants to know")

    unread: Any = Untold()
    log_request(logging.getLogger("counterfoil.asking"), "POST", unread, {}, unread)(200)
