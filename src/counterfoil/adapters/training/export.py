"""A run as training data: good replies to learn from (sft), or pairs of a better and a worse one (dpo)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from counterfoil.adapters.training.card import USED, Facts, card
from counterfoil.adapters.training.examples import Messages, Prompt, Scored, dpo_examples, sft_examples
from counterfoil.adapters.training.split import held_out
from counterfoil.asking.ledger import Ledger
from counterfoil.console import say
from counterfoil.errors import UserError
from counterfoil.files import explained, replacing
from counterfoil.running.asked import Key, key_of_question, key_of_record, questions_of, suite_of, variants_of
from counterfoil.running.folder import MANIFEST, Run
from counterfoil.suite.options import DEFAULT_LEDGER, nearest
from counterfoil.suite.suite import AnySuite, Variant
from counterfoil.suite.training import Training

Kind = Literal["sft", "dpo"]
TRAIN, TEST, HELD_OUT, CARD = "train.jsonl", "test.jsonl", "held_out.jsonl", "README.md"
# What a model said to the end and on its own. What was cut off or filtered out is no example of anything.
WHOLE = ("answered", "out_of_choice")
# Replies that are looked up together.
WINDOW = 1_024


class Wanted(NamedTuple):
    """What is to be exported. None: as the suite says."""

    data: str | None = None
    variants: Sequence[str] = ()
    score: str | None = None
    min_score: float | None = None
    max_score: float | None = None
    test_share: float = 0.2
    seed: int = 0
    ledger: str = DEFAULT_LEDGER


def export_training(run: Run, folder: Path, kind: Kind, wanted: Wanted) -> list[Path]:
    """Write train.jsonl and test.jsonl, which have no question in common, nor anything that hangs together; the
    held-out questions, for `--data`; and a data card. Nothing is written where there is nothing to learn from.
    """
    suite = suite_of(run)
    training = suite.training(run)
    if training is None:
        raise UserError(
            f"The suite {suite.name} does not say which of its replies are good: give it a method `training`, as "
            "docs/training.md describes."
        )
    name = _score_name(training.scores, wanted.score)
    at_least = training.good if wanted.min_score is None else wanted.min_score
    at_most = training.bad if wanted.max_score is None else wanted.max_score
    if kind == "dpo" and at_most >= at_least:
        raise UserError(
            f"A rejected reply may score up to {at_most:g}, and a chosen one has at least {at_least:g}: "
            "make --max-score smaller than --min-score."
        )
    found = _gather(run, suite, training, name, wanted)
    examples = {
        side: list(
            sft_examples(prompts.values(), at_least)
            if kind == "sft"
            else dpo_examples(prompts.values(), at_least, at_most, wanted.seed)
        )
        for side, prompts in found.prompts.items()
    }
    questions = found.questions
    _refuse_nothing(kind, examples, questions, name, at_least, at_most)
    facts = Facts(
        kind=kind,
        manifest=run.manifest,
        manifest_sha256=hashlib.sha256((run.folder / MANIFEST).read_bytes()).hexdigest(),
        variants=found.variants,
        score=name,
        at_least=at_least,
        at_most=at_most,
        test_share=wanted.test_share,
        seed=wanted.seed,
        replies=found.replies,
        questions=(_number(questions[False], "unit"), _number(questions[True], "unit")),
        clusters=(_number(questions[False], "cluster"), _number(questions[True], "cluster")),
        examples=(examples[False], examples[True]),
    )
    if not examples[True]:
        say(
            f"No reply to a held-out question qualifies, so {TEST} is empty; {HELD_OUT} has the questions all the same."
        )
    return _write(
        folder,
        {
            TRAIN: _lines(examples[False]),
            TEST: _lines(examples[True]),
            HELD_OUT: training.encode(questions[True]),
            CARD: card(facts).encode(),
        },
    )


class _Found(NamedTuple):
    """What a run has to offer; by whether it is held out: its prompts with their replies, and the asked questions."""

    variants: list[str]
    prompts: dict[bool, dict[str, Prompt]]
    questions: dict[bool, list[Any]]
    # What became of how many replies.
    replies: Counter[str]


def _gather(run: Run, suite: AnySuite, training: Training, name: str, wanted: Wanted) -> _Found:
    dataset = questions_of(run, wanted.data)
    variants = variants_of(run, dataset, wanted.variants)
    every = list(dataset)
    marks = [_marks(suite, question, variants.values()) for question in every]
    keys = [key_of_question(suite, question) for question in every]
    sides = dict(zip(keys, held_out(marks, wanted.test_share, wanted.seed), strict=True))
    known = dict(zip(sides, every, strict=True))
    prompts: dict[bool, dict[str, Prompt]] = {False: {}, True: {}}
    asked: set[Key] = set()
    replies: Counter[str] = Counter()
    cut_off = _cut_off(run, Path(wanted.ledger))
    for record in _records(run, variants):
        key = key_of_record(suite, record)
        if key not in known:
            raise UserError(f"{run.folder} has a reply to {record['question_id']}, which is not in {dataset.name}.")
        asked.add(key)
        score, text = training.score(record, name), (record["reply"] or "").strip()
        use = _use("truncated" if record["ask_key"] in cut_off else record["outcome"], text, score)
        replies[use] += 1
        if use == USED and score is not None:
            messages = _messages(suite, known[key], variants[record["variant"]])
            prompt = Prompt(messages, record["question_id"], record["variant"])
            prompts[sides[key]].setdefault(str(messages), prompt).add(Scored(text, score, record["model"]))
    questions = {side: [it for key, it in known.items() if sides[key] == side and key in asked] for side in prompts}
    return _Found(list(variants), prompts, questions, replies)


def _score_name(names: Sequence[str], given: str | None) -> str:
    if given is None:
        return names[0]
    if given not in names:
        raise UserError(f"Replies have no score {given}{nearest(given, names)}. There are: {', '.join(names)}.")
    return given


def _use(outcome: str, text: str, score: float | None) -> str:
    """What becomes of a reply, in the card's words."""
    if outcome not in WHOLE:
        return outcome
    if not text:
        return "empty"
    return "without a score" if score is None else USED


