"""What was not read, refused or failed could have been anything: how far that could turn a figure."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import counterfoil as cf
from counterfoil.stats.metric import Metric
from counterfoil.stats.summary import summarize

SHARE = Metric(name="share", formula="", says="", mean="x", open="x")


def items_of(values: list[float | None], least: list[float], most: list[float]) -> dict[str, pl.DataFrame]:
    frame = pl.DataFrame({"x": values, "x least": least, "x most": most, "cluster": range(len(values))})
    about = {"model": pl.lit("m"), "variant": pl.lit("v"), "item": pl.col("cluster"), "left_out": pl.lit(value=False)}
    return {"question": frame.with_columns(**about)}


def test_by_hand() -> None:
    # Eight of ten were read, six of them right: 0.75 of what was read; 6 to 8 of ten, whatever the others say.
    values = [1.0] * 6 + [0.0] * 2 + [None] * 2
    [one] = summarize([SHARE], items_of(values, [1.0] * 6 + [0.0] * 4, [1.0] * 6 + [0.0] * 2 + [1.0] * 2))
    assert (one.value, one.least, one.most) == (0.75, pytest.approx(0.6), pytest.approx(0.8))
    # Eight clusters have a wide interval: nothing turns there.
    assert "had said anything" not in (one.note or "")
    many = [values * 40, ([1.0] * 6 + [0.0] * 4) * 40, ([1.0] * 6 + [0.0] * 2 + [1.0] * 2) * 40]
    [one] = summarize([SHARE], items_of(*many))
    assert one.note == "0.600 to 0.800 if what was not read, refused or failed had said anything"
    # Without such replies nothing is said of them.
    [one] = summarize([SHARE], items_of([1.0, 0.0], [1.0, 0.0], [1.0, 0.0]))
    assert not isinstance(one.least, float)


@pytest.mark.parametrize(
    ("suite", "model", "metrics"),
    [
        ("bias", "planted/bias?unread=0.3", ("accuracy_ambiguous", "diff_bias_ambiguous", "diff_bias_disambiguated")),
        ("memorization", "planted/memorization?unread=0.3", ("memorization_gap", "accuracy_original")),
    ],
)
def test_a_run_with_unread_replies(
    suite: str, model: str, metrics: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = cf.run(suite, model=model, limit=20, out="run")
    mine = [one for one in run.estimates if one.variant == run.estimates[0].variant]
    found = {one.metric: one for one in mine if not one.group}
    for name in metrics:
        one = found[name]
        assert isinstance(one.least, float)
        assert isinstance(one.most, float)
        assert one.value is not None
        assert one.least <= one.value <= one.most
        assert one.most - one.least > 0.1
    if suite == "bias":
        # Both policies leave the same open: kept as wrong, the share of right ones is the least that it can be.
        kept = next(one for one in mine if one.metric == metrics[0] and one.group == {"policy": "keep"})
        assert (kept.least, kept.most) == (found[metrics[0]].least, found[metrics[0]].most)
        assert kept.value == pytest.approx(kept.least)
    whole = cf.run(suite, model=model.replace("0.3", "0"), limit=6, out="whole")
    assert not any(isinstance(one.least, float) for one in whole.estimates)
