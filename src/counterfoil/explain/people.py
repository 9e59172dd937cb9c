"""What people are asked about replies of `explain`, what they say of them, and how far they agree with algorithm and
judges.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from statistics import fmean
from typing import TYPE_CHECKING, Any, NamedTuple

from counterfoil.errors import UserError
from counterfoil.explain.judging.judge import Judgement, Verdicts
from counterfoil.explain.judging.panel import is_repeat
from counterfoil.explain.metrics import ASPECTS as JUDGED_ASPECTS
from counterfoil.explain.metrics import (
    HUMAN_CONFUSION_SPEARMAN,
    HUMAN_CORRECT_KAPPA,
    HUMAN_F1,
    HUMAN_LABEL_KAPPA,
    HUMAN_QUALITY,
    HUMAN_QUALITY_SPEARMAN,
    HUMAN_RESTRAINT,
    HUMAN_SCORE_SPEARMAN,
    PLAIN,
    RATED_QUESTION,
    SAID_BY_PEOPLE,
)
from counterfoil.explain.reading import Reading
from counterfoil.explain.scoring import LABELLINGS
from counterfoil.stats.estimate import ALL
from counterfoil.stats.metric import QUESTION
from counterfoil.suite.form import Anchor, Form, FormQuestion, Task, TaskContent
from counterfoil.suite.opinions import (
    OVER_ALL,
    PEOPLE,
    Judged,
    Label,
    Opinion,
    Opinions,
    StudyTask,
    Value,
    amount,
    consensus,
    majority,
    names_in,
)
from counterfoil.suite.people import HUMAN_JUDGE_GAP, HUMAN_PAIR_ALPHA

if TYPE_CHECKING:
    from counterfoil.explain.questions import Question
    from counterfoil.stats.estimate import Estimate
    from counterfoil.stats.krippendorff import Level

JUDGE_MEASURES = ("confusion", "precision", "recall", "f1", "quality", "restraint", "correct")
ALGORITHM = ("correct", "confusing", "confusing_by_index", "score_threshold", "score_confusion_index")

# The five bands of the CFE study's scale of confusion, in its words.
CONFUSION = (
    Anchor(0, 15, "Straightforward; people rarely mix it up."),
    Anchor(16, 40, "Mostly clear; a couple of mild slips possible."),
    Anchor(41, 65, "Often causes hesitation with reasonable alternatives."),
    Anchor(66, 85, "Frequently makes people go back and forth between several plausible options."),
    Anchor(86, 100, "Extremely likely to cause uncertainty with many convincing alternatives."),
)
# What makes a clarification good.
ASPECTS = {
    "clear": "How clear is what is said about it?",
    "accurate": "How accurate is what is said about it?",
    "convincing": "How convincing is the reason why it is not the answer?",
}
# The question of the form on which alternatives a reply names: what the rules got wrong.
MISREAD = "misread"
FORM = Form(
    "explain",
    (
        FormQuestion(name="correct", text="Is the answer that the reply gives right?", kind="yes_no"),
        FormQuestion(
            name="confusion",
            text="How likely would a person who knows something about the subject mix this up with another answer?",
            kind="score",
            anchors=CONFUSION,
        ),
        FormQuestion(
            name="plausible",
            text="Could somebody who knows the subject take this for the answer?",
            kind="yes_no",
            per="alternative",
        ),
        *(FormQuestion(name=name, text=text, kind="score", per="alternative") for name, text in ASPECTS.items()),
        FormQuestion(
            name=MISREAD,
            text="Is the list of alternatives wrong? Name those in it that the reply does not bring up, and candidates "
            "that it brings up and that are not in it. One on each line; empty if the list is right.",
            kind="text",
            suggest=True,
        ),
        FormQuestion(
            name="missing",
            text="Which important alternatives does the reply not clear up? One on each line; empty if none.",
            kind="text",
            suggest=True,
        ),
        FormQuestion(
            name="unneeded", text="Does the reply clear up something that needed no clarification?", kind="yes_no"
        ),
    ),
)


def task_content(question: Question, record: Mapping[str, Any]) -> TaskContent:
    """A reply with the alternatives that were found in it."""
    task = Task(
        question=question.text,
        right=question.gold,
        reply=record["reply"],
        alternatives=tuple(record["mentioned"] or ()),
        suggestions=tuple(sorted(question.candidates, key=str.casefold)),
    )
    judges = {
        judge: {name: values[place] if (values := record.get(f"judge_{name}")) else None for name in JUDGE_MEASURES}
        for place, judge in enumerate(record.get("judges") or ())
        if not is_repeat(judge)
    }
    return TaskContent(task=task, algorithm={name: record.get(name) for name in ALGORITHM}, judges=judges)


# What a judge and a person both say of a reply, and how it is compared.
JUDGED: Mapping[str, Level] = {
    "correct": "nominal",
    "confusion": "interval",
    "precision": "interval",
    "quality": "interval",
    "restraint": "nominal",
}


# Those that go further than to 1.
HIGHEST = {"confusion": 100.0, "quality": 100.0}
RULES = "rules"


class Measured(NamedTuple):
    """A reply in numbers, as the metrics `human_*` want them. None: not defined, or not rated yet."""

    correct: float | None
    confusion: float | None
    precision: float | None
    recall: float | None
    f1: float | None
    quality: float | None
    restraint: float | None


def measured(numbers: Mapping[str, float | None], alternatives: int) -> Measured:
    """From the numbers of a reply's items, by their keys, to its measures: of one rater, or of all together."""
    plausible = _all_of(numbers.get(f"plausible.{place}") for place in range(alternatives))
    aspects = _all_of(numbers.get(f"{aspect}.{place}") for place in range(alternatives) for aspect in ASPECTS)
    missing = numbers.get("missing")
    unneeded = numbers.get("unneeded")
    recall = f1 = None
    if plausible is not None and missing is not None:
        common = sum(plausible)
        recall = common / (common + missing) if common + missing else None
        f1 = 2 * common / (alternatives + common + missing) if alternatives + missing else None
    return Measured(
        correct=numbers.get("correct"),
        confusion=numbers.get("confusion"),
        precision=fmean(plausible) if plausible else None,
        recall=recall,
        f1=f1,
        quality=fmean(aspects) if aspects else None,
        restraint=None if unneeded is None else 1 - unneeded,
    )


