"""Looking in a real browser: browse and filter; and whatever models, data and names say is text."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest

from run_folders import estimate, make_run, record
from sites import serving

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.heavy

ATTACKS = (
    "<script>window.__pwned = 1</script>",
    "<img src=x onerror='window.__pwned = 1'>",
    "<img src='https://counterfoil.invalid/pixel.png'>",
    "<svg onload='window.__pwned = 1'><script>alert(1)</script></svg>",
    "</div></article></option></select><iframe src='https://counterfoil.invalid'></iframe>",
    "<form action='https://counterfoil.invalid'><input autofocus onfocus='window.__pwned = 1'></form>",
    "\"' onmouseover='window.__pwned = 1' autofocus onfocus='window.__pwned = 1'",
    "javascript:alert(1)",
    "{{ 7 * 7 }}{% raw %}",
    "\x00\x1b[31m\u202eleft to right",
)


def test_browse_and_filter_what_is_hostile_all_over(browser: Browser, tmp_path: Path) -> None:
    records = [
        record(
            model=attack,
            variant=attack,
            question_id=attack,
            reply=attack,
            outcome="answered" if place % 2 else "refused",
            category=attack,
            reason=attack,
            choice="A",
            order=0,
        )
        for place, attack in enumerate(ATTACKS)
    ]
    estimates = [estimate("accuracy", 0.5, 0.4, 0.6, model=attack, variant=attack) for attack in ATTACKS]
    schema = {"category": pl.String, "choice": pl.String, "order": pl.Int64}
    make_run(tmp_path / "<b>run" / "x", records, estimates, suite="bias", schema=schema)
    make_run(tmp_path / "plain", [record()], suite="none")
    with serving(tmp_path) as site:
        page = browser.new_page(reduced_motion="reduce")
        elsewhere: list[str] = []
        noise: list[str] = []
        page.on("request", lambda it: elsewhere.append(it.url) if not it.url.startswith(site.address) else None)
        page.on("console", lambda it: noise.append(it.text))
        page.on("dialog", lambda it: noise.append(it.message))
        page.goto(site.address)
        page.select_option("select[name=suite]", "bias")
        page.get_by_role("button", name="Filter").click()
        assert page.locator("tbody tr").count() == 1
        page.get_by_role("link", name="<b>run/x").click()
        page.get_by_role("heading", name="Run <b>run/x").wait_for()
        page.get_by_role("link", name="All records").click()
        page.select_option("select[name=outcome]", "answered")
        page.fill("input[name=text]", "window.__PWNED")
        page.get_by_role("button", name="Show").click()
        assert "outcome=answered" in page.url
        # Of the answered ones, at odd places, these three hold it.
        expected = [ATTACKS[1], ATTACKS[3], ATTACKS[5]]
        assert page.locator(".said").all_inner_texts() == expected
        page.locator("tbody a.id").nth(1).click()
        assert page.locator(".reply.whole").inner_text() == ATTACKS[3]
        assert page.locator("h1").inner_text() == ATTACKS[3]
        page.goto(f"{site.address}/record/%3Cb%3Erun/x?row={len(ATTACKS) - 1}")
        assert "\ufffd" in page.locator(".reply.whole").inner_text()
        page.mouse.move(300, 300)
        assert page.evaluate("typeof window.__pwned") == "undefined"
        assert page.locator("main script, main iframe, main img").count() == 0
        assert (elsewhere, noise) == ([], [])


def test_on_a_phone_no_page_is_wider_than_the_screen(browser: Browser, tmp_path: Path) -> None:
    long = "a-name-without-a-place-to-break-" * 6
    records = [record(model=f"{long}{i}", variant=long, question_id=long * 3, reply="x" * 900) for i in range(3)]
    make_run(tmp_path / "run", records, [estimate("accuracy", 0.5, 0.4, 0.6, model=long)])
    with serving(tmp_path) as site:
        page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
        pages = ("/", "/run/run", "/records/run", "/matrix/run", "/record/run?row=0", "/versions/run?row=0", "/compare")
        for path in (*pages, "/studies", "/reviews"):
            page.goto(site.address + path)
            assert page.evaluate("document.documentElement.scrollWidth") == 390, path
