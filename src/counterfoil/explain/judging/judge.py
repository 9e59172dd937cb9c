"""What a judge says of one reply: is the question confusing, and does the reply clear up what it should?"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from counterfoil.errors import UserError
from counterfoil.explain.metrics import ASPECTS
from counterfoil.explain.questions import Question
from counterfoil.explain.scoring import CONFUSING_AT
from counterfoil.inputs import read_text
from counterfoil.judging.parsing import read_list, read_ratings, read_score, read_verdict
from counterfoil.judging.step import Failure, Foreseen, JudgeAsk, Step, ask_step, opening
from counterfoil.judging.text import find_entry, fold, unique

T = TypeVar("T")

STEPS = ("mentions", "confusion", "alternatives", "intersection", "quality", "restraint", "correct")

MEASURES = (
    *("confusion", "alternatives", "precision", "recall", "f1", "quality", *ASPECTS),
    *("restraint", "correct", "changed"),
)
# What a judge says in words: why a question is confusing, what should be cleared up, and which of it the reply does.
TEXTS: Mapping[str, Any] = {"explanation": list[str], "ideal": list[list[str]], "intersection": list[list[str]]}


class Judgement(msgspec.Struct, kw_only=True):
    """One judge on one reply. None: not asked for on such a question, not defined, or failed.

    `changed`: whether the intersection came out otherwise with the lists the other way round. `failures`: the steps
    that gave no result, each with the reason.
    """

    confusion: float | None = None
    explanation: str | None = None
    confusing: bool | None = None
    ideal: tuple[str, ...] | None = None
    intersection: tuple[str, ...] | None = None
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None
    quality: float | None = None
    clarity: float | None = None
    accuracy: float | None = None
    convincingness: float | None = None
    restraint: float | None = None
    correct: bool | None = None
    changed: bool | None = None
    failures: tuple[str, ...] = ()

    @property
    def alternatives(self) -> int | None:
        """How many there are in the ideal list."""
        return None if self.ideal is None else len(self.ideal)


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
        row: dict[str, Any] = {"judges": list(self.judgements), "judge_failures": failures}
        for name in MEASURES:
            values = [getattr(said, name) for said in judgements]
            row[f"judge_{name}"] = [None if value is None else float(value) for value in values]
        for name in TEXTS:
            row[f"judge_{name}"] = [getattr(said, name) for said in judgements]
        return row


def overlap(common: int, mentioned: int, ideal: int) -> tuple[float | None, float | None, float]:
    """Precision (relevance), recall (sufficiency) and F1 from the sizes of the intersection and of the two lists.

    Without mentions precision is not defined, without ideal alternatives recall is not; F1 is 0 where nothing is
    common.
    """
    precision = common / mentioned if mentioned else None
    # Several mentioned alternatives can be the same ideal one: there is no more than all of them.
    recall = min(common / ideal, 1.0) if ideal else None
    f1 = 2 * precision * recall / (precision + recall) if precision and recall else 0.0
    return precision, recall, f1


async def judge_reply(
    ask: JudgeAsk,
    judge: str,
    question: Question,
    reply_text: str,
    mentioned: Sequence[str],
    *,
    confusing_at: float = CONFUSING_AT,
    swap: bool = False,
    check_answer: bool = False,
    prompts: Mapping[str, str] | None = None,
) -> Judgement:
    """All that the judge says of a reply that mentions these alternatives. `prompts`: words for steps, by their names.

    On a confusing question (a score above `confusing_at`): the ideal alternatives, their intersection with the
    mentioned ones, and how well these are explained. On others: whether the reply restrains itself. What depends on
    a step that failed is None; the rest is judged all the same.
    """
    steps = _Steps(ask, judge, prompts)
    said = Judgement()
    confusion = await steps.take("confusion", read_score, question.text)
    if confusion is not None:
        said.confusion, said.confusing = confusion.score, confusion.score > confusing_at
        said.explanation = confusion.explanation or None
    if said.confusing:
        mentioned = unique([" ".join(entry.split()) for entry in mentioned if entry.strip()])
        said.ideal = await steps.take("alternatives", _list_under("Alternatives"), question.text)
        if said.ideal is not None:
            await _compare(steps, question, mentioned, said.ideal, said, swap=swap)
        await _rate(steps, question, reply_text, mentioned, said)
    elif said.confusing is False:
        unneeded = await steps.take("restraint", read_verdict, _about_reply(question, reply_text))
        said.restraint = None if unneeded is None else float(not unneeded)
    if check_answer:
        said.correct = await steps.take("correct", read_verdict, _about_reply(question, reply_text))
    said.failures = tuple(steps.failures)
    return said


async def judge_mentions(
    ask: JudgeAsk, judge: str, question: Question, reply_text: str, prompts: Mapping[str, str] | None = None
) -> tuple[str, ...] | None:
    """The candidates of the question that the reply mentions, as the judge sees it; None if that failed."""
    candidates = list(question.candidates)
    listed = _listed("Candidates", _shuffled(candidates, question, "candidates"))
    content = f"{_about_reply(question, reply_text)}\n\n{listed}"
    found = await _Steps(ask, judge, prompts).take("mentions", _list_under("Mentioned"), content)
    return None if found is None else _known(found, candidates)


def foreseen(
    question: Question,
    prompts: Mapping[str, str],
    *,
    swap: bool,
    check_answer: bool,
    find_mentions: bool,
    repeats: int = 1,
) -> list[Foreseen]:
    """What a judge is asked about one reply at the most: on a confusing question, to a reply with clarifications.

    On others it is only asked for restraint in place of that.
    """
    about, candidates = _about_reply(question, ""), _listed("Candidates", list(question.candidates))
    lists = f"{question.text}\n{candidates}\n{candidates}"

    def step(name: str, content: str, *, about_reply: bool = True, certain: bool = False) -> Foreseen:
        return Foreseen(opening(prompts[name], content), about_reply=about_reply, certain=certain)

    once = [step("mentions", f"{about}\n\n{candidates}", certain=True)] if find_mentions else []
    each_time = [
        step("confusion", question.text, about_reply=False, certain=True),
        step("alternatives", question.text, about_reply=False),
        *[step("intersection", lists)] * (2 if swap else 1),
        step("quality", f"{about}\n\n{candidates}"),
        *([step("correct", about, certain=True)] if check_answer else []),
    ]
    return once + [replace(step, sample=sample) for sample in range(repeats) for step in each_time]


class _Steps:
    """Asks one judge, and remembers what failed."""

    def __init__(self, ask: JudgeAsk, judge: str, prompts: Mapping[str, str] | None) -> None:
        self.failures: list[str] = []
        self._prompts = prompts or shipped_prompts()
        self._ask = ask
        self._judge = judge

    async def take(self, name: str, parse: Callable[[str], T], content: str, called: str | None = None) -> T | None:
        """The result of a step, or None if it failed. `called`: its name among the failures."""
        result = await ask_step(self._ask, self._judge, Step(name, self._prompts[name], parse), content)
        if isinstance(result, Failure):
            self.failures.append(f"{called or name}: {result.reason}")
            return None
        return result


async def _compare(
    steps: _Steps, question: Question, mentioned: Sequence[str], ideal: Sequence[str], said: Judgement, *, swap: bool
) -> None:
    """Which of the mentioned alternatives are ideal ones. Nobody is asked where one list is empty.

    With `swap`, asked again with List B first and each list in the opposite order: whether that changes it.
    """
    list_a, list_b = _shuffled(mentioned, question, "mentioned"), _shuffled(ideal, question, "ideal")

    async def intersection(lists: Sequence[str], called: str | None = None) -> tuple[str, ...] | None:
        content = "\n\n".join([f"Question: {question.text}", *lists])
        found = await steps.take("intersection", _list_under("Intersection"), content, called)
        # What is not in List A was not mentioned, and can't be common to both.
        return None if found is None else _known(found, list_a)

    common: tuple[str, ...] | None = ()
    if list_a and list_b:
        common = await intersection([_listed("List A", list_a), _listed("List B", list_b)])
    if common is None:
        return
    said.intersection = common
    said.precision, said.recall, said.f1 = overlap(len(common), len(list_a), len(list_b))
    if swap and list_a and list_b:
        opposite = [_listed("List B", list_b[::-1]), _listed("List A", list_a[::-1])]
        swapped = await intersection(opposite, "intersection, swapped")
        said.changed = None if swapped is None else set(swapped) != set(common)


async def _rate(steps: _Steps, question: Question, reply_text: str, mentioned: Sequence[str], said: Judgement) -> None:
    """The quality, which is the mean over the mentioned alternatives of their mean rating, and each aspect of it."""
    if not mentioned:
        return
    ordered = _shuffled(mentioned, question, "quality")
    content = f"{_about_reply(question, reply_text)}\n\n{_listed('Alternatives', ordered)}"
    ratings = await steps.take("quality", lambda text: read_ratings(text, ordered, ASPECTS), content)
    if ratings is None:
        return
    said.quality = sum(sum(rating) / len(rating) for rating in ratings.values()) / len(ratings)
    said.clarity, said.accuracy, said.convincingness = (
        sum(of_aspect) / len(ratings) for of_aspect in zip(*ratings.values(), strict=True)
    )


@functools.cache
def shipped_prompts() -> Mapping[str, str]:
    """The words in which a judge is asked for each step."""
    folder = resources.files("counterfoil.explain") / "prompts"
    return {name: (folder / f"judge-{name}.txt").read_text(encoding="utf-8").strip() for name in STEPS}


def prompts_with(given: Sequence[str]) -> Mapping[str, str]:
    """The shipped words, but for the steps that the user has a file for: STEP=FILE."""
    own: dict[str, str] = {}
    for text in given:
        step, equals, path = text.partition("=")
        if step not in STEPS or not equals or not path:
            raise UserError(f"--judge-prompt {text} is not STEP=FILE: the steps are {', '.join(STEPS)}.")
        if step in own:
            raise UserError(f"--judge-prompt {step} is given twice: name each step once.")
        own[step] = read_text(Path(path)).strip()
        if not own[step]:
            raise UserError(f"{path} is empty: write what the judge is to be told in the step {step}.")
    return {**shipped_prompts(), **own}


def _list_under(heading: str) -> Callable[[str], tuple[str, ...]]:
    return functools.partial(read_list, label=heading)


def _known(found: Sequence[str], entries: Sequence[str]) -> tuple[str, ...]:
    """The entries that were found, each once; what else was found is left out."""
    names = (find_entry(text, entries) for text in found)
    return tuple(dict.fromkeys(name for name in names if name is not None))


def _shuffled(entries: Sequence[str], question: Question, purpose: str) -> tuple[str, ...]:
    """An order that depends on the question, the purpose and the entries alone, not on the order they were found in."""
    salt = f"0 {question.id} {purpose}"
    return tuple(sorted(entries, key=lambda entry: hashlib.sha256(f"{salt} {fold(entry)}".encode()).digest()))


def _listed(heading: str, entries: Sequence[str]) -> str:
    return "\n".join([f"{heading}:", *(f"- {entry}" for entry in entries)])


def _about_reply(question: Question, reply_text: str) -> str:
    """The question, its answer and the reply, for a judge to read."""
    answer = " / ".join([question.gold, *question.aliases])
    return f"Question: {question.text}\n\nCorrect answer: {answer}\n\n<reply>\n{reply_text}\n</reply>"
