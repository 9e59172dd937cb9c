"""The command line: help with an example, one sentence for wrong use, the right exit code."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from commands import SUITE, counterfoil, environment, on_a_terminal
from counterfoil import __version__, progress
from counterfoil.cli.main import COMMANDS
from mock_server import Answer, MockServer, completion

pytestmark = pytest.mark.heavy

PLANTED = "planted/three_choice:suite"


ACTIONS = (("models", "get"), *(("ledger", action) for action in ("info", "export", "import", "prune")))


@pytest.mark.parametrize("command", [(), *((name,) for name in COMMANDS), ("run", SUITE), *ACTIONS])
def test_help_has_an_example(command: tuple[str, ...], tmp_path: Path) -> None:
    done = counterfoil(*command, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "example: counterfoil" in done.stdout
    assert done.stderr == ""


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    code = "import sys\nfrom counterfoil.cli.main import main\ntry: main(['--help'])\nexcept SystemExit: pass\n"
    code += (
        "print([name for name in ('aiohttp', 'polars', 'numpy', 'msgspec', 'rich', 'asyncio') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_version(tmp_path: Path) -> None:
    assert counterfoil("--version", cwd=tmp_path).stdout == f"counterfoil {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "The following arguments are required: COMMAND"),
        (("runn",), "There is no command runn (did you mean run?)"),
        (("run",), "Name a suite"),
        (("run", "nix"), "There is no suite nix"),
        (("run", "nix:suite"), "there is no module nix"),
        (("run", "three_choice:nix"), "three_choice has no suite called 'nix'"),
        (("run", SUITE, "--limt", "3"), "Unrecognized arguments: --limt 3"),
        (("run", SUITE, "--limit", "some"), "limit must be a whole number, and is 'some'"),
        (("run", SUITE, "--limit", "0"), "limit must be at least 1, and is 0"),
        (("run", SUITE, "--temperature", "-1"), "temperature must be at least 0"),
        (("run", SUITE, "--model", "openai/gpt-4o"), "openai/gpt-4o needs OPENAI_API_KEY"),
        (("run", SUITE, "--model", "nix/x"), "There is no model nix/x: `counterfoil models` lists how names begin"),
        (("run", SUITE, "--model", PLANTED, "--base-url", "http://h/v1"), "is not behind an address"),
        (("run", SUITE, "--model", PLANTED, "--variant", "nix"), "There is no variant nix"),
        (("run", SUITE, "--model", PLANTED, "--data", "nix"), "takes a number of questions"),
        (("run", SUITE, "--model", PLANTED, "--data", "0"), "holds no questions"),
        (("run", SUITE, "--model", PLANTED, "--prices", "nix"), "The price file nix can't be read"),
        (("run", "--experiment", "nix.toml"), "nix.toml can't be read"),
        # As with a folder that may not be looked into: what can't be read is not what is printed.
        (("show", "x" * 300), f"{'x' * 300} can't be read: File name too long."),
        (("show", "nix"), "nix is not a run folder"),
        (("models", "get", "nix"), "There is no name nix: there are smollm2"),
    ],
)
def test_wrong_use_is_one_sentence_and_leaves_nothing_behind(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    done = counterfoil(*arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert done.stderr.startswith("counterfoil: ")
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_run_prints_sentences_a_table_and_where_the_run_is_and_show_prints_it_again(tmp_path: Path) -> None:
    arguments = ("run", SUITE, "--model", f"{PLANTED}?right=0.9", "--model", f"{PLANTED}?right=0.4")
    done = counterfoil(*arguments, "--data", "60", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    table, signs, sentences, *_ = done.stdout.split("\n\n")
    assert table.split()[0] == "accuracy"
    rows = [line.split()[0] for line in table.splitlines() if "right=" in line]
    assert [row[-9:] for row in rows] == ["right=0.9", "right=0.4"], "in the order they were named"
    assert signs.startswith("★ best")
    assert all(line.startswith("- ") for line in sentences.splitlines())
    assert "The run is in out" in done.stdout
    shown = counterfoil("show", "out", cwd=tmp_path)
    assert shown.stdout.strip() in done.stdout
    as_json = counterfoil("show", "out", "--json", cwd=tmp_path)
    assert as_json.stdout == (tmp_path / "out" / "summary.json").read_text()


def test_models_says_what_each_still_needs(tmp_path: Path) -> None:
    done = counterfoil("models", cwd=tmp_path, OPENAI_API_KEY="x")
    lines = {line.split()[0]: line for line in done.stdout.splitlines()}
    assert " yes " in lines["openai/NAME"]
    assert "set ANTHROPIC_API_KEY" in lines["anthropic/NAME"]
    assert "set AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT and OPENAI_API_VERSION" in lines["azure/DEPLOYMENT"]


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    counterfoil("run", SUITE, "--model", PLANTED, "--data", "400", cwd=tmp_path)
    done = subprocess.run(
        f"{sys.executable} -m counterfoil ledger export | head -1",
        shell=True,
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(done.stdout.splitlines()) == 1
    assert done.stderr == ""


@pytest.mark.parametrize(
    "command",
    [
        ("show", "out"),
        ("data", "list"),
        ("ledger", "export"),
        ("run", SUITE, "--model", PLANTED, "--json"),
        ("--help",),
    ],
)
@pytest.mark.parametrize("closed", [">&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_nobody_who_listens_at_all_is_no_error(closed: str, command: tuple[str, ...], tmp_path: Path) -> None:
    if command[0] in ("show", "ledger"):
        counterfoil("run", SUITE, "--model", PLANTED, "--data", "5", "--out", "out", cwd=tmp_path)
    line = f"{sys.executable} -W error -m counterfoil {' '.join(command)} {closed}"
    done = subprocess.run(line, shell=True, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert "Warning" not in done.stderr


def test_without_standard_error_sentences_are_not_among_the_results(tmp_path: Path) -> None:
    line = f"{sys.executable} -m counterfoil show nix 2>&-"
    done = subprocess.run(line, shell=True, cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")


def test_what_the_ledger_takes_in_and_removes_comes_as_json_too(tmp_path: Path) -> None:
    counterfoil("run", SUITE, "--model", PLANTED, "--data", "5", cwd=tmp_path)
    counterfoil("ledger", "export", "--to", "all.jsonl", cwd=tmp_path)

    def numbers(*arguments: str) -> dict[str, int]:
        done = counterfoil("ledger", *arguments, "--ledger", "new.sqlite", "--json", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        read: dict[str, int] = json.loads(done.stdout)
        return read

    assert numbers("import", "all.jsonl") == {"new": 5, "there": 0, "left_out": 0}
    assert numbers("import", "all.jsonl") == {"new": 0, "there": 5, "left_out": 0}
    assert numbers("prune", "--model", PLANTED) == {"replies": 5, "failures": 0, "removed": False}
    assert numbers("prune", "--model", PLANTED, "--yes") == {"replies": 5, "failures": 0, "removed": True}
    assert numbers("prune", "--model", PLANTED) == {"replies": 0, "failures": 0, "removed": False}


def test_an_empty_file_to_replay_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text("\n")
    done = counterfoil("run", SUITE, "--model", "replay/r.jsonl", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (2, "counterfoil: replay/r.jsonl: the file r.jsonl holds no replies.\n")
    assert [path.name for path in tmp_path.iterdir()] == ["r.jsonl"]


def test_a_default_of_nought_is_told(tmp_path: Path) -> None:
    done = counterfoil("run", SUITE, "--help", cwd=tmp_path)
    assert "sampling temperature (default: 0)" in done.stdout


def test_on_a_terminal_there_is_a_live_display_and_plain_lines_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = ("of 120", "in flight", "from the ledger", "/s", "tokens", "left")
    seen = threading.Event()

    def behave(request: dict[str, Any]) -> Answer:
        if len(server.requests) == 90:  # it comes when the display was seen, and all that are behind it
            seen.wait(300)
        return completion()

    def watch(shown: str) -> None:
        if all(part in shown for part in parts):
            seen.set()

    with MockServer(behave) as server:
        arguments = ("run", SUITE, "--model", "vllm/m", "--base-url", server.url, "--data", "60", "--concurrency", "5")
        monkeypatch.setattr(progress, "QUIET_SECONDS", 0.0)
        plain = counterfoil(*arguments, "--out", "plain", cwd=tmp_path)
        assert "vllm/m: " in plain.stderr
        assert "in flight" in plain.stderr
        assert "\x1b" not in plain.stderr
        code, shown = on_a_terminal(*arguments, "--repeats", "2", "--out", "live", cwd=tmp_path, watch=watch)
    assert code == 0
    assert [part for part in parts if part not in shown] == []
