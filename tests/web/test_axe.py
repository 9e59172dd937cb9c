"""Every kind of page is checked with axe-core, on a desktop and on a phone in the dark: nothing is found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from axe import axe_source, findings
from commands import counterfoil_process
from counterfoil.running.live.state import write_live
from left_off import left_off
from sites import Site, serving

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.heavy

PAGES = (
    "/",
    "/start",
    "/start?suite=bias",
    "/compare",
    "/compare?a=bias",
    "/studies",
    "/study/bias/pilot.study.sqlite",
    "/reviews",
    "/run/bias",
    "/run/explain",
    "/run/left",
    "/records/bias",
    "/records/explain?where=correct+=+false&text=the",
    "/records/bias?where=x",
    "/matrix/explain",
    "/record/explain?row=1",
    "/versions/bias?row=0",
    "/versions/explain?row=0",
    "/run/nowhere",
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    axe_source()
    root = tmp_path_factory.mktemp("axe")
    for suite in ("bias", "explain"):
        words = ("--data", "english", "--limit", "12", "--model", f"planted/{suite}", "--out", suite)
        assert counterfoil_process("run", suite, *words, cwd=root).returncode == 0
    made = counterfoil_process("rate", "new", "--run", "bias", "--name", "pilot", "--sample", "6", cwd=root)
    assert made.returncode == 0, made.stderr
    (root / "left").mkdir()
    write_live(root / "left", left_off())
    (root / "rater").write_text(made.stdout.partition("/rate/")[2].split()[0], encoding="utf-8")
    with serving(root, "--ledger", str(root / ".counterfoil" / "ledger.sqlite")) as up:
        yield Site(up.address, up.process, (root / "rater").read_text(encoding="utf-8"))


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_nothing_is_found_on_any_page(browser: Browser, site: Site, width: int, scheme: str) -> None:
    page = browser.new_page(
        viewport={"width": width, "height": 800}, color_scheme="dark" if scheme == "dark" else "light"
    )
    rater = f"/rate/{site.said}"
    wrong = {}
    for path in (*PAGES, rater, f"{rater}?task=1"):
        page.goto(site.address + path)
        found = findings(page)
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append("wider than the screen")
        if found:
            wrong[path] = found
    assert wrong == {}
