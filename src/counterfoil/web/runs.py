"""The pages of runs: the list, and one run with its tables and plots."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from counterfoil.report.html import Html
from counterfoil.report.page.page import run_part
from counterfoil.running.folder import MANIFEST, RECORDS, SUMMARY
from counterfoil.web.pages import page, served
from counterfoil.web.served import RunInfo, Served, stamps

FILTERS = ("suite", "model", "data")


def runs_page(request: Request) -> Response:
    """All runs, newest first; suite, model and data in the address narrow them down."""
    every = served(request).runs()
    asked = {name: request.query_params.get(name, "") for name in FILTERS}
    choices = {name: sorted({value for info in every for value in _values(info, name)} - {""}) for name in FILTERS}
    shown = [info for info in every if all(not asked[name] or asked[name] in _values(info, name) for name in FILTERS)]
    return page(
        request, "runs/runs.html", runs=shown, whole=len(every), choices=choices, asked=asked, root=served(request).root
    )


def run_page(request: Request) -> Response:
    """What the report says of one run."""
    name = request.path_params["run"]
    run = served(request).run(name)
    suite = run.whole_summary.suite
    others = [info.path for info in served(request).runs() if info.path != name and info.suite == suite]
    content = _content(served(request), run.folder, stamps(run.folder, MANIFEST, SUMMARY, RECORDS))
    different = (run.manifest.get("second_reader") or {}).get("differ", 0)
    return page(request, "runs/run.html", name=name, content=content, others=others, different=different)


def _values(info: RunInfo, name: str) -> tuple[str, ...]:
    return {"suite": (info.suite,), "model": info.models, "data": (info.data,)}[name]


@lru_cache(maxsize=16)
def _content(site: Served, folder: Path, state: tuple[int, ...]) -> Html:
    """Made once for each state of the files: plots over many records take their time."""
    return run_part(site.open(folder), "run", f"Run {folder.name}")
