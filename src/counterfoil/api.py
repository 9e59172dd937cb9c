"""The same as the command line, from Python."""

from __future__ import annotations

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from counterfoil.errors import UserError
from counterfoil.runs.folder import Run
from counterfoil.runs.options import RUN_OPTIONS, checked, nearest
from counterfoil.runs.request import make_request, read_experiment
from counterfoil.runs.run import run_suite
from counterfoil.runs.suites import load_suite


def run(suite: str, *, experiment: str | Path | None = None, **options: Any) -> Run:
    """Ask, read, score, estimate, as `counterfoil run` does, with the same options (underscores for hyphens).

    Options that can be given again take a text or a list of texts; `param` takes a dict. Sentences for the user go to
    standard error; the same call again asks nothing that was answered.
    """
    loaded = load_suite(suite)
    known = {option.key: option for option in (*RUN_OPTIONS, *loaded.options)}
    from_file = read_experiment(Path(experiment)) if experiment is not None else {}
    given = {}
    for name, value in options.items():
        if name not in known:
            raise UserError(f"run() has no option {name}{nearest(name, known)}.")
        if name == "param" and isinstance(value, dict):
            from_file["param"] = from_file.get("param", {}) | value
        elif value is not None:
            value = str(value) if isinstance(value, Path) else value
            given[name] = checked(known[name], value, "run(): ")
    request = make_request(loaded, given, from_file, str(experiment or "run()"))
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run_suite(loaded, request, _say)
    with ThreadPoolExecutor(1) as thread:  # a notebook has a loop of its own
        return thread.submit(run_suite, loaded, request, _say).result()


def _say(sentence: str) -> None:
    print(sentence, file=sys.stderr, flush=True)
