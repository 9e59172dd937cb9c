"""How often the intervals of differences between two ratios cover the truth, and how often the test raises an alarm.

Both sides answer as the planted memorization model does; the ratio is its consistency. Called by `pairing`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from counterfoil.stats.pairing import Arms, Case, differences_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED, CLUSTERS, TRIALS, MOST_ALARMS = 20121116, (8, 12, 30, 100), 400, 0.085
# Of the planted memorization model: the chance to solve a question, and to know it by heart where it is not solved.
ALIKE = ((0.5, 0.4), (0.9, 0.2), (0.1, 0.9), (0.15, 0.0))
UNLIKE = (((0.5, 0.4), (0.8, 0.1)), ((0.1, 0.9), (0.9, 0.2)))
SLIP, GUESS, DRAWS = 0.05, 1 / 3, 2


def consistency(skill: float, memorized: float) -> float:
    """Right on perturbed questions to right on the original ones: as the planted model has it, with three options."""
    knows, guesses = 1 - SLIP, (1 - skill) * (1 - memorized) * GUESS
    original = knows * (skill + (1 - skill) * memorized) + guesses
    return (knows * skill + (1 - skill) * memorized * SLIP / 2 + guesses) / original


def answered(rng: np.random.Generator, questions: int, skill: float, memorized: float) -> NDArray[np.float64]:
    """For each question whether the original was right, and which share of its draws."""
    solved = rng.random(questions) < skill
    by_heart = ~solved & (rng.random(questions) < memorized)
    original = np.where(solved | by_heart, 1 - SLIP, GUESS)
    perturbed = np.where(solved, 1 - SLIP, np.where(by_heart, SLIP / 2, GUESS))
    return np.array([rng.random(questions) < original, rng.binomial(DRAWS, perturbed) / DRAWS])


def ratios(clusters_of: Sequence[int], least_of: Callable[[int], float]) -> list[str]:
    """Prints what is found, for those numbers of clusters that are among these; says what does not hold."""
    counts = [count for count in CLUSTERS if count in clusters_of]
    respondents = (*((it, it) for it in ALIKE), *UNLIKE)
    covered, alarms, missing, failures = [], [], [], []
    all_cells = list(itertools.product(counts, (1, 3), respondents))
    for number, (count, members, (one, other)) in enumerate(all_cells):
        rng = np.random.default_rng((SEED, number))
        clusters = np.repeat(np.arange(count), members)
        cases = []
        for _ in range(TRIALS):
            (below_a, a), (below_b, b) = (answered(rng, clusters.size, *it) for it in (one, other))
            cases.append(Case([Arms(1.0, a, b)], clusters, 0.0, Arms(1.0, below_a, below_b)))
        found = differences_of(cases)
        truth = consistency(*other) - consistency(*one)
        bounds = [(low, high) for _, low, high, *_ in (it.interval for it in found) if low is not None]
        covered.append(float(np.mean([low <= truth <= (high or 0) for low, high in bounds])))
        missing.append(1 - len(bounds) / len(found))
        rejected = float(np.mean([it.test.p is not None and it.test.p <= 0.05 for it in found]))
        cell = f"{count} clusters of {members}, {one} and {other}"
        if covered[-1] < least_of(count):
            failures.append(f"ratios: {covered[-1]:.1%} in {cell}")
        if one == other:
            alarms.append(rejected)
            failures += [f"ratios: {rejected:.1%} false alarms in {cell}"] if rejected > MOST_ALARMS else []
    print(f"\nDifferences of two ratios, {len(all_cells)} cells of {TRIALS} data sets:")
    print(f"coverage {min(covered):.1%} to {max(covered):.1%}, false alarms at most {max(alarms):.1%},", end=" ")
    print(f"without an interval at most {max(missing):.1%}")
    return failures
