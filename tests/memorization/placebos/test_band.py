"""The placebo band, and the headline that speaks of memory only above it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest

from counterfoil.memorization.placebos.band import Shown, bands
from counterfoil.memorization.report.headline import headline
from counterfoil.perturbing.questions import Letter, PerturbedSet, Question
from counterfoil.stats.estimate import Estimate
from run_folders import estimate, make_run

ORIGINAL = Question(
    id="t/0", parent=None, template="t", topic="tests", level=0, draw=0, control=None,
    text="Of 1,000 bonds 240 are sold. How many are left?", options=("750", "760", "1,240"), gold="B", value="760",
    digits=0, percent=False, old="B", sham=None, changes=(), steps="", expression="1000 - 240", computed=None,
    status="verified", source="recipe",
)  # fmt: skip


def changed(options: tuple[str, str, str], gold: Letter, **fields: Any) -> Question:
    usual: dict[str, Any] = {"parent": "t/0", "old": None, "value": options["ABC".index(gold)]}
    return msgspec.structs.replace(ORIGINAL, options=options, gold=gold, **(usual | fields))


@pytest.mark.parametrize(
    ("accuracy", "expected"),
    [
        # Alone it is right in 1/2 and shows 0.2. To be right in 3/4 it solves one half: 0.1 is left; in all: nothing.
        (0.5, 0.2),
        (0.75, 0.1),
        (1.0, 0.0),
        # Midway between chance and its own, it guesses half of the time; below chance it has no part.
        (5 / 12, 0.1),
        (1 / 3, 0.0),
        (0.1, 0.0),
    ],
)
def test_a_placebo_is_as_often_right_as_the_model(accuracy: float, expected: float) -> None:
    assert Shown("largest", 0.5, {"gap": 0.2}).at(accuracy, "gap") == pytest.approx(expected)


def test_the_band_goes_from_the_lowest_placebo_to_the_highest() -> None:
    # The original's gold is the middle one, that of both draws the largest, at C and at A. The lure's old answer is
    # the smallest, at B, and its sham the largest.
    asked = PerturbedSet(
        "set",
        "0" * 64,
        [
            ORIGINAL,
            changed(("1", "2", "3"), "C", id="t/1/0", level=1),
            changed(("3", "2", "1"), "A", id="t/1/1", level=1, draw=1),
            changed(("800", "760", "900"), "A", id="t/lure/0", control="lure", old="B", sham="C"),
        ],
    )
    rows = pl.DataFrame(
        {
            "model": "m",
            "variant": "p",
            "question_id": [question.id for question in asked],
            "answer": ["A", "B", "C", "C"],
        }
    )
    known = [
        estimate(metric, value, None, None)
        for metric, value in (("accuracy_perturbed", 0.0), ("memorization_gap", 0.3), ("kept_old_excess", 0.1))
    ]
    # At 1/2: "always A" is right in one of two draws and not in the original, a gap of −1/2, and "largest" right in
    # both: of 1/2 − 1/3 over 1 − 1/3 it keeps a quarter of its −1. "middle" solves one half of the draws, which it
    # never takes, and has 1/2 of its +1.
    half = [msgspec.structs.replace(one, value=0.5) if one.metric == "accuracy_perturbed" else one for one in known]
    gap, kept = bands(half, rows, asked)
    assert (gap.low, gap.high) == (pytest.approx(-0.5), pytest.approx(0.5))
    assert gap.method == "placebos"
    assert (gap.n, gap.clusters) == (1, 1)
    # "least round" takes every old answer; of the draws it is right in a third, and solves a quarter of them.
    assert kept.high == pytest.approx(0.75)


def test_without_letters_there_is_no_band_and_without_an_accuracy_no_value() -> None:
    asked = PerturbedSet("set", "0" * 64, [ORIGINAL])
    gap = estimate("memorization_gap", None)
    rows = pl.DataFrame({"model": ["m"], "variant": ["p"], "question_id": ["t/0"], "answer": ["760"]})
    known = [estimate("accuracy_perturbed", None), gap]
    assert bands(known, rows, asked) == []
    unread = rows.with_columns(answer=pl.lit(None, pl.String))
    [band] = bands(known, unread, asked)
    assert (band.value, band.low, band.high, band.n) == (None, None, None, 0)


def said(folder: Path, *estimates: Estimate) -> str:
    return " ".join(headline(make_run(folder / "run", [], list(estimates), suite="memorization")))


def band(figure: str, low: float, high: float) -> Estimate:
    return estimate("placebo_band", 0.0, low, high, group={"figure": figure})


@pytest.mark.parametrize(
    ("low", "stand_in", "expected"),
    [
        (
            0.03,
            (-0.1, 0.1),
            "m remembers published answers: excess_gap is 0.080 [0.030, 0.120], above what responders",
        ),
        (
            0.01,
            (-0.1, 0.1),
            "For m no memory can be told: kept_old_excess 0.010 [-0.010, 0.030] beside -0.005 to 0.005",
        ),
        (0.03, (0.02, 0.1), "But stand-ins, which nobody has seen, differ from the changed questions, too"),
    ],
)
def test_memory_is_spoken_of_only_above_the_band(
    tmp_path: Path, low: float, stand_in: tuple[float, float], expected: str
) -> None:
    text = said(
        tmp_path,
        estimate("memorization_gap", 0.2, 0.1, 0.3),
        estimate("kept_old_excess", 0.01, -0.01, 0.03),
        estimate("excess_gap", 0.08, low, 0.12),
        estimate("control_gap", 0.0, *stand_in, group={"control": "stand_in"}),
        band("memorization_gap", -0.05, 0.09),
        band("kept_old_excess", -0.005, 0.005),
        band("excess_gap", -0.02, 0.02),
    )
    assert expected in text, text
    assert "responders without memory show -0.050 to 0.090 by habits alone" in text
