"""Dry runs as plain text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from counterfoil.console import table

if TYPE_CHECKING:
    from counterfoil.running.dry import DryRun


def dry_run_text(rows: Sequence[DryRun]) -> str:
    """The dry run as a table; estimates are marked as such."""
    in_batches = any(row.under_way for row in rows)
    heading = ["asks", "in ledger", *(["in batches"] if in_batches else []), "to ask", "~tokens in", "~tokens out"]
    lines = [["model", *heading, "~cost", ""]]
    for row in rows:
        output = "?" if row.output_tokens is None else f"{row.output_tokens:,}"
        cost = "?" if row.cost is None else f"${row.cost:,.4f}"
        name = f"{row.model} (judge)" if row.judge else row.model
        counts = [row.asks, row.in_ledger, *([row.under_way] if in_batches else []), row.to_ask, row.input_tokens]
        lines.append([name, *(f"{number:,}" for number in counts), output, cost, row.note or ""])
    known = [row.cost for row in rows if row.cost is not None]
    total = f"In all about ${sum(known):,.4f}" + (", and what is marked ?." if len(known) < len(rows) else ".")
    judges = " Judges' asks about replies that are not there yet come on top." if any(row.judge for row in rows) else ""
    return f"{table(lines)}\n\n{total}{judges} Nothing was asked."
