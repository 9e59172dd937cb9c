"""How numbers shifted: D and its p-value against scipy, and the digits and magnitudes by hand."""

from __future__ import annotations

import random
import warnings
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import kolmogorov
from scipy.stats import ks_2samp

from counterfoil.perturbing.making import difficulty
from counterfoil.perturbing.making.difficulty import kolmogorov_smirnov, shifts
from counterfoil.perturbing.questions import Change, Question
from counterfoil.perturbing.templates.numbers import in_text
from counterfoil.perturbing.templates.tables import load_templates
from counterfoil.perturbing.templates.variants import make_variants

ANNUITY = Path(__file__).parent / "annuity.toml"

few = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=30)


@given(few, few)
def test_small_samples_are_as_scipy_has_them(first: list[float], second: list[float]) -> None:
    """With ties, too: scipy's exact p-value is of D, however it came about."""
    with warnings.catch_warnings(record=True) as gave_up:
        warnings.simplefilter("always")
        wanted = ks_2samp(first, second, method="exact")
    statistic, p = kolmogorov_smirnov(first, second)
    assert statistic == pytest.approx(wanted.statistic, abs=1e-12)
    # Where every order has at least this D, scipy's sum can come out above 1, and it gives up.
    assert p == pytest.approx(1.0 if gave_up else wanted.pvalue, abs=1e-9)


@pytest.mark.parametrize(("n", "m"), [(1, 400), (60, 61), (300, 1_500), (2_000, 2_000)])
@pytest.mark.parametrize("moved", [0.0, 0.1, 1.0])
def test_larger_samples_are_as_scipy_has_them(n: int, m: int, moved: float) -> None:
    stream = random.Random(n + m)
    first = [stream.gauss(0, 1) for _ in range(n)]
    second = [stream.gauss(moved, 1) for _ in range(m)]
    wanted = ks_2samp(first, second, method="exact")
    statistic, p = kolmogorov_smirnov(first, second)
    assert statistic == pytest.approx(wanted.statistic, abs=1e-12)
    assert p == pytest.approx(wanted.pvalue, rel=1e-6, abs=1e-9)


def test_beyond_the_exact_size_it_is_kolmogorovs_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = random.Random(5)
    first = [stream.gauss(0, 1) for _ in range(400)]
    second = [stream.gauss(0.1, 1) for _ in range(600)]
    exact = kolmogorov_smirnov(first, second)
    monkeypatch.setattr(difficulty, "MOST_EXACT", 1)
    statistic, p = kolmogorov_smirnov(first, second)
    assert statistic == exact[0]
    assert p == pytest.approx(kolmogorov(statistic * (400 * 600 / 1_000) ** 0.5), rel=1e-9)
    assert p == pytest.approx(exact[1], rel=0.2), "the limit is near the exact value"


def test_by_hand() -> None:
    # F is 1 at 2, where G is still 0: D = 1. Of the C(4, 2) = 6 orders two have it, all of one before the other.
    assert kolmogorov_smirnov([1, 2], [3, 4]) == (1.0, pytest.approx(2 / 6))
    assert kolmogorov_smirnov([1, 2], [1, 2]) == (0.0, 1.0)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("$2,000 at 5% in 2019, -1.50 and .25", ["2,000", "5", "2019", "1.50", ".25"]),
        ("12,34 is two numbers", ["12", "34"]),
        ("nothing", []),
    ],
)
def test_numbers_as_printed(text: str, numbers: list[str]) -> None:
    assert in_text(text) == numbers


def question(**fields: object) -> Question:
    (template,) = load_templates(ANNUITY)
    original = make_variants(template, 0, (), count=1)[0]
    return msgspec.structs.replace(original, **fields)


def test_the_shift_of_two_questions_by_hand() -> None:
    original = question(text="10 and 1,000", value="$100")
    changed = {
        "id": "v", "parent": original.id, "level": 1, "text": "0.10 and 1,000", "value": "$10",
        "changes": (Change(name="x", before="10", after="0.10"),),
    }  # fmt: skip
    everything, numbers, answers = shifts([original, msgspec.structs.replace(original, **changed)])
    assert (everything.level, everything.n_before, everything.n_after) == (1, 2, 2)
    # 10 and 1,000 have 2 and 4 digits, 0.10 has 2 (its zero in front does not count).
    assert (everything.digits.before, everything.digits.after) == (3.0, 3.0)
    assert (everything.digits.statistic, everything.digits.p) == (0.0, 1.0)
    # log10: 1 and 3 before; −1 and 3 after.
    assert (everything.magnitude.before, everything.magnitude.after) == (2.0, 1.0)
    assert everything.magnitude.statistic == 0.5
    assert (numbers.magnitude.before, numbers.magnitude.after) == (1.0, -1.0)
    assert (answers.digits.before, answers.digits.after) == (3.0, 2.0)


def test_controls_are_no_variants_and_zeros_have_no_magnitude() -> None:
    original = question(text="0 of 5")
    again = msgspec.structs.replace(original, id="a", parent=original.id, control="again")
    assert shifts([original, again]) == []
    level = msgspec.structs.replace(original, id="b", parent=original.id, level=2, text="no number")
    everything, changed, _ = shifts([original, level])
    assert (everything.n_before, everything.n_after) == (2, 0)
    assert everything.digits.before == 1.0
    assert everything.magnitude.before == pytest.approx(0.69897, abs=1e-5)
    assert everything.magnitude.after is None
    assert everything.digits.statistic is None
    assert changed.n_before == 0
