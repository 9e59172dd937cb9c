"""From a reply to a row of records.parquet: read, judge, score."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from traceback import extract_tb
from typing import Any, NamedTuple

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.asker import Asker, NotAsked
from counterfoil.asking.models.base import Model
from counterfoil.errors import UserError
from counterfoil.suite.imports import Imported
from counterfoil.suite.outcome import BROKEN, GIVEN, Outcome, outcome_of
from counterfoil.suite.suite import AnySuite, Row, Variant

_LOG = logging.getLogger(__name__)

# A model is not asked on where the suite's code fails on more than this share of at least so many records.
MOST_BROKEN, RECORDS_TO_TELL = 0.1, 20
_LONGEST_MESSAGE = 200


class Judge(NamedTuple):
    """A model that judges, with the parameters it is asked with."""

    model: Model
    asker: Asker
    params: Mapping[str, Any]


class Item(NamedTuple):
    """What a record is about: model, variant, question and repeat."""

    model: str
    variant: Variant
    question: Any
    repeat: int
    ask_key: str | None


class Reread(NamedTuple):
    """A reply's row, the row that it would be by the second reader, and in which columns both have read the same; none
    of them where the reply has no words.
    """

    first: Row
    second: Row
    same: Mapping[str, bool]


@dataclass
class Counts:
    """How many records ended how. `unjudged`: replies that a judge could not be asked about. `broken`: replies, by
    model, on which the suite's own code failed; `stopped`: why a model is not asked on after too many of them.
    """

    total: int
    outcomes: Counter[tuple[str, str, Outcome]] = field(default_factory=Counter)
    unjudged: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    # How readings came about, by model and variant.
    read_by: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    stopped: dict[str, str] = field(default_factory=dict)
    # Of the second reader's sample: what it has read, how many replies it has not, and what has no reply yet.
    reread: list[Reread] = field(default_factory=list)
    not_reread: int = 0
    without_reply: list[Item] = field(default_factory=list)
    # Of each variant, in the order of asks: the first that was not asked, and the last whose reply the ledger held.
    missing_from: dict[str, int] = field(default_factory=dict)
    found_until: dict[str, int] = field(default_factory=dict)
    # Of each variant, how many are not asked since all is decided.
    decided: Counter[str] = field(default_factory=Counter)

    def is_in_order(self, variant: str) -> bool:
        """Whether what has a reply came before what was not asked. Replies of other runs may come after it."""
        return self.found_until.get(variant, -1) < self.missing_from.get(variant, math.inf)

    @property
    def done(self) -> int:
        return self.outcomes.total()


def unheard(sentence: str) -> None:
    """For who has nobody to tell it."""


@dataclass
class Rows:
    """Makes the rows of records, and counts their outcomes. `say` tells the user that a model is not asked on."""

    suite: AnySuite
    facts: Any
    judges: Mapping[str, Judge]
    counts: Counts
    say: Callable[[str], None] = unheard

    async def of_reply(self, item: Item, reply: Reply, imported: Imported | None = None) -> Row:
        """A reply's row. A reading that came with it, from elsewhere, takes the place of our own; verdicts that came
        with it stay beside those of the judges of this run.
        """
        if reply.status == "failed":
            return self.left_out(item, "failed", reply.error)
        ask = ReplyAsks(self.judges)
        try:
            is_given = imported is not None and (imported.was_read or imported.reading is not None)
            reading = imported.reading if imported is not None and is_given else self._read(item, reply)
            verdicts = None if imported is None else imported.verdicts
            if reading is None or not self.judges:
                return self._scored(item, reply, reading, verdicts, is_given=is_given)
            with suppress(NotAsked):
                asked = await self.suite.judge(item.question, reading, ask)
                verdicts = asked if verdicts is None else verdicts | asked
            row = self._scored(item, reply, reading, verdicts, ask.keys, is_given=is_given)
        except UserError:
            raise
        except Exception as error:
            if ask.error is not None:  # no matter of this reply: the ledger, or whoever asks
                raise ask.error from None
            return self.broken(item, reply, error)
        self.counts.unjudged += ask.missed or getattr(verdicts, "failed", False)
        return row

    def of_reply_alone(self, item: Item, reply: Reply) -> Row:
        """A reply's row without judges. It waits for nothing."""
        if reply.status == "failed":
            return self.left_out(item, "failed", reply.error)
        try:
            return self._scored(item, reply, self._read(item, reply), None)
        except UserError:
            raise
        except Exception as error:
            return self.broken(item, reply, error)

    def broken(self, item: Item, reply: Reply, error: Exception) -> Row:
        """The row of a reply on which the suite's own code failed. One reply never ends a run; where there are many,
        the model is not asked on, since its replies are paid for and can't be used.
        """
        _LOG.debug("%s, %s: %s", item.model, item.question.id, BROKEN, exc_info=error)
        row = self.left_out(item, "failed", f"{BROKEN}: {_described(error)}") | {"reply": reply.text}
        self.counts.broken[item.model] += 1
        broken = self.counts.broken[item.model]
        done = sum(number for (model, *_), number in self.counts.outcomes.items() if model == item.model)
        if done >= RECORDS_TO_TELL and broken > MOST_BROKEN * done and item.model not in self.counts.stopped:
            self.counts.stopped[item.model] = reason = (
                f"the suite's code failed on {broken:,} of {done:,} replies, so no more are asked for; "
                "--verbose shows where, and replies that have come are in the ledger"
            )
            self.say(f"{item.model}: {reason}.")
        return row

    def _read(self, item: Item, reply: Reply) -> Any | None:
        """The reading of a reply; None where a filter removed it."""
        return None if reply.status == "refused" else self.suite.read(item.question, item.variant, reply)

    def left_out(self, item: Item, outcome: Outcome, reason: str | None) -> Row:
        """The row of a question that has no reply."""
        return self._common(item, outcome) | {"reason": reason}

    def _scored(
        self,
        item: Item,
        reply: Reply,
        reading: Any | None,
        verdicts: Any | None,
        judge_keys: list[str] | None = None,
        *,
        is_given: bool = False,
    ) -> Row:
        """A row. The reading says how it came about; one that came with the reply from elsewhere may not know it."""
        scored = self.suite.score(item.question, self.facts, reading, verdicts)
        row = self._common(item, outcome_of(reply, reading))
        how = None if reading is None else getattr(reading, "read_by", "") or (GIVEN if is_given else None)
        if how is not None:
            self.counts.read_by[item.model, item.variant.name, how] += 1
        return row | {"reply": reply.text, "judge_keys": judge_keys, "read_by": how} | scored

    def _common(self, item: Item, outcome: Outcome) -> Row:
        self.counts.outcomes[item.model, item.variant.name, outcome] += 1
        return {
            "model": item.model,
            "variant": item.variant.name,
            "question_id": item.question.id,
            "repeat": item.repeat,
            "cluster": item.question.cluster,
            "outcome": outcome,
            "ask_key": item.ask_key,
            **item.question.columns,
        }


def _described(error: Exception) -> str:
    """What was raised, and where."""
    said = " ".join(f"{type(error).__name__}: {error}".split())[:_LONGEST_MESSAGE].rstrip(": ")
    frames = extract_tb(error.__traceback__)
    where = f" ({'/'.join(Path(frames[-1].filename).parts[-2:])}, line {frames[-1].lineno})" if frames else ""
    return f"{said}{where}".encode("utf-8", "backslashreplace").decode()


class ReplyAsks:
    """Asks judges, or a second reader, about one reply, and remembers which asks that took, and the `error` if one of
    them raised.
    """

    def __init__(self, judges: Mapping[str, Judge]) -> None:
        self._judges = judges
        self.judges = tuple(judges)
        self.keys: list[str] = []
        self.missed = False
        self.error: Exception | None = None

    async def __call__(self, judge: str, messages: Sequence[Message], sample: int = 0) -> Reply:
        model, asker, params = self._judges[judge]
        ask = model.ask(messages, params, sample)
        self.keys.append(ask.key)
        try:
            reply = await asker.ask(ask)
        except NotAsked:
            self.missed = True
            raise
        except Exception as error:
            self.error = error
            raise
        self.missed = self.missed or reply.status == "failed"
        return reply
