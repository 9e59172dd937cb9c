"""axe-core in a page of a browser: what it finds. Its code is fetched with npm when a test needs it."""

from __future__ import annotations

import functools
import os
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page


# npm tries for minutes where a network drops what it is sent: nobody waits for that.
FETCHING_SECONDS = 60


def axe_source() -> str:
    """The script; the test is skipped where npm or the network is not there."""
    script, why = _fetched()
    if not script:
        pytest.skip(f"axe-core, which checks the pages, is not here: {why}")
    return script


@functools.cache
def _fetched() -> tuple[str, str]:
    """The script, or why there is none. It is tried once."""
    npm = shutil.which("npm")
    if npm is None:
        return "", "npm, which fetches it, is not installed"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        quiet = ("--no-audit", "--no-fund", "--loglevel", "error", "--fetch-retries", "0", "--prefix", name)
        # In a group of its own: what npm starts ends with it. Into a file: nobody waits for a pipe that stays open.
        with (folder / "said").open("wb") as said:
            process = subprocess.Popen(
                [npm, "install", *quiet, "axe-core@4"],
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                process.wait(FETCHING_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return "", f"npm could not fetch it within {FETCHING_SECONDS} seconds"
        path = folder / "node_modules" / "axe-core" / "axe.min.js"
        if process.returncode or not path.is_file():
            why = (folder / "said").read_text(encoding="utf-8", errors="replace").strip()
            return "", f"npm could not fetch it: {why[:200] or f'exit code {process.returncode}'}"
        return path.read_text(encoding="utf-8"), ""


def findings(page: Page) -> list[str]:
    """What axe-core finds wrong with the page as it is, each with the elements that it is about."""
    # Evaluated, not added as a script: the site's policy lets none in.
    page.evaluate(axe_source())
    found: dict[str, Any] = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    return [
        f"{one['id']} ({one['impact']}): {node['target']} {node['failureSummary']}"
        for one in found["violations"]
        for node in one["nodes"][:3]
    ]
