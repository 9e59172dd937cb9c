"""The same as the command line, from Python."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

from counterfoil.console import say
from counterfoil.deciding.run import run_until_decided
from counterfoil.errors import UserError
from counterfoil.running.folder import Run
from counterfoil.running.request import make_request, read_experiment
from counterfoil.running.score import score_replies
from counterfoil.suite.finding import load_suite
from counterfoil.suite.imports import files_named
from counterfoil.suite.options import NOT_TO_SCORE, RUN_OPTIONS, Option, checked, nearest
from counterfoil.suite.suite import Context

if TYPE_CHECKING:
    from counterfoil.comparing.compare import Comparison
    from counterfoil.running.dry import DryRun
    from counterfoil.stats.estimate import Population

T = TypeVar("T")


@overload
def run(
    suite: str | None = None, *, experiment: str | Path | None = None, dry_run: Literal[False] = False, **options: Any
) -> Run: ...


@overload
def run(
    suite: str | None = None, *, experiment: str | Path | None = None, dry_run: Literal[True], **options: Any
) -> list[DryRun]: ...


def run(
    suite: str | None = None, *, experiment: str | Path | None = None, dry_run: bool = False, **options: Any
) -> Run | list[DryRun]:
    """Ask, read, score, estimate, as `counterfoil run` does, with the same options (underscores for hyphens).

    Options that can be given again take a text or several in a list or tuple; `param` takes a dict. Sentences for the
    user go to standard error; the same call again asks nothing that was answered. An experiment file may name the
    suite. With `dry_run` nothing is asked: what comes back says for each model how many asks, tokens and dollars it
    would take.
    """
    from_file = read_experiment(Path(experiment)) if experiment is not None else {}
    name = suite or from_file.get("suite")
    if not isinstance(name, str):
        raise UserError("Name a suite, as in run('explain'), or `suite = …` in the experiment file.")
    loaded = load_suite(name)
    given = _given((*RUN_OPTIONS, *loaded.options), options, from_file)
    request = make_request(loaded, given, from_file, str(experiment or "run()"))
    if dry_run:
        from counterfoil.running.dry import dry_run as rehearse

        return _outside_of_loops(lambda: rehearse(loaded, request))
    return _outside_of_loops(lambda: run_until_decided(loaded, request, say))


def score(suite: str, files: str | Path | Sequence[str | Path], *, format: str = "jsonl", **options: Any) -> Run:
    """Read, judge and score replies that were made elsewhere, as `counterfoil score SUITE --from FORMAT FILE…` does.

    `model` is here whose replies they are, where the files do not say.
    """
    loaded = load_suite(suite)
    named = [files] if isinstance(files, str | Path) else files
    names = files_named(named, loaded.sample_replies, format)
    imported = Context(format=format, files=tuple(names), imported_model=options.pop("model", None))
    extra: dict[str, Any] = {}
    here = [option for option in RUN_OPTIONS if option.name not in NOT_TO_SCORE]
    request = make_request(loaded, _given((*here, *loaded.options), options, extra), extra, "score()", imported)
    return _outside_of_loops(lambda: score_replies(loaded, request, say))


def compare(
    *runs: Run | str | Path,
    models: str | Sequence[str] = (),
    variants: str | Sequence[str] = (),
    a: str | Sequence[str] = (),
    b: str | Sequence[str] = (),
    by: str | None = None,
    margin: float | None = None,
    population: Population = "new",
    fail_if: str | Sequence[str] = (),
) -> Comparison:
    """Compare two runs, or models or variants inside one, item by item, as `counterfoil compare` does.

    Runs are given as they are or by their folders. Of what comes back, `.table` is a polars frame, and `.failed` has a
    sentence for each condition of `fail_if` that is met, as 'accuracy < -0.02'. `population`: whether intervals are
    about "new" questions, or about "these" of the dataset alone.
    """
    from counterfoil.comparing.compare import compare_runs
    from counterfoil.comparing.gate import failing, parse_gate

    gates = [parse_gate(text) for text in _names(fail_if)]
    sides: dict[str, Any] = {"models": _names(models), "variants": _names(variants), "a": _names(a), "b": _names(b)}
    comparison = compare_runs(list(map(_opened, runs)), by=by, margin=margin, population=population, **sides)
    comparison.failed = failing(comparison, gates)
    return comparison


def report(
    runs: Run | str | Path | Sequence[Run | str | Path],
    *,
    out: str | Path | None = None,
    overwrite: bool = False,
    title: str | None = None,
    anonymous: bool = False,
) -> Path:
    """Write one HTML page on these runs, as `counterfoil report` does; gives where it is."""
    from counterfoil.report.page.page import write_report

    opened = list(map(_opened, [runs] if isinstance(runs, Run | str | Path) else runs))
    if not opened:
        raise UserError("Name at least one run to report on.")
    path = opened[0].folder / "report.html" if out is None else Path(out)
    return write_report(opened, path, overwrite=overwrite, title=title, anonymous=anonymous)


def _opened(run: Run | str | Path) -> Run:
    return run if isinstance(run, Run) else Run(run)


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _given(there: Iterable[Option], options: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
    """The options, checked; a dict of parameters goes to where an experiment file has its table."""
    known = {option.key: option for option in there}
    given = {}
    for name, value in options.items():
        if name not in known:
            raise UserError(f"There is no option {name}{nearest(name, known)}.")
        if name == "param" and isinstance(value, dict):
            extra["param"] = extra.get("param", {}) | value
        elif value is not None:
            given[name] = checked(known[name], str(value) if isinstance(value, Path) else value, "")
    return given


def _outside_of_loops(work: Callable[[], T]) -> T:
    """Do it here, or in a thread of its own where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()
