"""A run that stops as soon as all that was to be decided is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from counterfoil.console import Say
from counterfoil.running.folder import Run
from counterfoil.running.request import RunRequest
from counterfoil.running.run import run_suite
from counterfoil.suite.suite import AnySuite

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.running.looks.log import Decision
    from counterfoil.running.looks.questions import Look


def run_until_decided(suite: AnySuite, request: RunRequest, say: Say) -> Run:
    """`run_suite`, with looks where the request declares them."""
    return run_suite(suite, request, say, _decide)


def _decide(suite: AnySuite, look: Look, records: pl.DataFrame) -> list[Decision]:
    # It needs numpy and polars, which no first ask has to wait for.
    from counterfoil.deciding.decide import decide

    return decide(suite, look, records)
