"""Placebos look at what is printed, and at nothing else; what they show on a set is computed from their chances."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from counterfoil.perturbing.balance import EXCESS, GAP, KEPT, Figures, control_gap
from counterfoil.perturbing.placebos import ZOO, Placebo, seen
from counterfoil.perturbing.questions import Letter, Question

PLACEBOS = {placebo.name: placebo for placebo in ZOO}
ORIGINAL = Question(
    id="t/0",
    parent=None,
    template="t",
    topic="tests",
    level=0,
    draw=0,
    control=None,
    text="Of 1,000 bonds 240 are sold. How many are left?",
    options=("750", "760", "1,240"),
    gold="B",
    value="760",
    digits=0,
    percent=False,
    old="B",
    sham=None,
    changes=(),
    steps="",
    expression="1000 - 240",
    computed=None,
    status="verified",
    source="file",
)


def made(options: tuple[str, str, str], gold: Letter, **fields: Any) -> Question:
    number = {"parent": "t/0", "old": None, "value": options["ABC".index(gold)]}
    return msgspec.structs.replace(ORIGINAL, options=options, gold=gold, **(number | fields))


@pytest.mark.parametrize(
    ("name", "chances"),
    [
        ("at random", (1 / 3, 1 / 3, 1 / 3)),
        ("always C", (0, 0, 1)),
        ("smallest", (1, 0, 0)),
        ("middle", (0, 1, 0)),
        ("largest", (0, 0, 1)),
        # 75, 76 and 124 without their zeros: two, two and three digits.
        ("roundest", (0.5, 0.5, 0)),
        ("least round", (0, 0, 1)),
        ("ends in 0 or 5", (1 / 3, 1 / 3, 1 / 3)),
        ("closest pair", (0.5, 0.5, 0)),
        # 1,240 is 240 from 1,000, as 760 is; 750 is farther.
        ("nearest to a number of the text", (0, 0.5, 0.5)),
        ("longest", (0, 0, 1)),
        ("solves 60%, else smallest", (0.4, 0.6, 0)),
    ],
)
def test_each_rule_takes_what_it_says(name: str, chances: tuple[float, float, float]) -> None:
    shown = seen(ORIGINAL)
    assert shown is not None
    assert PLACEBOS[name].chances(shown) == pytest.approx(chances)


def test_a_solver_takes_the_option_nearest_to_its_result() -> None:
    # 760 with a standard deviation of 7.6: the middle to 750 lies 5 below, 0.658 of them, which a normal result is
    # below with chance 0.2553; the other is out of reach.
    shown = seen(ORIGINAL)
    assert shown is not None
    assert PLACEBOS["solver, 1.00% off"].chances(shown) == pytest.approx((0.2553, 0.7447, 0.0), abs=1e-4)


def test_chances_add_to_one_whatever_is_printed() -> None:
    questions = [ORIGINAL, made(("-$0.50", "$0.00", "$0.50"), "B"), made(("1%", "2%", "3%"), "A", text="No numbers.")]
    for question in questions:
        shown = seen(question)
        assert shown is not None
        for placebo in ZOO:
            assert sum(placebo.chances(shown)) == pytest.approx(1), placebo.name


def test_options_without_numbers_are_not_seen() -> None:
    assert seen(made(("none", "some", "all"), "A")) is None


def test_figures_by_hand() -> None:
    # Who takes the largest is wrong in the original, right in one of two draws, right in the only re-optioned one,
    # wrong in the stand-in; in the two lures the old answer is the largest once, and the sham once never.
    questions = [
        ORIGINAL,
        made(("1", "2", "3"), "C", id="t/1/0", level=1),
        made(("1", "2", "3"), "A", id="t/1/1", level=1),
        made(("750", "760", "600"), "B", id="t/reoptioned/0", control="reoptioned"),
        made(("1", "2", "3"), "B", id="t/stand_in/0", control="stand_in"),
        made(("760", "500", "600"), "B", id="t/lure/0", control="lure", old="A", sham="C"),
        made(("760", "900", "600"), "B", id="t/lure/1", control="lure", old="A", sham="C"),
    ]
    figures = Figures(questions)
    largest = figures.by_original(figures.chances(PLACEBOS["largest"]))
    assert {name: values.tolist() for name, values in largest.items()} == {
        GAP: [-0.5],
        EXCESS: [0.5],
        KEPT: [0.5],
        control_gap("stand_in"): [-0.5],
        control_gap("reoptioned"): [-1.0],
    }


def test_the_error_is_over_clusters() -> None:
    # Two templates with a gap of 1 and 0 for who takes the middle: mean 0.5, residuals ±0.5, so the error is
    # sqrt(2 · (0.25 + 0.25)) ÷ 2 = 0.5.
    other = msgspec.structs.replace(ORIGINAL, id="u/0", template="u")
    questions = [
        ORIGINAL,
        other,
        made(("1", "2", "3"), "C", id="t/1/0", level=1),
        made(("1", "2", "3"), "B", id="u/1/0", level=1, parent="u/0", template="u"),
    ]
    middle: Placebo = PLACEBOS["middle"]
    [gap] = Figures(questions).leanings([middle])
    assert (gap.figure, gap.value, gap.error, gap.clusters) == (GAP, 0.5, pytest.approx(0.5), 2)
