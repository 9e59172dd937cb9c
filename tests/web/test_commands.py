"""Which command lines the site carries out: those that read no file, run no code and send no key elsewhere."""

from __future__ import annotations

import shlex

import pytest

from counterfoil.errors import UserError
from counterfoil.suite.finding import load_suite

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")
from counterfoil.web.live.commands import command_line, words_of

SUITES = {name: load_suite(name) for name in ("bias", "explain", "memorization")}


@pytest.mark.parametrize(
    "command",
    [
        "run bias --model openai/gpt-4o --data english --limit 10",
        "run memorization --levels 1 2 --model planted/memorization?skill=0.5 --no-controls",
        "run explain --model smollm2 --judge anthropic/claude --until 'accuracy ± 0.03' --max-cost=2.5",
        "run bias --model openrouter/meta-llama/llama-3.3-70b:free --variant en --fresh --out runs/x --ledger l.sqlite",
    ],
)
def test_it_carries_out_what_harms_nobody(command: str) -> None:
    words = words_of(shlex.split(command), SUITES)
    again = words_of(words.line(), SUITES)
    assert again == words


@pytest.mark.parametrize(
    "command",
    [
        "serve .",
        "run",
        "run evil:suite --model openai/gpt-4o",
        "run bias evil --model openai/gpt-4o",
        "run bias --model openai/gpt-4o --base-url https://elsewhere.example",
        "run bias --model openai/gpt-4o --param extra=1",
        "run bias --model hf/some/weights",
        "run bias --model gguf/weights.gguf",
        "run bias --model replay/file.jsonl",
        "run bias --model planted/evil:suite",
        "run bias --model planted/doubted",
        "run bias --data ../secret.jsonl --model smollm2",
        "run bias --data /etc/passwd --model smollm2",
        "run bias --variant prompt.toml --model smollm2",
        "run bias --prices prices.toml --model smollm2",
        "run bias --experiment x.toml",
        "run bias --metadata x.csv --model smollm2",
        "run bias --write-official x.tsv --model smollm2",
        "run bias --engine ray --model smollm2",
        "run bias --shards s3://bucket --model smollm2",
        "run bias --limit many --model smollm2",
        "run bias --limit",
        "run bias --overwrite --model smollm2",
        "run bias --model --limit=3",
    ],
)
def test_it_leaves_all_else_to_the_terminal(command: str) -> None:
    with pytest.raises(UserError):
        words_of(shlex.split(command), SUITES)


def test_a_command_is_shown_as_one_would_type_it() -> None:
    assert command_line(["run", "bias", "--until", "accuracy > 0.9"]) == "counterfoil run bias --until 'accuracy > 0.9'"
    assert command_line(None) is None
