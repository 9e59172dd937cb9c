"""A page for blind review: no path of the machine that it was made on, and no address of a server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from counterfoil.report.html import shown
from counterfoil.running.folder import Run

HIDDEN = "…"
# Shorter ones are no paths.
SHORTEST = 4
_LOCAL = re.compile(r"(?:[A-Za-z]:)?[/\\~.]")


def without_traces(page: str, runs: Sequence[Run]) -> str:
    """The page without folders, paths and addresses of servers. Of a path the last part stays, as of weights that are
    a folder.
    """
    found = dict(pair for run in runs for pair in _traces(run))
    own = [str(Path.home()), str(Path.cwd()), *(str(run.folder.resolve()) for run in runs)]
    found |= {name: HIDDEN for name in own if len(name) >= SHORTEST and name not in found}
    for name in sorted(found, key=len, reverse=True):
        page = re.sub(rf"(?<![\w-]){re.escape(shown(name))}(?![\w-])", shown(found[name]).replace("\\", r"\\"), page)
    return page


def _traces(run: Run) -> Iterator[tuple[str, str]]:
    """What the manifest holds of paths and addresses, with what stands in their place."""
    for text in _texts(run.manifest):
        if re.match(r"https?://", text):
            yield text, HIDDEN
        elif _LOCAL.match(text) and len(text) >= SHORTEST:
            yield text, Path(text).name or HIDDEN
    for model in {str(row["model"]) for row in run.outcomes}:
        provider, _, path = model.partition("/")
        if _LOCAL.match(path):
            yield model, f"{provider}/{Path(path.partition('?')[0]).name}"


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
