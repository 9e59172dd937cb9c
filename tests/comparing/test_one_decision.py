"""One decision: word, interval and gate of a row never contradict each other."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import counterfoil as cf
from counterfoil.comparing.compare import Comparison
from counterfoil.comparing.gate import failing, parse_gate
from counterfoil.stats.multiplicity import holm, holm_levels
from two_sides import bias_run, chosen, explain_run

pytestmark = pytest.mark.heavy


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def random_run(seed: int, models: str, questions: int = 30) -> cf.Run:
    """Models of different abilities in clusters of three."""
    rng = random.Random(seed)
    answers = {model: [rng.random() < 0.3 + 0.25 * i for _ in range(questions)] for i, model in enumerate(models)}
    return explain_run(Path(f"run{seed}"), answers, per_cluster=3)


def holds_together(comparison: Comparison) -> int:
    """How many rows were told apart, if all of them hold together."""
    apart = 0
    for row in comparison.rows:
        if row.low is None or row.high is None or row.p_adjusted is None:
            assert not row.told_apart
            continue
        leaves_0_out = row.low > 0 or row.high < 0
        word = row.verdict.split(",")[0]
        assert row.told_apart == leaves_0_out == (word in ("better", "worse", "higher", "lower")), row
        assert not row.told_apart or row.p_adjusted <= 0.05
        if not row.group:
            mine = Comparison(suite="", rows=[row], alignment=[], tied={}, not_compared=[], seed_table=[])
            fails = [bool(failing(mine, [parse_gate(f"{row.metric} {sign} 0")])) for sign in "<>"]
            assert any(fails) == row.told_apart, row
        apart += row.told_apart
    return apart


def test_word_interval_and_gate_say_the_same() -> None:
    found = [holds_together(cf.compare(random_run(seed, "ab" if seed % 2 else "abc"))) for seed in range(24)]
    assert sum(found) > 5, "some are told apart"
    assert 0 in found, "some are not"


def test_a_clear_interval_is_drawn_up_to_0_where_the_test_tells_nothing_apart() -> None:
    run = cf.run("bias", model="planted/bias?unknown=0.5&unread=0.1", limit=48, variant=["1", "1-debiased"])
    comparison = cf.compare(run, variants=["1", "1-debiased"], models=())
    holds_together(comparison)
    # Six clusters differ, all of one sign: p = 2/2^6 = 0.031, and with bias beside it twice that after Holm.
    rows = [chosen(f"q{i}", "b" if model == "b" and i < 6 else "u", model=model) for model in "ab" for i in range(40)]
    row = next(row for row in cf.compare(bias_run(Path("six"), rows)).rows if row.metric == "accuracy_ambiguous")
    assert (row.p, row.p_adjusted) == (2 / 64, 4 / 64)
    assert (row.verdict, row.told_apart) == ("can't be told apart", False)
    assert row.low is not None
    assert row.low < 0 <= (row.high or 0)


def test_the_interval_has_the_confidence_of_its_test() -> None:
    # Accuracy and bias are the family: 0.05/2 for the smaller p, and where all differ 0.05 for the other.
    rows = [chosen(f"q{i}", "b" if model == "b" else "u", model=model) for model in "ab" for i in range(20)]
    found = {row.metric: row for row in cf.compare(bias_run(Path("run"), rows)).rows if not row.group}
    assert sorted([found["accuracy_ambiguous"].confidence, found["diff_bias_ambiguous"].confidence]) == [0.95, 0.975]


@pytest.mark.parametrize(
    ("values", "word"),
    [
        (("b" * 20, "u" * 20), "better"),  # from 1 to 0
        (("u" * 20, "b" * 20), "worse"),  # from 0 to 1
        (("c" * 20, "u" * 20), "better"),  # from −1 to 0
        (("u" * 20, "c" * 20), "worse"),
        (("c" * 20, "b" * 20), "higher"),  # from −1 to 1: neither is nearer to 0
        (("b" * 20, "c" * 20), "lower"),
    ],
)
def test_where_0_is_best_the_nearer_is_better(values: tuple[str, str], word: str) -> None:
    rows = [
        chosen(f"q{i}", role, model=model)
        for model, roles in zip("ab", values, strict=True)
        for i, role in enumerate(roles)
    ]
    found = {row.metric: row for row in cf.compare(bias_run(Path("run"), rows)).rows if not row.group}
    assert found["diff_bias_ambiguous"].verdict == word


def test_levels_after_holm_by_hand() -> None:
    # 0.01 ≤ 0.05/3, 0.02 ≤ 0.05/2, 0.06 > 0.05: the first two are told apart.
    assert holm_levels([0.02, 0.06, 0.01, None], 0.05) == [0.05 / 2, 0.05, 0.05 / 3, 0.05]
    # 0.02 > 0.05/3: it ends at once, and 0.03 is held against 0.05/3 as well.
    assert holm_levels([0.03, 0.02, 0.5], 0.05) == [0.05 / 3] * 3
    assert holm_levels([], 0.05) == []
    assert holm_levels([None], 0.05) == [0.05]


def test_a_level_is_reached_exactly_if_the_adjusted_p_is_small() -> None:
    rng = random.Random(7)
    for _ in range(500):
        values = [rng.choice([0.001, 0.004, 0.01, 0.02, 0.03, 0.2, 1.0]) for _ in range(rng.randrange(1, 8))]
        levels = holm_levels(values, 0.05)
        for p, adjusted, level in zip(values, holm(values), levels, strict=True):
            assert adjusted is not None
            assert (p <= level + 1e-15) == (adjusted <= 0.05 + 1e-15)
