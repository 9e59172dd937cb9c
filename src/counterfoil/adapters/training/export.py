"""A run as training data: good replies to learn from (sft), or pairs of a better and a worse one (dpo)."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import msgspec

from counterfoil import targets
from counterfoil.adapters.training.card import card
from counterfoil.adapters.training.examples import (
    USED,
    Gathered,
    Kind,
    Messages,
    Prompt,
    Rule,
    Scored,
    Side,
    make_examples,
)
from counterfoil.asking.ledger import Ledger
from counterfoil.console import say
from counterfoil.errors import UserError
from counterfoil.files import explained, replacing
from counterfoil.rating.store import Study
from counterfoil.rating.study import same_replies, studies_of
from counterfoil.running.asked import Key, key_of_question, key_of_record, questions_of, suite_of, variants_of
from counterfoil.running.folder import Run
from counterfoil.suite.options import DEFAULT_LEDGER, nearest
from counterfoil.suite.suite import AnySuite, Training, Variant

TRAIN, TEST, HELD_OUT, CARD = "train.jsonl", "test.jsonl", "held_out.jsonl", "README.md"
# What a model said to the end and on its own. What was cut off or filtered out is no example of anything.
WHOLE = ("answered", "out_of_choice")
# Replies that are looked up together.
WINDOW = 1_024


class Wanted(NamedTuple):
    """The options of an export. None: as the suite says."""

    data: str | None = None
    variants: Sequence[str] = ()
    score: str | None = None
    min_score: float | None = None
    max_score: float | None = None
    test_share: float = 0.2
    seed: int = 0
    ledger: str = DEFAULT_LEDGER


def export_training(run: Run, folder: Path, kind: Kind, wanted: Wanted) -> list[Path]:
    """Write train.jsonl and test.jsonl, which share no question and nothing that belongs together; the held-out
    questions, for `--data`; and a data card. Nothing is written where there is nothing to learn from.
    """
    targets.refuse(*(folder / name for name in (TRAIN, TEST, HELD_OUT, CARD)))
    suite = suite_of(run)
    training = suite.training(run)
    if training is None:
        raise UserError(
            f"The suite {suite.name} does not say which of its replies are good: give it a method `training`, as "
            "docs/training.md describes."
        )
    rule = _rule(kind, training, wanted)
    gathered = _gather(run, suite, training, rule.score, wanted)
    train, test = gathered.train, gathered.test
    for side in (train, test):
        side.examples = list(make_examples(rule, side.prompts.values(), wanted.seed))
    _refuse_nothing(rule, train, test)
    if not test.examples:
        say(
            f"No reply to a held-out question qualifies, so {TEST} is empty; {HELD_OUT} has the questions all the same."
        )
    files = {
        TRAIN: _lines(train.examples),
        TEST: _lines(test.examples),
        HELD_OUT: training.encode(test.questions),
        CARD: card(run, rule, gathered, wanted.test_share, wanted.seed).encode(),
    }
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with replacing(folder / name) as temporary:
            temporary.write_bytes(content)
    return [folder / name for name in files]


# As many labels as a corrected figure takes.
FEWEST_LABELS = 30


def _rule(kind: Kind, training: Training, wanted: Wanted) -> Rule:
    names = training.scores
    score = names[0] if wanted.score is None else wanted.score
    if score not in names:
        raise UserError(f"Replies have no score {score}{nearest(score, names)}. There are: {', '.join(names)}.")
    highest = training.highest.get(score, 1.0)
    at_least = training.good * highest if wanted.min_score is None else wanted.min_score
    at_most = training.bad * highest if wanted.max_score is None else wanted.max_score
    if kind == "dpo" and at_most >= at_least:
        raise UserError(
            f"A rejected reply may score up to {at_most:g}, and a chosen one has at least {at_least:g}: "
            "make --max-score smaller than --min-score."
        )
    return Rule(kind, score, at_least, at_most)


def _gather(run: Run, suite: AnySuite, training: Training, name: str, wanted: Wanted) -> Gathered:
    dataset = questions_of(run, wanted.data)
    variants = variants_of(run, dataset, wanted.variants)
    questions = list(dataset)
    marks = [_marks(suite, question, variants.values()) for question in questions]
    keys = [key_of_question(suite, question) for question in questions]
    is_held_out = dict(zip(keys, held_out(marks, wanted.test_share, wanted.seed), strict=True))
    known = dict(zip(is_held_out, questions, strict=True))
    gathered = Gathered(list(variants), Side(), Side(), Counter())
    asked: set[Key] = set()
    cut_off = _cut_off(run, Path(wanted.ledger))
    score_of = _scorer(run, suite, training, name)
    for record in _records(run, variants):
        key = key_of_record(suite, record)
        if key not in known:
            raise UserError(f"{run.folder} has a reply to {record['question_id']}, which is not in {dataset.name}.")
        asked.add(key)
        score, text = score_of(record), (record["reply"] or "").strip()
        use = _use("truncated" if record["ask_key"] in cut_off else record["outcome"], text, score)
        gathered.replies[use] += 1
        if use == USED and score is not None:
            side = gathered.test if is_held_out[key] else gathered.train
            messages = _messages(suite, known[key], variants[record["variant"]])
            prompt = Prompt(messages, record["question_id"], record["variant"])
            side.prompts.setdefault(str(messages), prompt).add(Scored(text, score, record["model"]))
    if not gathered.replies[USED]:
        raise UserError(
            f"No reply of {run.folder} is whole and has a {name}: what judges and people say is there where they were "
            "asked (--judge, `counterfoil rate new`)."
        )
    for key, question in known.items():
        if key in asked:
            (gathered.test if is_held_out[key] else gathered.train).questions.append(question)
    return gathered


def _scorer(run: Run, suite: AnySuite, training: Training, name: str) -> Callable[[Mapping[str, Any]], float | None]:
    """What gives a record its score of this name."""
    if name in training.of_people:
        return _by_people(run, suite, name)
    if name in training.corrected:
        return _as_people_correct_it(run, suite, training, name)
    return partial(_by_record, training, name)


def _as_people_correct_it(
    run: Run, suite: AnySuite, training: Training, name: str
) -> Callable[[Mapping[str, Any]], float | None]:
    """People's score where they rated a reply; else the judges', on the line that fits people's best (least squares)
    over the replies that have both.
    """
    import numpy as np

    by_judges, by_people = training.corrected[name]
    said_by_people = _by_people(run, suite, by_people)
    records = run.records.drop("reply").iter_rows(named=True)
    both = [(training.score(record, by_judges), said_by_people(record)) for record in records]
    known = [(judge, people) for judge, people in both if judge is not None and people is not None]
    if len(known) < FEWEST_LABELS:
        raise UserError(
            f"{name} takes {FEWEST_LABELS} replies that have both a {by_judges} and a {by_people}, and {run.folder} "
            f"has {len(known)}: rate {FEWEST_LABELS - len(known)} more."
        )
    x, y = np.array(known, dtype=np.float64).T
    spread = ((x - x.mean()) ** 2).sum()
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / spread) if spread > 0 else 0.0
    highest = training.highest.get(name, 1.0)

    def score_of(record: Mapping[str, Any]) -> float | None:
        people, judge = said_by_people(record), training.score(record, by_judges)
        if people is not None or judge is None:
            return people
        return min(highest, max(0.0, float(y.mean()) + slope * (judge - float(x.mean()))))

    return score_of


def _by_record(training: Training, name: str, record: Mapping[str, Any]) -> float | None:
    return training.score(record, name)


def _by_people(run: Run, suite: AnySuite, name: str) -> Callable[[Mapping[str, Any]], float | None]:
    """The score that people gave a reply, in the run's studies; of several studies the mean."""
    said: dict[str, list[float]] = {}
    columns: list[str] = []
    for path in studies_of(run.folder):
        with Study(path) as study:
            if not same_replies(study, run):
                raise UserError(f"{path} has ratings of other replies than {run.folder} holds now: move it away.")
            opinions = study.opinions()
        for task, scores in zip(opinions.tasks, suite.human_scores(opinions), strict=True):
            columns = list(task.source.columns)
            score = scores.get(name)
            if score is not None:
                said.setdefault(repr(list(task.source.columns.values())), []).append(score)
    if not said:
        raise UserError(
            f"People have given no reply of {run.folder} a {name}: `counterfoil rate new --run {run.folder}` makes a "
            "study."
        )

    def score_of(record: Mapping[str, Any]) -> float | None:
        found = said.get(repr([record.get(column) for column in columns]))
        return fmean(found) if found else None

    return score_of


