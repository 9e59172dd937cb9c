"""A suite laid out for another harness: what to ask, and from replies to rows to estimates, as in a run of our own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import msgspec

from counterfoil.asking.ask import Message, Reply
from counterfoil.running.plan import Plan, make_plan
from counterfoil.running.records import TEXT_COLUMNS, columns_of, frame_of
from counterfoil.running.request import make_request
from counterfoil.running.rows import Item, Rows, Standing
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.finding import load_suite
from counterfoil.suite.suite import Row, Variant


class Place(NamedTuple):
    """One thing to ask: a question in a variant. `id` is the same in every process, and names it among all others."""

    id: str
    question: Any
    variant: Variant
    messages: list[Message]


@dataclass(frozen=True)
class Bench:
    """A suite with its options in force, its questions and its variants; no model and no judge."""

    plan: Plan
    params: Mapping[str, Any]

    def places(self) -> Iterator[Place]:
        """All that is to be asked, in the order of a run."""
        suite = self.plan.suite
        for variant in self.plan.variants:
            for question in self.plan.questions:
                yield Place(place_id(question, variant), question, variant, suite.messages(question, variant))

    def row(self, place: Place, model: str, reply: Reply, repeat: int = 0) -> Row:
        """The reply's row, as records.parquet would have it."""
        rows = Rows(self.plan.suite, self.plan.facts, {}, Standing(0))
        return rows.of_reply_alone(Item(model, place.variant, place.question, repeat, None), reply)

    def estimates(self, rows: Sequence[Row]) -> list[Estimate]:
        """What summary.json would say of these rows."""
        frame = frame_of(rows, columns_of(self.plan.suite.columns)).drop(TEXT_COLUMNS)
        return self.plan.suite.summarize(frame, self.plan.facts)


def open_bench(suite_name: str, given: Mapping[str, Any]) -> Bench:
    """The suite with these options, by their keys as the command line has them (`data`, `variant`, `limit`, `seed`,
    the suite's own); what is not given has its default. Bad input is a UserError, before anything is asked.
    """
    suite = load_suite(suite_name)
    request = make_request(suite, given, {}, "")
    [spec] = request.models
    plan = make_plan(suite, msgspec.structs.replace(request, models=[], judges=[]))
    return Bench(plan, spec.params)


def place_id(question: Any, variant: Variant) -> str:
    """The name of a place: a question's id holds no space."""
    return f"{variant.name} {question.id}"


def metric_name(estimate: Estimate) -> str:
    """A metric with its variant and group in one text, for harnesses whose metrics have a name and nothing else:
    `accuracy[variant=cfe]`, `accuracy[variant=cfe,label=confusing]`.
    """
    group = {"variant": estimate.variant} | dict(estimate.group)
    return f"{estimate.metric}[{','.join(f'{name}={value}' for name, value in group.items())}]"
