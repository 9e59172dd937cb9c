"""Working out a draw, and which draws are thrown away."""

from __future__ import annotations

import copy
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.errors import UserError
from counterfoil.perturbing.templates import draws, wording
from counterfoil.perturbing.templates.draws import Rejected, solve
from counterfoil.perturbing.templates.numbers import USUAL
from counterfoil.perturbing.templates.tables import template_from
from counterfoil.perturbing.templates.template import Template

ANNUITY = tomllib.loads((Path(__file__).parent / "annuity.toml").read_text())["template"][0]


def annuity(**changes: Any) -> Template:
    return template_from({**copy.deepcopy(ANNUITY), **changes}, "test", "file")


def small(answer: str, check: str | None = None, **changes: Any) -> Template:
    """A template with two slots x and y, from 1 to 1,000 by 0.5."""
    slot = {"original": "2", "low": "1", "high": "1,000", "step": "0.5"}
    table = {
        "id": "small",
        "topic": "none",
        "text": "{x} and {y}",
        "answer": answer,
        "check": check or answer,
        "distractors": ["answer * 2", "answer * 3"],
        "digits": 0,
        "slots": {"x": slot, "y": slot},
    }
    return template_from({**table, **changes}, "test", "file")


def at(x: str, y: str) -> dict[str, Decimal]:
    return {"x": Decimal(x), "y": Decimal(y)}


def test_the_worked_example_of_the_cfa_study() -> None:
    # 2,000 × (1 − 1.05^−10) / 0.05 = 15,443.469859; × 1.05 = 16,215.643352, from the printed value 16,215.6435.
    # 2,000 × (1 − 1.07^−10) / 0.07 = 14,047.163082; 14,047.16 × 1.07 = 15,030.4612.
    template = annuity()
    slots = draws.original_slots(template)
    draw = draws.work_out(template, slots)
    assert draw.answer == Decimal("16215.64")
    draw = draws.work_out(template, {**slots, "rate": Decimal(7)})
    markers = wording.printed(template, draw, template.first_names)
    assert (markers["rate"], markers["pv"], markers["answer"]) == ("7", "14,047.16", "15,030.46")
    assert draw.values["answer"] == Decimal("15030.4612")
    assert draw.floats["answer"] == pytest.approx(15030.4612, abs=1e-9)
    assert float(draw.check) == pytest.approx(15030.464498, abs=1e-6)
    assert template.steps.render(markers) == "PV of the annuity due = 14,047.16 x (1 + 7%) = 15,030.46"


def test_a_condition_that_fails() -> None:
    template = small("x * y", conditions=["x > y", "answer < 100"])
    assert draws.work_out(template, at("9", "3")).answer == 27
    with pytest.raises(Rejected, match="the condition x > y fails"):
        draws.work_out(template, at("3", "9"))
    with pytest.raises(Rejected, match="the condition answer < 100 fails"):
        draws.work_out(template, at("90", "9"))


def test_rounding_that_is_in_doubt() -> None:
    # 2.5 × 3 = 7.5 stands exactly between 7 and 8.
    with pytest.raises(Rejected, match="in doubt"):
        draws.work_out(small("x * y"), at("2.5", "3"))
    # 2.5 × 3.5 = 8.75 does not.
    assert draws.work_out(small("x * y"), at("2.5", "3.5")).answer == 9
    # 10^−10 beside 7.5 is as good as on it; 10^−5 is not.
    with pytest.raises(Rejected, match="in doubt"):
        draws.work_out(small("x * y + 0.0000000001"), at("2.5", "3"))
    assert draws.work_out(small("x * y + 0.00001"), at("2.5", "3")).answer == 8


def test_answer_and_check_apart() -> None:
    # 8.25 and 8.75 are less than a unit apart and round to 8 and 9; 8 and 9 themselves are a unit apart.
    with pytest.raises(Rejected, match="round differently"):
        draws.work_out(small("x", "x + 0.5"), at("8.25", "1"))
    with pytest.raises(UserError, match="template small: with x = 8, y = 1 its answer is 8 and its check 9"):
        draws.work_out(small("x", "x + y"), at("8", "1"))
    # 0.1 of a unit apart and rounded alike: nothing is wrong.
    assert draws.work_out(small("x", "x + 0.1"), at("8", "1")).check == Decimal("8.1")


def test_floats_that_can_not_follow() -> None:
    # 10^20 + 8 − 10^20 is 8 in decimals, and 0 in floats, which hold 16 digits.
    with pytest.raises(Rejected, match="round differently"):
        draws.work_out(small("100000000000000000000 + x - 100000000000000000000"), at("8", "1"))


def test_what_can_not_be_computed_is_rejected() -> None:
    with pytest.raises(Rejected, match="can't be computed"):
        draws.work_out(small("x / (x - y)"), at("3", "3"))
    with pytest.raises(Rejected, match="too large"):
        draws.work_out(small("x ^ 6"), at("1000", "3"))


def test_percent_is_printed_times_100() -> None:
    template = small("x / y", percent=True, digits=1)
    # 1 / 8 = 12.5 %.
    draw = draws.work_out(template, at("1", "8"))
    assert (draw.answer, draw.values["answer"]) == (Decimal("12.5"), Decimal("0.125"))


