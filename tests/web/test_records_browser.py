"""Reading records in a real browser: filter, sort, go from one to the next by keys, see all versions, and come back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from commands import counterfoil_process
from counterfoil.running.folder import Run
from sites import serving

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")
pytest.importorskip("playwright.sync_api", reason="playwright is not installed: it drives the browser")
from playwright.sync_api import expect

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytestmark = pytest.mark.heavy


def test_from_a_filter_to_a_record_to_its_versions_and_back(browser: Browser, tmp_path: Path) -> None:
    words = (
        "--data",
        "english",
        "--limit",
        "12",
        "--orders",
        "3",
        "--model",
        "planted/bias?unknown=0.5",
        "--out",
        "run",
    )
    assert counterfoil_process("run", "bias", *words, cwd=tmp_path).returncode == 0
    wrong = Run(tmp_path / "run").records.with_row_index("row").filter(correct=False).sort("question_id", "row")
    with serving(tmp_path, "--ledger", str(tmp_path / ".counterfoil" / "ledger.sqlite")) as site:
        page = browser.new_page(reduced_motion="reduce")
        noise: list[str] = []
        page.on("console", lambda it: noise.append(it.text))
        page.goto(f"{site.address}/records/run")
        page.fill("input[name=where]", "correct == false")
        page.get_by_role("button", name="Show").click()
        expect(page.locator("#count")).to_contain_text(f"{wrong.height} records of 36")
        page.get_by_role("link", name="question", exact=True).click()
        expect(page.locator('[aria-sort="ascending"]')).to_have_text("question")
        shown = page.locator("tbody th a.id").all_inner_texts()
        assert shown == wrong["question_id"].to_list()
        # By keys: to the second row, into it, on to the third, and back to the list with all that was asked for.
        page.keyboard.press("j")
        page.keyboard.press("j")
        page.keyboard.press("Enter")
        page.wait_for_url("**/record/run?row=*")
        expect(page.locator(".way")).to_contain_text(f"2 of {wrong.height}")
        page.keyboard.press("j")
        expect(page.locator(".way")).to_contain_text(f"3 of {wrong.height}")
        assert page.locator("h1").inner_text() == shown[2]
        page.click("#versions")
        page.wait_for_url("**/versions/run?row=*")
        expect(page.locator(".verdict[aria-current]")).to_have_text("wrong")
        page.go_back()
        page.click("#back")
        assert page.input_value("input[name=where]") == "correct == false"
        expect(page.locator('[aria-sort="ascending"]')).to_have_text("question")
        # A click on a value keeps the records that have it; the cross takes that away again.
        value = page.locator("td a.narrow").first
        value.click()
        page.locator(".chip", has_text="correct == false").wait_for()
        assert page.locator(".chip").count() == 2
        page.locator(".chip").first.click()
        expect(page.locator("#count")).to_contain_text(f"{wrong.height} records of 36")
        page.fill("input[name=where]", "correct = maybe")
        page.get_by_role("button", name="Show").click()
        expect(page.get_by_role("alert")).to_contain_text("a text stands in quotes")
        assert page.input_value("input[name=where]") == "correct = maybe"
        assert noise == []


def test_what_fits_is_exported_whole_and_safe(tmp_path: Path) -> None:
    import msgspec
    import polars as pl

    from run_folders import make_run, record
    from sites import Client

    rows = [record(question_id=f"q{i}", reply=f"=cmd{i}", share=i / 4, names=["a", "b"]) for i in range(5)]
    make_run(tmp_path / "run", rows, schema={"share": pl.Float64, "names": pl.List(pl.String)})
    with serving(tmp_path) as site:
        client = Client(site)
        answer = client.get("/export/run?where=share+>=+0.5&sort=-share&format=jsonl")
        assert "run-records.jsonl" in answer.headers["content-disposition"]
        lines = [msgspec.json.decode(line) for line in answer.text.splitlines()]
        assert [line["question_id"] for line in lines] == ["q4", "q3", "q2"]
        assert lines[0]["names"] == ["a", "b"]
        text = client.get("/export/run?where=share+<+0.5&format=csv").text
        table = pl.read_csv(text.removeprefix("\ufeff").encode())
        assert table["reply"].to_list() == ["'=cmd0", "'=cmd1"]
        assert table["names"].to_list() == ['["a","b"]'] * 2
        assert client.get("/export/run?where=share+>+9&format=csv").text.count("\n") == 1
        assert client.get("/export/run?format=xlsx").status == 400
