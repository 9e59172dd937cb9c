"""`--fail-if "accuracy < -0.02"`: a condition on the difference between two sides, for use in CI."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from counterfoil.comparing.compare import Comparison
from counterfoil.comparing.compared import ComparedFigure
from counterfoil.errors import UserError

_CONDITION = re.compile(
    r"\s*(?P<metric>\w+)(?:\.(?P<part>low|high))?\s*(?P<sign>[<>])\s*(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*"
)


class Gate(NamedTuple):
    """A metric's difference below or above a number: with its whole interval, or with the bound that is named."""

    metric: str
    part: str | None
    sign: str
    number: float
    text: str


def parse_gate(text: str) -> Gate:
    """`METRIC < NUMBER` holds if the whole interval lies there; `METRIC.low < NUMBER` tests that bound."""
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise UserError(f"--fail-if {text!r} is no condition: write METRIC < NUMBER or METRIC > NUMBER.")
    return Gate(match["metric"], match["part"], match["sign"], float(match["number"]), text.strip())


def failing(comparison: Comparison, gates: Iterable[Gate]) -> list[str]:
    """A sentence for each gate and pair of sides for which the condition is met, by the overall figures."""
    sentences: list[str] = []
    known = dict.fromkeys(row.metric for row in comparison.rows)
    for gate in gates:
        if gate.metric not in known:
            raise UserError(f"--fail-if {gate.text!r}: there is no metric {gate.metric}; there are {', '.join(known)}.")
        rows = [row for row in comparison.rows if row.metric == gate.metric and not row.group]
        if not rows:
            raise UserError(f"--fail-if {gate.text!r}: {gate.metric} has no overall figure here.")
        sentences += [
            f"Failed: {gate.text}, for {row.b} against {row.a}: "
            f"{row.difference:+z.3f} [{row.low:+z.3f}, {row.high:+z.3f}]."
            for row in rows
            if _holds(row, gate)
        ]
    return sentences


def _holds(row: ComparedFigure, gate: Gate) -> bool:
    if row.low is None or row.high is None:
        raise UserError(f"--fail-if {gate.text!r}: {row.metric} has no interval here ({row.note or 'not defined'}).")
    below = gate.sign == "<"
    bound = {"low": row.low, "high": row.high, None: row.high if below else row.low}[gate.part]
    return bound < gate.number if below else bound > gate.number
