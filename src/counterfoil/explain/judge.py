"""What a judge says of one reply: is the question confusing, and does the reply clear up what it should?"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, NamedTuple, TypeVar

import msgspec

from counterfoil.explain.questions import Question
from counterfoil.explain.scoring import CONFUSING_AT
from counterfoil.judging import (
    Failure,
    JudgeAsk,
    Score,
    Step,
    ask_step,
    find_entry,
    fold,
    read_list,
    read_ratings,
    read_score,
    read_verdict,
    unique,
)

T = TypeVar("T")

ASPECTS = ("clarity", "accuracy", "convincingness")
MEASURES = ("confusion", "precision", "recall", "f1", "quality", "restraint", "correct", "changed")


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """One judge on one reply. None: not asked for on such a question, not defined, or failed.

    `changed`: whether the intersection came out otherwise with the lists the other way round. `failures`: the steps
    that gave no result, each with the reason.
    """

    confusion: float | None = None
    confusing: bool | None = None
    ideal: tuple[str, ...] | None = None
    intersection: tuple[str, ...] | None = None
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    quality: float | None = None
    restraint: float | None = None
    correct: bool | None = None
    changed: bool | None = None
    failures: tuple[str, ...] = ()


class Verdicts(msgspec.Struct, frozen=True):
    """What each judge says of one reply. `mentioned` is set where a judge, and not the rules, has found that."""

    judgements: Mapping[str, Judgement]
    mentioned: tuple[str, ...] | None = None

    def __or__(self, newer: Verdicts) -> Verdicts:
        """The verdicts that came with an imported reply, and those of judges who were asked on top."""
        return Verdicts({**self.judgements, **newer.judgements}, newer.mentioned)

    @property
    def failed(self) -> bool:
        """Whether a step of one of the judges gave no result."""
        return any(judgement.failures for judgement in self.judgements.values())

    def columns(self) -> dict[str, Any]:
        """The judges' columns of a record: lists with one entry for each judge, null where it has none."""
        judgements = self.judgements.values()
        failures = [f"{judge}: {reason}" for judge, said in self.judgements.items() for reason in said.failures]
        values = {f"judge_{name}": [_number(getattr(said, name)) for said in judgements] for name in MEASURES}
        return {"judges": list(self.judgements), "judge_failures": failures, **values}


class Overlap(NamedTuple):
    """Relevance, sufficiency, and both in one."""

    precision: float | None
    recall: float | None
    f1: float


def overlap(common: int, mentioned: int, ideal: int) -> Overlap:
    """Precision, recall and F1 from the sizes of the intersection and of the two lists.

    Without mentions precision is not defined, without ideal alternatives recall is not; F1 is 0 where nothing is
    common.
    """
    precision = common / mentioned if mentioned else None
    # Several mentioned alternatives can be the same ideal one: there is no more than all of them.
    recall = min(common / ideal, 1.0) if ideal else None
    f1 = 2 * precision * recall / (precision + recall) if precision and recall else 0.0
    return Overlap(precision, recall, f1)


async def judge_reply(
    ask: JudgeAsk,
    judge: str,
    question: Question,
    reply_text: str,
    mentioned: Sequence[str],
    *,
    confusing_at: float = CONFUSING_AT,
    seed: int = 0,
    swap: bool = False,
    check_answer: bool = False,
) -> Judgement:
    """All that the judge says of a reply that mentions these alternatives.

    On a confusing question (a score above `confusing_at`): the ideal alternatives, their intersection with the
    mentioned ones, and how well these are explained. On others: whether the reply restrains itself. What depends on
    a step that failed is None; the rest is judged all the same.
    """
    steps = _Steps(ask, judge)
    mentioned = unique(_in_one_line(mentioned))
    confusion = await steps.take(_confusion(), question.text)
    confusing = None if confusion is None else confusion.score > confusing_at
    ideal: tuple[str, ...] | None = None
    common: tuple[str, ...] | None = None
    scores = Overlap(None, None, 0.0)
    quality: float | None = None
    restraint: float | None = None
    changed: bool | None = None
    if confusing:
        ideal = await steps.take(_list("alternatives", "Alternatives"), question.text)
        if ideal is not None:
            lists = _Lists(question, mentioned, ideal, seed)
            common = await lists.intersection(steps)
            if common is not None and swap and lists.both:
                changed = await lists.changes(steps, common)
        if common is not None and ideal is not None:
            scores = overlap(len(common), len(mentioned), len(ideal))
        quality = await _quality(steps, question, reply_text, mentioned, seed)
    elif confusing is False:
        unneeded = await steps.take(_verdict("restraint"), _about_reply(question, reply_text))
        restraint = None if unneeded is None else float(not unneeded)
    correct = None
    if check_answer:
        correct = await steps.take(_verdict("correct"), _about_reply(question, reply_text))
    return Judgement(
        confusion=None if confusion is None else confusion.score,
        confusing=confusing,
        ideal=ideal,
        intersection=common,
        precision=scores.precision,
        recall=scores.recall,
        f1=None if common is None else scores.f1,
        quality=quality,
        restraint=restraint,
        correct=correct,
        changed=changed,
        failures=tuple(steps.failures),
    )