def _use(outcome: str, text: str, score: float | None) -> str:
    """What becomes of a reply, in the card's words."""
    if outcome not in WHOLE:
        return outcome
    if not text:
        return "empty"
    return "without a score" if score is None else USED


def _messages(suite: AnySuite, question: Any, variant: Variant) -> Messages:
    return [{"role": message.role, "content": message.content} for message in suite.messages(question, variant)]


def _marks(suite: AnySuite, question: Any, variants: Iterable[Variant]) -> list[str]:
    """What two questions on different sides must not have in common: their origins, and their words without regard
    to spaces and capitals.
    """
    marks = [f"cluster {question.cluster}", f"family {question.family}", f"unit {question.unit}"]
    for variant in variants:
        words = " ".join(" ".join(message.content for message in suite.messages(question, variant)).casefold().split())
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


def _refuse_nothing(rule: Rule, train: Side, test: Side) -> None:
    if not test.questions or not train.questions:
        side = "held out" if train.questions else "left to train on"
        raise UserError(f"None of the questions that were asked is {side}: take another --seed or --test-share.")
    if train.examples:
        return
    good = f"a {rule.score} of at least {rule.at_least:g}"
    if rule.kind == "sft":
        raise UserError(f"No reply to a question for training has {good}: lower --min-score.")
    raise UserError(
        f"No question for training has both a reply with {good} and one with at most {rule.at_most:g}: ask with "
        "--repeats and --temperature, or several models, or move --min-score and --max-score."
    )


