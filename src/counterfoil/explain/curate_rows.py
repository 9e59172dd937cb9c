"""Questions on their way through a curation: as its steps write and read them, and as judges and people see them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import msgspec

from counterfoil.explain.questions import Question
from counterfoil.explain.scoring import is_confusing_by_threshold
from counterfoil.runs.files import replacing

REVIEW_COLUMNS = ("id", "question", "answer", "candidates", "verdicts")


class Row(msgspec.Struct, kw_only=True, omit_defaults=True):
    """A question as every step writes it: a row that questions.py reads, and what the judge said so far."""

    id: str
    question: str
    answer: str
    aliases: tuple[str, ...] = ()
    candidates: dict[str, float | dict[str, float]]
    verdict: str | None = None
    reason: str | None = None
    ambiguity: str | None = None
    ambiguity_reason: str | None = None

    @property
    def plausibilities(self) -> dict[str, float]:
        """By the kind of score that labels and reviews go by."""
        return {text: p["listwise"] if isinstance(p, dict) else p for text, p in self.candidates.items()}

    @property
    def unit(self) -> str:
        return self.id

    @property
    def kin(self) -> str:
        return self.id

    @property
    def stratum(self) -> str:
        return "confusing" if is_confusing_by_threshold(self.plausibilities.values()) else "plain"

    @property
    def cluster(self) -> str:
        return self.id


def row_of(question: Question, kinds: dict[str, dict[str, dict[str, float]]]) -> Row:
    candidates: dict[str, float | dict[str, float]] = dict(question.candidates)
    if kinds:
        candidates = {text: {kind: kinds[kind][question.id][text] for kind in kinds} for text in candidates}
    return Row(
        id=question.id, question=question.text, answer=question.gold, aliases=question.aliases, candidates=candidates
    )


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)


def read_rows(path: Path) -> list[Row]:
    return [msgspec.json.decode(line, type=Row) for line in path.read_bytes().splitlines()]


def review_row(row: Row) -> dict[str, str]:
    by_plausibility = sorted(row.plausibilities.items(), key=lambda item: -item[1])
    verdicts = [(row.verdict, row.reason), (row.ambiguity, row.ambiguity_reason)]
    return {
        "id": row.id,
        "question": row.question,
        "answer": " | ".join((row.answer, *row.aliases)),
        "candidates": " | ".join(f"{text} ({plausibility:g})" for text, plausibility in by_plausibility),
        "verdicts": " | ".join(f"{word}: {reason}" for word, reason in verdicts if word is not None),
    }


def shown_to_judges(row: Row) -> str:
    aliases = f" (also: {', '.join(row.aliases)})" if row.aliases else ""
    return f"Question: {row.question}\nAnswer: {row.answer}{aliases}"


def strata(rows: Iterable[Row]) -> dict[str, int]:
    return dict(sorted(Counter(row.stratum for row in rows).items()))
