"""axe-core in a page of a browser: what it finds. Its code is fetched with npm when a test needs it."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from waiting import SECONDS

if TYPE_CHECKING:
    from playwright.sync_api import Page


@functools.cache
def axe_source() -> str:
    """The script; the test is skipped where npm or the network is not there."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not here: axe-core, which checks the pages, comes with it")
    with tempfile.TemporaryDirectory() as folder:
        command = [npm, "install", "--no-audit", "--no-fund", "--silent", "--prefix", folder, "axe-core@4"]
        try:
            done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
        except subprocess.TimeoutExpired:
            pytest.skip("npm could not fetch axe-core in time")
        path = Path(folder) / "node_modules" / "axe-core" / "axe.min.js"
        if done.returncode or not path.is_file():
            pytest.skip(f"npm could not fetch axe-core: {done.stderr.decode('utf-8', 'replace')[:200]}")
        return path.read_text(encoding="utf-8")


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
