"""The grouped forms give for each group what the plain forms give for its records."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from counterfoil.stats import (
    Estimate,
    difference,
    differences,
    proportion,
    proportions,
    ratio,
    ratios,
    signed_mean,
    signed_means,
)


@pytest.fixture
def frame() -> pl.DataFrame:
    rng = np.random.default_rng(7)
    size = 1200
    return pl.DataFrame(
        {
            "model": rng.choice(["a", "b"], size),
            "variant": rng.choice(["1", "2"], size),
            "category": rng.choice(["age", "race"], size),
            "level": rng.choice([1, 2, 3], size),
            "cluster": [f"t{k}" for k in rng.integers(0, 25, size)],
            "correct": pl.Series([None if k % 11 == 0 else bool(k % 3) for k in rng.integers(0, 99, size)]),
            "gap": rng.uniform(-1, 1, size),
            "original": rng.random(size) < 0.8,
            "biased": rng.random(size) < 0.5,
            "weight": rng.choice([0.0, 1.0, 2.5], size),
        }
    )


def one_by_one(frame: pl.DataFrame, by: list[str], make: Any) -> list[Estimate]:
    keys = ["model", "variant", *by]
    return [
        make(
            part,
            part["cluster"],
            metric="m",
            model=key[0],
            variant=key[1],
            group=dict(zip(by, key[2:], strict=True)),
            weights=part["weight"],
        )
        for key, part in sorted(frame.partition_by(keys, as_dict=True).items())
    ]


def same(ours: list[Estimate], theirs: list[Estimate]) -> None:
    assert len(ours) == len(theirs) > 0
    for one, other in zip(ours, theirs, strict=True):
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))
        for name in ("metric", "model", "variant", "group", "n", "clusters", "method", "note", "confidence"):
            assert getattr(one, name) == getattr(other, name)


@pytest.mark.parametrize("by", [[], ["category"], ["category", "level"]])
def test_each_group_is_as_if_it_were_alone(frame: pl.DataFrame, by: list[str]) -> None:
    options: dict[str, Any] = {"metric": "m", "by": by, "weight": "weight"}
    same(
        proportions(frame, "correct", **options),
        one_by_one(frame, by, lambda part, *args, **names: proportion(part["correct"], *args, **names)),
    )
    same(
        signed_means(frame, "gap", most_per_cluster=3, **options),
        one_by_one(
            frame, by, lambda part, *args, **names: signed_mean(part["gap"], *args, most_per_cluster=3, **names)
        ),
    )
    same(
        differences(frame, "correct", first="biased", **options),
        one_by_one(frame, by, lambda part, *args, **names: difference(part["correct"], part["biased"], *args, **names)),
    )
    same(
        ratios(frame, "correct", "original", **options),
        one_by_one(frame, by, lambda part, *args, **names: ratio(part["correct"], part["original"], *args, **names)),
    )


def test_counts_without_weights(frame: pl.DataFrame) -> None:
    estimates = proportions(frame, "correct", metric="accuracy", by=["level"])
    assert sum(e.n for e in estimates) == frame["correct"].count()
    assert [e.group for e in estimates[:3]] == [{"level": 1}, {"level": 2}, {"level": 3}]
    for estimate in estimates:
        part = frame.filter(model=estimate.model, variant=estimate.variant, level=estimate.group["level"]).drop_nulls(
            "correct"
        )
        assert estimate.value == pytest.approx(part["correct"].mean())
        assert estimate.clusters == part["cluster"].n_unique()


def test_a_group_with_nothing_left_keeps_its_place(frame: pl.DataFrame) -> None:
    emptied = frame.with_columns(correct=pl.when(pl.col("category") == "race").then(None).otherwise(pl.col("correct")))
    by_category = proportions(emptied, "correct", metric="accuracy", by=["category"])
    assert len(by_category) == 8
    assert [(e.value, e.n, e.note) for e in by_category if e.group == {"category": "race"}] == [
        (None, 0, "no values")
    ] * 4


def test_records_of_no_group_are_left_out(frame: pl.DataFrame) -> None:
    partly = frame.with_columns(category=pl.when(pl.col("category") == "race").then(None).otherwise(pl.col("category")))
    ours = proportions(partly, "correct", metric="m", by=["category"])
    same(ours, proportions(frame.filter(category="age"), "correct", metric="m", by=["category"]))


def test_another_cluster_column(frame: pl.DataFrame) -> None:
    renamed = frame.rename({"cluster": "template"})
    same(
        proportions(renamed, "correct", metric="m", cluster="template"),
        proportions(frame, "correct", metric="m"),
    )


def test_an_empty_frame_has_no_groups(frame: pl.DataFrame) -> None:
    assert proportions(frame.clear(), "correct", metric="m", by=["category"]) == []


def test_a_keyword_that_does_not_exist_is_refused(frame: pl.DataFrame) -> None:
    misspelt: Any = {"weigth": "weight"}
    for make in (proportions, signed_means):
        with pytest.raises(TypeError, match="weigth"):
            make(frame, "correct", metric="m", **misspelt)
    with pytest.raises(TypeError, match="weigth"):
        proportion([1.0], [1], metric="m", model="a", variant="1", **misspelt)
    with pytest.raises(TypeError, match="variant"):
        proportion([1.0], [1], metric="m", model="a")  # type: ignore[call-arg]
