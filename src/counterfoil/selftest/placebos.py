"""The placebos of a suite through the whole pipeline: the headline must call each what it is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from counterfoil.console import table, wrapped
from counterfoil.errors import UserError
from counterfoil.figures.numbers import plural, side_of
from counterfoil.running.folder import Run
from counterfoil.running.request import make_request
from counterfoil.running.run import run_suite
from counterfoil.selftest.results import too_many
from counterfoil.selftest.text import verdict_on
from counterfoil.suite.finding import load_suite
from counterfoil.suite.habits import Placebo, PlaceboSets, habit_sentences
from counterfoil.suite.suite import AnySuite

# Is called with the placebo, how many are done, and how many there are.
Tell = Callable[[str, int, int], None]


class PlaceboResult(msgspec.Struct, kw_only=True):
    """What a placebo does, what the headline says of it, and what it fails to say or says without ground."""

    name: str
    what: str
    headline: list[str]
    failures: list[str]


class PlaceboTest(msgspec.Struct, kw_only=True):
    suite: str
    placebos: list[PlaceboResult]
    failures: list[str]


def placebo_test(
    name: str, *, data: Sequence[str] = (), sets: int | None = None, seed: int = 0, progress: Tell | None = None
) -> PlaceboTest | PlaceboSets:
    """Ask every placebo of the suite its own questions, in its usual prompt; or the suite's own test of its placebos,
    on so many sets of questions from these datasets.
    """
    suite = load_suite(name)
    own = suite.placebo_sets(data, sets, seed, progress)
    if own is not None:
        return own
    if data or sets is not None:
        option = "--data" if data else "--trials"
        raise UserError(f"{option} is for placebos on many sets of questions, and {suite.name} has none of that kind.")
    if not suite.placebos:
        raise UserError(f"The suite {suite.name} has no placebos.")
    results = []
    for number, placebo in enumerate(suite.placebos):
        if progress is not None:
            progress(placebo.name, number, len(suite.placebos))
        with TemporaryDirectory() as folder:
            results.append(_tested(suite, name, placebo, seed, Path(folder)))
    failures = [f"{one.name}: {failure}" for one in results for failure in one.failures]
    return PlaceboTest(suite=suite.name, placebos=results, failures=failures)


def _tested(suite: AnySuite, name: str, placebo: Placebo, seed: int, folder: Path) -> PlaceboResult:
    model = f"planted/{name}?placebo={placebo.name}"
    models = [f"{model}&seed={seed + draw}" for draw in range(placebo.draws)] if placebo.draws > 1 else [model]
    first = _run(suite, models[:1], folder)
    headline = [*habit_sentences(suite.habits, first.estimates), *suite.headline(first)]
    failures = [f"the headline does not say “{part}”" for part in placebo.says if part not in " ".join(headline)]
    run = _run(suite, models, folder) if placebo.draws > 1 else first
    for metric in placebo.nothing:
        told = [side_of(one) in (1, -1) for one in run.estimates if one.metric == metric and not one.group]
        if not told:
            failures.append(f"{metric} is not estimated")
        # Luck may find something in one of many draws.
        elif any(told) and (len(told) == 1 or too_many(sum(told) / len(told), len(told), len(told)) is not None):
            failures.append(f"{metric} is told from 0 in {sum(told)} of {len(told)}")
    return PlaceboResult(name=placebo.name, what=placebo.what, headline=headline, failures=failures)


def _run(suite: AnySuite, models: Sequence[str], folder: Path) -> Run:
    planting = suite.planting()
    given = {
        "model": list(models),
        "variant": [planting.variant] if planting is not None and planting.variant else None,
        "out": str(folder / f"{len(models)}"),
        "ledger": str(folder / "ledger.sqlite"),
    }
    return run_suite(suite, make_request(suite, given, {}, "selftest"), lambda text: None)


def placebo_text(result: PlaceboTest | PlaceboSets) -> str:
    """What each placebo does, what is said of it, and what does not hold."""
    if isinstance(result, PlaceboSets):
        return _sets_text(result)
    rows = [["placebo", "what it does", "the headline calls it what it is"]]
    rows += [[one.name, one.what, "no" if one.failures else "yes"] for one in result.placebos]
    said = [
        "\n".join([f"{one.name}:", *(wrapped(f"- {sentence}", "  ") for sentence in one.headline)])
        for one in result.placebos
    ]
    heading = f"{result.suite}: respondents that must score nothing."
    return "\n\n".join([heading, table(rows), *said, verdict_on(result.failures)])


def _sets_text(result: PlaceboSets) -> str:
    """For each dataset the means of all figures, and how many intervals hold 0."""
    parts = [f"{result.suite}: responders without memory, {plural(result.sets, 'set')} of each dataset."]
    for one in result.tables:
        there = {figure for means in one.means.values() for figure in means}
        figures = [*(figure for figure in result.claimed if figure in there), *sorted(there - set(result.claimed))]
        rows = [["placebo", *(figure if figure in result.claimed else f"({figure})" for figure in figures)]]
        rows += [
            [placebo, *(f"{means[figure]:+z.3f}" if figure in means else "" for figure in figures)]
            for placebo, means in one.means.items()
        ]
        held = [f"{one.covered[figure]:.1%}" if figure in one.covered else "" for figure in figures]
        rows.append(["intervals that hold 0", *held])
        about = f"{one.data}: {plural(one.originals, 'original')}, about {one.questions:,} questions in a set"
        parts.append(f"{about}; means over the sets\n\n{table(rows)}")
    parts.append(
        wrapped(
            "Figures in brackets are not claimed to speak of memory: the options of published questions stay as they "
            "were printed, and habits show in them."
        )
    )
    return "\n\n".join([*parts, verdict_on(result.failures)])