def heard(
    question: Question, record: Mapping[str, Any], said: Mapping[str, Value], confusing_at: float
) -> tuple[Reading, Verdicts | None]:
    """What one person says of a reply, as a reading, and as the verdict of each judge of the record."""
    if MISREAD not in said:
        raise UserError(
            "The study is older, and its form does not ask which alternatives a reply names: make a new one."
        )
    listed = record["mentioned"] or ()
    wrong = {name.casefold() for name in names_in(str(said[MISREAD]))}
    mentioned = tuple(name for name in question.candidates if (name in listed) != (name.casefold() in wrong))
    numbers = {key: amount(FORM.question(key.partition(".")[0]), value) for key, value in said.items()}
    person = measured(numbers, len(listed))
    reading = Reading(
        text="",
        mentioned=mentioned,
        correct=bool(said["correct"]),
        instead=None if said["correct"] else record.get("instead"),
        repeats=bool(record.get("repeats")),
    )
    confusing = (person.confusion or 0.0) > confusing_at
    aspects = zip(JUDGED_ASPECTS, ASPECTS, strict=True)
    # As of a judge: restraint where nothing needs clearing up, the others where something does.
    judgement = Judgement(
        confusion=person.confusion,
        confusing=confusing,
        correct=bool(said["correct"]),
        **(
            {name: getattr(person, name) for name in ("precision", "recall", "f1", "quality")}
            | {
                name: fmean(numbers[f"{mine}.{place}"] for place in range(len(listed)))
                for name, mine in aspects
                if listed
            }
            if confusing
            else {"restraint": person.restraint}
        ),
    )
    judges = record.get("judges")
    return reading, None if judges is None else Verdicts(dict.fromkeys(judges, judgement), mentioned)


def _all_of(numbers: Iterable[float | None]) -> list[float] | None:
    """The numbers, if none is missing."""
    found = list(numbers)
    there = [number for number in found if number is not None]
    return there if len(there) == len(found) else None


def _measured_together(opinions: Mapping[str, Opinion], task: StudyTask) -> Measured:
    """A reply's measures by all people together."""
    return measured({key: consensus(opinion) for key, opinion in opinions.items()}, len(task.task.alternatives))


def _measured_by_each(opinions: Mapping[str, Opinion], task: StudyTask) -> list[Measured]:
    """A reply's measures by each rater."""
    by_rater: dict[str, dict[str, float]] = {}
    for key, opinion in opinions.items():
        for rater, value in opinion.values.items():
            by_rater.setdefault(rater, {})[key] = amount(opinion.question, value)
    return [measured(numbers, len(task.task.alternatives)) for numbers in by_rater.values()]


