"""From items to estimates: each kind of metric by hand."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from counterfoil.stats import Estimate, difference, proportion, ratio, signed_mean
from counterfoil.stats.metric import QUESTION, Limit, Metric, by_name
from counterfoil.stats.summary import summarize

NAMES: dict[str, Any] = {"metric": "m", "model": "a", "variant": "v"}


def metric(**more: Any) -> Metric:
    return Metric(**({"name": "m", "formula": "Σx ÷ n.", "says": "How much."} | more))


def frame(**columns: Any) -> pl.DataFrame:
    height = len(next(iter(columns.values())))
    usual: dict[str, Any] = {"model": ["a"] * height, "variant": ["v"] * height}
    usual |= {"item": [f"q{i}" for i in range(height)], "cluster": [f"c{i}" for i in range(height)]}
    return pl.DataFrame(usual | columns, strict=False)


def only(metric: Metric, **columns: Any) -> Estimate:
    [found] = summarize([metric], {metric.of: frame(**columns)})
    return found


X = [1, 0, 1, 1, 0, None, 1]
Y = [1, 1, 1, 0, 0, 1, 1]
CLUSTERS = [f"c{i}" for i in range(7)]


def test_a_mean_from_0_and_from_minus_1() -> None:
    assert only(metric(mean="x"), x=X) == proportion(X, CLUSTERS, **NAMES)
    signs = [1, -1, 0, 1, None, 1, 0]
    found = only(metric(mean="x", range=(-1, 1), most_per_cluster=3), x=signs)
    assert found == signed_mean(signs, CLUSTERS, most_per_cluster=3, **NAMES)
    assert found.value == pytest.approx(2 / 6)


def test_a_difference_of_two_means() -> None:
    one, other = [1, 1, 0, None, None, None, None], [None, None, None, 1, 0, 0, None]
    found = only(metric(mean="x", minus="y", range=(-1, 1)), x=one, y=other)
    assert found == difference([1, 1, 0, 1, 0, 0], [True] * 3 + [False] * 3, CLUSTERS[:6], **NAMES)
    assert found.value == pytest.approx(2 / 3 - 1 / 3)


def test_a_ratio() -> None:
    found = only(metric(mean="x", over="y"), x=X, y=Y)
    assert found == ratio(X, Y, CLUSTERS, **NAMES)
    # Of the pairs of which both are there, 4 over 4.
    assert found.value == 1


def test_shares_and_numbers_on_another_scale() -> None:
    share = proportion([0.2, 0.4, 0.6, 0.8, 1.0], CLUSTERS[:5], **NAMES)
    scores = only(metric(mean="x", scale=100.0), x=[0.2, 0.4, 0.6, 0.8, 1.0])
    assert (scores.value, scores.low) == pytest.approx((60, (share.low or 0) * 100))
    numbers = only(metric(mean="x", most=10.0), x=[2, 4, 6, 8, 10])
    assert (numbers.value, numbers.low, numbers.high) == pytest.approx(
        (6, (share.low or 0) * 10, (share.high or 0) * 10)
    )
    # One number is above the usual end: the scale ends there.
    longer = only(metric(mean="x", most=10.0), x=[4, 8, 12, 16, 20])
    assert (longer.value, longer.low) == pytest.approx((12, (share.low or 0) * 20))


def test_only_items_where_a_column_is_true_count() -> None:
    found = only(metric(mean="x", where="right"), x=[1, 0, 1, 1], right=[True, True, False, None])
    assert (found.value, found.n) == (0.5, 2)


def test_group_by_group_with_the_label_behind_the_group() -> None:
    items = {QUESTION: frame(x=[1, 0, 1], y=[0, 0, 1], topic=["s", "t", None])}
    groups = ((), ("topic",))
    one = metric(mean="x", groups=groups)
    other = metric(name="n", mean="y", groups=groups, label=(("k", 1),))
    found = [(it.metric, it.group, it.value) for it in summarize([one, other], items)]
    assert found == [
        ("m", {}, pytest.approx(2 / 3)),
        ("n", {"k": 1}, pytest.approx(1 / 3)),
        ("m", {"topic": "s"}, 1),
        ("m", {"topic": "t"}, 0),
        ("n", {"topic": "s", "k": 1}, 0),
        ("n", {"topic": "t", "k": 1}, 0),
    ]
    assert list(found[4][1]) == ["topic", "k"]
    # Neighbours with other groups are a block of their own.
    alone = metric(name="l", mean="x")
    assert [it.metric for it in summarize([alone, one, other], items)][:3] == ["l", "m", "n"]


def test_a_figure_for_each_value_of_a_column_unless_it_is_null() -> None:
    by_judge = metric(mean="x", each="judge", label=(("label", "judge"),))
    found = summarize([by_judge], {QUESTION: frame(x=[1, 0, 1], judge=["j", "k", "j"])})
    assert [(list(it.group.items()), it.value) for it in found] == [
        ([("label", "judge"), ("judge", "j")], 1),
        ([("label", "judge"), ("judge", "k")], 0),
    ]
    alone = only(by_judge, x=[1, 0, 1], judge=[None, None, None])
    assert (alone.group, alone.value) == ({"label": "judge"}, pytest.approx(2 / 3))


def test_the_interval_is_over_draws_and_n_counts_items() -> None:
    gap = metric(mean="gap", range=(-1, 1), draws="draws", tested=True)
    draws = frame(
        gap=[1, 0, 1, None, -1, 0], weight=[0.5, 0.5, 1, 1, 0.5, 0.5], item=["q", "q", "r", "s", "t", "t"]
    ).with_columns(cluster=pl.col("item"))
    items = {QUESTION: frame(gap=[0.5, 1, None, -0.5]), "draws": draws}
    [found] = summarize([gap], items)
    # (½ + 1 − ½) ÷ 3: the fourth question has no draws.
    assert (found.value, found.n, found.clusters) == (pytest.approx(1 / 3), 3, 3)
    assert found.p is not None


UNREAD = metric(name="unread", mean="unread", groups=((), ("topic",)))
LIMITED = metric(
    mean="x", groups=((), ("topic",)), limit=Limit(UNREAD, 0.5, "{share:.0%} unread: not given", "too many on one side")
)


def test_above_a_limit_no_figure_is_given_in_that_group() -> None:
    topics = ["s"] * 3 + ["t"] * 3
    items = {QUESTION: frame(x=[1, 0, 1, None, None, 1], unread=[0, 0, 0, 1, 1, 0], topic=topics)}
    found = {(it.metric, *it.group.values()): it for it in summarize([UNREAD, LIMITED], items)}
    assert found["m",].value == 0.75
    assert found["m", "s"].value == pytest.approx(2 / 3)
    withheld = found["m", "t"]
    assert (withheld.value, withheld.low, withheld.high) == (None, None, None)
    assert withheld.note == "67% unread: not given"


def test_a_note_goes_with_every_figure_before_its_own() -> None:
    found = only(metric(mean="x", note="the answers are a model's"), x=[1, 0])
    assert found.note == "the answers are a model's; no interval: fewer than 5 clusters (2)"


def test_what_the_items_can_not_tell_is_not_there() -> None:
    there, elsewhere, missing = metric(mean="x"), metric(mean="x", of="pair"), metric(mean="z")
    own = metric(name="kappa", agreement=True)
    items = {QUESTION: frame(x=[1])}
    assert [it.metric for it in summarize([there, elsewhere, missing, own], items)] == ["m"]
    assert [one.is_there(items) for one in (there, elsewhere, missing, own)] == [True, False, False, False]
    # What was asked and has no value is there, without one.
    assert only(there, x=[None]).value is None


def test_what_a_metric_is_called_and_made_of() -> None:
    whole, labelled = metric(mean="x", minus="y", scale=100.0), metric(mean="x", label=(("k", 1),))
    assert whole.terms == [(100.0, "x"), (-100.0, "y")]
    assert [it.is_overall for it in (whole, labelled, metric(), metric(mean="x", groups=(("t",),)))] == [
        *(True, False, False, False),
    ]
    assert by_name([labelled, whole, metric(name="n")]) == {"m": labelled, "n": metric(name="n")}
