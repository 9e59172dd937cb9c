"""The data card of training data: what it is, where it comes from, what it must not be used for."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil import __version__
from counterfoil.adapters.training.examples import USED, Gathered, Rule, Side
from counterfoil.running.folder import MANIFEST, Run

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


def card(run: Run, rule: Rule, gathered: Gathered, test_share: float, seed: int) -> str:
    """README.md, in Markdown. Names come from elsewhere, and are shown as code."""
    manifest = run.manifest
    manifest_sha256 = hashlib.sha256((run.folder / MANIFEST).read_bytes()).hexdigest()
    suite, about, replies = str(manifest["suite"]), manifest["data"], gathered.replies
    pairs = rule.kind == "dpo"
    what = (
        "pairs of a better and a worse reply to the same prompt"
        if pairs
        else "replies that are good enough to learn from"
    )
    bounds = f"chosen replies have a `{rule.score}` of at least {rule.at_least:g}"
    bounds += f", rejected ones of at most {rule.at_most:g}" if pairs else ""
    columns = "`prompt`, `chosen`, `rejected`" if pairs else "`prompt`, `completion`"
    variants = " ".join(f"--variant {_code(name)[1:-1]}" for name in gathered.variants)
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
| run | finished {_code(manifest.get("finished_at"))}, SHA-256 of its manifest.json `{manifest_sha256}` |
| variants | {", ".join(map(_code, gathered.variants))} |
| rule | {bounds} |
| split | {test_share:g} of the questions held out, seed {seed} |

| | questions | clusters | prompts with examples | examples |
|---|---|---|---|---|
{_row("training", gathered.train)}
{_row("test", gathered.test)}

Whose replies these are:

| model | {" | ".join(("chosen", "rejected") if pairs else ("replies",))} |
|---|{"---|" * (2 if pairs else 1)}
{_models([*gathered.train.examples, *gathered.test.examples], pairs)}

Of {replies.total():,} replies, {replies[USED]:,} were considered{_left_out(replies)}.
Equal words to the same prompt count once; words that were scored differently from time to time must keep to the rule
each time. White space around a reply is taken off.

## How the questions are split

By question, before any reply is looked at. Whatever shares a template, an original, a pair or the words of its prompt
is on one side. The same dataset, share and seed give the same split for every run.

## What must not be done

- Don't report results on questions of `train.jsonl`, nor on the whole dataset: the model has seen them.
- Don't train on `test.jsonl` or `held_out.jsonl`, and don't choose thresholds by looking at them.
- A model that learns from these replies learns what the `{rule.score}` of {_code(suite)} rewards, flaws included.

## How to evaluate

`held_out.jsonl` has the held-out questions that were asked, whether or not a reply to them is in `test.jsonl`. Before
and after training, with the options of the run:

    counterfoil run {_code(suite)[1:-1]} --data held_out.jsonl {variants} --model MODEL

## Licences

The prompts are made of questions of {_code(about["name"])}{_licence(suite, about)}. Whether replies may be used to
train other models is said in the terms of the models they come from.
"""
    )


def _row(name: str, side: Side) -> str:
    units = {question.unit for question in side.questions}
    clusters = {question.cluster for question in side.questions}
    prompts = {str(example["prompt"]) for example in side.examples}
    return f"| {name} | {len(units):,} | {len(clusters):,} | {len(prompts):,} | {len(side.examples):,} |"


def _models(examples: Sequence[Mapping[str, Any]], pairs: bool) -> str:
    columns = ("model_chosen", "model_rejected") if pairs else ("model",)
    counts = [Counter(str(example[column]) for example in examples) for column in columns]
    models = sorted({model for count in counts for model in count})
    return "\n".join(f"| {_code(model)} | {' | '.join(f'{count[model]:,}' for count in counts)} |" for model in models)


def _left_out(replies: Counter[str]) -> str:
    left = [f"{number:,} {use.replace('_', ' ')}" for use, number in sorted(replies.items()) if use != USED]
    return f"; left out: {', '.join(left)}" if left else ""


def _licence(suite: str, about: Mapping[str, Any]) -> str:
    from counterfoil.datasets.registry import all_datasets

    licences = {dataset.name: dataset.licence for dataset in all_datasets() if dataset.suite == suite}
    known = licences.get(str(about["given"] or about["name"]))
    return f": {known}" if known else ", whose licence is for you to find out"


def _code(name: object) -> str:
    """A name as code, on one line and in one cell."""
    plain = "".join(letter if letter.isprintable() else " " for letter in str(name)).replace("`", "'")
    return f"`{plain.replace('|', chr(92) + '|')}`"