def _confusion_of_questions(opinions: Opinions) -> dict[str, float]:
    """How confusing each question is to people: the mean over its replies in the study, 0 to 100."""
    scores: dict[str, list[float]] = {}
    for task in opinions.tasks:
        score = consensus(opinions.of(task)["confusion"])
        if score is not None:
            scores.setdefault(task.source.question_id, []).append(score)
    return {question: fmean(some) for question, some in scores.items()}


def human_metrics(opinions: Opinions, confusing_at: float) -> list[Estimate]:
    """What people say of the replies. A question is confusing to them if their mean score is above `confusing_at`."""
    import polars as pl

    from counterfoil.stats.summary import summarize

    confusion = _confusion_of_questions(opinions)
    rows = []
    for task in opinions.tasks:
        source = task.source
        names = {name: getattr(source, name) for name in ("model", "variant", "cluster", "question_id", "weight")}
        score = confusion.get(source.question_id)
        of_question = {"confusion": score and score / 100, "plain": None if score is None else score <= confusing_at}
        rows.append(names | _measured_together(opinions.of(task), task)._asdict() | of_question)
    types: dict[str, Any] = dict.fromkeys(Measured._fields, pl.Float64)
    frame = pl.DataFrame(rows, schema_overrides=types | {"plain": pl.Boolean})
    # Confusion belongs to questions: each counts once, over all models and variants.
    questions = frame.unique("question_id", maintain_order=True).filter(pl.col("confusion").is_not_null())
    items = {
        QUESTION: frame.with_columns(pl.col("quality") / 100),
        PLAIN: frame.filter(pl.col("plain")),
        RATED_QUESTION: questions.with_columns(model=pl.lit(ALL), variant=pl.lit(ALL)),
    }
    return summarize(SAID_BY_PEOPLE, items)


# Scores of people that training data can be chosen by.
HUMAN_SCORES = {HUMAN_F1.name: "f1", HUMAN_QUALITY.name: "quality", HUMAN_RESTRAINT.name: "restraint"}


def human_scores(opinions: Opinions) -> list[Mapping[str, float | None]]:
    """What people say of each reply; 0 where most of them say that its answer is wrong."""
    found: list[Mapping[str, float | None]] = []
    for task in opinions.tasks:
        said = _measured_together(opinions.of(task), task)
        wrong = said.correct is not None and said.correct < 0.5
        found.append({name: 0.0 if wrong else getattr(said, measure) for name, measure in HUMAN_SCORES.items()})
    return found


class _Side(NamedTuple):
    """What one side says: of questions, by their ids, and of replies, in their order; None, or no entry: nothing."""

    labels: Mapping[str, bool | None]
    confusion: Mapping[str, float]
    correct: Sequence[bool | None]
    score: Sequence[float | None]
    quality: Sequence[float | None]


def agreement(opinions: Opinions, confusing_at: float) -> list[Estimate]:
    """People, algorithm and judges, pairwise: labels and confusion over questions, the others over replies. Then how
    each judge agrees with a person, beside how two people agree.
    """
    from counterfoil.stats import cohen_kappa, spearman

    sources = [task.source for task in opinions.tasks]
    clusters = {source.question_id: source.cluster for source in sources}
    of_questions, of_replies = list(clusters.values()), [source.cluster for source in sources]
    found: list[Estimate] = []
    for (first, one), (second, other) in combinations(_sides(opinions, confusing_at).items(), 2):
        if first in LABELLINGS and second in LABELLINGS:
            continue
        more = OVER_ALL | {"group": {"between": f"{first} and {second}"}}
        labels = [[side.labels.get(question) for question in clusters] for side in (one, other)]
        confusion = [[side.confusion.get(question) for question in clusters] for side in (one, other)]
        found += [
            cohen_kappa(labels[0], labels[1], of_questions, metric=HUMAN_LABEL_KAPPA.name, **more),
            cohen_kappa(one.correct, other.correct, of_replies, metric=HUMAN_CORRECT_KAPPA.name, **more),
            spearman(confusion[0], confusion[1], of_questions, metric=HUMAN_CONFUSION_SPEARMAN.name, **more),
            spearman(one.score, other.score, of_replies, metric=HUMAN_SCORE_SPEARMAN.name, **more),
            spearman(one.quality, other.quality, of_replies, metric=HUMAN_QUALITY_SPEARMAN.name, **more),
        ]
    # Not every side says something of everything: the algorithm has no confusion score and no quality.
    return [estimate for estimate in found if estimate.n] + _judges_for_people(opinions)


