"""Reviewing a curation in a real browser, by two people, and freezing it; and what holds when they disagree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands import counterfoil_process as counterfoil  # playwright has an event loop in this one
from counterfoil.explain.questions import load_questions
from sites import Client, serving

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")
from counterfoil.web.review import Entry, review_of

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.heavy

HOSTILE = "<script>window.__pwned = 1</script>Which city is the capital?"


def curated(folder: Path) -> None:
    """Three questions before people; the second has markup in it, and an id that a spreadsheet takes for a formula."""
    rows = [
        {"id": "one", "question": "Q1?", "answer": "Oslo", "candidates": {"Bergen": 60, "Turku": 5}},
        {"id": "=two", "question": HOSTILE, "answer": "Canbera", "aliases": ["Kanberra"], "candidates": {"Sydney": 90}},
        {"id": "three", "question": "Q3?", "answer": "Rome", "candidates": {"Milan": 30}},
    ]
    (folder / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = counterfoil("data", "curate", "data.jsonl", "--out", "curated", "--keep", "3", cwd=folder)
    assert made.returncode == 0, made.stderr


def at(page: Page, question: str) -> None:
    page.get_by_role("heading", name=question, exact=True).wait_for()


def open_question(page: Page, address: str, text: str) -> None:
    page.goto(f"{address}/review/curated")
    page.get_by_role("link", name=text, exact=True).click()
    at(page, text)


def test_two_review_settle_and_freeze(browser: Browser, tmp_path: Path) -> None:
    curated(tmp_path)
    with serving(tmp_path) as site:
        anna = browser.new_context(reduced_motion="reduce").new_page()
        anna.goto(f"{site.address}/reviews")
        anna.get_by_role("link", name="curated").click()
        assert anna.get_by_role("button", name="Freeze").is_disabled()
        for text in ("Q1?", HOSTILE, "Q3?"):
            open_question(anna, site.address, text)
            assert anna.evaluate("typeof window.__pwned") == "undefined"
            anna.fill("input[name=reviewer]", "Anna")
            if text == HOSTILE:
                anna.fill("input[name=answer]", "Canberra")
                anna.fill("textarea[name=aliases]", "Canberra City\n\n Canberra City \nKanberra")
            anna.get_by_role("button", name="Keep").click()
        anna.goto(f"{site.address}/review/curated")
        assert "3 of 3 questions decided" in anna.locator("main").inner_text()

        ben = browser.new_context(
            reduced_motion="reduce", viewport={"width": 390, "height": 800}, color_scheme="dark"
        ).new_page()
        open_question(ben, site.address, "Q3?")
        # What others said is not shown before one has decided, in the list, either.
        ben.goto(f"{site.address}/review/curated")
        listed = ben.locator("main").inner_text()
        assert "1 decided, not you" in listed
        assert ("Anna" in listed, "Canberra City" in listed, "Canberra\t" in listed) == (False, False, False)
        open_question(ben, site.address, "Q3?")
        assert "1 other decided already" in ben.locator("main").inner_text()
        assert "Anna" not in ben.locator("main").inner_text()
        assert ben.evaluate("document.documentElement.scrollWidth") == 390
        ben.fill("input[name=reviewer]", "Ben")
        ben.get_by_role("button", name="Drop").click()
        assert "Say why the question is dropped." in ben.locator("main").inner_text()
        open_question(ben, site.address, "Q3?")
        ben.fill("input[name=reviewer]", "Ben")
        ben.fill("input[name=reason]", "too easy")
        ben.get_by_role("button", name="Drop").click()
        # On to what Ben has not decided yet; his name is known now.
        assert ben.input_value("input[name=reviewer]") == "Ben"

        anna.goto(f"{site.address}/review/curated")
        assert "2 of 3 questions decided, 1 disputed" in anna.locator("main").inner_text()
        assert anna.get_by_role("button", name="Freeze").is_disabled()
        # The list for spreadsheets says so, too, and the command does not freeze it.
        frozen = counterfoil("data", "curate", "--out", "curated", "--freeze", cwd=tmp_path)
        assert (frozen.returncode, "1 of the 3 questions" in frozen.stderr) == (2, True)
        open_question(anna, site.address, "Q3?")
        assert "Ben: drop (too easy)" in anna.locator("main").inner_text()
        anna.fill("input[name=reason]", "agreed: too easy")
        anna.check("input[name=settles]")
        anna.get_by_role("button", name="Drop").click()
        anna.get_by_role("button", name="Freeze").click()
        assert "2 questions in dataset.jsonl, 1 of them edited" in anna.locator("main").inner_text()
    questions = {it.id: it for it in load_questions(str(tmp_path / "curated" / "dataset.jsonl"))}
    assert {it.id: (it.gold, it.aliases) for it in questions.values()} == {
        "one": ("Oslo", ()),
        "=two": ("Canberra", ("Canberra City", "Kanberra")),
    }
    manifest = json.loads((tmp_path / "curated" / "curation.json").read_text(encoding="utf-8"))
    [step] = [it for it in manifest["steps"] if it["step"] == "freeze"]
    assert (step["in"], step["out"], step["counts"]) == (3, 2, {"agreed: too easy": 1})
    assert step["more"]["edited"] == ["=two"]


def test_what_people_wrote_into_the_list_counts_and_nonsense_is_refused(tmp_path: Path) -> None:
    curated(tmp_path)
    path = tmp_path / "curated" / "4-review.csv"
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    path.write_text("\n".join([lines[0], *(line[:-1] + "yes," for line in lines[1:])]) + "\n", encoding="utf-8")
    with serving(tmp_path) as site:
        client = Client(site)
        assert "3 of 3 questions decided" in client.get("/review/curated").text
        page = "/review-question/curated?id=one"
        good = {"csrf": client.csrf(page), "id": "one", "reviewer": "Cy", "answer": "Oslo", "decision": "keep"}
        for wrong, said in (
            ({"id": "four"}, "not one of those that were drawn"),
            ({"reviewer": " "}, "Say who you are"),
            ({"answer": ""}, "The answer is empty"),
            ({"answer": "bergen"}, "is one of the candidates"),
            ({"aliases": "x\nTURKU"}, "is one of the candidates"),
            ({"decision": "burn"}, "kept or dropped"),
            ({"answer": "x" * 2001}, "at most 2,000"),
        ):
            answer = client.post("/review-question/curated", good | wrong)
            assert (answer.status, said in answer.text) == (400, True), said
        assert client.post("/review-question/curated", good | {"csrf": "no"}).status == 403
        assert client.post("/review-freeze/curated", {}).status == 403
        assert not (tmp_path / "curated" / "review.sqlite").exists()
        assert client.post("/review-question/curated", good).status == 303
        # The other decisions are still those of the file.
        assert "3 of 3 questions decided" in client.get("/review/curated").text
        assert client.post("/review-freeze/curated", {"csrf": good["csrf"]}).status == 303
    assert len(list(load_questions(str(tmp_path / "curated" / "dataset.jsonl")))) == 3


def entry(reviewer: str, decision: str, answer: str = "a", *, settles: bool = False, reason: str = "") -> Entry:
    return Entry("q", reviewer, decision, reason, answer, (), settles)


def test_what_holds() -> None:
    keep, drop = entry("x", "keep"), entry("y", "drop", reason="r")
    assert review_of([keep]).holds == keep
    assert review_of([keep, drop]).holds is None
    assert review_of([keep, drop]).is_disputed
    # A changed mind is the latest entry, and answers must be the same where a question is kept.
    assert review_of([keep, drop, entry("y", "keep")]).holds == keep
    assert review_of([keep, entry("y", "keep", "b")]).holds is None
    # Of what is dropped the answer does not matter; all reasons are kept, each once.
    both = review_of([drop, entry("x", "drop", "b", reason="s"), entry("z", "drop", reason="r")]).holds
    assert both is not None
    assert both.reason == "r; s"
    # The last word holds, whoever says something else afterwards.
    last = entry("z", "drop", settles=True, reason="t")
    assert review_of([keep, drop, last, entry("w", "keep")]).holds == last
    assert not review_of([]).is_disputed
