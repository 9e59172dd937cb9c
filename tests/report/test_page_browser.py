"""The page in a real browser: nothing in it runs, nothing leaves it, and it can be read on any screen."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import polars as pl
import pytest

from counterfoil.report.page.page import write_report
from counterfoil.report.plots.marks import DARK, LIGHT
from run_folders import estimate, make_run, record

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: it drives the browser")
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

Scheme = Literal["light", "dark"]
CHROMIUM = Path("/usr/bin/chromium")
pytestmark = [
    pytest.mark.heavy,
    pytest.mark.skipif(not CHROMIUM.exists(), reason="chromium is not here: install Debian's"),
]
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
ELSEWHERE = "https://counterfoil.invalid"
ATTACKS = (
    "<script>window.__pwned = 1</script>",
    "<img src=x onerror='window.__pwned = 1'>",
    f"<img src='{ELSEWHERE}/pixel.png'>",
    "<svg onload='window.__pwned = 1'><script>alert(1)</script></svg>",
    f"</div></article></details><iframe src='{ELSEWHERE}'></iframe>",
    f"</style><link rel=stylesheet href='{ELSEWHERE}/a.css'><style>@import url({ELSEWHERE})</style>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    f"<base href='{ELSEWHERE}/'><form action='{ELSEWHERE}'><input autofocus onfocus='window.__pwned = 1'></form>",
    "<details open ontoggle='window.__pwned = 1'>",
    "&lt;b&gt; stays as it is &amp;lt;",
    "\"' onmouseover='window.__pwned = 1'",
    "\u202eright to left",
)


class Seen(NamedTuple):
    """What a page did when it was opened."""

    page: Page
    requests: list[str]
    dialogs: list[str]
    messages: list[str]
    failures: list[tuple[str, str | None]]

    def dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=CHROMIUM, headless=True, args=FLAGS)
        yield chromium
        chromium.close()


def opened(browser: Browser, path: Path, *, width: int = 1200, scheme: Scheme = "light") -> Seen:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme, offline=True)
    page = context.new_page()
    seen = Seen(page, [], [], [], [])
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("dialog", lambda dialog: seen.dismiss(dialog))
    page.on("console", lambda message: seen.messages.append(message.text))
    page.on("requestfailed", lambda request: seen.failures.append((request.url, request.failure)))
    page.goto(path.resolve().as_uri())
    return seen


def hostile_report(folder: Path) -> Path:
    """Every attack as a reply, and as whatever else a page shows of models and datasets."""
    records = [
        record(model=attack, variant=attack, question_id=attack, reply=attack, choice="A", category=attack, order=0)
        for attack in ATTACKS
    ]
    estimates = [
        estimate(metric, 0.5, 0.4, 0.6, model=attack, variant=attack, group=group, note=attack)
        for attack in ATTACKS
        for metric in ("out_of_choice", "diff_bias_ambiguous")
        for group in ({}, {"category": attack})
    ]
    schema = {"choice": pl.String, "category": pl.String, "order": pl.Int64}
    run = make_run(folder / "run", records, estimates, suite="bias", schema=schema, versions={ATTACKS[0]: ATTACKS[1]})
    return write_report([run], folder / "report.html")


def test_replies_that_are_markup_or_script_show_as_text(browser: Browser, tmp_path: Path) -> None:
    path = hostile_report(tmp_path)
    seen = opened(browser, path)
    page = seen.page
    for summary in page.locator("section summary").all():
        if summary.locator("xpath=..").get_attribute("open") is None:
            summary.click()
    replies = page.locator(".reply").all_inner_texts()
    assert sorted(replies) == sorted(ATTACKS)
    page.mouse.move(300, 300)
    page.wait_for_timeout(200)
    assert page.evaluate("typeof window.__pwned") == "undefined"
    assert seen.dialogs == []
    assert seen.messages == []
    assert seen.requests == [path.resolve().as_uri()]
    assert page.locator("script, iframe, form, base, img, input").count() == 0


def test_the_same_attacks_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    """The control: as markup in a page without a policy they do run, and do ask."""
    path = tmp_path / "open.html"
    path.write_text(f"<!DOCTYPE html><title>t</title>{ATTACKS[0]}{ATTACKS[2]}", encoding="utf-8")
    seen = opened(browser, path)
    assert seen.page.evaluate("window.__pwned") == 1
    assert any(url.startswith(ELSEWHERE) for url in seen.requests)


def test_the_policy_would_stop_them_even_as_markup(browser: Browser, tmp_path: Path) -> None:
    path = hostile_report(tmp_path)
    path.write_text(path.read_text(encoding="utf-8") + "".join(ATTACKS[:4]), encoding="utf-8")
    seen = opened(browser, path)
    assert seen.page.evaluate("typeof window.__pwned") == "undefined"
    assert seen.dialogs == []
    # The browser tells of what it did not send, and why.
    assert {(url, why) for url, why in seen.failures if url.startswith(ELSEWHERE)} == {
        (f"{ELSEWHERE}/pixel.png", "csp")
    }


def usual_report(folder: Path) -> Path:
    models = ("a-model-with-a-rather-long-name-for-a-phone", "n")
    estimates = [
        estimate(metric, 0.1 * i, 0.1 * i - 0.1, 0.1 * i + 0.1, model=model, group=group)
        for model in models
        for i, metric in enumerate(["out_of_choice", "diff_bias_ambiguous", "accuracy_ambiguous", "position_bias"], 1)
        for group in ({}, {"category": "age"}, {"category": "domestic_area_of_origin"})
    ]
    records = [
        record(model=model, question_id="q" * 200, reply="no blank to break at " + "x" * 500, choice=None, order=0)
        for model in models
    ]
    run = make_run(folder / "run", records, estimates, suite="bias", schema={"choice": pl.String, "order": pl.Int64})
    return write_report([run], folder / "report.html")


def test_on_a_phone_the_page_is_as_wide_as_the_screen_and_tables_scroll_in_their_box(
    browser: Browser, tmp_path: Path
) -> None:
    page = opened(browser, usual_report(tmp_path), width=390).page
    page.evaluate("document.querySelectorAll('details').forEach(it => { it.open = true })")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    box = page.locator(".estimates").first
    assert box.evaluate("it => it.scrollWidth > it.clientWidth && it.clientWidth <= 390")


def _rgb(colour: str) -> str:
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"


@pytest.mark.parametrize(("scheme", "colours"), [("light", LIGHT), ("dark", DARK)])
def test_light_and_dark_are_the_readers_choice_and_print_is_light(
    scheme: Scheme, colours: dict[str, str], browser: Browser, tmp_path: Path
) -> None:
    page = opened(browser, usual_report(tmp_path), scheme=scheme).page
    body, words = "getComputedStyle(document.body)", "getComputedStyle(document.querySelector('svg g'))"
    assert page.evaluate(f"{body}.backgroundColor") == _rgb(colours["paper"])
    assert page.evaluate(f"{words}.fill") == _rgb(colours["ink"])
    page.emulate_media(media="print")
    assert page.evaluate(f"{body}.backgroundColor") == _rgb(LIGHT["paper"])
    assert page.evaluate(f"{words}.fill") == _rgb(LIGHT["ink"])
    assert not page.locator("nav").first.is_visible()


def test_keys_are_enough(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, usual_report(tmp_path)).page
    focused = "document.activeElement"
    page.keyboard.press("Tab")
    assert page.evaluate(f"{focused}.textContent") == "Skip to the results"
    assert page.evaluate(f"{focused}.getBoundingClientRect().left") >= 0
    page.keyboard.press("Enter")
    assert page.url.endswith("#run-1-result")
    page.locator("summary").first.focus()
    page.keyboard.press("Enter")
    assert page.locator("details").first.get_attribute("open") is not None
    assert page.evaluate(f"getComputedStyle({focused}).outlineStyle") == "solid"


def test_every_plot_has_a_name_and_a_description(browser: Browser, tmp_path: Path) -> None:
    page = opened(browser, usual_report(tmp_path)).page
    drawings = page.get_by_role("img").all()
    assert len(drawings) == page.locator(".plot svg").count() > 0
    assert page.get_by_role("img", name="Bias by category, ambiguous contexts").count() == 1
