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
        least = row.least or row
        role = " (judge)" if row.judge else " (second reader)" if row.second_reader else ""
        name = f"{row.model}{role}"
        cells = [
            _range(row.asks - row.to_ask + least.to_ask, row.asks),
            f"{row.in_ledger:,}",
            *([f"{row.under_way:,}"] if in_batches else []),
            _range(least.to_ask, row.to_ask),
            _range(least.input_tokens, row.input_tokens),
            _range(least.output_tokens, row.output_tokens),
            _range(least.cost, row.cost, "${:,.4f}"),
        ]
        lines.append([name, *cells, row.note or ""])
    known = [((row.least or row).cost, row.cost) for row in rows]
    least, most = (sum(cost for cost in costs if cost is not None) for costs in zip(*known, strict=True))
    total = f"In all about {_range(least, most, '${:,.4f}')}"
    total += ", and what is marked ?." if any(row.cost is None for row in rows) else "."
    product = next((row.product.sentence for row in rows if row.product), "")
    return "\n\n".join(filter(None, [product, table(lines), f"{total} Nothing was asked."]))


def _range(least: float | None, most: float | None, form: str = "{:,}") -> str:
    if least is None or most is None:
        return "?"
    low, high = form.format(least), form.format(most)
    return high if low == high else f"{low}–{high}"
