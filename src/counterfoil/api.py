"""The same as the command line, from Python."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.console import say
from counterfoil.errors import UserError
from counterfoil.running.folder import Run
from counterfoil.running.request import make_request, read_experiment
from counterfoil.running.run import run_suite
from counterfoil.running.score import score_replies
from counterfoil.suite.finding import load_suite
from counterfoil.suite.options import RUN_OPTIONS, checked, nearest
from counterfoil.suite.suite import AnySuite, Context

if TYPE_CHECKING:
    from counterfoil.comparing.compare import Comparison


def run(suite: str, *, experiment: str | Path | None = None, **options: Any) -> Run:
    """Ask, read, score, estimate, as `counterfoil run` does, with the same options (underscores for hyphens).

    Options that can be given again take a text or a list of texts; `param` takes a dict. Sentences for the user go to
    standard error; the same call again asks nothing that was answered.
    """
    loaded = load_suite(suite)
    from_file = read_experiment(Path(experiment)) if experiment is not None else {}
    request = make_request(loaded, _given(loaded, options, from_file), from_file, str(experiment or "run()"))
    return _outside_of_loops(lambda: run_suite(loaded, request, say))


def score(suite: str, files: str | Path | Sequence[str | Path], *, format: str = "jsonl", **options: Any) -> Run:
    """Read, judge and score replies that were made elsewhere, as `counterfoil score SUITE --from FORMAT FILE…` does.

    `model` is here whose replies they are, where the files do not say.
    """
    loaded = load_suite(suite)
    names = tuple(str(Path(name)) for name in ([files] if isinstance(files, str | Path) else files))
    imported = Context(format=format, files=names, imported_model=options.pop("model", None))
    extra: dict[str, Any] = {}
    request = make_request(loaded, _given(loaded, options, extra), extra, "score()", imported)
    return _outside_of_loops(lambda: score_replies(loaded, request, say))


def compare(
    *runs: Run | str | Path,
    models: str | Sequence[str] = (),
    variants: str | Sequence[str] = (),
    margin: float | None = None,
) -> Comparison:
    """Compare two runs, or models or variants inside one, item by item, as `counterfoil compare` does.

    Runs are given as they are or by their folders; `.table` of what comes back is a polars frame.
    """
    from counterfoil.comparing.compare import compare_runs

    return compare_runs(list(map(_opened, runs)), models=_names(models), variants=_names(variants), margin=margin)


def report(
    runs: Run | str | Path | Sequence[Run | str | Path], *, out: str | Path | None = None, overwrite: bool = False
) -> Path:
    """Write one HTML page on these runs, as `counterfoil report` does; gives where it is."""
    from counterfoil.report.page.page import write_report

    opened = list(map(_opened, [runs] if isinstance(runs, Run | str | Path) else runs))
    if not opened:
        raise UserError("Name at least one run to report on.")
    return write_report(opened, opened[0].folder / "report.html" if out is None else Path(out), overwrite=overwrite)


def _opened(run: Run | str | Path) -> Run:
    return run if isinstance(run, Run) else Run(run)


def _names(names: str | Sequence[str]) -> list[str]:
    return [names] if isinstance(names, str) else list(names)


def _given(suite: AnySuite, options: dict[str, Any], extra: dict[str, Any]) -> dict[str, Any]:
    """The options, checked; a dict of parameters goes to where an experiment file has its table."""
    known = {option.key: option for option in (*RUN_OPTIONS, *suite.options)}
    given = {}
    for name, value in options.items():
        if name not in known:
            raise UserError(f"There is no option {name}{nearest(name, known)}.")
        if name == "param" and isinstance(value, dict):
            extra["param"] = extra.get("param", {}) | value
        elif value is not None:
            given[name] = checked(known[name], str(value) if isinstance(value, Path) else value, "")
    return given


def _outside_of_loops(work: Callable[[], Run]) -> Run:
    """Do it here, or in a thread of its own where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return work()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(work).result()
