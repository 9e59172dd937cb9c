"""Answers to questions that differ in nothing that should matter: the groups swapped, the choices in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from counterfoil.bias.questions import ORDERS
from counterfoil.stats import Estimate, proportions

if TYPE_CHECKING:
    from polars import DataFrame

# How often the answer changes when the very same is asked again: what the other rates are to be read beside.
AGAIN = "again"
_WHO = ["model", "variant", "cluster", "category"]


def flip_rates(frame: DataFrame, by: Sequence[str]) -> list[Estimate]:
    """Over pairs of ambiguous questions that differ only in which group is which, in the same order and repeat, both
    read: how often the role of the answer differs.
    """
    with_role = frame.filter(pl.col("ambiguous"), pl.col("role").is_not_null())
    pairs = (
        with_role.filter(pl.col("pair").is_not_null())
        .group_by([*_WHO, "pair", "order", "repeat"], maintain_order=True)
        .agg(pl.col("question_id").n_unique().alias("both"), pl.len(), differs=pl.col("role").n_unique() > 1)
        .filter(pl.col("both") == 2, pl.col("len") == 2)
    )
    return [
        *proportions(_with_all(pairs, frame), "differs", metric="flip_rate", by=by),
        *_asked_again(with_role, 2, "flip_rate", by),
    ]


def position_biases(frame: DataFrame, by: Sequence[str]) -> list[Estimate]:
    """Over questions that were read in all orders: how often the chosen content is not the same in all."""
    read = frame.filter(pl.col("content").is_not_null())
    questions = (
        read.group_by([*_WHO, "question_id", "repeat"], maintain_order=True)
        .agg(pl.col("order").n_unique().alias("orders"), differs=pl.col("content").n_unique() > 1)
        .filter(pl.col("orders") == ORDERS)
    )
    return [
        *proportions(_with_all(questions, frame), "differs", metric="position_bias", by=by),
        *_asked_again(read, ORDERS, "position_bias", by),
    ]


def _with_all(found: DataFrame, frame: DataFrame) -> DataFrame:
    """Also those models, variants and categories of which nothing was found: their rate is not defined, not absent."""
    everybody = frame.select(*_WHO, differs=pl.lit(None, pl.Boolean)).unique(["model", "variant", "category"])
    return pl.concat([found.select(*_WHO, "differs"), everybody])


def _asked_again(read: DataFrame, times: int, metric: str, by: Sequence[str]) -> list[Estimate]:
    """Over questions that were asked so many times in the same words and order: how often the first of these answers
    are not all the same. Nothing where there are not so many repeats.
    """
    first = read.filter(pl.col("repeat") < times)
    questions = (
        first.group_by([*_WHO, "question_id", "order"], maintain_order=True)
        .agg(pl.len(), differs=pl.col("content").n_unique() > 1)
        .filter(pl.col("len") == times)
        .with_columns(control=pl.lit(AGAIN))
    )
    return proportions(questions, "differs", metric=metric, by=("control", *by))
