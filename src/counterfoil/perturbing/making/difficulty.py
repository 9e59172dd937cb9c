"""Whether variants have harder numbers than their originals: digits and magnitudes, before and after.

Each is compared by its mean and by the two-sample Kolmogorov–Smirnov statistic, D = max |F(x) − G(x)|. Its p-value is
for independent values without ties. These have ties and come in clusters: the p-value shows where to look, no more.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from statistics import fmean

import msgspec

from counterfoil.perturbing.questions import Question
from counterfoil.perturbing.templates import numbers

# Up to this product of the two sizes the p-value is exact.
MOST_EXACT = 4_000_000
_LONGEST = 30


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """A property of numbers before and after: the means, D, and its p-value; None where one side has no numbers."""

    before: float | None
    after: float | None
    statistic: float | None
    p: float | None


class Shift(msgspec.Struct, frozen=True, kw_only=True):
    """How the numbers of one level's variants differ from their originals'.

    `of`: all numbers in the text, those that were changed, or the answers.
    """

    level: int
    of: str
    n_before: int
    n_after: int
    # Digits as printed, without zeros in front.
    digits: Comparison
    # log10 of the absolute value; zeros have none.
    magnitude: Comparison


def shifts(questions: Sequence[Question]) -> list[Shift]:
    """For each level, from the originals of its variants, each once, to the variants."""
    originals = {question.id: question for question in questions if question.parent is None}
    found = []
    for level in sorted({question.level for question in questions if question.level}):
        variants = [question for question in questions if question.level == level]
        parents = [originals[parent] for parent in dict.fromkeys(variant.parent for variant in variants) if parent]
        changes = [change for variant in variants for change in variant.changes]
        pairs = {
            "all numbers in the text": ([parent.text for parent in parents], [variant.text for variant in variants]),
            "changed numbers": ([change.before for change in changes], [change.after for change in changes]),
            "answers": ([parent.value for parent in parents], [variant.value for variant in variants]),
        }
        for of, (texts_before, texts_after) in pairs.items():
            before, after = _numbers(texts_before), _numbers(texts_after)
            digits = _compared([_digits(text) for text in before], [_digits(text) for text in after])
            magnitude = _compared(_magnitudes(before), _magnitudes(after))
            n_before, n_after = len(before), len(after)
            found.append(
                Shift(level=level, of=of, n_before=n_before, n_after=n_after, digits=digits, magnitude=magnitude)
            )
    return found


def _numbers(texts: Iterable[str]) -> list[str]:
    return [number for text in texts for number in numbers.in_text(text) if len(number) <= _LONGEST]


def _digits(text: str) -> float:
    return float(len(text.replace(",", "").replace(".", "").lstrip("0")) or 1)


def _magnitudes(texts: Iterable[str]) -> list[float]:
    values: Iterable[Decimal] = (numbers.read(text).value for text in texts)
    return [round(math.log10(value), 12) for value in values if value]


def _compared(before: Sequence[float], after: Sequence[float]) -> Comparison:
    statistic, p = kolmogorov_smirnov(before, after) if before and after else (None, None)
    means = [fmean(values) if values else None for values in (before, after)]
    return Comparison(before=means[0], after=means[1], statistic=statistic, p=p)


def kolmogorov_smirnov(first: Sequence[float], second: Sequence[float]) -> tuple[float, float]:
    """D, and the chance of at least as large a D if both come from one continuous distribution.

    Exact for small samples: of all C(n+m, n) orders, those whose path leaves the band |i·m − j·n| < D·n·m. For large
    ones Kolmogorov's limit, 2 Σ (−1)^(k−1) exp(−2 k² z²) with z = D √(nm ÷ (n+m)).
    """
    n, m = len(first), len(second)
    first_counts, second_counts = Counter(first), Counter(second)
    i = j = widest = 0
    for value in sorted({*first, *second}):
        i += first_counts[value]
        j += second_counts[value]
        widest = max(widest, abs(i * m - j * n))
    statistic = widest / (n * m)
    if widest == 0:
        return 0.0, 1.0
    if n * m <= MOST_EXACT:
        return statistic, _exact(n, m, widest)
    return statistic, _limit(statistic * math.sqrt(n * m / (n + m)))


def _exact(n: int, m: int, widest: int) -> float:
    """The share of paths from (0, 0) to (n, m) with |i·m − j·n| ≥ widest somewhere."""
    import numpy as np

    columns = np.arange(m + 1) * n
    # Paths that stay inside, row by row; each row is scaled to 1 at most, so that nothing overflows.
    inside = np.abs(columns) < widest
    row = inside.astype(float)
    scaled = 0.0
    for i in range(1, n + 1):
        inside = np.abs(i * m - columns) < widest
        row = np.cumsum(np.where(inside, row, 0.0)) * inside
        largest = float(row.max())
        if largest == 0.0:
            return 1.0
        row /= largest
        scaled += math.log(largest)
    if row[m] == 0.0:
        return 1.0
    orders = math.lgamma(n + m + 1) - math.lgamma(n + 1) - math.lgamma(m + 1)
    return min(1.0, max(0.0, -math.expm1(math.log(row[m]) + scaled - orders)))


def _limit(z: float) -> float:
    if z < 0.2:
        # The terms no longer fall, and the sum is 1 to twelve digits.
        return 1.0
    return min(1.0, max(0.0, 2 * math.fsum((-1) ** (k - 1) * math.exp(-2 * (k * z) ** 2) for k in range(1, 101))))
