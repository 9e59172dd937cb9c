"""How a record ended: exactly one word for each; and how what it says was read."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from counterfoil.asking.ask import Reply
from counterfoil.stats.metric import Metric

Outcome = Literal["answered", "out_of_choice", "refused", "truncated", "failed", "not_asked"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
# The question is left out of every metric; a run in which this happens is finished, but not complete.
LEFT_OUT: tuple[Outcome, ...] = ("failed", "not_asked")
# There is a reply, and nothing could be read from it.
UNREAD: tuple[Outcome, ...] = ("out_of_choice", "refused", "truncated")

# Of suites that give its share.
OUT_OF_CHOICE = Metric(
    name="out_of_choice",
    formula="Replies from which no answer could be read (out of choice, refused, cut off) ÷ all replies.",
    says="How often the model gives no answer that counts.",
    better="lower",
    mean="unread",
)

# How a reading came about that came with a reply from elsewhere, and one that a second reader made.
GIVEN, SECOND_READER = "given", "second_reader"

# How the reason of a record begins that failed though there is a reply.
BROKEN = "the suite's code failed on this reply"


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """What every suite's reading has: how it came about, in a word, for the column `read_by`."""

    read_by: str = ""


def outcome_of(reply: Reply, reading: object | None) -> Outcome:
    """What became of a reply. A reply that was cut off counts as answered if its answer could be read."""
    if reply.status in ("failed", "refused"):
        return reply.status
    if reading is not None:
        return "answered"
    return "truncated" if reply.status == "truncated" else "out_of_choice"
