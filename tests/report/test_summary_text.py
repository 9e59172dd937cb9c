"""What the terminal shows of a run: sentences, the figures to read first, where the rest is; and tables that fit."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.console import cut, table, width_of, wrapped
from counterfoil.report.summary import summary_text
from counterfoil.running.folder import Run
from run_folders import estimate, make_run, record

NAME = "vllm/" + "a-very-long-name-" * 12


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr("counterfoil.console.on_a_terminal", lambda: True)


def run_of(folder: Path, model: str = "m") -> str:
    figures = [
        estimate("accuracy", 0.5, 0.4, 0.6, model=model),
        estimate("score_threshold", 0.6, 0.5, 0.7, model=model, group={"replies": "correct"}),
        estimate("reward", 0.7, 0.6, 0.8, model=model),
        estimate("discernment", 0.2, 0.1, 0.3, model=model, group={"label": "confusion_index"}),
    ]
    make_run(folder, [record(model=model)], figures, suite="explain")
    return str(folder)


def test_the_table_comes_first_then_sentences_then_where_the_rest_is(tmp_path: Path) -> None:
    text = summary_text(Run(run_of(tmp_path / "run")))
    table, sentences, *_, rest = text.split("\n\n")
    assert table.splitlines()[0].split() == ["accuracy", "score_threshold"]
    assert table.splitlines()[-1].startswith("m     0.500 [0.400, 0.600] ")
    assert sentences.startswith("- The score of right replies (by threshold; 1 is best) is 0.600 [0.500, 0.700] for m.")
    # Of four figures, two are shown.
    assert rest == f"2 more figures: counterfoil show {tmp_path / 'run'} --all."
    every = summary_text(Run(tmp_path / "run"), every_row=True)
    assert "reward" in every
    assert "discernment, label confusion_index" in every
    assert "more figure" not in every


def test_words_of_the_notes_are_explained_where_they_are_used(tmp_path: Path) -> None:
    from counterfoil.stats import proportion

    def told(folder: str, clusters: int, values: tuple[int, int]) -> str:
        found = [f"{number}" for number in range(clusters) for _ in values]
        one = proportion(list(values) * clusters, found, metric="accuracy", model="m", variant="v")
        make_run(tmp_path / folder, [record()], [one], suite="explain")
        return summary_text(Run(tmp_path / folder))

    # 8 clusters are few, and all of them have the mean 1/2.
    both = told("both", 8, (0, 1))
    assert "the interval is rough" in both
    assert "A rough interval comes from few clusters" in both
    assert "all clusters agree: each counts as one record" in both
    assert "so each counts as one record, however many it has" in both
    one = told("one", 20, (0, 1))
    assert "A rough interval" not in one
    assert "so each counts as one record, however many it has" in one


@pytest.mark.usefixtures("narrow")
def test_nothing_is_wider_than_the_terminal_and_no_number_is_cut(tmp_path: Path) -> None:
    text = summary_text(Run(run_of(tmp_path / "run", NAME)), every_row=True)
    tables = [line for line in text.splitlines() if "  " in line.strip()]
    assert max(map(width_of, tables)) <= 80
    for figure in ("0.500 [0.400, 0.600]", "0.700 [0.600, 0.800]"):
        assert figure in text


@pytest.mark.usefixtures("narrow")
def test_names_are_cut_in_the_middle_and_korean_takes_two_columns() -> None:
    rows = [["model", "n"], [NAME, "1,000,000"], ["한국어 모델", "2"]]
    first, rule, long, korean = table(rows).splitlines()
    assert len(rule) == 80
    assert "…" in long
    assert long.endswith("1,000,000")
    # Five syllables of two columns and a space are 11.
    assert width_of("한국어 모델") == 11
    assert width_of(korean) == width_of(first) == 80
    assert cut("abcdefghij", 5) == "ab…ij"
    assert width_of(cut("한국어한국어", 7)) <= 7


def test_a_file_or_a_pipe_has_whole_names_and_sentences() -> None:
    assert NAME in table([["model", "n"], [NAME, "1"]])
    assert wrapped("word " * 100) == "word " * 100
