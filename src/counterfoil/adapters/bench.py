"""A suite for another harness: what to ask, then rows from replies and estimates from rows, as in a run of our own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import msgspec

from counterfoil.asking.ask import Message, Reply
from counterfoil.running.plan import Plan, make_plan
from counterfoil.running.records import TEXT_COLUMNS, frame_of
from counterfoil.running.request import make_request
from counterfoil.running.rows import Counts, Item, Rows
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.finding import load_suite
from counterfoil.suite.habits import all_estimates
from counterfoil.suite.suite import Row, Variant


class Place(NamedTuple):
    """One thing to ask: a question in a variant. The `id` is the same in every process."""

    id: str
    question: Any
    variant: Variant
    messages: list[Message]


@dataclass(frozen=True)
class Bench:
    """A suite with its options in force, its questions and its variants; no model and no judge."""

    plan: Plan
    params: Mapping[str, Any]

    @cached_property
    def places(self) -> dict[str, Place]:
        """All that is to be asked, by id, in the order of a run. The id of a question holds no space."""
        messages = self.plan.suite.messages
        places = (
            Place(f"{variant.name} {question.id}", question, variant, messages(question, variant))
            for variant in self.plan.variants
            for question in self.plan.questions
        )
        return {place.id: place for place in places}

    def row(self, place: Place, model: str, reply: Reply, repeat: int = 0) -> Row:
        """The reply's row, as records.parquet would have it."""
        rows = Rows(self.plan.suite, self.plan.facts, {}, Counts(0))
        return rows.of_reply_alone(Item(model, place.variant, place.question, repeat, None), reply)

    def estimates(self, rows: Sequence[Row]) -> list[Estimate]:
        """What summary.json would say of these rows."""
        frame = frame_of(rows, self.plan.suite.columns).drop(TEXT_COLUMNS)
        return all_estimates(self.plan.suite, frame, self.plan.facts)


def open_bench(suite_name: str, given: Mapping[str, Any]) -> Bench:
    """The suite with these options, by their keys as the command line has them (`data`, `variant`, `limit`, `seed`,
    the suite's own); what is not given has its default. Bad input is a UserError, before anything is asked.
    """
    suite = load_suite(suite_name)
    request = make_request(suite, given, {}, "")
    [spec] = request.models
    plan = make_plan(suite, msgspec.structs.replace(request, models=[], judges=[], second_reader=[]))
    return Bench(plan, spec.params)
