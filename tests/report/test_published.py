"""Reports to publish: a title, no traces, what to cite, figures as wide as a journal's columns."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from counterfoil.cli.main import main
from counterfoil.figures.plots import Axis, Dot, Dots
from counterfoil.report.page.cite import bibtex, methods_paragraph
from counterfoil.report.page.page import page
from counterfoil.report.plots.svg import draw
from counterfoil.running.folder import Run
from run_folders import estimate, make_run, record

SENDER = {
    **dict.fromkeys(("asked", "in_ledger", "failed", "retries", "input_tokens", "output_tokens"), 0),
    "adjustments": [],
    "stopped": None,
    "cost": 0.0,
}


def run_of(folder: Path, model: str = "m", **about: object) -> Run:
    sender = SENDER | {"name": model, "params": {"temperature": 0.0, "max_tokens": 64}} | about
    rows = [record(model=model, variant=variant) for variant in ("p", "q")]
    figures = [estimate("accuracy", 0.5, 0.4, 0.6, model=model, variant=variant) for variant in ("p", "q")]
    return make_run(folder, rows, figures, models=[sender])


def test_an_anonymous_page_names_no_folder_no_path_and_no_server(tmp_path: Path) -> None:
    run = run_of(tmp_path / "secret-lab", "hf//home/alice/weights/small", base_url="http://gpu7.lab.example/v1")
    plain = page([run])
    assert "secret-lab" in plain
    assert "gpu7.lab.example" in plain
    text = page([run], title="Who knows?", anonymous=True)
    assert "<h1>Who knows?</h1>" in text
    for trace in ("secret-lab", str(tmp_path), "alice", "gpu7.lab.example", "manifest.json"):
        assert trace not in text
    # The weights are still named, and the style is whole.
    assert "hf/small" in text
    assert ":root {" in text


def test_the_methods_paragraph_says_what_was_asked_and_how_sure_it_is(tmp_path: Path) -> None:
    paragraph = methods_paragraph(run_of(tmp_path / "run"))
    assert "We asked 1 model (m)" in paragraph
    assert "in 2 prompts (p and q)" in paragraph
    assert "Settings: temperature 0.0, max tokens 64." in paragraph
    assert "Intervals are at 95% confidence and robust to clusters of questions (up to 20; Wilson)." in paragraph
    assert "corrected for many comparisons" in paragraph


def test_bibtex_has_no_character_that_it_reads_as_its_own(tmp_path: Path) -> None:
    run = run_of(tmp_path / "run")
    run.manifest["data"]["name"] = "a_b & {50 %}"
    entries = bibtex(run)
    assert r"title = {a\_b \& 50 \%}" in entries
    assert entries.count("{") == entries.count("}")


@pytest.mark.parametrize(("columns", "width"), [(1, "84mm"), (2, "174mm")])
def test_a_figure_is_as_wide_as_columns_of_a_journal(columns: int, width: str) -> None:
    rows = tuple(Dot(f"a category with a long name {i}", "m", 0.5, 0.4, 0.6) for i in range(3))
    svg = draw(Dots(title="A title", description="d", x=Axis("x"), rows=rows), "fixed", columns)
    assert f'width="{width}"' in svg
    box = re.search(r'viewBox="0 0 (\d+) (\d+)"', svg)
    assert box is not None
    # A letter of 12 units is 12 · 84/340 mm = 8.4 points high, and 8.2 in two columns.
    points = 12 * float(width[:-2]) / float(box[1]) / 25.4 * 72
    assert 8 < points < 9
    places = [float(x) for x in re.findall(r'<text[^>]* x="([\d.]+)"', svg)]
    assert max(places) <= float(box[1])


def test_columns_want_a_folder_for_the_plots(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_of(tmp_path / "run")
    assert main(["report", str(tmp_path / "run"), "--columns", "1"]) == 2
    assert "--plots" in capsys.readouterr().err


def test_korean_texts_have_their_language(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", [record(reply="할머니입니다")], [estimate("accuracy", 0.5)])
    assert re.search(r'class="reply"[^>]* lang="ko"', page([run]))
