"""A simulated judge with known faults: `planted/explain?judge=NAME&sensitivity=…&specificity=…&noise=…&length=…`.

It says that a right answer is right with chance `sensitivity`, and that a wrong one is wrong with chance
`specificity`; the same chances hold for what it finds in lists, and for clarifications that are unneeded. Its scores
stray by up to `noise`, from 0 to 1 of the scale. For each 100 words of a reply it is kinder by `length`: so much more
often it calls a wrong answer right. It knows the questions of the run, and the shipped words of the steps. `judge` is
a name, so that several can be told apart.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from counterfoil.asking.ask import Message
from counterfoil.asking.models.planted import Respondent, parse_settings
from counterfoil.errors import UserError
from counterfoil.explain.judging.judge import shipped_prompts
from counterfoil.explain.mentions.answer import answer_is_right
from counterfoil.explain.questions import Question, load_questions
from counterfoil.explain.reading import find_mentions
from counterfoil.explain.scoring import CONFUSING_AT
from counterfoil.suite.planting import luck_of

_ABOUT_REPLY = re.compile(r"Question: (.*?)\n\nCorrect answer: .*?\n\n<reply>\n(.*)\n</reply>(.*)", re.DOTALL)
_LISTS = re.compile(r"List ([AB]):\n((?:- .*\n?)+)")
_ENTRY = re.compile(r"^- (.*)$", re.MULTILINE)
# What a good clarification is worth to it.
USUAL_QUALITY = 0.7


class Faults(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What it errs in, and whose questions it knows."""

    judge: str = ""
    sensitivity: float = 1.0
    specificity: float = 1.0
    noise: float = 0.0
    length: float = 0.0
    data: str | None = None


def planted_judge(given: Mapping[str, str], questions: Iterable[Question] | None) -> Respondent:
    """Answers each step from the messages alone, as any judge has to."""
    faults = parse_settings("explain", given, Faults)
    known = questions if faults.data is None and questions is not None else load_questions(faults.data)
    by_text = {question.text: question for question in known}
    steps = {text: name for name, text in shipped_prompts().items()}

    def respond(messages: Sequence[Message], sample: int) -> str:
        step, content = steps.get(messages[0].content), messages[1].content
        if step is None:
            raise UserError("planted/explain?judge=… knows the shipped words of the steps only: no --judge-prompt.")
        luck = luck_of(sorted(given.items()), sample, step, content)
        if step in ("confusion", "alternatives", "intersection"):
            text = content.removeprefix("Question: ").partition("\n\nList ")[0]
            return _about_question(step, _known(by_text, text), content, faults, luck)
        found = _ABOUT_REPLY.match(content)
        if found is None:
            raise UserError(f"planted/explain?judge=… can't read what it is asked in the step {step}.")
        text, reply, rest = found.groups()
        return _about_reply(step, _known(by_text, text), reply, rest, faults, luck)

    return respond


def _known(by_text: Mapping[str, Question], text: str) -> Question:
    if text not in by_text:
        raise UserError("planted/explain?judge=… does not know these questions: name them with data=… in its name.")
    return by_text[text]


def _about_question(step: str, question: Question, content: str, faults: Faults, luck: random.Random) -> str:
    if step == "confusion":
        score = _strayed(max(question.candidates.values()) / 100, faults, luck)
        return f"Explanation: as planted.\nScore: {round(100 * score)}"
    if step == "alternatives":
        ideal = [name for name, p in question.candidates.items() if p >= CONFUSING_AT]
        return _listed("Alternatives", [name for name in ideal if luck.random() < faults.sensitivity])
    first, second = (_ENTRY.findall(entries) for _, entries in sorted(_LISTS.findall(content)))
    return _listed("Intersection", [name for name in first if _says(name in second, faults, luck)])


def _about_reply(step: str, question: Question, reply: str, rest: str, faults: Faults, luck: random.Random) -> str:
    kinder = faults.length * len(reply.split()) / 100
    names = list(question.candidates)
    mentioned = find_mentions(reply, names, gold=question.gold, question=question.text)
    if step == "correct":
        is_right = answer_is_right(
            reply, question.gold, aliases=question.aliases, candidates=names, question=question.text
        )
        verdict = _says(is_right, faults, luck, kinder)
        return f"Explanation: as planted.\nVerdict: {'yes' if verdict else 'no'}"
    if step == "restraint":
        restrained = _says(not mentioned, faults, luck, kinder)
        return f"Explanation: as planted.\nVerdict: {'no' if restrained else 'yes'}"
    if step == "mentions":
        return _listed("Mentioned", [name for name in names if _says(name in mentioned, faults, luck)])
    lines = []
    for name in _ENTRY.findall(rest):
        scores = [round(100 * _strayed(USUAL_QUALITY, faults, luck, kinder)) for _ in range(3)]
        lines.append(f"- {name} | clarity: {scores[0]} | accuracy: {scores[1]} | convincingness: {scores[2]}")
    return "\n".join(["Ratings:", *lines])


def _says(truth: bool, faults: Faults, luck: random.Random, kinder: float = 0.0) -> bool:
    """Whether it says yes: to what is so with chance `sensitivity`, to what is not with 1 − `specificity`."""
    chance = faults.sensitivity if truth else 1 - faults.specificity
    return luck.random() < chance + kinder


def _strayed(share: float, faults: Faults, luck: random.Random, kinder: float = 0.0) -> float:
    return min(1.0, max(0.0, share + kinder + faults.noise * luck.uniform(-1, 1)))


def _listed(heading: str, names: Sequence[str]) -> str:
    return "\n".join([f"{heading}:", *(f"- {name}" for name in names or ["None"])])