def test_options_that_come_too_close() -> None:
    # 4 units of the last digit: 0.04 of 1.00. 1 % of the larger: 2 of 200.
    assert USUAL.holds(Decimal("1.00"), Decimal("1.04"), 2)
    assert not USUAL.holds(Decimal("1.00"), Decimal("1.03"), 2)
    assert USUAL.holds(Decimal("198.00"), Decimal("200.00"), 2)
    assert not USUAL.holds(Decimal("198.01"), Decimal("200.00"), 2)
    template = small("x", distractors=["x + 1", "x - x", "x * 2", "2 * x + 1", "1 / (x - x)", "x * 3", "x * 4"])

    def wrong(never: tuple[Decimal, ...] = ()) -> tuple[Decimal, Decimal]:
        draw = draws.work_out(template, at("10", "1"))
        return draws.wrong_options(template.distractors, draw.values, draw.answer, 0, False, never)

    # 11 is too close to 10, 0 is passed over, 21 is too close to 20, 10 / 0 is nothing.
    assert [int(value) for value in wrong()] == [20, 30]
    assert [int(value) for value in wrong((Decimal(30),))] == [20, 40]
    with pytest.raises(Rejected, match="too close"):
        wrong((Decimal(30), Decimal(20), Decimal(40)))


def test_a_template_without_any_accepted_draw_is_named() -> None:
    template = small("x", conditions=["x > 1000"])

    def attempt() -> draws.Draw:
        return draws.work_out(template, at("8", "1"))

    with pytest.raises(UserError, match=r"template small: no draw .* because the condition x > 1000 fails"):
        draws.accepted(attempt, template, "draw")


@given(st.integers(), st.text())
def test_streams_depend_on_seed_and_names_alone(seed: int, name: str) -> None:
    assert draws.seeded(seed, name, 1).random() == draws.seeded(seed, name, 1).random()
    assert draws.seeded(seed, name, 1).random() != draws.seeded(seed, name, 2).random()
    assert draws.seeded(seed, name).random() != draws.seeded(seed + 1, name).random()


@given(st.integers(0, 10**6))
def test_drawn_slots_are_on_the_grid_and_the_changed_ones_changed(seed: int) -> None:
    template = annuity()
    stream = draws.seeded(seed)
    slots = draws.fresh_slots(template, stream)
    for name, slot in template.slots.items():
        assert slot.low <= slots[name] <= slot.high
        assert (slots[name] - slot.low) % slot.step == 0
    for count in (1, 2):
        which = draws.some(template.changeable, count, stream)
        changed = draws.changed_slots(template, slots, which, stream)
        assert {name for name in slots if slots[name] != changed[name]} == {slot.name for slot in which}
        assert len(which) == count


def test_level_3_solves_for_the_unknown() -> None:
    template = annuity()
    slots = {**draws.original_slots(template), "rate": Decimal("7.5"), "years": Decimal(12)}
    draw = draws.work_out(template, slots)
    solved = solve(template, template.inverses[0], draw)
    # The answer is given to the cent, so that the rate is known to far less than a basis point.
    assert solved == pytest.approx(0.075, abs=1e-6)
    assert solved != 0.075


def test_level_3_whole_periods_are_tried_one_by_one() -> None:
    # A sum to a fractional number of years is nothing that could be bisected.
    inverse = {"unknown": "years", "text": "{answer} {rate} {payment}", "digits": 0, "distractors": ["1", "2"]}
    template = annuity(answer="sum(i, 1, years, payment / (1 + rate) ^ (i - 1))", inverse=[inverse])
    draw = draws.work_out(template, {**draws.original_slots(template), "years": Decimal(17)})
    assert solve(template, template.inverses[0], draw) == 17


def test_level_3_needs_one_solution() -> None:
    inverse = {"unknown": "x", "text": "{answer} {y}", "digits": 1, "distractors": ["x * 2", "x * 3"]}
    # (x − 500)² is the same at 400 and at 600.
    template = small("(x - 500) ^ 2", inverse=[inverse])
    with pytest.raises(Rejected, match="several solutions"):
        solve(template, template.inverses[0], draws.work_out(template, at("400", "1")))
    # A condition leaves one of them.
    template = small("(x - 500) ^ 2", inverse=[inverse], conditions=["x > 500"])
    draw = draws.work_out(template, at("600", "1"))
    assert solve(template, template.inverses[0], draw) == pytest.approx(600)
    # A pole, where the sign changes, too, is no solution: 1,000 / (x − 500.25) = 10 at 600.25 only.
    template = small("1000 / (x - 500.25)", inverse=[inverse], digits=4)
    draw = draws.work_out(template, at("600", "1"))
    assert solve(template, template.inverses[0], draw) == pytest.approx(600, abs=0.01)
    # sqrt(x) to no digit does not tell 600 from 601.
    template = small("sqrt(x)", inverse=[inverse])
    with pytest.raises(Rejected, match="not the value that was drawn"):
        solve(template, template.inverses[0], draws.work_out(template, at("600", "1")))
