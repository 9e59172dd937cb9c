"""Words by which replies say things: one table for each idea, one row for each language.

To add a language, add its row to the tables, and write labelled replies in it for the tests.
"""

from __future__ import annotations

from counterfoil.reading.words.answers import (
    ANSWER,
    BAD,
    BAD_MARKS,
    CHOOSES,
    CONCLUDES,
    GOOD,
    GOOD_MARKS,
    IS,
    NOT_BEFORE,
    NOT_BEHIND,
    OPTION,
    OR,
    ORDINALS,
    RIGHT,
)
from counterfoil.reading.words.clauses import (
    CONCEDES,
    CONTRAST,
    CORRECTS,
    GRANTED,
    QUOTES,
    REJECTS,
    SUPPOSES,
    WEIGHS,
)
from counterfoil.reading.words.languages import languages_in
from counterfoil.reading.words.tables import ARTICLES, either
from counterfoil.reading.words.unknown import DENIES, REFUSES, UNTOLD

__all__ = [
    "ANSWER",
    "ARTICLES",
    "BAD",
    "BAD_MARKS",
    "CHOOSES",
    "CONCEDES",
    "CONCLUDES",
    "CONTRAST",
    "CORRECTS",
    "DENIES",
    "GOOD",
    "GOOD_MARKS",
    "GRANTED",
    "IS",
    "NOT_BEFORE",
    "NOT_BEHIND",
    "OPTION",
    "OR",
    "ORDINALS",
    "QUOTES",
    "REFUSES",
    "REJECTS",
    "RIGHT",
    "SUPPOSES",
    "UNTOLD",
    "WEIGHS",
    "either",
    "languages_in",
]
