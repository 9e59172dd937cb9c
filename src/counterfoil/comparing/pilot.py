"""A pilot that costs nothing: the suite's simulated respondent answers a sample of the dataset.

What a metric is made of shows in its items: which replies count, how many make one item, how far its values spread.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from counterfoil.asking.ask import Message, Reply, after
from counterfoil.comparing.items import told_by, with_partners
from counterfoil.running.records import COLUMNS, TEXT_COLUMNS
from counterfoil.running.rows import Counts, Item, Rows

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from counterfoil.running.plan import Plan
    from counterfoil.stats.metric import Metric
    from counterfoil.suite.suite import AnySuite, Row

# Enough to tell a variance within a few per cent, and a second or less of work.
_CLUSTERS, _QUESTIONS = 200, 6_000
_SEED = 20240229


class Pilot(NamedTuple):
    """Items by kind, the metrics that they tell, and how many records they are made of."""

    frames: dict[str, pl.DataFrame]
    metrics: Sequence[Metric]
    records: int


def simulated_pilot(suite: AnySuite, plan: Plan) -> Pilot | None:
    """The plan's questions in its first variant, answered as in the first cell of the suite's self-test: a respondent
    of middling chances, whose answers differ most. None where the suite has no self-test.
    """
    planting = suite.planting()
    if planting is None:
        return None
    questions = _sample(list(plan.dataset))
    respond = suite.planted({name: str(chance) for name, chance in planting.cells[0].settings.items()}, questions)
    variant = plan.variants[0]
    rows = Rows(suite, suite.prepare(list(plan.dataset)), {}, Counts(total=len(questions)))

    def row(question: Any) -> Row:
        replies: list[Reply] = []
        messages: list[Message] | None = suite.messages(question, variant)
        while messages:
            replies.append(Reply(status="ok", text=respond(messages, 0), finish_reason="stop"))
            messages = suite.follow_up(question, variant, replies) if suite.has_turns else []
        *earlier, last = replies
        return rows.of_reply_alone(Item("planted", variant, question, 0, None), after(earlier, last))

    answered = [row(question) for question in questions]
    columns = (COLUMNS | dict(suite.columns)).items()
    schema = {name: kind for name, kind in columns if name not in TEXT_COLUMNS}
    records = pl.DataFrame({name: [one.get(name) for one in answered] for name in schema}, schema=schema)
    frames = with_partners(suite.items(records), suite.metrics)
    return Pilot(frames, list(told_by(frames, suite.metrics)), records.height)


def _sample(questions: list[Any]) -> list[Any]:
    """Whole clusters, at random, always the same."""
    clusters: dict[str, list[Any]] = {}
    for question in questions:
        clusters.setdefault(question.cluster, []).append(question)
    names = list(clusters)
    random.Random(_SEED).shuffle(names)  # noqa: S311
    found: list[Any] = []
    for name in names[:_CLUSTERS]:
        if len(found) < _QUESTIONS:
            found += clusters[name]
    return found
