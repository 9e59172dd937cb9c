"""Sides of several prompts, and items that only one side has."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import counterfoil as cf
from counterfoil.comparing.compare import Comparison
from counterfoil.comparing.compared import ComparedFigure
from two_sides import bias_run, chosen

pytestmark = pytest.mark.heavy


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def overall(comparison: Comparison, metric: str) -> ComparedFigure:
    return next(row for row in comparison.rows if row.metric == metric and not row.group)


def run_of(folder: str, **roles: str) -> cf.Run:
    """For each variant the roles of the answers to q0, q1, …"""
    rows = [chosen(f"q{i}", role, variant=variant) for variant, of in roles.items() for i, role in enumerate(of)]
    return bias_run(Path(folder), rows)


def test_each_side_is_the_mean_over_prompts_of_its_own() -> None:
    # Right is u. In x 10 of 10 are right, in y 6: 0.8. In p 4 and in q 2 of 10: 0.3.
    one = run_of("one", x="u" * 10, y="u" * 6 + "b" * 4)
    other = run_of("other", p="u" * 4 + "b" * 6, q="u" * 2 + "b" * 8)
    comparison = cf.compare(one, other)
    [aligned] = comparison.alignment
    assert (aligned.a, aligned.b, aligned.both) == ("one x,y", "other p,q", 10)
    assert aligned.caveats == ["Each side is a mean over its variants: x, y; p, q."]
    assert aligned.outcomes_a == {"answered": 20}
    row = overall(comparison, "accuracy_ambiguous")
    assert [row.value_a, row.value_b] == pytest.approx([0.8, 0.3])
    assert row.difference == pytest.approx(-0.5)
    assert (row.pairs, row.clusters, row.verdict) == (10, 10, "worse")
    # Two or one of two right, and so on: eight questions are worse in b, two are the same: 2/2^8 for one metric.
    # The flips alone would give 2 ÷ 2⁸; the interval is less sure than that.
    assert row.p is not None
    assert 2 / 2**8 <= row.p < 0.025


def test_a_table_of_the_source_is_over_all_prompts() -> None:
    run = cf.run("bias", model=["planted/bias?biased=0.9", "planted/bias?biased=0.5"], variant=["1", "2"], limit=24)
    whole = cf.compare(run).seed_table
    each = [cf.compare(run, variants=variant).seed_table for variant in "12"]
    assert whole[2]["accuracy_diff"] == pytest.approx(sum(table[2]["accuracy_diff"] for table in each) / 2)


def test_sides_with_different_draws_are_compared_on_what_both_have() -> None:
    # 12 originals, each with one draw; in a file from elsewhere some are missing: 2 in one run, 3 others in the other.
    options = {"limit": 12, "levels": [1], "draws": 1, "controls": False, "variant": "mcq"}
    runs = [
        cf.run("memorization", model=f"planted/memorization?skill={skill}", out=out, lure=False, **options)
        for skill, out in ((0.4, "one"), (0.9, "other"))
    ]
    parents = runs[0].records["parent"].unique().sort().to_list()
    assert len(parents) == 12
    for run, lost in zip(runs, (parents[:2], parents[2:5]), strict=True):
        records = run.records.filter(~(pl.col("parent").is_in(lost) & (pl.col("level") == 1)))
        records.write_parquet(run.folder / "records.parquet")
    comparison = cf.compare(*(run.folder for run in runs))
    for metric in ("memorization_gap", "accuracy_perturbed", "accuracy_original"):
        row = overall(comparison, metric)
        assert (row.pairs, row.clusters) == (7, 7), "12 − 2 − 3"
        assert "over the items of both sides; 5 are on one side alone" in (row.note or "")
    [level] = [row for row in comparison.rows if row.metric == "memorization_gap" and row.group == {"level": 1}]
    assert (level.value_a, level.pairs) == (overall(comparison, "memorization_gap").value_a, 7)
    assert level.difference == overall(comparison, "memorization_gap").difference
