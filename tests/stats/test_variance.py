"""Where uncertainty comes from: by hand, and in data whose parts are known."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest

from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import QUESTION, Metric
from counterfoil.stats.variance.explained import FIXED, SAMPLE, Explained, of_questions_alone, sentence
from counterfoil.stats.variance.parts import explained

SHARE = Metric(name="share", formula="", says="", headline=True, mean="right", range=(-100.0, 100.0))


def items(values: np.ndarray) -> pl.DataFrame:
    """Of one model: clusters × questions × prompts × repeats."""
    places = np.indices(values.shape).reshape(4, -1)
    cluster, question, prompt, repeat = (axis.tolist() for axis in places)
    return pl.DataFrame(
        {
            "model": "m",
            "variant": [f"v{number}" for number in prompt],
            "cluster": [f"c{number}" for number in cluster],
            "item": [f"q{a}-{b} {c}" for a, b, c in zip(cluster, question, repeat, strict=True)],
            "repeat": repeat,
            "left_out": False,
            "right": values.ravel(),
        }
    )


def of(values: np.ndarray, prompts_are: str = FIXED) -> Explained:
    [found] = explained([SHARE], {QUESTION: items(values)}, prompts_are)
    return found


def drawn(rng: np.random.Generator, questions: float, prompts: float, repeats: float) -> np.ndarray:
    """40 clusters of one question, 4 prompts, 3 repeats, with these standard deviations."""
    shape = (40, 1, 4, 3)
    return (
        rng.normal(0, questions, (40, 1, 1, 1)) + rng.normal(0, prompts, (1, 1, 4, 1)) + rng.normal(0, repeats, shape)
    )


def test_a_mean_of_five_clusters_by_hand() -> None:
    """Values 0, 1, 2, 3, 4: SE² = s²/5 = 2.5/5 = 0.5, and t(0.975, 4) = 2.7764: 2 ± 1.9632."""
    found = of(np.arange(5.0).reshape(5, 1, 1, 1))
    assert (found.low, found.high) == pytest.approx((2 - 1.96324, 2 + 1.96324), abs=1e-4)
    assert found.shares == {"questions": 1.0, "prompts": None, "repeats": None, "judges": None}
    assert found.narrower["questions"] == pytest.approx(1 - math.sqrt(0.5))


def test_repeats_alone_by_hand() -> None:
    """Five questions, each 0 and 1: within each s² = ½, so repeats add ½/2 ÷ 5 = 0.05, and the questions nothing."""
    found = of(np.tile([0.0, 1.0], (5, 1, 1, 1)))
    assert found.shares == {"questions": 0.0, "prompts": None, "repeats": 1.0, "judges": None}
    assert found.high - found.value == pytest.approx(2.7764 * math.sqrt(0.05), abs=1e-4)


@pytest.mark.parametrize(
    ("source", "sizes"), [("questions", (2, 0.1, 1)), ("prompts", (1, 3, 1)), ("repeats", (0.1, 0.01, 4))]
)
def test_the_largest_source_is_found(source: str, sizes: tuple[float, float, float]) -> None:
    rng = np.random.default_rng(0)
    shares = [of(drawn(rng, *sizes)).shares for _ in range(20)]
    means = {name: np.mean([share[name] for share in shares]) for name in ("questions", "prompts", "repeats")}
    assert max(means, key=lambda name: means[name]) == source
    assert sum(means.values()) == pytest.approx(1)


def test_parts_are_what_was_planted() -> None:
    """σ²(questions)/40 = 0.1, σ²(prompts)/4 = 0.25, σ²(repeats)/480 = 0.0075: shares 28 %, 70 % and 2 %."""
    rng = np.random.default_rng(1)
    parts = []
    for _ in range(200):
        found = of(drawn(rng, 2.0, 1.0, math.sqrt(3.6)), SAMPLE)
        total = ((found.high - found.low) / 2) ** 2
        parts.append([found.shares["questions"], found.shares["prompts"], found.shares["repeats"], total])
    questions, prompts, repeats, _ = np.median(parts, axis=0)
    assert questions == pytest.approx(0.3, abs=0.12)
    assert prompts == pytest.approx(0.67, abs=0.12)
    assert repeats == pytest.approx(0.02, abs=0.02)


def test_an_interval_over_prompts_as_a_sample_holds_the_mean_of_all_prompts() -> None:
    """Fixed, it speaks of these four; the truth over all is 0, and it misses that most of the time."""
    rng = np.random.default_rng(2)
    held = {FIXED: 0, SAMPLE: 0}
    for _ in range(200):
        values = drawn(rng, 1.0, 1.0, 1.0)
        for prompts_are in held:
            found = of(values, prompts_are)
            assert found.prompts_are == prompts_are
            held[prompts_are] += found.low <= 0 <= found.high
    assert held[SAMPLE] >= 180
    assert held[FIXED] < 140


def test_it_is_told_in_a_sentence() -> None:
    text = sentence(of(drawn(np.random.default_rng(3), 1.0, 1.0, 1.0)))
    assert text.startswith("The uncertainty of share of m comes from questions ")
    assert "twice the repeats by " in text


def test_asked_once_all_that_is_known_comes_from_the_questions() -> None:
    figures = [
        Estimate(metric="share", model="m", variant="v", value=0.5, low=low, high=0.7, n=9, clusters=9, method="")
        for low in (0.3, None)
    ]
    [found] = of_questions_alone([SHARE], figures)
    assert found.shares == {"questions": 1.0, "prompts": None, "repeats": None, "judges": None}
    assert found.narrower["questions"] == pytest.approx(1 - math.sqrt(0.5))
    assert not found.is_mixed
