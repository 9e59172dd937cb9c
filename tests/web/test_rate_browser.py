"""Rating in a real browser: three people rate a study to its end, one decides, and everybody sees the agreement."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from counterfoil.explain.people import FORM as EXPLAIN
from counterfoil.rating.store import ADJUDICATOR, About, Rater, Study
from counterfoil.suite.form import Task
from counterfoil.suite.opinions import Source, StudyTask
from run_folders import make_run, record
from sites import Site, serving

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")

pytest.importorskip("playwright.sync_api", reason="playwright is not installed: it drives the browser")
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.heavy

HOSTILE = "<script>window.__pwned = 1</script><img src=x onerror='window.__pwned = 1'> It is not Sydney."
FILE = Path("run") / "pilot.study.sqlite"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A study of two replies, of which the second names an alternative; three raters rate both, in the same order."""
    make_run(tmp_path / "run", [record(reply=HOSTILE)])
    about = About(name="pilot", suite="explain", form=EXPLAIN, seed=0, per_question=3, run="run")
    algorithm = {
        "correct": True,
        "confusing": True,
        "confusing_by_index": True,
        "score_threshold": 1.0,
        "score_confusion_index": 1.0,
    }
    made = [
        StudyTask(
            Task(
                id=i, question="Which city?", right="Canberra", reply=reply, alternatives=names, suggestions=("Perth",)
            ),
            Source(model="hidden", variant="v", question_id=f"q{i}", repeat=0, cluster=f"c{i}", algorithm=algorithm),
        )
        for i, reply, names in ((1, "Canberra.", ()), (2, HOSTILE, ("Sydney",)))
    ]
    people = [Rater(id=i, name=f"rater-{i}", token=f"token-{i}-{'x' * 20}") for i in (1, 2, 3)]
    people.append(Rater(id=4, name=ADJUDICATOR, token="adjudicator-" + "x" * 20))
    Study.create(tmp_path / FILE, about, made, people, {i: [1, 2] for i in (1, 2, 3)}).close()
    return tmp_path


@pytest.fixture
def site(folder: Path) -> Iterator[Site]:
    with serving(folder) as up:
        yield up


def saved(page: Page, count: int) -> None:
    """Wait until so many answers of the page are saved."""
    expect(page.locator("form.item.saved")).to_have_count(count)


