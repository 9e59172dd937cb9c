"""The suite `explain`: ties the others together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.asker import NotAsked
from counterfoil.asking.models.planted import Respondent
from counterfoil.errors import UserError
from counterfoil.explain.importers import importers
from counterfoil.explain.judge import Judgement, judge_mentions, judge_reply
from counterfoil.explain.mentions.text import own_words
from counterfoil.explain.options import OPTIONS
from counterfoil.explain.planted import respondent
from counterfoil.explain.prompts import load_variants, messages
from counterfoil.explain.questions import Question, Questions, load_questions
from counterfoil.explain.reading import answer_is_right, find_mentions
from counterfoil.explain.results import Reading, Verdicts
from counterfoil.explain.scoring import CONFUSING_AT, Facts, label_all, penalty, reward, score
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.imports import Importer
from counterfoil.suite.metric import Measure
from counterfoil.suite.options import Option, with_defaults
from counterfoil.suite.suite import JudgeAsk, Row, Variant

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.running.folder import Run


SCORES = ("score_threshold", "score_confusion_index")


class Explain:
    """Does the model clear up the confusion, where there is one, and only there?"""

    name = "explain"
    options: Sequence[Option] = OPTIONS
    columns: Mapping[str, Any] = {
        "correct": bool,
        "mentioned": list[str],
        "confusing": bool,
        "confusing_by_index": bool,
        "clarifies": bool,
        "reward": float,
        "penalty": float,
        "score_threshold": float,
        "score_confusion_index": float,
        "judges": list[str],
        "judge_confusion": list[float],
        "judge_precision": list[float],
        "judge_recall": list[float],
        "judge_f1": list[float],
        "judge_quality": list[float],
        "judge_restraint": list[float],
        "judge_correct": list[float],
        "judge_changed": list[float],
        "judge_failures": list[str],
    }

    metrics: Sequence[str] = (
        *("accuracy", "score_threshold", "score_confusion_index", "reward", "penalty", "mentions"),
        *("clarifies_confusing", "clarifies_plain", "discernment", "judge_precision", "judge_recall", "judge_f1"),
        *("judge_restraint", "judge_correct", "judge_changed", "judge_quality"),
    )

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        self._settings = with_defaults(OPTIONS, settings or {})
        self._judges: Sequence[str] = (settings or {}).get("judges") or ()

    def params(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"max_tokens": 512}

    @property
    def importers(self) -> Mapping[str, Importer]:
        return importers(given=self._settings["mentions"] == "given")

    def configured(self, settings: Mapping[str, Any]) -> Explain:
        if settings["mentions"] == "judge" and not settings["judges"]:
            raise UserError("--mentions judge needs a --judge.")
        if settings["mentions"] == "given" and settings["format"] != "cfe":
            raise UserError(
                "--mentions given is for `counterfoil score explain --from cfe`, whose files hold mentions."
            )
        return Explain(settings)

    def dataset(self, data: str | None) -> Questions:
        return load_questions(data, self._settings["plausibility"])

    def variants(self, names: Sequence[str], dataset: Questions) -> list[Variant]:
        return load_variants(names)

    def planted(self, settings: Mapping[str, str], questions: Iterable[Question] | None) -> Respondent:
        return respondent(settings, questions)

    def prepare(self, questions: Iterable[Question]) -> Facts:
        return label_all({question.id: list(question.candidates.values()) for question in questions})

    def messages(self, question: Question, variant: Variant) -> list[Message]:
        return messages(question, variant)

    def read(self, question: Question, variant: Variant, reply: Reply) -> Reading | None:
        if not own_words(reply.text).strip():
            return None
        names = list(question.candidates)
        return Reading(
            text=reply.text,
            mentioned=tuple(find_mentions(reply.text, names, gold=question.gold, question=question.text)),
            correct=answer_is_right(
                reply.text, question.gold, aliases=question.aliases, candidates=names, question=question.text
            ),
        )

    async def judge(self, question: Question, reading: Reading, ask: JudgeAsk) -> Verdicts:
        mentioned = reading.mentioned
        by_judge = self._settings["mentions"] == "judge"
        if by_judge:
            found = await judge_mentions(ask, ask.judges[0], question, reading.text)
            if found is None:
                failed = Judgement(failures=("mentions: the judge gave no list",))
                return Verdicts({ask.judges[0]: failed})
            mentioned = found
        judgements: dict[str, Judgement] = {}
        for judge in ask.judges:
            try:
                judgements[judge] = await judge_reply(
                    ask,
                    judge,
                    question,
                    reading.text,
                    mentioned,
                    confusing_at=self._settings["confusing_at"],
                    swap=self._settings["judge_swap"],
                    check_answer=self._settings["judge_answer"],
                )
            except NotAsked as reason:  # this judge has stopped, and leaves the others going
                judgements[judge] = Judgement(failures=(f"not asked: {reason}",))
        return Verdicts(judgements, mentioned if by_judge else None)

    def score(self, question: Question, facts: Facts, reading: Reading | None, verdicts: Verdicts | None) -> Row:
        """A reply in which nothing could be read clears nothing up, and is no restraint either: its scores are 0."""
        labels = facts.labels[question.id]
        row: Row = {
            "correct": False,
            "mentioned": [],
            "confusing": labels.threshold,
            "confusing_by_index": labels.confusion_index,
            "clarifies": False,
            "reward": 0.0,
            "penalty": 0.0,
            **dict.fromkeys(SCORES, 0.0),
        }
        if reading is not None:
            names: Sequence[str] | None = reading.mentioned
            if self._settings["mentions"] == "judge":
                names = verdicts.mentioned if verdicts is not None else None
            if names is None:
                # The judge that was to find the mentions did not: nothing takes their place.
                unknown = dict.fromkeys(("mentioned", "clarifies", "reward", "penalty", *SCORES))
                return row | unknown | {"correct": reading.correct} | _judge_columns(verdicts)
            every = list(question.candidates.values())
            mentioned = [question.candidates[name] for name in names]
            row |= {
                "correct": reading.correct,
                "mentioned": list(names),
                "clarifies": bool(names),
                "reward": reward(mentioned, every),
                "penalty": penalty(mentioned, every),
                "score_threshold": score(mentioned, every, confusing=labels.threshold),
                "score_confusion_index": score(mentioned, every, confusing=labels.confusion_index),
            }
        return row | _judge_columns(verdicts)

    def summarize(self, rows: pl.DataFrame, facts: Facts) -> list[Estimate]:
        from counterfoil.explain.summary import summarize

        return summarize(rows, self._settings.get("confusing_at", CONFUSING_AT), self._judges)

    def measures(self, rows: pl.DataFrame, settings: Mapping[str, Any]) -> tuple[pl.DataFrame, list[Measure]]:
        from counterfoil.explain.measures import measures

        return measures(rows, settings.get("confusing_at", CONFUSING_AT))

    def seed_comparison(
        self, a: Sequence[Estimate], b: Sequence[Estimate], label_a: str, label_b: str
    ) -> list[dict[str, Any]]:
        return []

    def finished(self, run: Run) -> None:
        """Nothing beside the run's own files."""


def _judge_columns(verdicts: Verdicts | None) -> Row:
    return {} if verdicts is None else verdicts.columns()


suite = Explain()
