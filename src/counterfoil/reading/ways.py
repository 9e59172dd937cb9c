"""How an answer was read from a reply: a closed set of words. Records hold one of them in the column `read_by`."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

_Said = TypeVar("_Said", covariant=True)


class ReadBy:
    """How an answer was read. docs/reading.md says what each word means."""

    # The reply is nothing but the answer, or its last line is: "ANSWER: B".
    FINAL_LINE = "final_line"
    # \boxed{B}
    BOXED = "boxed"
    # "The answer is B", "I'd go with B".
    STATED = "stated"
    # The same, after another decision or a correction: "A. Sorry, I meant C."
    LAST_DECISION = "last_decision"
    # The choice's own words take the place of its letter: "It was the nurse."
    BY_TEXT = "by_text"
    # A stated number is that of one choice.
    BY_NUMBER = "by_number"
    # Words to the effect of the choice "unknown": "the text doesn't say".
    IN_OTHER_WORDS = "in_other_words"
    # A conclusion is about this one, but does not say that it is the answer.
    CONCLUDED = "concluded"
    # All other choices are ruled out.
    BY_ELIMINATION = "by_elimination"
    # No choice, or number, is decided for; this one alone is named.
    ONLY_MENTIONED = "only_mentioned"
    # By other rules than ours: `--reading kobbq` and `strict`.
    BY_RULE = "by_rule"
    # By the likeliest first token: `--by logprob`.
    LIKELIEST = "likeliest"


WAYS = tuple(word for name, word in vars(ReadBy).items() if name.isupper())
# What is read in one of these ways may well be meant otherwise.
WEAK = frozenset({ReadBy.CONCLUDED, ReadBy.BY_ELIMINATION, ReadBy.ONLY_MENTIONED})


class Read(NamedTuple, Generic[_Said]):
    """What was read, and how."""

    said: _Said
    by: str