def on_screen(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def rate_by_keys(page: Page, link: str, confusion: str) -> None:
    """Keys only: the first reply, then the second; the focus goes from question to question by itself."""
    page.goto(link)
    page.click("#begin")
    page.wait_for_url("**task=*")
    page.keyboard.press("y")
    saved(page, 1)
    page.keyboard.type(confusion)
    page.keyboard.press("Enter")
    saved(page, 2)
    # The list of alternatives is right: the button saves the empty field.
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    saved(page, 3)
    # What is missing: a line, and then on by the key that leads to the button.
    page.keyboard.type("Perth")
    for _ in range(2):
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    saved(page, 4)
    page.keyboard.press("n")
    saved(page, 5)
    assert page.locator("#done").inner_text() == "1"
    # The way on has the focus now.
    page.keyboard.press("Enter")
    expect(page.locator("#reply")).to_contain_text("Sydney")
    expect(page.locator("#i-correct fieldset")).to_be_focused()
    page.keyboard.press("y")
    saved(page, 1)
    for number, text in enumerate((confusion, "y", "90", "80", "70"), 2):
        page.keyboard.type(text)
        if text != "y":
            page.keyboard.press("Enter")
        saved(page, number)
    # The list is right, and nothing is missing.
    for number in (7, 8):
        for _ in range(2):
            page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        saved(page, number)
    page.keyboard.press("y")
    saved(page, 9)
    page.keyboard.press("Enter")
    page.wait_for_selector("text=All done: 2 of 2")


def rate_without_script(page: Page, link: str) -> None:
    """Every answer is a form that is sent; the page comes back with what is open."""
    page.goto(link)
    page.click("#begin")
    page.wait_for_url("**task=*")
    page.click("#i-correct button[value=no]")
    assert page.locator("#i-correct button[value=no]").get_attribute("aria-pressed") == "true"
    page.fill("#i-confusion input[name=value]", "10")
    page.click("#i-confusion button")
    page.click("#i-misread button:not([type=button])")
    page.click("#i-missing button:not([type=button])")
    page.click("#i-unneeded button[value=no]")
    page.click("#next")
    page.click("#i-correct button[value=no]")
    page.fill("#i-confusion input[name=value]", "20")
    page.click("#i-confusion button")
    page.click('[id="i-plausible.0"] button[value=yes]')
    for name in ("clear", "accurate", "convincing"):
        page.fill(f'[id="i-{name}.0"] input[name=value]', "60")
        page.click(f'[id="i-{name}.0"] button')
    page.click("#i-misread button:not([type=button])")
    page.click("#i-missing button:not([type=button])")
    page.click("#i-unneeded button[value=no]")
    page.click("#next")
    page.wait_for_selector("text=All done: 2 of 2")


def test_three_rate_one_decides_and_the_agreement_is_shown(browser: Browser, site: Site, folder: Path) -> None:
    def link(token: str) -> str:
        return f"{site.address}/rate/{token}"

    desk = browser.new_page(reduced_motion="reduce")
    noise: list[str] = []
    desk.on("console", lambda message: noise.append(message.text))
    desk.on("dialog", lambda dialog: noise.append(dialog.message))
    rate_by_keys(desk, link("token-1-" + "x" * 20), "80")
    desk.goto(link("token-1-" + "x" * 20) + "?task=2")
    # Blind, and what a reply says in markup is text.
    assert desk.locator("#reply").inner_text() == HOSTILE
    assert desk.evaluate("typeof window.__pwned") == "undefined"
    assert "hidden" not in desk.locator("main").inner_text()
    # Undo takes the last answer back, and only that; who comes back is where it is open.
    desk.click("#undo")
    assert desk.locator("form.item:not(.saved)").get_attribute("id") == "i-unneeded"
    assert "1 of 2" in desk.locator(".standing").inner_text()
    desk.goto(link("token-1-" + "x" * 20))
    desk.keyboard.press("y")
    saved(desk, 9)

    phone = browser.new_page(reduced_motion="reduce", viewport={"width": 390, "height": 800}, color_scheme="dark")
    rate_by_keys(phone, link("token-2-" + "x" * 20), "75")
    phone.goto(link("token-2-" + "x" * 20) + "?task=2")
    on_screen(phone)
    plain = browser.new_page(reduced_motion="reduce", java_script_enabled=False)
    rate_without_script(plain, link("token-3-" + "x" * 20))

    # Two said yes and one no on both replies; confusion 80, 75 and 10 or 20: four and more disagreements.
    desk.goto(f"{site.address}/study/{FILE}")
    before = desk.locator("main").inner_text()
    assert "rater-1 2 of 2, rater-2 2 of 2, rater-3 2 of 2" in before
    found = re.search(r"(\d+) disagreements, (\d+) undecided", before)
    assert found is not None
    # correct, confusion twice each; missing of reply 1; unneeded and convincing no more than 10 apart of reply 2: no;
    # clear 90 to 60 is 30 apart.
    assert found.groups() == ("7", "7")
    desk.get_by_role("link", name="decide").click()
    assert "rater-3" in desk.locator(".others").first.inner_text()
    for number in range(1, 8):
        item = desk.locator("form.item:not(.saved)").first
        if item.count() == 0:
            desk.click("#next")
            item = desk.locator("form.item:not(.saved)").first
        if item.get_attribute("data-kind") == "score":
            item.locator("input[name=value]").fill("50")
            item.locator("button").last.click()
        elif item.get_attribute("data-kind") == "text":
            item.locator("textarea").fill("Perth")
            item.locator("button").last.click()
        else:
            item.locator("button[value=yes]").click()
        expect(desk.locator("#done")).to_have_text(str(number))
    desk.click("#next")
    desk.wait_for_selector("text=All done: 7 of 7")
    desk.goto(f"{site.address}/study/{FILE}")
    after = desk.locator("main").inner_text()
    assert "7 disagreements, 0 undecided" in after
    # correct: yes, yes, no twice. Six values, two of them no: expected disagreement 2·4·2/(6·5) = 16/30, observed in
    # each reply 4/(3·2) = 2/3: alpha = 1 − (2/3) ÷ (16/30) = −0.25.
    rows = desk.locator("tr", has=desk.locator("th", has_text=re.compile("^correct$")))
    row = rows.filter(has_text="nominal").text_content() or ""
    assert re.search(r"correct\s*nominal\s*−?-?0\.250", row)
    # The browser says so where a policy stopped something: there was nothing to stop.
    assert noise == []
    with Study(folder / FILE) as study:
        # 3 · (5 + 9) answers, 7 decisions; one was undone and given again.
        assert len(study.history()) == 3 * 14 + 7 + 2
        assert len(study.latest()) == 3 * 14 + 7


def test_what_can_not_be_saved_says_so_and_can_be_sent_again(browser: Browser, site: Site) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto(f"{site.address}/rate/token-1-{'x' * 20}?task=1")
    page.route("**/rate/*", lambda route: route.abort())
    page.keyboard.press("y")
    page.wait_for_selector("text=Not saved")
    assert page.locator("form.item.saved").count() == 0
    page.unroute("**/rate/*")
    page.keyboard.press("y")
    saved(page, 1)
    assert page.locator("#trouble").inner_text() == ""
    # A score that is none is refused by the server, too.
    page.evaluate("document.querySelector('#i-confusion input[name=value]').type = 'text'")
    page.fill("#i-confusion input[name=value]", "many")
    page.click("#i-confusion button")
    page.wait_for_selector("text=a number from 0 to 100")


def test_candidates_are_suggested(browser: Browser, site: Site, folder: Path) -> None:
    page = browser.new_page(reduced_motion="reduce")
    page.goto(f"{site.address}/rate/token-2-{'x' * 20}?task=1")
    page.click(".suggestion")
    saved(page, 1)
    with Study(folder / FILE) as study:
        assert [(it.item, it.value) for it in study.latest()] == [("misread", "Perth")]


def test_the_last_click_holds_and_a_stale_page_says_so(browser: Browser, site: Site, folder: Path) -> None:
    link = f"{site.address}/rate/token-1-{'x' * 20}?task=1"
    page = browser.new_page(reduced_motion="reduce")
    page.goto(link)
    # No answer has the focus: Enter alone says nothing.
    page.keyboard.press("Enter")
    assert page.locator("form.item.saved").count() == 0
    # Both clicks in one go: they are sent one after the other.
    page.evaluate("for (const value of ['yes', 'no']) document.querySelector(`#i-correct [value=${value}]`).click()")
    expect(page.locator("#i-correct button[value=no]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#i-correct .state")).to_have_text("saved")
    with Study(folder / FILE) as study:
        rater = study.rater("token-1-" + "x" * 20)
        assert [(it.item, it.value) for it in study.history()] == [("correct", True), ("correct", False)]
        study.rate(rater, 1, "correct", True)
    # The page does not know of that: it says so, shows what is there, and the next click counts.
    page.click("#i-correct button[value=no]")
    page.wait_for_selector("text=answered in another window")
    expect(page.locator("#i-correct button[value=yes]")).to_have_attribute("aria-pressed", "true")
    page.click("#i-correct button[value=no]")
    expect(page.locator("#i-correct button[value=no]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#trouble")).to_have_text("")
    with Study(folder / FILE) as study:
        study.rate(rater, 1, "confusion", 10)
    page.fill("#i-confusion input[name=value]", "90")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=answered in another window")
    assert page.input_value("#i-confusion input[name=value]") == "10"


def test_a_rater_who_can_not_tell_goes_on(browser: Browser, site: Site, folder: Path) -> None:
    page = browser.new_page(reduced_motion="reduce", viewport={"width": 390, "height": 800})
    page.goto(f"{site.address}/rate/token-1-{'x' * 20}")
    assert "2 replies" in page.locator("main").inner_text()
    page.click("#begin")
    page.wait_for_url("**task=*")
    page.fill(".remark textarea", "The question has two answers.")
    page.get_by_role("button", name="Keep the note").click()
    page.get_by_role("button", name="I can't tell").click()
    assert page.locator("#done").inner_text() == "1"
    page.click("#next")
    assert "Sydney" in page.locator("#reply").inner_text()
    with Study(folder / FILE) as study:
        assert study.latest() == []
        assert [it.value for it in study.remarks()] == ["The question has two answers.", True]
    page.goto(f"{site.address}/study/{FILE}")
    assert "rater-1, reply 1: can't tell" in page.locator("main").inner_text()