async def judge_mentions(
    ask: JudgeAsk, judge: str, question: Question, reply_text: str, *, seed: int = 0
) -> tuple[str, ...] | None:
    """The candidates of the question that the reply mentions, as the judge sees it; None if that failed."""
    candidates = _seeded(list(question.candidates), f"{seed} {question.id} candidates")
    content = f"{_about_reply(question, reply_text)}\n\n{_listed('Candidates', candidates)}"
    found = await ask_step(ask, judge, _list("mentions", "Mentioned"), content)
    return None if isinstance(found, Failure) else _known(found, list(question.candidates))


class _Steps:
    """Asks one judge, and remembers what failed."""

    def __init__(self, ask: JudgeAsk, judge: str) -> None:
        self.failures: list[str] = []
        self._ask = ask
        self._judge = judge

    async def take(self, step: Step[T], content: str, name: str | None = None) -> T | None:
        """The result of a step, or None if it failed."""
        result = await ask_step(self._ask, self._judge, step, content)
        if isinstance(result, Failure):
            self.failures.append(f"{name or step.name}: {result.reason}")
            return None
        return result


class _Lists:
    """The mentioned and the ideal alternatives of one question, in a seeded order."""

    def __init__(self, question: Question, mentioned: Sequence[str], ideal: Sequence[str], seed: int) -> None:
        self._question = question
        self._mentioned = _seeded(mentioned, f"{seed} {question.id} mentioned")
        self._ideal = _seeded(ideal, f"{seed} {question.id} ideal")

    @property
    def both(self) -> bool:
        """Whether there is anything to compare."""
        return bool(self._mentioned and self._ideal)

    async def intersection(self, steps: _Steps) -> tuple[str, ...] | None:
        """The mentioned alternatives that are ideal ones; nobody is asked where one list is empty."""
        if not self.both:
            return ()
        lists = [_listed("List A", self._mentioned), _listed("List B", self._ideal)]
        return await self._ask(steps, lists)

    async def changes(self, steps: _Steps, common: Sequence[str]) -> bool | None:
        """Whether the intersection differs when List B comes first and each list is in the opposite order."""
        lists = [_listed("List B", self._ideal[::-1]), _listed("List A", self._mentioned[::-1])]
        swapped = await self._ask(steps, lists, "intersection, swapped")
        return None if swapped is None else set(swapped) != set(common)

    async def _ask(self, steps: _Steps, lists: Sequence[str], name: str | None = None) -> tuple[str, ...] | None:
        content = "\n\n".join([f"Question: {self._question.text}", *lists])
        found = await steps.take(_list("intersection", "Intersection"), content, name)
        if found is None:
            return None
        # What is not in List A was not mentioned, and can't be common to both.
        return _known(found, self._mentioned)


async def _quality(
    steps: _Steps, question: Question, reply_text: str, mentioned: Sequence[str], seed: int
) -> float | None:
    """The mean over the mentioned alternatives of their mean rating; None where there are none."""
    if not mentioned:
        return None
    ordered = _seeded(mentioned, f"{seed} {question.id} quality")
    step = Step("quality", _prompt("quality"), lambda text: read_ratings(text, ordered, ASPECTS))
    content = f"{_about_reply(question, reply_text)}\n\n{_listed('Alternatives', ordered)}"
    ratings = await steps.take(step, content)
    if ratings is None:
        return None
    return sum(sum(rating) / len(rating) for rating in ratings.values()) / len(ratings)


@functools.cache
def _confusion() -> Step[Score]:
    return Step("confusion", _prompt("confusion"), read_score)


@functools.cache
def _list(name: str, heading: str) -> Step[tuple[str, ...]]:
    return Step(name, _prompt(name), lambda text: read_list(text, heading))


@functools.cache
def _verdict(name: str) -> Step[bool]:
    return Step(name, _prompt(name), read_verdict)


@functools.cache
def _prompt(name: str) -> str:
    file = resources.files("counterfoil.explain") / "prompts" / f"judge-{name}.txt"
    return file.read_text(encoding="utf-8").strip()


def _known(found: Sequence[str], entries: Sequence[str]) -> tuple[str, ...]:
    """The entries that were found, each once; what else was found is left out."""
    names = (find_entry(text, entries) for text in found)
    return tuple(dict.fromkeys(name for name in names if name is not None))


def _seeded(entries: Sequence[str], salt: str) -> tuple[str, ...]:
    """An order that depends on the salt and the entries alone, not on the order they were found in."""
    return tuple(sorted(entries, key=lambda entry: hashlib.sha256(f"{salt} {fold(entry)}".encode()).digest()))


def _number(value: float | bool | None) -> float | None:
    return None if value is None else float(value)


def _in_one_line(entries: Sequence[str]) -> list[str]:
    return [" ".join(entry.split()) for entry in entries if entry.strip()]


def _listed(heading: str, entries: Sequence[str]) -> str:
    return "\n".join([f"{heading}:", *(f"- {entry}" for entry in entries)])


def _about_reply(question: Question, reply_text: str) -> str:
    """The question, its answer and the reply, for a judge to read."""
    answer = " / ".join([question.gold, *question.aliases])
    return f"Question: {question.text}\n\nCorrect answer: {answer}\n\n<reply>\n{reply_text}\n</reply>"
