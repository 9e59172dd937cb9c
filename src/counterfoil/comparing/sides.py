"""The two sides of a comparison: which model, in which variants, of which run."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, compress
from typing import NamedTuple

from counterfoil.errors import UserError
from counterfoil.running.folder import Run
from counterfoil.suite.options import nearest

# Between the names of variants that are one side together.
AND = ","


class Side(NamedTuple):
    """One side. `label` names it as briefly as the comparison allows. Over several variants it is their mean. `only`:
    the column and its value, where it is a group of the run's questions.
    """

    run: Run
    model: str
    variants: tuple[str, ...]
    label: str
    only: tuple[str, str] | None = None


def contrasts(
    runs: Sequence[Run], models: Sequence[str], variants: Sequence[str], *, over_variants: bool = True
) -> list[tuple[Side, Side]]:
    """The pairs to compare.

    Only named models and variants take part, where any are named; x,y names the mean over two variants. Two or more
    named models are compared, else two or more named variants for every model. Otherwise, of two runs, what has the
    same model and variant is compared; failing that, the same variant, if each run has one model; failing that, all
    variants of one run with all of the other, model by model or of the one model of each. Within one run: all its
    models, or all its variants.

    What is compared in several variants that both sides have is compared over all of them, unless `over_variants` is
    off: then in each.
    """
    every = [
        _Cell(run, str(row["model"]), (str(row["variant"]),)) for run, of in enumerate(runs) for row in of.outcomes
    ]
    known = list(dict.fromkeys(name for cell in every for name in cell.variants))
    sets = [(name,) if name in known else tuple(name.split(AND)) for name in variants]
    _check(models, [cell.model for cell in every], "model")
    _check([name for names in sets for name in names], known, "variant")
    there = [cell for cell in every if cell.model in (models or [cell.model])]
    there = _in_sets(there, sets) if sets else there
    pairs = [pair for pair in combinations(there, 2) if _belongs(*pair, models, sets, there)]
    if not pairs and len({cell.run for cell in there}) > 1:
        there = _whole(there)
        pairs = [pair for pair in combinations(there, 2) if _belongs(*pair, models, sets, there)]
    if not pairs:
        raise UserError(
            "There is nothing to compare: give two runs with the same model and prompt, or name which of their models "
            "or prompts to compare with --models or --variants."
        )
    if over_variants:
        pairs = _pooled(pairs)
    order = [*models, *sets]
    pairs = [(a, b) if _place(a, order) <= _place(b, order) else (b, a) for a, b in pairs]
    cells = {cell for pair in pairs for cell in pair}
    sides = {cell: Side(runs[cell.run], cell.model, cell.variants, _label(cell, cells, runs)) for cell in cells}
    return [(sides[a], sides[b]) for a, b in pairs]


def chosen_sides(runs: Sequence[Run], a: Sequence[str], b: Sequence[str]) -> tuple[Side, Side]:
    """Any two sides: `a` of the first run, `b` of the last one. Each is named by a model, variants, or both.

    What is not named is the same on both sides where it is named for the other one, else all that there is: a run's one
    model, and all variants together.
    """
    named = []
    for run, names in ((runs[0], a), (runs[-1], b)):
        models = list(dict.fromkeys(str(row["model"]) for row in run.outcomes))
        known = list(dict.fromkeys(str(row["variant"]) for row in run.outcomes))
        mine = [name for name in names if name in models]
        variants = tuple(
            name for given in names if given not in mine for name in ([given] if given in known else given.split(AND))
        )
        _check(variants, [*known, *models], "model or prompt")
        named.append((run, mine, variants, models))
    cells = [
        _cell(
            number, named[number], [*named[number][1], *named[1 - number][1]], named[number][2] or named[1 - number][2]
        )
        for number in (0, 1)
    ]
    numbers = {0: 0, 1: 0 if runs[0] is runs[-1] else 1}
    first, second = (cell._replace(run=numbers[cell.run]) for cell in cells)
    ends = [runs[0], runs[-1]]
    one, other = (
        Side(ends[cell.run], cell.model, cell.variants, _label(cell, {first, second}, ends)) for cell in (first, second)
    )
    return one, other


def _cell(
    number: int,
    named: tuple[Run, list[str], tuple[str, ...], list[str]],
    models: Sequence[str],
    variants: tuple[str, ...],
) -> _Cell:
    """The side with the first of these models that its run has."""
    run, _, _, there = named
    found = [name for name in models if name in there] or there
    if len(found) > 1 and not models:
        raise UserError(f"Name the model of side {'ab'[number]}: {run.folder} has {', '.join(there)}.")
    asked = [str(row["variant"]) for row in run.outcomes if row["model"] == found[0]]
    missing = [name for name in variants if name not in asked]
    if missing:
        raise UserError(
            f"{found[0]} was not asked in {', '.join(missing)} in {run.folder}: it was in {', '.join(asked)}."
        )
    return _Cell(number, found[0], variants or tuple(asked))


class _Cell(NamedTuple):
    run: int
    model: str
    variants: tuple[str, ...]


def _in_sets(cells: Sequence[_Cell], sets: Sequence[tuple[str, ...]]) -> list[_Cell]:
    """A cell for each run, model and set of variants that is there in full."""
    there = set(cells)
    of = dict.fromkeys((cell.run, cell.model) for cell in cells)
    return [
        _Cell(run, model, names)
        for run, model in of
        for names in sets
        if all(_Cell(run, model, (name,)) in there for name in names)
    ]


def _whole(cells: Sequence[_Cell]) -> list[_Cell]:
    """Each run and model with all of its variants."""
    of: dict[tuple[int, str], list[str]] = {}
    for cell in cells:
        of.setdefault((cell.run, cell.model), []).extend(cell.variants)
    return [_Cell(run, model, tuple(names)) for (run, model), names in of.items()]


def _pooled(pairs: Sequence[tuple[_Cell, _Cell]]) -> list[tuple[_Cell, _Cell]]:
    """Pairs of the same models and runs in several variants, each variant with itself, as one pair."""
    of: dict[tuple[int, str, int, str], list[tuple[_Cell, _Cell]]] = {}
    for a, b in pairs:
        of.setdefault((a.run, a.model, b.run, b.model), []).append((a, b))
    made: list[tuple[_Cell, _Cell]] = []
    for some in of.values():
        if len(some) > 1 and all(a.variants == b.variants for a, b in some):
            names = tuple(name for a, _ in some for name in a.variants)
            made.append((some[0][0]._replace(variants=names), some[0][1]._replace(variants=names)))
        else:
            made += some
    return made


def _belongs(
    a: _Cell, b: _Cell, models: Sequence[str], sets: Sequence[tuple[str, ...]], there: Sequence[_Cell]
) -> bool:
    if len(models) > 1:
        return a.model != b.model and a.variants == b.variants
    if len(sets) > 1:
        return a.variants != b.variants and a.model == b.model
    if len({cell.run for cell in there}) > 1:
        if a.run == b.run:
            return False
        if a[1:] == b[1:]:
            return True
        of_a, of_b = ([cell for cell in there if cell.run == side.run] for side in (a, b))
        if {cell[1:] for cell in of_a} & {cell[1:] for cell in of_b}:
            return False
        one_model = len({cell.model for cell in of_a}) == len({cell.model for cell in of_b}) == 1
        if one_model and (a.variants == b.variants or len(of_a) == len(of_b) == 1):
            return True
        # All variants of a run are one cell: then those of the same model are compared.
        return a.model == b.model and max(len(cell.variants) for cell in (*of_a, *of_b)) > 1
    if len({cell.model for cell in there}) > 1:
        return a.variants == b.variants and a.model != b.model
    return a.variants != b.variants


def _place(cell: _Cell, order: Sequence[object]) -> tuple[int, int]:
    named = [order.index(name) for name in (cell.model, cell.variants) if name in order]
    return (min(named, default=0), cell.run)


def _label(cell: _Cell, cells: set[_Cell], runs: Sequence[Run]) -> str:
    """What differs between the sides, and no more."""
    differs = [len(set(values)) > 1 for values in zip(*cells, strict=True)]
    parts = (str(runs[cell.run].folder), cell.model, AND.join(cell.variants))
    return " ".join(compress(parts, differs)) or cell.model


def _check(named: Sequence[str], there: Sequence[str], what: str) -> None:
    known = list(dict.fromkeys(there))
    for name in named:
        if name not in known:
            raise UserError(
                f"There is no {what} {name} in these runs{nearest(name, known)}: there are {', '.join(known)}."
            )


def only_side(run: Run) -> Side:
    """The one side of a run with one model and one variant."""
    [row] = run.outcomes
    return Side(run, str(row["model"]), (str(row["variant"]),), str(row["model"]))