def _messages(suite: AnySuite, question: Any, variant: Variant) -> Messages:
    return [{"role": it.role, "content": it.content} for it in suite.messages(question, variant)]


def _marks(suite: AnySuite, question: Any, variants: Iterable[Variant]) -> list[str]:
    """What two questions must not have in common if they are on different sides: where they come from, and their
    words, whatever the spaces and capitals between them.
    """
    marks = [f"cluster {question.cluster}", f"kin {question.kin}", f"unit {question.unit}"]
    for variant in variants:
        words = " ".join(" ".join(it.content for it in suite.messages(question, variant)).casefold().split())
        marks.append(f"words {hashlib.sha256(words.encode()).hexdigest()}")
    return marks


def _records(run: Run, variants: Mapping[str, Variant]) -> Iterator[dict[str, Any]]:
    import polars as pl

    records = run.records.filter(pl.col("variant").is_in(list(variants)))
    return records.drop("judge_keys", "reason").iter_rows(named=True)


def _cut_off(run: Run, ledger: Path) -> set[str]:
    """The keys of replies that ended at their length, though an answer could be read: who learns from them learns to
    stop in mid-sentence. Records don't tell; the ledger does.
    """
    keys = run.records["ask_key"].drop_nulls().unique().to_list()
    cut_off: set[str] = set()
    known = 0
    with Ledger(ledger, create=False) as replies:
        for start in range(0, len(keys), WINDOW):
            found = replies.get(keys[start : start + WINDOW])
            known += len(found)
            cut_off |= {key for key, reply in found.items() if reply.status == "truncated"}
    if known < len(keys):
        say(
            f"{len(keys) - known:,} of the run's replies are not in {ledger}, so it is not known whether they were cut "
            "off: name the ledger that has them with --ledger."
        )
    return cut_off


def _refuse_nothing(
    kind: Kind,
    examples: Mapping[bool, Sequence[Any]],
    questions: Mapping[bool, Sequence[Any]],
    name: str,
    at_least: float,
    at_most: float,
) -> None:
    if not questions[True] or not questions[False]:
        side = "held out" if questions[False] else "left to train on"
        raise UserError(f"None of the questions that were asked is {side}: take another --seed or --test-share.")
    if examples[False]:
        return
    if kind == "sft":
        raise UserError(
            f"No reply to a question for training has a {name} of at least {at_least:g}: lower --min-score."
        )
    raise UserError(
        f"No question for training has both a reply with a {name} of at least {at_least:g} and one with at most "
        f"{at_most:g}: ask with --repeats and --temperature, or several models, or move --min-score and --max-score."
    )


def _number(questions: Sequence[Any], of: str) -> int:
    return len({getattr(question, of) for question in questions})


def _lines(rows: Sequence[Any]) -> bytes:
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def _write(folder: Path, files: Mapping[str, bytes]) -> list[Path]:
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)
    return [folder / name for name in files]
