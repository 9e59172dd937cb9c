"""Plots as files: SVG and PNG, in fixed colours."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from counterfoil.files import explained, replacing
from counterfoil.report.plots.png import png
from counterfoil.report.plots.svg import draw
from counterfoil.running.asked import suite_to_show
from counterfoil.running.folder import Run

LONGEST_NAME = 60


def write_plots(runs: Sequence[Run], folder: Path) -> list[Path]:
    """Every plot of the runs' reports; named after its title, behind its run's number where there are several."""
    drawings: dict[str, str] = {}
    for number, run in enumerate(runs, 1):
        for place, plot in enumerate(suite_to_show(run).plots(run), 1):
            before = f"{number}-{place}" if len(runs) > 1 else f"{place}"
            drawings[f"{before}-{_slug(plot.title)}"] = draw(plot, "fixed")
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    # All drawings first: they are there even where this machine can make no PNG.
    written = [_write(folder / f"{name}.svg", drawing.encode()) for name, drawing in drawings.items()]
    return written + [_write(folder / f"{name}.png", png(drawing)) for name, drawing in drawings.items()]


def _slug(title: str) -> str:
    """A file's name in plain letters, whatever the title holds."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower())[:LONGEST_NAME].strip("-") or "plot"


def _write(path: Path, content: bytes) -> Path:
    with replacing(path) as temporary:
        temporary.write_bytes(content)
    return path