def _lines(rows: Sequence[Any]) -> bytes:
    return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)


def held_out(marks: Sequence[Sequence[str]], share: float, seed: int) -> list[bool]:
    """For each item, whether it is held out, where `share` of them are to be.

    Items with a mark in common hang together, and so do those that are linked through others: they are all held out,
    or none of them. What hangs together is taken in an order that depends on the seed and its smallest mark alone,
    each time if that brings the number of held-out items nearer to its share. Both sides hold something.
    """
    roots = _roots(marks)
    names: dict[int, str] = {}
    sizes: dict[int, int] = {}
    for root, own in zip(roots, marks, strict=True):
        names[root] = min(names.get(root, own[0]), *own)
        sizes[root] = sizes.get(root, 0) + 1
    if len(sizes) < 2:
        raise UserError("All questions hang together, by their template or their words: none of them can be held out.")
    ranked = sorted(sizes, key=lambda root: hashlib.sha256(f"{seed}:{names[root]}".encode()).digest())
    target, taken = share * len(marks), 0
    chosen: set[int] = set()
    for root in ranked:
        if taken + sizes[root] / 2 <= target and len(chosen) < len(sizes) - 1:
            taken += sizes[root]
            chosen.add(root)
    chosen = chosen or {min(ranked, key=lambda root: sizes[root])}
    return [root in chosen for root in roots]


def _roots(marks: Sequence[Sequence[str]]) -> list[int]:
    """For each item the first of those that it hangs together with (union-find, with halved paths)."""
    parents = list(range(len(marks)))

    def find(item: int) -> int:
        while parents[item] != item:
            parents[item] = parents[parents[item]]
            item = parents[item]
        return item

    first: dict[str, int] = {}
    for item, own in enumerate(marks):
        for mark in own:
            one, other = sorted((find(item), find(first.setdefault(mark, item))))
            parents[other] = one
    return [find(item) for item in range(len(marks))]
