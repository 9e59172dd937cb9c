"""The suite `explain`: ties the others together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, partial
from statistics import fmean
from typing import TYPE_CHECKING, Any

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.planted import Respondent
from counterfoil.errors import UserError
from counterfoil.explain import people
from counterfoil.explain.habits import HABITS, PLACEBOS, has_superlative
from counterfoil.explain.importers import import_cfe
from counterfoil.explain.judging.judge import (
    MEASURES,
    TEXTS,
    Judgement,
    Verdicts,
    foreseen,
    judge_mentions,
    judge_reply,
    prompts_with,
)
from counterfoil.explain.judging.panel import PANEL, is_repeat, panel_of, with_means
from counterfoil.explain.metrics import (
    ACCURACY,
    DISCERNMENT,
    HUMAN_QUALITY,
    IN_SUMMARY,
    JUDGE_CHANGED,
    JUDGE_F1,
    JUDGE_QUALITY,
    JUDGE_RESTRAINT,
    JUDGED_QUESTION,
    METRICS,
    PEOPLE,
    SCORE_THRESHOLD,
    VARIANCES,
)
from counterfoil.explain.options import OPTIONS
from counterfoil.explain.planted import ExplainPlanting, respondent
from counterfoil.explain.prompts import ENGLISH, KOREAN, VARIANTS, load_variants, unlike
from counterfoil.explain.questions import Question, encode_questions, load_questions
from counterfoil.explain.reading import Reading, read_reply
from counterfoil.explain.scoring import LABELLINGS, Facts, label_all, penalty, reward
from counterfoil.inputs import inputs_now
from counterfoil.judging.second_reader import ReadingTask, explanation_task
from counterfoil.judging.step import AskedAgain, Foreseen, JudgeAsk
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import Items, Metric
from counterfoil.suite.imports import Importer
from counterfoil.suite.outcome import SECOND_READER
from counterfoil.suite.suite import ListedQuestions, Record, Row, Suite, Training, Variant

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.figures.plots import Plot
    from counterfoil.running.folder import Run
    from counterfoil.suite.form import TaskContent
    from counterfoil.suite.opinions import Judged, Opinions
    from counterfoil.suite.planting import Planting


SCORES = ("score_threshold", "score_confusion_index")
# Options that say something only where there are judges.
OF_JUDGES = ("confusing-at", "judge-swap", "judge-answer", "judge-repeats", "judge-panel", "judge-prompt")
# What judges say of replies, where training data can be chosen by it.
JUDGE_SCORES = (JUDGE_F1.name, JUDGE_QUALITY.name, JUDGE_RESTRAINT.name)
# The same as people's scores set them right.
CORRECTED_SCORES = {
    f"corrected_{measure}": (f"judge_{measure}", human) for human, measure in people.HUMAN_SCORES.items()
}


class Explain(Suite[Question, Reading, Facts, Verdicts]):
    """Does the model clear up the confusion, where there is one, and only there?"""

    name = "explain"
    options = OPTIONS
    asks_judges = True
    form = people.FORM
    rating_strata = ("confusing", "correct")
    # Null where a judge was to find the alternatives, and did not: there is nothing to be rated one by one.
    rating_needs = ("mentioned",)
    read_columns = ("correct", "mentioned")
    columns: Mapping[str, Any] = {
        "correct": bool,
        "instead": str,
        "mentioned": list[str],
        "confusing": bool,
        "confusing_by_index": bool,
        "confusion_index": float,
        "clarifies": bool,
        # Whether the question has a superlative, and whether the reply has no words but the question's.
        "superlative": bool,
        "repeats": bool,
        "reward": float,
        "penalty": float,
        "score_threshold": float,
        "score_confusion_index": float,
        "judges": list[str],
        **{f"judge_{name}": list[float] for name in MEASURES},
        **{f"judge_{name}": kind for name, kind in TEXTS.items()},
        "judge_failures": list[str],
    }

    metrics = METRICS
    habits = HABITS
    placebos = PLACEBOS
    people_metrics = PEOPLE
    group_names: Mapping[str, str] = {"judge": "{}", "replies=correct": "right replies"}
    beside_overall = ("replies",)
    headline_figures = (
        (ACCURACY.name, {}),
        (SCORE_THRESHOLD.name, {"replies": "correct"}),
        (DISCERNMENT.name, {"replies": "correct"}),
    )
    harness_groups = ("replies", "label")

    @property
    def importers(self) -> Mapping[str, Importer]:
        return {"cfe": partial(import_cfe, given=self.settings["mentions"] == "given")}

    def check(self) -> None:
        if self.settings["mentions"] == "judge" and not self.context.judges:
            raise UserError("--mentions judge needs a --judge.")
        _ = self.judge_prompts
        if self.settings["judge_panel"] and len(self.context.judges) == 1:
            raise UserError("--judge-panel is for several judges: name another --judge, or leave it out.")
        for name in () if self.context.judges else OF_JUDGES:
            option = next(option for option in self.options if option.name == name)
            if self.settings[option.key] != option.default:
                raise UserError(f"--{name} is about what judges say: name one with --judge, or leave it out.")
        if self.settings["mentions"] == "given" and self.context.format != "cfe":
            raise UserError(
                "--mentions given is for `counterfoil score explain --from cfe`, whose files hold mentions."
            )

    def load(self, data: str | None) -> ListedQuestions[Question]:
        return load_questions(data, self.settings["plausibility"])

    def variants(self, names: Sequence[str], dataset: ListedQuestions[Question] | None) -> list[Variant]:
        in_korean = dataset is not None and dataset.name == "korean"
        variants = load_variants(names, KOREAN if in_korean else ENGLISH)
        if dataset is not None and (said := unlike(variants, [question.text for question in dataset])):
            inputs_now().note(said)
        return variants

    @property
    def variant_names(self) -> Sequence[str]:
        return VARIANTS

    def planted(self, settings: Mapping[str, str], questions: Iterable[Question] | None) -> Respondent:
        if "judge" not in settings:
            return respondent(settings, questions)
        from counterfoil.explain.judging.planted import planted_judge

        return planted_judge(settings, questions)

    def prepare(self, dataset: Iterable[Question]) -> Facts:
        return label_all({question.id: list(question.candidates.values()) for question in dataset})

    def counts(self, dataset: Iterable[Question]) -> dict[str, Any]:
        labels = self.prepare(dataset).labels.values()
        sizes = [len(question.candidates) for question in dataset]
        return {
            "candidates": {"fewest in a question": min(sizes, default=0), "most": max(sizes, default=0)},
            "confusing": {name: sum(getattr(label, name) for label in labels) for name in LABELLINGS},
        }

    def messages(self, question: Question, variant: Variant) -> list[Message]:
        return [Message("system", variant.prompt), Message("user", question.text)]

    def read(self, question: Question, variant: Variant, reply: Reply) -> Reading | None:
        return read_reply(question, reply.text)

    def reading_task(self, question: Question, variant: Variant, reply: Reply) -> ReadingTask[Reading]:
        return explanation_task(
            question.text,
            [question.gold, *question.aliases],
            list(question.candidates),
            reply.text,
            lambda correct, mentioned, instead: Reading(reply.text, mentioned, correct, instead, read_by=SECOND_READER),
        )

    async def judge(self, question: Question, reading: Reading, ask: JudgeAsk) -> Verdicts:
        from counterfoil.asking.asker import NotAsked

        mentioned = reading.mentioned
        settings = self.settings
        by_judge = settings["mentions"] == "judge"
        if by_judge:
            found = await judge_mentions(ask, ask.judges[0], question, reading.text, self.judge_prompts)
            if found is None:
                return Verdicts({ask.judges[0]: Judgement(failures=("mentions: the judge gave no list",))})
            mentioned = found
        cleared_up = reading.cleared_up(mentioned)
        judgements: dict[str, Judgement] = {}
        for judge in ask.judges:
            try:
                times = [
                    await judge_reply(
                        AskedAgain(ask, repeat) if repeat else ask,
                        judge,
                        question,
                        reading.text,
                        cleared_up,
                        confusing_at=settings["confusing_at"],
                        swap=settings["judge_swap"],
                        check_answer=settings["judge_answer"],
                        prompts=self.judge_prompts,
                    )
                    for repeat in range(settings["judge_repeats"])
                ]
            except NotAsked as reason:  # this judge has stopped, and leaves the others going
                times = [Judgement(failures=(f"not asked: {reason}",))]
            judgements |= with_means(times, judge, settings["confusing_at"])
        if settings["judge_panel"]:
            judges = {judge: judgements[judge] for judge in ask.judges}
            judgements[PANEL] = panel_of(judges, settings["judge_panel"], len(cleared_up), settings["confusing_at"])
        return Verdicts(judgements, mentioned if by_judge else None)

    @cached_property
    def judge_prompts(self) -> Mapping[str, str]:
        return prompts_with(self.settings["judge_prompt"] or ())

    def judge_asks(self, question: Question, judge: str) -> list[Foreseen]:
        by_judge = self.settings["mentions"] == "judge" and judge == self.context.judges[0]
        swap, answer = self.settings["judge_swap"], self.settings["judge_answer"]
        return foreseen(
            question,
            self.judge_prompts,
            swap=swap,
            check_answer=answer,
            find_mentions=by_judge,
            repeats=self.settings["judge_repeats"],
        )

    def score(self, question: Question, facts: Facts, reading: Reading | None, verdicts: Verdicts | None) -> Row:
        """A reply in which nothing could be read clears nothing up, and is no restraint either: its scores are 0.

        What is given as the answer, in place of the right one, clears nothing up: it brings no reward, and the penalty
        all the same.
        """
        labels = facts.labels[question.id]
        row: Row = {
            "correct": reading is not None and reading.correct,
            "confusing": labels.threshold,
            "confusing_by_index": labels.confusion_index,
            "confusion_index": labels.ci,
            "superlative": has_superlative(question.text),
            "repeats": reading is not None and reading.repeats,
            **({} if verdicts is None else verdicts.columns()),
        }
        if reading is None:
            return row | {"mentioned": [], "clarifies": False, **dict.fromkeys(("reward", "penalty", *SCORES), 0.0)}
        names: Sequence[str] | None = reading.mentioned
        # What a second reader has read is its own.
        if self.settings["mentions"] == "judge" and reading.read_by != SECOND_READER:
            names = verdicts.mentioned if verdicts is not None else None
        if names is None:
            # The judge that was to find the mentions did not: nothing takes their place.
            return row | dict.fromkeys(("mentioned", "clarifies", "reward", "penalty", *SCORES))
        every = list(question.candidates.values())
        cleared_up = reading.cleared_up(names)
        rewarded = reward([question.candidates[name] for name in cleared_up], every)
        penalized = penalty([question.candidates[name] for name in names], every)
        return row | {
            "mentioned": list(names),
            "instead": reading.instead,
            "clarifies": bool(cleared_up),
            "reward": rewarded,
            "penalty": penalized,
            "score_threshold": rewarded if labels.threshold else 1 - penalized,
            "score_confusion_index": rewarded if labels.confusion_index else 1 - penalized,
        }

    def summarize(self, rows: pl.DataFrame, facts: Facts) -> list[Estimate]:
        """The declared figures, and how far algorithm and judges agree."""
        from counterfoil.explain.items import agreement, medians
        from counterfoil.stats.summary import summarize

        items = self.items(rows)
        judged = medians(items[JUDGED_QUESTION]) if JUDGED_QUESTION in items else []
        varying = [one for one in summarize(VARIANCES, items) if one.n]
        return [*summarize(IN_SUMMARY, items), *judged, *varying, *agreement(rows, self.settings["confusing_at"])]

    def items(self, records: pl.DataFrame) -> Items:
        from counterfoil.explain.items import items

        return items(records, self.settings["confusing_at"], self.context.judges)

    def headline(self, run: Run) -> list[str]:
        from counterfoil.explain.plots import headline

        return headline(run)

    def plots(self, run: Run) -> list[Plot]:
        from counterfoil.explain.plots import plots

        return plots(run)

    def shown(self, question: Question) -> Mapping[str, str]:
        ordered = sorted(question.candidates.items(), key=lambda pair: -pair[1])
        candidates = ", ".join(f"{name} ({plausibility:g})" for name, plausibility in ordered)
        return {"question": question.text, "right answer": question.gold, "candidates": candidates}

    def marks(self, record: Record, shown: Mapping[str, str]) -> list[tuple[int, int, str]]:
        from counterfoil.explain.plots import marks

        return marks(record, shown)

    def task(self, run: Run, question: Question, record: Record) -> TaskContent:
        return people.task_content(question, record)

    def heard(
        self, question: Question, record: Record, said: Mapping[str, Any]
    ) -> tuple[Reading | None, Verdicts | None]:
        return people.heard(question, record, said, self.settings["confusing_at"])

    def correctable(self, records: pl.DataFrame) -> tuple[Sequence[Metric], Items]:
        """Whether a judge contradicts itself is nothing that people could say."""
        return [metric for metric in self.metrics if metric.name != JUDGE_CHANGED.name], self.items(records)

    def human_metrics(self, opinions: Opinions) -> list[Estimate]:
        return people.human_metrics(opinions, self.settings["confusing_at"])

    def judged(self, opinions: Opinions) -> list[Judged]:
        return people.judged(opinions)

    def human_scores(self, opinions: Opinions) -> list[Mapping[str, float | None]]:
        return people.human_scores(opinions)

    def human_agreement(self, opinions: Opinions) -> list[Estimate]:
        return people.agreement(opinions, self.settings["confusing_at"])

    def planting(self) -> Planting:
        return ExplainPlanting(self)

    def training(self, run: Run) -> Training:
        """A good reply clears up most of the confusion; a bad one leaves most of it, or adds to it."""
        return Training(
            scores=(*SCORES, *JUDGE_SCORES, *people.HUMAN_SCORES, *CORRECTED_SCORES),
            score=_score_to_learn_from,
            encode=encode_questions,
            good=0.6,
            bad=0.3,
            highest=dict.fromkeys((JUDGE_QUALITY.name, HUMAN_QUALITY.name, "corrected_quality"), 100.0),
            of_people=tuple(people.HUMAN_SCORES),
            corrected=CORRECTED_SCORES,
        )


def _score_to_learn_from(record: Record, name: str) -> float | None:
    """The record's score, of several judges the mean; 0 where the answer is wrong, for no clarification makes up for
    that.
    """
    value = record.get(name)
    if isinstance(value, list):
        # Each judge once: not each time that it was asked, and not what judges say together.
        judges = record.get("judges") or [""] * len(value)
        alone = [not is_repeat(judge) and judge != PANEL for judge in judges]
        said = [number for number, counts in zip(value, alone, strict=False) if number is not None and counts]
        value = fmean(said) if said else None
    return 0.0 if record["correct"] is False and (value is not None or name in SCORES) else value


suite = Explain()
