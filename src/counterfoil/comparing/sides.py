"""The two sides of a comparison: which model, in which variant, of which run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, compress
from typing import NamedTuple

from counterfoil.errors import UserError
from counterfoil.running.folder import Run


class Side(NamedTuple):
    """One side. `label` names it as briefly as the comparison allows."""

    run: Run
    model: str
    variant: str
    label: str


def contrasts(runs: Sequence[Run], models: Sequence[str], variants: Sequence[str]) -> list[tuple[Side, Side]]:
    """The pairs to compare.

    Only named models and variants take part, where any are named. Two or more named models are compared in every
    variant that they share, else two or more named variants for every model. Otherwise, of two runs, what has the
    same model and variant is compared; failing that, the same variant, if each run has one model; failing that, what
    there is, if each run has one model and one variant. Within one run: all its models, or all its variants.
    """
    every = [_Cell(run, str(row["model"]), str(row["variant"])) for run, of in enumerate(runs) for row in of.outcomes]
    _check(models, [cell.model for cell in every], "model")
    _check(variants, [cell.variant for cell in every], "variant")
    there = [cell for cell in every if cell.model in (models or [cell.model])]
    there = [cell for cell in there if cell.variant in (variants or [cell.variant])]
    pairs = [pair for pair in combinations(there, 2) if _belongs(*pair, models, variants, there)]
    if not pairs:
        raise UserError(
            "There is nothing to compare: give two runs with the same model and prompt, or name which of their models "
            "or prompts to compare with --models or --variants."
        )
    order = [*models, *variants]
    pairs = [(a, b) if _place(a, order) <= _place(b, order) else (b, a) for a, b in pairs]
    cells = {cell for pair in pairs for cell in pair}
    sides = {cell: Side(runs[cell.run], cell.model, cell.variant, _label(cell, cells, runs)) for cell in cells}
    return [(sides[a], sides[b]) for a, b in pairs]


class _Cell(NamedTuple):
    run: int
    model: str
    variant: str


def _belongs(a: _Cell, b: _Cell, models: Sequence[str], variants: Sequence[str], there: Sequence[_Cell]) -> bool:
    if len(models) > 1:
        return a.model != b.model and a.variant == b.variant
    if len(variants) > 1:
        return a.variant != b.variant and a.model == b.model
    if len({cell.run for cell in there}) > 1:
        if a.run == b.run:
            return False
        if a[1:] == b[1:]:
            return True
        of_a, of_b = ([cell for cell in there if cell.run == side.run] for side in (a, b))
        if {cell[1:] for cell in of_a} & {cell[1:] for cell in of_b}:
            return False
        one_model = len({cell.model for cell in of_a}) == len({cell.model for cell in of_b}) == 1
        return one_model and (a.variant == b.variant or len(of_a) == len(of_b) == 1)
    if len({cell.model for cell in there}) > 1:
        return a.variant == b.variant and a.model != b.model
    return a.variant != b.variant


def _place(cell: _Cell, order: Sequence[str]) -> tuple[int, int]:
    named = [order.index(name) for name in (cell.model, cell.variant) if name in order]
    return (min(named, default=0), cell.run)


def _label(cell: _Cell, cells: set[_Cell], runs: Sequence[Run]) -> str:
    """What differs between the sides, and no more."""
    differs = [len(set(values)) > 1 for values in zip(*cells, strict=True)]
    return " ".join(compress((str(runs[cell.run].folder), cell.model, cell.variant), differs)) or cell.model


def _check(named: Sequence[str], there: Sequence[str], what: str) -> None:
    for name in named:
        if name not in there:
            raise UserError(f"There is no {what} {name} in these runs: there are {', '.join(dict.fromkeys(there))}.")


def only_side(run: Run) -> Side:
    """The one side of a run with one model and one variant."""
    [row] = run.outcomes
    return Side(run, str(row["model"]), str(row["variant"]), str(row["model"]))
