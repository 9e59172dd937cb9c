"""What a reply says: which candidates it mentions, and whether its answer is the right one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

# What finds mentions is imported where a reply is read: it takes long to load, and `show` reads none.
from counterfoil.suite.outcome import Reading as AnyReading

if TYPE_CHECKING:
    from counterfoil.explain.questions import Question

_WORDS = re.compile(r"\w+")


class Reading(AnyReading, frozen=True):
    """What a reply says: the candidates it mentions, and whether its answer is the right one.

    `instead`: the candidate that it gives as its answer in place of the right one. `repeats`: it says no more than the
    question, and answers nothing.
    """

    text: str
    mentioned: tuple[str, ...]
    correct: bool
    instead: str | None = None
    repeats: bool = False

    def cleared_up(self, mentioned: Sequence[str]) -> list[str]:
        """Of what is mentioned, all but what is given as the answer: a wrong answer is no clarification."""
        return [name for name in mentioned if name != self.instead]


def read_reply(question: Question, text: str) -> Reading | None:
    """What the reply says; None where nothing is said at all."""
    from counterfoil.explain.mentions.answer import given_answer
    from counterfoil.explain.mentions.forms import wrong_candidates
    from counterfoil.explain.mentions.names import GOLD
    from counterfoil.reading.text import own_words

    if not own_words(text).strip():
        return None
    names = tuple(question.candidates)
    repeats = repeats_question(question.text, text)
    given = given_answer(text, question.gold, aliases=question.aliases, candidates=names, question=question.text)
    others = wrong_candidates(question.gold, tuple(question.aliases), names)
    return Reading(
        text=text,
        mentioned=tuple(find_mentions(text, names, gold=question.gold, question=question.text)),
        correct=given.owner == GOLD and not repeats,
        instead=None if given.owner is None or given.owner == GOLD else others[given.owner],
        repeats=repeats,
        read_by=given.read_by or "",
    )


def repeats_question(question: str, reply: str) -> bool:
    """Whether the reply is most of the question's words, and no other. Some of them may be an answer: hot or cold?"""
    asked = {word.casefold() for word in _WORDS.findall(question)}
    said = set()
    for word in _WORDS.finditer(reply):
        if word[0].casefold() not in asked:
            return False
        said.add(word[0].casefold())
    return 2 * len(said) > len(asked)


def candidate_instead(question: Question, text: str) -> str | None:
    """The candidate that a reply with a wrong answer gives as its answer."""
    from counterfoil.explain.mentions.answer import answer_instead

    names = list(question.candidates)
    return answer_instead(text, question.gold, aliases=question.aliases, candidates=names, question=question.text)


def find_mentions(reply: str, candidates: Sequence[str], *, gold: str = "", question: str = "") -> list[str]:
    """The candidates that the reply mentions, in the order of `candidates`.

    A candidate is mentioned where the reply means it, however spelled; not where its letters or digits are part of
    something else: another name, a date, a list's numbers, the gold answer, words repeated from the question.
    """
    from counterfoil.explain.mentions.forms import lexicon
    from counterfoil.explain.mentions.names import GOLD
    from counterfoil.explain.mentions.spans import spans
    from counterfoil.reading.text import own_words

    found = spans(own_words(reply), lexicon(tuple(candidates), gold, question), once=True)
    mentioned = {candidates[span.owner] for span in found if span.owner != GOLD}
    return [candidate for candidate in candidates if candidate in mentioned]


def mention_spans(
    reply: str, candidates: Sequence[str], *, gold: str = "", question: str = ""
) -> list[tuple[int, int, str]]:
    """Every mention of a candidate as (start, end, candidate): offsets in the reply as given, in order, no overlaps."""
    from counterfoil.explain.mentions.forms import lexicon
    from counterfoil.explain.mentions.names import GOLD
    from counterfoil.explain.mentions.spans import spans
    from counterfoil.reading.text import own_words

    known = lexicon(tuple(candidates), gold, question)
    found = spans(own_words(reply), known)
    return [(start, end, candidates[owner]) for start, end, owner in found if owner != GOLD]
