"""The arm `noise`: one to three sentences that do not matter, before the sentence that asks. Nothing else changes, so
the gold stays what it was.

It is made of a finished question, whatever that was made of: of the original, and of the changed questions, so that
memory and distraction can be told apart.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal
from random import Random

import msgspec

from counterfoil.perturbing.noise.sentences import EVERYDAY, EVERYDAY_TOPICS, FINANCE, Field, Sentence
from counterfoil.perturbing.questions import Change, Control, Question
from counterfoil.perturbing.templates import draws, numbers

ON_ORIGINAL: Control = "noise"
ON_CHANGED: Control = "noise_changed"
# One, two or three sentences: a number, a datum beside it, and a formula beside these. Draws take them in turn.
STRENGTHS = 3
_TRIES = 50
_RANGE = re.compile(r"\{([\d.]+)–([\d.]+)\}")
# Where a sentence ends, and no abbreviation.
_END = re.compile(r"(?<=[.!?])[ \n]+(?=[A-Z“\"(])")
_ABBREVIATION = re.compile(r"(?:\b[A-Z]|\b(?:Inc|Corp|Ltd|Plc|Co|No|vs|approx|Mr|Mrs|Ms|Dr|St))\.$")
_LATIN = re.compile(r"[A-Za-z]")


def strength_of(draw: int) -> int:
    """How many sentences the noise of a draw has."""
    return draw % STRENGTHS + 1


def with_noise(questions: Sequence[Question], seed: int, count: int) -> list[Question]:
    """An original with all that was made of it, and with noise: so many draws, or a few more, so that each strength has
    as many. Without changed questions the original alone gets it; a text that is not English none.
    """
    original = questions[0]
    field = EVERYDAY if original.topic in EVERYDAY_TOPICS else FINANCE
    letters = [letter for letter in original.text if letter.isalpha()]
    if 2 * sum(bool(_LATIN.match(letter)) for letter in letters) < len(letters):
        return list(questions)
    levels = sorted({question.level for question in questions if question.level in (1, 2)})
    changed = [question for question in questions if levels and question.level == levels[0]]
    wanted = -(-count // STRENGTHS) * STRENGTHS
    arms: list[tuple[Control, Sequence[Question]]] = [(ON_ORIGINAL, [original])]
    arms += [(ON_CHANGED, changed)] if changed else []
    made = list(questions)
    for control, some in arms:
        stream = draws.seeded(seed, original.template, control)
        made += [_noisy(some[draw % len(some)], original, control, draw, field, stream) for draw in range(wanted)]
    return made


def _noisy(
    question: Question, original: Question, control: Control, draw: int, field: Field, stream: Random
) -> Question:
    """A question with as many sentences as its draw wants. The options are those that it has."""
    sentences: list[str] = []
    for kind in field[: strength_of(draw)]:
        sentences.append(_chosen(kind, question, sentences, stream))
    noise = " ".join(sentences)
    place = _place(question.text)
    text = f"{question.text[:place]}{noise} {question.text[place:]}"
    assert text.replace(f"{noise} ", "", 1) == question.text, "the question is there, word for word"
    return msgspec.structs.replace(
        question,
        id=f"{original.template}/{control}/{draw}",
        parent=original.id,
        level=0,
        draw=draw,
        control=control,
        text=text,
        changes=(*question.changes, Change(name="noise", before="", after=noise)),
    )


def _chosen(kind: Sequence[Sentence], question: Question, before: Sequence[str], stream: Random) -> str:
    """A sentence of this kind that can't matter: none of its words is in the question, and its number is nowhere."""
    words = question.text.lower()
    fitting = [one for one in kind if not any(word in words for word in one.unless)] or kind
    taken = {number for text in (question.text, *question.options, *before) for number in numbers.in_text(text)}
    said = ""
    for _ in range(_TRIES):
        said = _drawn(fitting[draws.below(stream, len(fitting))].text, stream)
        if not taken & set(numbers.in_text(said)):
            break
    return said


def _drawn(text: str, stream: Random) -> str:
    """The sentence with a number drawn from its range."""

    def number(found: re.Match[str]) -> str:
        low, high = map(Decimal, found.groups())
        step = Decimal(1).scaleb(int(low.as_tuple().exponent))
        value = low + step * draws.below(stream, int((high - low) / step) + 1)
        return numbers.printed(value, max(0, -int(step.as_tuple().exponent)))

    return _RANGE.sub(number, text)


def _place(text: str) -> int:
    """Where the last sentence begins; the beginning of the text where that is all there is."""
    ends = [match for match in _END.finditer(text) if not _ABBREVIATION.search(text[: match.start()])]
    return ends[-1].end() if ends else 0
