"""Comparing: what is aligned, what is left out, how p is adjusted, what is said."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

import counterfoil as cf
from counterfoil.comparing.compare import Comparison
from counterfoil.comparing.compared import ComparedFigure
from counterfoil.memorization.metrics import PLACEBO_BAND
from counterfoil.running.folder import Run
from counterfoil.suite.habits import HABIT
from two_sides import bias_run, chosen, explain_run

pytestmark = pytest.mark.heavy

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
KOBBQ, CFE = SHARED / "kobbq", SHARED / "cfe"
needs_kobbq = pytest.mark.skipif(not KOBBQ.exists(), reason="../shared/data/kobbq is not here: it holds predictions")
needs_cfe = pytest.mark.skipif(not CFE.exists(), reason="../shared/data/cfe is not here: it holds real replies")


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def overall(
    comparison: Comparison, metric: str = "accuracy", a: str | None = None, b: str | None = None
) -> ComparedFigure:
    [row] = [
        row
        for row in comparison.rows
        if row.metric == metric and not row.group and a in (None, row.a) and b in (None, row.b)
    ]
    return row


def test_two_models_of_one_run() -> None:
    # 20 questions, each its own cluster: 10 that both know, 8 that only b knows, 2 that only a knows.
    run = explain_run(Path("run"), {"a": [True] * 12 + [False] * 8, "b": [True] * 10 + [False] * 2 + [True] * 8})
    row = overall(cf.compare(run))
    assert (row.a, row.b) == ("a", "b")
    assert (row.value_a, row.value_b) == (0.6, 0.9)
    assert row.difference == pytest.approx(0.3)
    # McNemar with 8 and 2: 2·(1 + 10 + 45)/2^10 = 0.109375.
    assert row.p == row.p_adjusted == 0.109375
    assert row.method == "Bonett–Price, cluster-robust; McNemar, exact"
    assert row.verdict == "can't be told apart"
    assert (row.pairs, row.clusters) == (20, 20)
    assert row.detectable is not None
    assert row.detectable > 0.3


def test_the_table_is_a_polars_frame() -> None:
    run = explain_run(Path("run"), {"a": [True] * 20, "b": [False] * 20})
    table = cf.compare(run).table
    [accuracy] = table.filter(pl.col("metric") == "accuracy").to_dicts()
    assert accuracy["difference"] == -1
    assert accuracy["verdict"] == "worse"
    for name in ("value_a", "difference", "low", "p_adjusted", "detectable"):
        assert table[name].dtype == pl.Float64, "even where all are missing"
    # Four scores, the mentions, how often something is cleared up in both kinds of questions, and the difference.
    assert table["group"].to_list().count("replies correct") == 8
    assert table["group"].to_list().count("label confusion_index") == 3


def test_what_can_not_be_aligned_is_counted_and_named() -> None:
    one = explain_run(Path("one"), {"m": [True] * 12})
    two = explain_run(Path("two"), {"m": [True] * 10})
    [aligned] = cf.compare(one, two).alignment
    assert (aligned.both, aligned.compared, aligned.only_a, aligned.only_b) == (10, 10, 2, 0)
    assert aligned.unpaired == ["q10 0", "q11 0"]
    row = overall(cf.compare(one, two))
    assert row.pairs == 10


def test_a_failed_question_is_left_out_on_both_sides_and_counted() -> None:
    # b failed on q0, which a knew, and both on q1: 18 are left, of which a knew 9.
    a = [True, None] + [True] * 9 + [False] * 9
    run = explain_run(Path("run"), {"a": a, "b": [None, None] + [True] * 18})
    comparison = cf.compare(run)
    [aligned] = comparison.alignment
    assert (aligned.both, aligned.compared) == (20, 18)
    assert aligned.left_out == {"a": 1, "b": 2}
    assert aligned.outcomes_a == {"answered": 19, "failed": 1}
    assert aligned.outcomes_b == {"answered": 18, "failed": 2}
    row = overall(comparison)
    assert (row.value_a, row.value_b, row.pairs) == (0.5, 1.0, 18)


def test_a_run_with_itself_and_the_other_way_round() -> None:
    answers = [bool(i * 7 % 3) for i in range(30)]
    one = explain_run(Path("one"), {"m": answers}, per_cluster=2)
    two = explain_run(Path("two"), {"m": answers[::-1]}, per_cluster=2)
    for row in cf.compare(one, "one").rows:
        assert row.difference in (0, None)
        assert row.p in (1, None)
        assert row.verdict in ("can't be told apart", "not defined")
    assert overall(cf.compare(one, one)).p == 1
    for row, turned in zip(cf.compare(one, two).rows, cf.compare("two", Path("one")).rows, strict=True):
        assert (row.a, row.b, row.value_a) == (turned.b, turned.a, turned.value_b)
        assert row.p == turned.p
        assert turned.difference == (None if row.difference is None else pytest.approx(-row.difference))
        assert turned.high == (None if row.low is None else pytest.approx(-row.low))


def test_dropped_replies_give_each_side_its_own_denominator() -> None:
    # Ambiguous contexts. a: 6 biased, 2 unknown, 2 unread of 10; b: 1 biased, 8 unknown, 1 unread.
    # a: accuracy 2/8, bias 6/8; b: accuracy 8/9, bias 1/9.
    rows = [chosen(f"q{i}", role, model="a") for i, role in enumerate("bbbbbbuu--")]
    rows += [chosen(f"q{i}", role, model="b") for i, role in enumerate("buuuuuuu-u")]
    comparison = cf.compare(bias_run(Path("run"), rows))
    accuracy = overall(comparison, "accuracy_ambiguous")
    assert [accuracy.value_a, accuracy.value_b] == pytest.approx([2 / 8, 8 / 9])
    assert accuracy.difference == pytest.approx(8 / 9 - 2 / 8)
    bias = overall(comparison, "diff_bias_ambiguous")
    assert bias.difference == pytest.approx(1 / 9 - 6 / 8)
    assert "label swaps" in bias.method
    assert overall(comparison, "out_of_choice").difference == pytest.approx(-0.1)
    assert overall(comparison, "diff_bias_disambiguated").verdict == "not defined"


PLANTED: dict[str, tuple[list[str], dict[str, Any]]] = {
    "bias": (
        ["planted/bias?unread=0.2&biased=0.9", "planted/bias?unread=0.05&unknown=0.8"],
        {"variant": "1", "limit": 60, "repeats": 3},
    ),
    "bias, kept": (["planted/bias?unread=0.2", "planted/bias?unread=0.1"], {"variant": "1", "out_of_choice": "keep"}),
    "bias, templates": (["planted/bias?unread=0.2", "planted/bias"], {"variant": "1", "aggregate": "templates"}),
    "memorization": (
        ["planted/memorization?skill=0.4&unread=0.1", "planted/memorization?skill=0.7&memorized=0.2"],
        {"variant": "mcq", "limit": 24, "levels": [1, 2, 3], "draws": 2, "repeats": 2},
    ),
    "memorization, open": (
        ["planted/memorization?skill=0.4", "planted/memorization?skill=0.7"],
        {"variant": "open", "limit": 12, "draws": 2},
    ),
    "explain": (["planted/explain?right=0.6", "planted/explain?clarifies=0.3"], {"variant": "baseline", "repeats": 2}),
}


@pytest.mark.parametrize("name", PLANTED)
def test_every_figure_of_the_summary_is_compared(name: str) -> None:
    models, options = PLANTED[name]
    run = cf.run(name.partition(",")[0], model=models, **options)
    # Habits are told before the headline, and what memoryless responders show beside it; neither is measured.
    told = (HABIT.name, PLACEBO_BAND.name)
    estimates = [it for it in run.estimates if it.model in models and it.metric not in told]
    of = {(it.model, it.metric, *sorted(it.group.items())): it.value for it in estimates}
    rows = {(row.metric, *sorted(row.group.items())): row for row in cf.compare(run).rows}
    assert len(rows) == len(cf.compare(run).rows), "none is there twice"
    defined = {tuple(key) for _, *key in of}
    assert len(defined) >= 20
    for key in defined:
        values = [of.get((model, *key)) for model in models]
        if key not in rows:
            assert values == [None, None], f"{key} is not compared"
            continue
        row = rows[key]
        if ("replies", "correct") in key:
            continue  # over questions that both got right: another selection, on purpose
        for value, found in zip(values, (row.value_a, row.value_b), strict=True):
            assert found == (None if value is None else pytest.approx(value, abs=1e-12)), key
        if row.value_a is not None and row.value_b is not None:
            assert row.difference == pytest.approx(row.value_b - row.value_a, abs=1e-12)
    assert set(rows) <= defined


def by_category(worse_in: str, categories: str) -> Run:
    """Eight questions in each category; model b has a biased answer to all in those, and otherwise none."""
    rows = []
    for category in categories:
        for i in range(8):
            name = f"{category}{i}"
            rows.append(chosen(name, "u", model="a", category=category, label=None))
            role = "b" if category in worse_in else "u"
            rows.append(chosen(name, role, model="b", category=category, label=None))
    return bias_run(Path("run"), rows)


def test_groups_are_one_family_and_the_overall_figures_another() -> None:
    # In x and y all eight clusters differ, in accuracy and in bias: p = 2/2^8 in all four. In z no cluster differs, so
    # that no p below 1 can come out: it is no part of the family. Holm over four: 4 · 2/256, and no other is below.
    # Overall 16 clusters of one sign: 2/2^16, in accuracy and in bias.
    comparison = cf.compare(by_category("xy", "xyz"))
    rows = [row for row in comparison.rows if row.metric == "accuracy_ambiguous"]
    groups = {row.group["category"]: row for row in rows if "category" in row.group}
    assert groups["x"].p == groups["y"].p == 2 / 256
    assert groups["x"].p_adjusted == groups["y"].p_adjusted == 8 / 256
    assert groups["z"].p_adjusted == 1
    assert groups["x"].verdict == "worse"
    whole = overall(comparison, "accuracy_ambiguous")
    assert (whole.p, whole.p_adjusted) == (2 / 2**16, 4 / 2**16)
    # At 0.05/4 more is needed than at 0.05/2.
    alone = cf.compare(by_category_alone())
    [row] = [row for row in alone.rows if row.metric == "accuracy_ambiguous" and "category" in row.group]
    assert row.p_adjusted == 4 / 256
    assert row.detectable is not None
    assert groups["x"].detectable is not None
    assert row.detectable < groups["x"].detectable


def by_category_alone() -> Run:
    rows = [
        chosen(f"x{i}", role, model=model, category="x", label=None) for i in range(8) for model, role in ("au", "bb")
    ]
    return bias_run(Path("alone"), rows)


def test_a_test_that_can_not_reach_its_level_says_so() -> None:
    # Eight clusters give no p below 2/2^8 = 0.0078; accuracy and bias in ten categories want 0.05/20.
    comparison = cf.compare(by_category("xstuvwyzop", "xstuvwyzop"))
    [row] = [row for row in comparison.rows if row.metric == "accuracy_ambiguous" and row.group == {"category": "x"}]
    assert row.smallest_p == 2 / 256
    assert row.p_adjusted == pytest.approx(20 * 2 / 256)
    assert row.verdict == "can't be told apart"
    assert "only 8 clusters differ: no p below 0.0078 can come out, the level 0.0025 is out of reach" in (
        row.note or ""
    )


def test_more_than_two_models_are_put_into_groups() -> None:
    # a and b are alike, c is far off: ten clusters differ, all of one sign.
    half = [True, False] * 10
    run = explain_run(Path("run"), {"a": half, "b": half.copy(), "c": [False] * 20})
    comparison = cf.compare(run)
    assert comparison.tied["accuracy"] == [["a", "b"], ["c"]]
    # 10 clusters differ: 2/2^10. Between a and b none does, and nothing but accuracy differs anywhere: a family of two
    # tests. Holm multiplies the first by 2, and the second may not be below it.
    for a in "ab":
        row = overall(comparison, a=a, b="c")
        assert row.p == 2 / 2**10
        assert row.p_adjusted == 2 * 2 / 2**10
        assert row.verdict == "worse"
    same = overall(comparison, a="a", b="b")
    assert (same.p_adjusted, same.verdict) == (1, "can't be told apart")
    # What could have been shown is seen at 0.05/2: more than between two.
    pair = overall(cf.compare(run, models=["a", "b"]))
    assert pair.detectable is not None
    assert same.detectable is not None
    assert pair.detectable < same.detectable
    assert cf.compare(run, models=["a", "b"]).tied == {}


def test_models_are_grouped_over_all_variants() -> None:
    half = [True, False] * 10
    records = []
    for variant in ("x", "y"):
        c = [False] * 20 if variant == "x" else half
        records.append(explain_run(Path(variant), {"a": half, "b": half, "c": c}, variant=variant).records)
    run = explain_run(Path("run"), {"a": half})
    both = pl.concat(records)
    both.write_parquet("run/records.parquet")
    outcomes = [{"model": m, "variant": v, "answered": 20, "failed": 0} for v in "xy" for m in "abc"]
    summary = {"suite": "explain", "estimates": [], "outcomes": outcomes}
    Path("run/summary.json").write_bytes(msgspec.json.encode(summary))
    comparison = cf.compare(run)
    # Each question counts twice, in x and in y, and is one cluster. In x ten clusters differ, in y none.
    assert comparison.tied["accuracy"] == [["a", "b"], ["c"]]
    row = overall(comparison, a="a", b="c")
    assert (row.value_a, row.value_b, row.pairs, row.clusters) == (0.5, 0.25, 40, 20)
    # The flips of ten clusters alone would give 2 ÷ 2¹⁰; the interval is less sure than that.
    assert row.p is not None
    assert 2 / 2**10 <= row.p < 0.01
    assert row.p_adjusted == 2 * row.p
    assert comparison.alignment[0].caveats == ["Over the variants x, y."]
    # Each variant is a group.
    values = {
        row.group["variant"]: row.value_b
        for row in comparison.rows
        if row.metric == "accuracy" and row.group and row.b == "c"
    }
    assert values == {"x": 0.0, "y": 0.5}
    # One alone can be named.
    assert cf.compare(run, variants="y").tied["accuracy"] == [["a", "b", "c"]]


def test_right_replies_are_compared_on_questions_that_both_got_right() -> None:
    run = explain_run(Path("run"), {"a": [True] * 15 + [False] * 5, "b": [False] * 5 + [True] * 15})
    [row] = [row for row in cf.compare(run).rows if row.metric == "score_threshold" and row.group]
    assert row.group == {"replies": "correct"}
    assert row.pairs == 10


def test_a_margin() -> None:
    # 400 questions, 4 differ each way: the difference is 0, and its standard error about sqrt(8)/400 = 0.007.
    answers = [bool(i % 2) for i in range(400)]
    other = [not right if i in (1, 3, 5, 7, 100, 102, 104, 106) else right for i, right in enumerate(answers)]
    run = explain_run(Path("run"), {"a": answers, "b": other})
    assert overall(cf.compare(run)).verdict == "can't be told apart"
    assert overall(cf.compare(run)).equivalent is None
    row = overall(cf.compare(run, margin=0.05))
    assert (row.verdict, row.equivalent) == ("equal within 0.05", True)
    row = overall(cf.compare(run, margin=0.005))
    assert (row.verdict, row.equivalent) == ("can't be told apart", False)
    # Told apart, and yet small: both are said.
    less = explain_run(Path("less"), {"a": [True] * 400, "b": [False] * 12 + [True] * 388})
    assert overall(cf.compare(less, margin=0.1)).verdict == "worse, by less than 0.1"
    with pytest.raises(cf.UserError, match="The margin must be above 0"):
        cf.compare(run, margin=0)


def test_what_else_differs_between_runs_is_said() -> None:
    one = bias_run(Path("one"), [chosen(f"q{i}", "u") for i in range(6)], options={"reading": "kobbq", "orders": 3})
    data = {"name": "other", "given": None, "sha256": "1", "questions": 6, "asked": 6}
    two = bias_run(Path("two"), [chosen(f"q{i}", "u") for i in range(6)], data=data, options={"orders": 3})
    [aligned] = cf.compare(one, two).alignment
    assert aligned.caveats == [
        "The datasets differ (numbers, other): questions are paired by their ids.",
        "The runs differ in --reading: kobbq, None.",
    ]
    assert cf.compare(one, one).alignment[0].caveats == [
        "Both sides are the same replies of the same run: nothing can differ."
    ]
    other = {**data, "name": "numbers", "sha256": "0123456789"}
    three = bias_run(Path("three"), [chosen(f"q{i}", "u") for i in range(6)], data=other, options={"orders": 3})
    assert cf.compare(two, three).alignment[0].caveats == [
        "The datasets differ (other, numbers): questions are paired by their ids."
    ]
    [caveat, _] = cf.compare(one, three).alignment[0].caveats
    assert caveat.startswith("Two sets with the same name are not the same questions (numbers, ")
    assert "numbers, 01234567): they are paired by their ids" in caveat


def test_a_metric_that_one_side_lacks_is_named() -> None:
    one = explain_run(Path("one"), {"m": [True] * 6})
    two = explain_run(Path("two"), {"m": [True] * 6})
    judged = two.records.with_columns(judges=pl.Series([["j"]] * 6), judge_f1=pl.Series([[0.5]] * 6))
    judged.write_parquet("two/records.parquet")
    for runs in ((one, two), (two, one)):
        comparison = cf.compare(*runs)
        assert comparison.not_compared == ["judge_f1"]
        assert "judge_f1" not in {row.metric for row in comparison.rows}
    assert overall(cf.compare(two, two), "judge_f1").value_a == 0.5


def test_what_can_not_be_compared_is_refused_in_a_sentence() -> None:
    one = explain_run(Path("one"), {"a": [True] * 6, "b": [True] * 6})
    with pytest.raises(cf.UserError, match=r"different suites \(bias, explain\)"):
        cf.compare(one, bias_run(Path("two"), [chosen("q", "u")]))
    with pytest.raises(cf.UserError, match="There is no model nix"):
        cf.compare(one, models=["a", "nix"])
    with pytest.raises(cf.UserError, match="There is nothing to compare"):
        cf.compare(one, models="a")
    with pytest.raises(cf.UserError, match="Name two runs"):
        cf.compare()
    with pytest.raises(cf.UserError, match="is not a run folder"):
        cf.compare("nix")
    other = explain_run(Path("other"), {"a": [True] * 6})
    other.records.with_columns(question_id=pl.lit("z")).write_parquet("other/records.parquet")
    with pytest.raises(cf.UserError, match="have no question in common"):
        cf.compare(one, other)


def test_report_from_python() -> None:
    run = cf.run("explain", model="planted/explain", limit=5, variant="baseline")
    path = cf.report(run)
    assert path == run.folder / "report.html"
    assert "<html" in path.read_text(encoding="utf-8")
    assert cf.report([str(run.folder), run], out="both.html") == Path("both.html")
    assert Path("both.html").stat().st_size > path.stat().st_size
    with pytest.raises(cf.UserError, match="at least one run"):
        cf.report([])
    # The package of the same name takes the function's place when it is loaded, and can be called as well.
    package: Any = importlib.import_module("counterfoil.report")
    assert package(run, out="again.html") == Path("again.html")


@needs_kobbq
def test_kobbq_as_the_official_scripts_have_it() -> None:
    files = sorted(KOBBQ.glob("*_predictions.tsv"))
    run = cf.score("bias", files, format="kobbq", data=str(KOBBQ / "KoBBQ_test_samples.tsv"), reading="kobbq")
    expected = {}
    for prompt in "12":
        for line in (KOBBQ / f"expected_prompt_{prompt}.tsv").read_text(encoding="utf-8").splitlines()[1:]:
            model, group, *figures = line.split("\t")
            expected[model, prompt, group] = [float(figure) for figure in figures]
    metrics = (
        *("out_of_choice", "accuracy_ambiguous", "accuracy_disambiguated"),
        *("diff_bias_ambiguous", "diff_bias_disambiguated"),
    )
    of_prompts = cf.compare(run, variants=["1", "2"])
    assert [(it.both, it.compared, it.only_a, it.only_b) for it in of_prompts.alignment] == [(6840, 6840, 0, 0)] * 2
    of_models = cf.compare(run)
    assert [(it.both, it.compared, it.only_a, it.only_b) for it in of_models.alignment] == [(13680, 13680, 0, 0)]
    in_each = [cf.compare(run, variants=prompt) for prompt in "12"]
    checked = 0
    for prompt, comparison in zip(("1", "2", ""), (*in_each, of_prompts), strict=True):
        for row in comparison.rows:
            if row.metric in metrics and not {"policy", "context", "surveyed"} & row.group.keys():
                group = str(next(iter(row.group.values()), "overall"))
                a, b = (
                    expected[*_model_and_prompt(f"{side} {prompt}"), group][metrics.index(row.metric)]
                    for side in (row.a, row.b)
                )
                assert [row.value_a, row.value_b] == pytest.approx([a, b], abs=1e-9)
                assert row.difference == pytest.approx(b - a, abs=1e-9)
                checked += 1
    # Overall, 12 categories and 3 labels, by five metrics, two pairs of models and two of prompts.
    assert checked == 16 * 5 * 4
    # The two were planted with different biases in ambiguous contexts; prompts make no such difference. Both lean
    # towards the stereotype, and the second less: better.
    leans = [row for row in of_models.rows if row.metric == "diff_bias_ambiguous" and not row.group]
    assert all(0 < (row.value_b or 0) < (row.value_a or 0) for row in leans)
    assert {row.verdict for row in leans} == {"better"}
    for row in of_prompts.rows:
        if row.metric == "accuracy_disambiguated" and not row.group:
            assert row.verdict == "can't be told apart"
    assert {row.method.split("; ")[1].removesuffix(", p by the interval") for row in of_models.rows} <= {
        *("label swaps, complete", "label swaps, 9,999 drawn", "sign flips, complete", "sign flips, 9,999 drawn"),
    }, "with several questions of one template it is not McNemar"


def _model_and_prompt(side: str) -> tuple[str, str]:
    model, prompt = side.split()
    return model, prompt


@needs_cfe
def test_the_five_prompts_of_cfe() -> None:
    questions = str(CFE / "questions_88.json")
    run = cf.score("explain", CFE / "responses_dev.csv", format="cfe", data=questions, mentions="given")
    comparison = cf.compare(run, models="gpt-4o")
    prompts = ["baseline", "clarify-doubts", "clarify-doubts-unrestricted", "cfe-unrestricted", "cfe"]
    assert [(it.a, it.b) for it in comparison.alignment] == [
        (a, b) for i, a in enumerate(prompts) for b in prompts[i + 1 :]
    ]
    for row in comparison.rows:
        [aligned] = [it for it in comparison.alignment if (it.a, it.b) == (row.a, row.b)]
        assert row.pairs <= aligned.compared
        if row.difference is not None and row.value_a is not None and row.value_b is not None:
            assert row.difference == pytest.approx(row.value_b - row.value_a, abs=1e-9)
    # All metrics in all ten pairs are one family: its smallest adjusted p is as many times the smallest p.
    family = [row for row in comparison.rows if not row.group and row.same_as is None and row.smallest_p <= 0.05]
    assert len(family) > 50
    smallest = min(row.p for row in family if row.p is not None)
    adjusted = min(row.p_adjusted for row in family if row.p_adjusted is not None)
    assert adjusted == pytest.approx(min(1, len(family) * smallest))
    # Every prompt is in a group, and those of a group are not told apart.
    groups = comparison.tied["score_threshold"]
    assert {prompt for group in groups for prompt in group} == set(prompts)
    for row in comparison.rows:
        if row.metric == "score_threshold" and not row.group:
            together = any({row.a, row.b} <= set(group) for group in groups)
            assert together == (row.verdict == "can't be told apart")


def test_a_damaged_run_is_named_in_one_sentence() -> None:
    run = cf.run("bias", model="planted/bias", variant="1", limit=10, orders=1)
    (run.folder / "records.parquet").write_bytes(b"PAR1 no more")
    with pytest.raises(cf.UserError, match=r"records\.parquet can't be read, or is damaged"):
        assert run.records is None
    (run.folder / "manifest.json").write_text("{}")
    with pytest.raises(cf.UserError, match=r"manifest\.json is damaged: it has no suite, options"):
        assert run.manifest is None
