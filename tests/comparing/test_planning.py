"""Planning: from assumptions, from a run with two sides, from one with a single side; and what it costs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import polars as pl
import pytest
from scipy import stats

import counterfoil as cf
from arms import SCHEMA, asked, frame
from counterfoil.bias.relatives import scores
from counterfoil.comparing.items import told_by, with_partners
from counterfoil.comparing.planning import Spreads, StudyPlan, _three_levels, assumed, plan_suite, spreads_of
from counterfoil.explain.suite import suite as explain
from counterfoil.memorization.metrics import GAP_WITH_NOISE, NOISE_GAP
from counterfoil.running.plan import make_plan
from counterfoil.running.request import make_request
from counterfoil.suite.finding import load_suite
from counterfoil.suite.suite import Suite
from run_folders import make_run
from two_sides import bias_run, chosen, explain_run

pytestmark = pytest.mark.heavy


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def planned(suite: Suite, detect: float, *, settings: dict[str, Any] | None = None, **more: Any) -> StudyPlan:
    return plan_suite(suite, make_request(suite, settings or {}, {}, ""), detect, **more)


def assumed_of(suite: Suite, metric: str | None, correlation: float, **settings: Any) -> Spreads:
    request = make_request(suite, settings, {}, "")
    return assumed(suite, make_plan(suite, msgspec.structs.replace(request, models=[])), metric, correlation)


def test_assumptions_are_stated_and_add_up() -> None:
    # The middling respondent is right with chance 0.7; v is the variance of its answers to the 154 questions.
    found = assumed_of(explain, "accuracy", 0.5)
    v = sum(found[:3]) / (2 * 0.5)
    right = (1 - math.sqrt(1 - 4 * v * 153 / 154)) / 2
    assert round(154 * right) == pytest.approx(154 * right), "a share of 154 answers"
    assert 0.1 < right < 0.5
    # 2v(0.8 − 0.5) between questions, a tenth of it between clusters; 2v·0.2 between repeats.
    assert found[:4] == pytest.approx((0.06 * v, 0.54 * v, 0.4 * v, 1.0))
    assert "correlation of the two sides on the same question 0.5" in found.words[0]
    # Asked once, a difference has the variance 2v(1 − ρ), whatever repeats would do.
    for correlation in (0.0, 0.3, 0.9):
        assert sum(assumed_of(explain, "accuracy", correlation)[:3]) == pytest.approx(2 * v * (1 - correlation))


def test_without_a_self_test_it_is_a_share_of_one_half() -> None:
    class Plain(type(explain)):  # type: ignore[misc]
        def planting(self) -> None:
            return None

    # 2·0.25·(0.8 − 0.5) = 0.15 between questions, a tenth of it between clusters; 2·0.25·0.2 between repeats.
    assert assumed_of(Plain(), None, 0.5)[:4] == pytest.approx((0.015, 0.135, 0.1, 1.0))


def test_a_plan_without_a_run_knows_what_its_metric_is_made_of() -> None:
    bias, memorization = load_suite("bias"), load_suite("memorization")
    ambiguous = assumed_of(bias, "accuracy_ambiguous", 0.5, variant=["1"])
    # Half of the contexts are ambiguous, and each ask is an item; a pair is two ambiguous asks of the four of its kind.
    assert (ambiguous.share, ambiguous.asks) == (0.5, 1.0)
    assert assumed_of(bias, "flip_rate", 0.5, variant=["1"]).asks == pytest.approx(4.0, rel=0.1)
    # An original, five draws of a level, five of each of five controls, and six of the lure, which come in mirrored
    # pairs, are 37 asks, and one item. Some templates have no lure.
    gap = assumed_of(memorization, "memorization_gap", 0.5)
    assert gap.share == 1.0
    assert 36 < gap.asks <= 37
    needed = [
        planned(bias, 0.1, metric=metric, settings={"variant": ["1"]}).designs[0].clusters
        for metric in ("accuracy_ambiguous", "diff_bias_ambiguous", "diff_bias_disambiguated")
    ]
    # By a check from outside, 80 % power takes under 40, about 60 and about 100 templates.
    assert needed == sorted(needed)
    assert 25 < needed[0] < 45
    assert 50 < needed[1] < 75
    assert 85 < needed[2] < 130


def test_no_plan_has_fewer_clusters_than_its_level_needs() -> None:
    # Nine figures: level 0.05 ÷ 9 = 0.0056. With 8 clusters that all differ p is 2 ÷ 2⁸ = 0.0078, with 9 it is 0.0039.
    assert {design.clusters for design in planned(explain, 0.9).designs} == {9}


def test_a_plan_from_two_models() -> None:
    # 20 questions: 8 times +1, 2 times −1, 10 times 0. Mean 0.3, variance (10 − 20·0.09)/19.
    run = explain_run(Path("run"), {"a": [True] * 12 + [False] * 8, "b": [True] * 10 + [False] * 2 + [True] * 8})
    variance = 8.2 / 19
    found = spreads_of(explain, run, "accuracy", 0.5)
    assert found[:4] == pytest.approx((variance, 0, 0, 1))
    assert found.words[0] == "From the paired differences between a and b in run."
    assert "repeats are taken to add nothing" in found.words[1]

    def detectable(clusters: int) -> float:
        # Nine overall figures are one family: accuracy, two scores, reward, penalty, mentions, clarified or not in two
        # kinds of questions, discernment.
        quantiles = stats.t.ppf(1 - 0.025 / 9, clusters - 1) + stats.t.ppf(0.8, clusters - 1)
        return float(quantiles * math.sqrt(variance / clusters))

    plan = planned(explain, 0.2, run=run)
    assert plan.metric == "accuracy"
    # Of the five variants, one and all.
    assert [(it.variants, it.repeats) for it in plan.designs] == [(v, r) for v in (1, 5) for r in (1, 3, 5)]
    assert len({it.clusters for it in plan.designs}) == 1
    clusters = plan.designs[0].clusters
    assert detectable(clusters) <= 0.2 < detectable(clusters - 1)
    assert plan.designs[0].questions == clusters, "a question is a cluster here"


def test_a_plan_from_one_model_needs_a_correlation() -> None:
    # 12 of 20 right: variance 0.24·20/19, twice that for a difference, times 1 − ρ.
    run = explain_run(Path("run"), {"a": [True] * 12 + [False] * 8})
    for correlation in (0.5, 0.0):
        found = spreads_of(explain, run, "accuracy", correlation)
        assert found.clusters == pytest.approx(0.24 * 20 / 19 * 2 * (1 - correlation))
        assert f"assumed correlation of {correlation:g}" in found.words[0]


def test_repeats_questions_and_clusters_are_told_apart() -> None:
    rng = np.random.default_rng(8)
    shape = (3000, 3, 2)
    values = rng.normal(0, math.sqrt(0.5), (3000, 1, 1)) + rng.normal(0, math.sqrt(0.3), (3000, 3, 1))
    values = values + rng.normal(0, math.sqrt(0.2), shape)
    clusters, questions, _ = np.indices(shape)
    found = _three_levels(values.ravel(), clusters.ravel(), (3 * clusters + questions).ravel())
    assert found == pytest.approx((0.5, 0.3, 0.2), rel=0.08)
    # One question in each cluster: what is left of the noise is taken from the clusters' variance.
    found = _three_levels(values[:, 0].ravel(), clusters[:, 0].ravel(), clusters[:, 0].ravel())
    assert found == pytest.approx((0.8, 0, 0.2), rel=0.08)


def test_repeats_help_where_the_run_says_that_answers_change() -> None:
    models = ["planted/explain?right=0.6", "planted/explain?right=0.5"]
    run = cf.run("explain", model=models, variant="baseline", repeats=3)
    once, three, five = planned(explain, 0.1, run=run, settings={"variant": ["baseline"]}).designs
    assert once.clusters > three.clusters > five.clusters
    assert once.with_all is not None
    assert five.with_all is not None
    assert once.with_all > five.with_all


def test_an_answer_in_another_variant_is_worth_a_repeat_and_is_asked() -> None:
    plan = planned(explain, 0.1)
    of = {(it.variants, it.repeats): it for it in plan.designs}
    # Once in each of five variants is five answers to each question, and so is five times in one.
    assert of[5, 1].clusters == of[1, 5].clusters < of[1, 1].clusters
    assert of[5, 1].asks_per_model == of[1, 5].asks_per_model == 5 * of[5, 1].questions
    assert any("the mean over these" in words for words in plan.assumptions)
    one = planned(explain, 0.1, settings={"variant": ["cfe"]})
    assert {it.variants for it in one.designs} == {1}
    assert not any("the mean over these" in words for words in one.assumptions)


def test_a_metric_over_pairs_of_questions() -> None:
    # In one order, 4 records of a template are two pairs: an item of flip_rate takes two asks, and every ask counts.
    models = ["planted/bias?unknown=0.4", "planted/bias?unknown=0.7"]
    run = cf.run("bias", model=models, variant="1", orders=1)
    pairs = run.records.filter(pl.col("ambiguous") & pl.col("pair").is_not_null())
    found = spreads_of(load_suite("bias"), run, "flip_rate", 0.5)
    assert found.asks == run.records.height / pairs.n_unique(["model", "pair", "order"]) * 2 / 2
    assert found.share == 1
    assert found.clusters + found.questions > 0


def test_the_spread_of_a_ratio() -> None:
    # Consistency Σv/Σo of one side. o = 1, 1, 1, 0 and v = 1, 0, 1, 1, each five times: R = 3/3 = 1, x̄ = 3/4.
    # (v − R·o)/x̄ = 0, −4/3, 0, 4/3: variance 2·(4/3)²/4·20/19, and 2(1 − 0.5) times that.
    letters = [("1", "1"), ("1", "0"), ("1", "1"), ("0", "1")] * 5
    records = frame(*(asked(f"q{i}", o, v) for i, (o, v) in enumerate(letters)))
    run = make_run(Path("run"), records.to_dicts(), suite="memorization", schema=SCHEMA)
    found = spreads_of(load_suite("memorization"), run, "consistency", 0.5)
    assert found.clusters == pytest.approx(2 * (4 / 3) ** 2 / 4 * 20 / 19)


@pytest.mark.parametrize("name", ["explain", "bias", "memorization"])
def test_the_metrics_of_a_suite_are_those_it_can_measure(name: str) -> None:
    run = cf.run(name, model=f"planted/{name}", limit=30)
    suite = load_suite(name)
    row = run.outcomes[0]
    records = run.records.filter(pl.col("model") == row["model"], pl.col("variant") == row["variant"])
    made = told_by(with_partners(suite.items(records), suite.metrics), suite.metrics)
    overall = {metric.name for metric in made if metric.is_overall}
    # What one of BBQ's relatives alone has is not there.
    of_others = {metric.name for metric in scores.metrics("drop")} if name == "bias" else set()
    # Nor is what an arm measures that was not asked.
    of_others |= {NOISE_GAP.name, GAP_WITH_NOISE.name}
    declared = {metric.name for metric in suite.metrics if metric.is_overall} - of_others
    assert {metric for metric in declared if not metric.startswith("judge")} == overall


@pytest.mark.parametrize(
    ("metric", "unread"),
    [("diff_bias_ambiguous", 0), ("diff_bias_disambiguated", 0.1), ("accuracy_disambiguated", 0.1)],
)
def test_all_of_the_data_could_show_what_the_comparison_says(metric: str, unread: float) -> None:
    # The plan starts from what the comparison saw on all questions, so both speak of the same error.
    models = ["planted/bias?unknown=0.4", f"planted/bias?unknown=0.6&unread={unread}"]
    run = cf.run("bias", model=models, variant="1")
    [row] = [row for row in cf.compare(run).rows if row.metric == metric and not row.group]
    bias = load_suite("bias")
    plan = planned(bias, 0.05, run=run, metric=metric, settings={"variant": ["1"]}, repeats=[1])
    assert plan.designs[0].with_all == pytest.approx(row.detectable, rel=0.2)


def test_questions_that_do_not_count_must_be_asked_as_well() -> None:
    # Half of the questions are ambiguous, and only they count.
    rows = []
    for model, role in (("a", "u"), ("b", "b")):
        for i in range(12):
            answer = role if i % 3 else "u"
            rows.append(chosen(f"q{i}", answer, model=model, ambiguous=i < 6))
    run = bias_run(Path("run"), rows)
    assert spreads_of(load_suite("bias"), run, "accuracy_ambiguous", 0.5).share == 0.5
    assert spreads_of(load_suite("bias"), run, "out_of_choice", 0.5).share == 1


def test_an_item_of_several_asks_is_one_member() -> None:
    # An original with its draws and controls is one item of memorization, and all of them must be asked for it.
    models = ["planted/memorization?skill=0.5", "planted/memorization?skill=0.7"]
    run = cf.run("memorization", model=models, limit=12, repeats=2)
    suite = load_suite("memorization")
    found = spreads_of(suite, run, None, 0.5)
    assert found.metric == "memorization_gap"
    assert found.asks == run.records.height / 2 / 2 / 12
    [design] = planned(suite, 0.2, run=run, repeats=[1]).designs
    # Not every original has a lure arm: the sample and the whole bank differ a little.
    assert design.asks_per_model == pytest.approx(found.asks * design.questions, rel=0.02)


def test_the_cost_is_asks_times_tokens(tmp_path: Path) -> None:
    three_choice = load_suite("three_choice:suite")
    Path("prices.toml").write_text('["openai/x"]\ninput = 1000000\noutput = 2000000\n')
    settings = {"model": ["openai/x", "openai/y"], "prices": "prices.toml", "data": "600", "repeats": 1}
    plan = planned(three_choice, 0.1, settings=settings)
    first, *_ = plan.designs
    # 600 questions in 300 clusters.
    assert first.asks_per_model == first.questions == 2 * first.clusters
    assert first.cost is None, "the price of one is not known"
    assert "The price of openai/y is not known: give it with --prices." in plan.assumptions
    assert "Replies of openai/x are counted at their limit." in plan.assumptions
    [one] = planned(three_choice, 0.1, settings=settings | {"model": ["openai/x"]}, repeats=[1]).designs
    assert one.output_tokens == 16 * one.asks_per_model
    assert one.input_tokens is not None
    # A dollar for a token in, two for one out.
    assert one.cost == pytest.approx(one.input_tokens + 2 * one.output_tokens, abs=1)
    # The dry run, which counts every prompt, has the same tokens for each ask.
    from counterfoil.running.dry import dry_run

    planted = settings | {"model": ["planted/three_choice:suite"]}
    [dry] = dry_run(three_choice, make_request(three_choice, planted, {}, ""))
    assert one.input_tokens / one.asks_per_model == pytest.approx(dry.input_tokens / dry.asks, rel=1e-3)


def test_replies_are_as_long_as_they_were() -> None:
    three_choice = load_suite("three_choice:suite")
    name = "planted/three_choice:suite"
    run = cf.run("three_choice:suite", model=name, data="60")
    about = run.manifest["models"][0]
    each = about["output_tokens"] / 60
    plan = planned(three_choice, 0.2, run=run, settings={"model": [name], "data": "60"}, repeats=[1])
    [design] = plan.designs
    assert design.output_tokens == round(each * design.asks_per_model)
    assert design.cost == 0
    assert plan.assumptions[0].startswith(f"From the values of {name}")


def test_nothing_is_asked_and_no_model_is_named() -> None:
    plan = planned(explain, 0.1)
    assert plan.models == []
    assert {it.cost for it in plan.designs} == {None}
    assert not list(Path().iterdir()), "nothing is written"


def test_a_dataset_that_is_too_small_is_known() -> None:
    large, small = planned(explain, 0.001, repeats=[1]).designs[0], planned(explain, 0.3, repeats=[1]).designs[0]
    assert (large.in_dataset, small.in_dataset) == (False, True)
    assert large.questions > planned(explain, 0.3).dataset_questions


def test_what_can_not_be_planned_is_refused_in_a_sentence() -> None:
    run = explain_run(Path("run"), {"a": [True, False] * 6, "b": [True] * 12})
    with pytest.raises(cf.UserError, match=r"There is no metric acuracy \(did you mean accuracy\?\)"):
        planned(explain, 0.1, run=run, metric="acuracy")
    with pytest.raises(cf.UserError, match=r"There is no metric acuracy \(did you mean accuracy\?\)"):
        planned(explain, 0.1, metric="acuracy")
    with pytest.raises(cf.UserError, match="is a run of explain, not of bias"):
        planned(load_suite("bias"), 0.1, run=run)
    with pytest.raises(cf.UserError, match="3 clusters, too few to plan from"):
        planned(explain, 0.1, run=explain_run(Path("tiny"), {"a": [True, False, True]}))
    with pytest.raises(cf.UserError, match="no values of penalty"):
        planned(explain, 0.1, run=run, metric="penalty")
    with pytest.raises(cf.UserError, match="--correlation must be"):
        planned(explain, 0.1, correlation=1)
    other = explain_run(Path("other"), {"a": [None] * 12})
    assert other.records["outcome"].unique().to_list() == ["failed"]
    with pytest.raises(cf.UserError, match="no values of accuracy"):
        planned(explain, 0.1, run=other)
    assert pl.read_parquet("run/records.parquet").height == 24
