"""The data card of training data: what it is, where it comes from, what it must not be used for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from counterfoil import __version__

# What the replies that were looked at are counted as.
USED = "used"

# Hugging Face's libraries take these files for the splits, and leave the held-out questions alone.
_HEADER = """---
configs:
- config_name: default
  data_files:
  - split: train
    path: train.jsonl
  - split: test
    path: test.jsonl
---
"""


class Facts(NamedTuple):
    """What the card tells. Pairs are of training and test."""

    kind: str
    manifest: Mapping[str, Any]
    manifest_sha256: str
    variants: Sequence[str]
    score: str
    at_least: float
    at_most: float
    test_share: float
    seed: int
    replies: Counter[str]
    questions: tuple[int, int]
    clusters: tuple[int, int]
    examples: tuple[Sequence[Mapping[str, Any]], Sequence[Mapping[str, Any]]]


def card(facts: Facts) -> str:
    """README.md, in Markdown. Names come from elsewhere, and are shown as code."""
    manifest = facts.manifest
    suite, about = str(manifest["suite"]), manifest["data"]
    pairs = facts.kind == "dpo"
    what = (
        "pairs of a better and a worse reply to the same prompt"
        if pairs
        else "replies that are good enough to learn from"
    )
    rule = f"chosen replies have a `{facts.score}` of at least {facts.at_least:g}"
    rule += f", rejected ones of at most {facts.at_most:g}" if pairs else ""
    columns = "`prompt`, `chosen`, `rejected`" if pairs else "`prompt`, `completion`"
    sides = ("training", "test")
    variants = " ".join(f"--variant {_code(name)[1:-1]}" for name in facts.variants)
    return (
        _HEADER
        + f"""
# Training data from a run of {_code(suite)}

Made by counterfoil {__version__}: {what}.
As chat messages, {columns}: TRL's conversational format for {"DPOTrainer" if pairs else "SFTTrainer"}.
The other columns say where each example comes from.

| | |
|---|---|
| dataset | {_code(about["name"])}, SHA-256 `{about["sha256"]}` |
| run | finished {_code(manifest.get("finished_at"))}, SHA-256 of its manifest.json `{facts.manifest_sha256}` |
| variants | {", ".join(map(_code, facts.variants))} |
| rule | {rule} |
| split | {facts.test_share:g} of the questions held out, seed {facts.seed} |

| | questions | clusters | prompts with examples | examples |
|---|---|---|---|---|
{_rows(facts, sides)}

Whose replies these are:

| model | {" | ".join(("chosen", "rejected") if pairs else ("replies",))} |
|---|{"---|" * (2 if pairs else 1)}
{_models(facts.examples, pairs)}

Of {facts.replies.total():,} replies, {facts.replies[USED]:,} were considered{_left(facts.replies)}.
Equal words to the same prompt count once; words that were scored differently from time to time must keep to the rule
each time. White space around a reply is taken off.

## How the questions are split

By question, before any reply is looked at. Whatever shares a template, an original, a pair or the words of its prompt
is on one side. The same dataset, share and seed give the same split for every run.

## What must not be done

- Don't report results on questions of `train.jsonl`, nor on the whole dataset: the model has seen them.
- Don't train on `test.jsonl` or `held_out.jsonl`, and don't choose thresholds by looking at them.
- A model that learns from these replies learns what the `{facts.score}` of {_code(suite)} rewards, flaws included.

## How to evaluate

`held_out.jsonl` has the held-out questions that were asked, whether or not a reply to them is in `test.jsonl`. Before
and after training, with the options of the run:

    counterfoil run {_code(suite)[1:-1]} --data held_out.jsonl {variants} --model MODEL

## Licences

The prompts are made of questions of {_code(about["name"])}{_licence(suite, about)}. Whether replies may be used to
train other models is said in the terms of the models they come from.
"""
    )


def _rows(facts: Facts, sides: Sequence[str]) -> str:
    return "\n".join(
        f"| {side} | {questions:,} | {clusters:,} | {len({str(row['prompt']) for row in rows}):,} | {len(rows):,} |"
        for side, questions, clusters, rows in zip(sides, facts.questions, facts.clusters, facts.examples, strict=True)
    )


def _models(examples: Sequence[Sequence[Mapping[str, Any]]], pairs: bool) -> str:
    columns = ("model_chosen", "model_rejected") if pairs else ("model",)
    counts = [Counter(str(row[column]) for rows in examples for row in rows) for column in columns]
    models = sorted({model for count in counts for model in count})
    return "\n".join(f"| {_code(model)} | {' | '.join(f'{count[model]:,}' for count in counts)} |" for model in models)


def _left(replies: Counter[str]) -> str:
    left = [f"{number:,} {use.replace('_', ' ')}" for use, number in sorted(replies.items()) if use != USED]
    return f"; left out: {', '.join(left)}" if left else ""


def _licence(suite: str, about: Mapping[str, Any]) -> str:
    """What is known of the dataset's licence."""
    from counterfoil.datasets.registry import all_datasets

    licences = {it.name: it.licence for it in all_datasets() if it.suite == suite}
    known = licences.get(str(about["given"] or about["name"]))
    return f": {known}" if known else ", whose licence is for you to find out"


def _code(name: object) -> str:
    """A name as code, on one line and in one cell."""
    plain = "".join(letter if letter.isprintable() else " " for letter in str(name)).replace("`", "'")
    return f"`{plain.replace('|', chr(92) + '|')}`"
