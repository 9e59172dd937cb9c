"""Replies from the CFE research project: its CSV, with what its judge said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from counterfoil.asking.ask import Reply
from counterfoil.console import say
from counterfoil.explain.judging.judge import Judgement, Verdicts
from counterfoil.explain.questions import Question
from counterfoil.explain.reading import Reading, candidate_instead
from counterfoil.inputs import first_of
from counterfoil.suite.imports import Imported, parse_list
from counterfoil.tables import cells_in, kept

NEEDED = ("id", "prompt_variant", "llm_response")
JUDGE = "imported"


def import_cfe(files: Sequence[Path], questions: Mapping[str, Question], *, given: bool) -> Iterator[Imported]:
    """The rows of the project's CSV files, with its judge's verdicts; mentions and correctness too where `given`.

    A mention that is no candidate of its question is left out, as in the project's own code, and counted.
    """
    strangers: list[str] = []
    for path in files:
        yield from kept(
            cells_in(path, NEEDED),
            str(path),
            lambda where, row: _imported(row, where, questions.get(row["id"]), strangers, given=given),
        )
    if strangers:
        are = (
            "mention is no candidate of its question and is"
            if len(strangers) == 1
            else ("mentions are no candidates of their questions and are")
        )
        say(f"{len(strangers):,} {are} left out, as in the CFE study: {first_of(strangers)}.")


def _imported(
    row: Mapping[str, str], where: str, question: Question | None, strangers: list[str], *, given: bool
) -> Imported:
    text = row["llm_response"] or ""
    reading = None
    if given and question is not None and text.strip():
        if not row.get("mentioned_cands"):
            raise ValueError("it has no mentioned_cands: leave --mentions given out, and they are found by rules")
        correct = (row.get("accuracy") or "true").lower() in ("true", "1")
        reading = Reading(
            text,
            _mentions(row["mentioned_cands"], where, question, strangers),
            correct,
            None if correct else candidate_instead(question, text),
        )
    verdicts = Verdicts({JUDGE: _judgement(row)}) if row.get("gpt_conf_score") and text.strip() else None
    return Imported(
        model=row.get("model"),
        variant=row["prompt_variant"],
        question_id=row["id"],
        reply=Reply(status="ok", text=text),
        reading=reading,
        verdicts=verdicts,
        where=where,
    )


def _mentions(text: str, where: str, question: Question, strangers: list[str]) -> tuple[str, ...]:
    """The candidates in the cell; what else is there goes to the strangers."""
    names = parse_list(text, "mentioned_cands")
    known = [name for name in names if isinstance(name, str) and name in question.candidates]
    strangers += [f"{where}: {name!r} for {question.id}" for name in names if name not in known]
    return tuple(known)


def _judgement(row: Mapping[str, str]) -> Judgement:
    return Judgement(
        confusion=_number(row, "gpt_conf_score", 100),
        explanation=row.get("gpt_conf_explanation") or None,
        ideal=_answers(row, "gpt_cands"),
        intersection=_answers(row, "gpt_cands_intersection"),
        precision=_number(row, "gpt_precision", 1),
        recall=_number(row, "gpt_recall", 1),
        f1=_number(row, "gpt_f1_score", 1),
    )


def _answers(row: Mapping[str, str], name: str) -> tuple[str, ...] | None:
    if not row.get(name):
        return None
    entries = parse_list(row[name], name)
    # An ideal alternative has its `answer`; an entry of the intersection names the mentioned one first.
    return tuple(str(next(iter(entry.values()), "")) if isinstance(entry, dict) else str(entry) for entry in entries)


def _number(row: Mapping[str, str], name: str, most: float) -> float | None:
    if not row.get(name):
        return None
    try:
        value = float(row[name])
    except ValueError:
        value = -1.0
    if not 0 <= value <= most:
        raise ValueError(f"{name} is {row[name]!r}, and must be a number from 0 to {most:g}")
    return value