def _sides(opinions: Opinions, confusing_at: float) -> dict[str, _Side]:
    sources = [task.source for task in opinions.tasks]
    nothing: list[Any] = [None] * len(sources)
    sides: dict[str, _Side] = {}
    for name, column in LABELLINGS.items():
        sides[name] = _Side(
            labels={source.question_id: source.algorithm[column] for source in sources},
            confusion={},
            # Both label the same readings: one of them is enough.
            correct=[source.algorithm["correct"] for source in sources] if name == "threshold" else nothing,
            score=[source.algorithm[f"score_{name}"] for source in sources],
            quality=nothing,
        )
    for judge in dict.fromkeys(judge for source in sources for judge in source.judges):
        said = [source.judges.get(judge, {}) for source in sources]
        scores = {source.question_id: values.get("confusion") for source, values in zip(sources, said, strict=True)}
        known = {question: score for question, score in scores.items() if score is not None}
        sides[judge] = _Side(
            labels={question: score > confusing_at for question, score in known.items()},
            confusion=known,
            correct=[_yes(values.get("correct")) for values in said],
            score=[values.get("f1") for values in said],
            quality=[values.get("quality") for values in said],
        )
    together = [opinions.of(task) for task in opinions.tasks]
    measures = [_measured_together(some, task) for some, task in zip(together, opinions.tasks, strict=True)]
    people = _confusion_of_questions(opinions)
    sides[PEOPLE] = _Side(
        labels={question: score > confusing_at for question, score in people.items()},
        confusion=people,
        correct=[_yes(majority(some["correct"])) for some in together],
        score=[measure.f1 for measure in measures],
        quality=[measure.quality for measure in measures],
    )
    return sides


def _yes(value: Label | None) -> bool | None:
    return None if value is None else bool(value)


def _judges_for_people(opinions: Opinions) -> list[Estimate]:
    """For each judge and measure: alpha of two people, alpha of judge and person, on the same replies, and the
    difference of these. Pairs, so that both are alphas of two raters; only replies that two people rated.
    """
    from counterfoil.stats.krippendorff import alpha_difference, krippendorff_alpha

    found: list[Estimate] = []
    each = [_measured_by_each(opinions.of(task), task) for task in opinions.tasks]
    for judge in dict.fromkeys(judge for task in opinions.tasks for judge in task.source.judges):
        for measure, level in JUDGED.items():
            people: list[tuple[float, float]] = []
            judged: list[tuple[float, float]] = []
            of_people: list[str] = []
            of_judged: list[str] = []
            for task, by_rater in zip(opinions.tasks, each, strict=True):
                verdict = task.source.judges.get(judge, {}).get(measure)
                said = [value for value in (getattr(one, measure) for one in by_rater) if value is not None]
                if verdict is None or len(said) < 2:
                    continue
                pairs = list(combinations(said, 2))
                people += pairs
                of_people += [task.source.cluster] * len(pairs)
                judged += [(verdict, value) for value in said]
                of_judged += [task.source.cluster] * len(said)
            if not people:
                continue
            group = {"question": measure, "judge": judge}
            names: dict[str, Any] = {"level": level, **OVER_ALL}
            pair = names | {"metric": HUMAN_PAIR_ALPHA.name}
            found += [
                krippendorff_alpha(people, of_people, group=group | {"between": PEOPLE}, **pair),
                krippendorff_alpha(judged, of_judged, group=group | {"between": f"{judge} and {PEOPLE}"}, **pair),
                alpha_difference(
                    judged, people, of_judged, of_people, metric=HUMAN_JUDGE_GAP.name, group=group, **names
                ),
            ]
    return found


def judged(opinions: Opinions) -> list[Judged]:
    """Every measure that both a judge and people give, and what the rules say of the answer."""
    found: list[Judged] = []
    for task in opinions.tasks:
        together = _measured_together(opinions.of(task), task)
        verdicts: dict[str, Mapping[str, float | None]] = {**task.source.judges}
        rules = task.source.algorithm.get("correct")
        if rules is not None:
            verdicts[RULES] = {"correct": float(rules)}
        for judge, said in verdicts.items():
            for measure in JUDGED:
                people, verdict = getattr(together, measure), said.get(measure)
                if people is not None and verdict is not None:
                    most = HIGHEST.get(measure, 1.0)
                    found.append(Judged(judge, measure, task, verdict / most, people / most))
    return found
