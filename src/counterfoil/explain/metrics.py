"""The metrics of `explain`, counterfactual explanatory question answering."""

from __future__ import annotations

from typing import Any

from counterfoil.stats.metric import Metric
from counterfoil.suite.people import AGREEMENT
from counterfoil.suite.people import METRICS as PEOPLE_OF_ALL_SUITES

# What a judge says of a reply, and what the judges say of a question, in all replies to it.
JUDGEMENT, JUDGED_QUESTION = "judgement", "judged question"
# A reply that was judged several times: by a judge again, or by several.
JUDGED_TWICE = "reply judged twice"
# Replies to questions that are plain to people, and questions that people rated.
PLAIN, RATED_QUESTION = "reply to a plain question", "rated question"
# A question of PlausibleQA has ten candidates; the interval of the mentions is made on a scale that ends there.
USUAL_CANDIDATES = 10
# The bands of the CFE study's scale, from straightforward to extremely likely to cause uncertainty.
BANDS = ((0, 15), (16, 40), (41, 65), (66, 85), (86, 100))
# Judges and people give scores from 0 to 100; the columns hold shares.
_SCORE: dict[str, Any] = {"range": (0.0, 100.0), "scale": 100.0}


def _figure(name: str, formula: str, says: str, **more: Any) -> Metric:
    """A mean of the column that has the metric's name. The higher, the better. `more` may say otherwise."""
    return Metric(name=name, formula=formula, says=says, better="higher", mean=name).changed(**more)


ACCURACY = _figure(
    "accuracy",
    "Replies whose answer is right ÷ replies; what could not be read is wrong.",
    "How often the answer itself is right.",
    headline=True,
    mean="correct",
    open="correct",
)
SCORE_THRESHOLD = _figure(
    "score_threshold",
    "Reward where a candidate's plausibility is at least 50, else 1 − penalty; mean over replies.",
    "How well the model clears up confusion where a candidate is plausible, and holds back where none is.",
    headline=True,
)
SCORE_CONFUSION_INDEX = _figure(
    "score_confusion_index",
    "Reward where the confusion index is above the dataset's mean, else 1 − penalty; mean over replies. The "
    "index is M · S ÷ max S, M the share of plausibility before the largest drop, S all of it.",
    "The same score, with the confusion index to tell which questions are confusing.",
)
REWARD = _figure(
    "reward",
    "Σp² over mentioned candidates ÷ Σp² over all, p the plausibility; mean over replies to confusing questions.",
    "How much of what could be mixed up is cleared up, where there is confusion.",
)
PENALTY = _figure(
    "penalty",
    "Σ(100 − p)² over mentioned candidates ÷ Σ(100 − p)² over all; mean over replies to plain questions.",
    "How much is brought up that nobody would mix up, where there is no confusion.",
    better="lower",
)
MENTIONS = _figure(
    "mentions",
    "Candidates mentioned in a reply; mean over replies.",
    "How many other candidates a reply brings up.",
    better=None,
    range=(0.0, float("inf")),
    most=USUAL_CANDIDATES,
)
CLARIFIES_CONFUSING = _figure(
    "clarifies_confusing",
    "Replies that mention a candidate ÷ replies, on confusing questions.",
    "How often a reply clears something up where that is needed.",
    mean="clarifies_if_confusing",
)
CLARIFIES_PLAIN = _figure(
    "clarifies_plain",
    "Replies that mention a candidate ÷ replies, on plain questions.",
    "How often a reply clears something up where that is not needed.",
    better="lower",
    mean="clarifies_if_plain",
)
DISCERNMENT = _figure(
    "discernment",
    "clarifies_confusing − clarifies_plain; from −1 to 1.",
    "How well the model tells confusing questions from plain ones.",
    headline=True,
    range=(-1.0, 1.0),
    minus="clarifies_if_plain",
    mean="clarifies_if_confusing",
)
SCORES = (SCORE_THRESHOLD, SCORE_CONFUSION_INDEX, REWARD, PENALTY, MENTIONS)
CLARIFYING = (CLARIFIES_CONFUSING, CLARIFIES_PLAIN, DISCERNMENT)


def _over_right_replies(metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
    """As the CFE study has them: over replies whose answer is right."""
    return tuple(metric.changed(where="correct", label=(("replies", "correct"),)) for metric in metrics)


def _by_index(column: str | None) -> str | None:
    return column and f"{column} by index"


SCORES_OF_RIGHT = _over_right_replies(SCORES)
CLARIFYING_OF_RIGHT = _over_right_replies(CLARIFYING)
CLARIFYING_BY_INDEX = tuple(
    metric.changed(mean=_by_index(metric.mean), minus=_by_index(metric.minus), label=(("label", "confusion_index"),))
    for metric in CLARIFYING
)
CLARIFYING_BY_JUDGE = tuple(
    metric.changed(of=JUDGEMENT, each="judge", given_with="confusing_to_judge", label=(("label", "judge"),))
    for metric in CLARIFYING
)

# What both a judge and people can say of replies, in the same words: {} is who says it.
_SAYS = {
    "precision": "How much of what a reply clears up should be cleared up, to {}.",
    "recall": "How much of what should be cleared up a reply clears up, to {}.",
    "f1": "How well a reply clears up what should be cleared up, and nothing else, to {}.",
    "restraint": "How often a reply holds back where nothing needs clearing up, to {}.",
    "quality": "How good the clarifications of a reply are, to {}.",
    "confusion": "How confusing the questions are, to {}.",
}


def _judged(name: str, formula: str, says: str | None = None, **more: Any) -> Metric:
    """What a judge says of replies."""
    says = says or _SAYS[name.removeprefix("judge_")].format("the judge")
    return _figure(name, formula, says, **{"of": JUDGEMENT, "each": "judge", **more})


def _rated(name: str, formula: str, **more: Any) -> Metric:
    """What people say of replies. The column has the metric's name, without `human_`."""
    measure = name.removeprefix("human_")
    return _figure(name, formula, _SAYS[measure].format("people"), mean=measure, **more)


JUDGE_PRECISION = _judged(
    "judge_precision", "Mentioned and in the judge's ideal ÷ mentioned; not defined without mentions."
)
JUDGE_RECALL = _judged("judge_recall", "Mentioned and in the judge's ideal ÷ the judge's ideal.")
JUDGE_F1 = _judged("judge_f1", "2 · precision · recall ÷ (precision + recall); 0 without mentions.", headline=True)
JUDGE_RESTRAINT = _judged(
    "judge_restraint", "Replies without an unneeded clarification ÷ replies, on questions plain to the judge."
)
JUDGE_CORRECT = _judged(
    "judge_correct",
    "Replies whose answer is right to the judge ÷ replies.",
    "How often the answer itself is right, to the judge.",
)
JUDGE_CHANGED = _judged(
    "judge_changed",
    "Replies whose intersection comes out otherwise with the lists swapped ÷ replies.",
    "How often the judge contradicts itself when the same lists are shown in the other order.",
    better="lower",
)
JUDGE_QUALITY = _judged(
    "judge_quality", "Mean of clarity, accuracy and convincingness of a reply's clarifications, 0 to 100.", **_SCORE
)
# What every judge of a run is asked for; the answer and the other way round only where the user wants it.
ASPECTS = ("clarity", "accuracy", "convincingness")
QUALITY_BY_ASPECT = tuple(
    JUDGE_QUALITY.changed(mean=f"judge_{aspect}", label=(("aspect", aspect),)) for aspect in ASPECTS
)
ALWAYS_JUDGED = (JUDGE_PRECISION, JUDGE_RECALL, JUDGE_F1, JUDGE_RESTRAINT, JUDGE_QUALITY)
JUDGED = (JUDGE_PRECISION, JUDGE_RECALL, JUDGE_F1, JUDGE_RESTRAINT, JUDGE_CORRECT, JUDGE_CHANGED, JUDGE_QUALITY)
JUDGED_OF_RIGHT = _over_right_replies(ALWAYS_JUDGED)

_OF_QUESTIONS: dict[str, Any] = {"of": JUDGED_QUESTION, "each": None, "groups": (("judge",),), "better": None}
JUDGE_CONFUSION = _judged(
    "judge_confusion",
    "How confusing the questions are to the judge, 0 to 100; mean over questions.",
    mean="confusion",
    **_OF_QUESTIONS,
    **_SCORE,
)
JUDGE_CONFUSION_MEDIAN = JUDGE_CONFUSION.changed(
    name="judge_confusion_median",
    formula="The median of the judge's confusion scores over questions, 0 to 100.",
    says="The confusion score that half of the questions are below.",
    mean=None,
)
JUDGE_CONFUSING = _judged(
    "judge_confusing",
    "Questions whose confusion score is above --confusing-at ÷ questions.",
    "How many of the questions are confusing to the judge.",
    mean="confusing",
    **_OF_QUESTIONS,
)
JUDGE_ALTERNATIVES = _judged(
    "judge_alternatives",
    "Alternatives in the judge's ideal list; mean over questions that are confusing to the judge.",
    "How many alternatives a reply should clear up, to the judge.",
    range=(0.0, float("inf")),
    most=USUAL_CANDIDATES,
    **_OF_QUESTIONS,
)
JUDGE_CONFUSION_SHARE = _judged(
    "judge_confusion_share",
    "Questions whose confusion score is in the band ÷ questions.",
    "How the judge's confusion scores are spread over the bands of its scale.",
    **_OF_QUESTIONS,
)
CONFUSION_BANDS = tuple(
    JUDGE_CONFUSION_SHARE.changed(mean=f"{low}-{high}", label=(("band", f"{low}-{high}"),)) for low, high in BANDS
)

# What judges are told apart by, with the most that it can be.
JUDGED_ALIKE = {"judge_confusion": 100.0, "judge_f1": 1.0, "judge_quality": 100.0, "judge_restraint": 1.0}
JUDGE_VARIANCE = _judged(
    "judge_variance",
    "Half the squared difference of two times that a reply was judged, as shares; mean over pairs, then over replies. "
    "Within: both by one judge. Together: by two judges. Between: together − within.",
    "How much judging the same reply again changes what is said, by one judge and between judges.",
    of=JUDGED_TWICE,
    each=None,
    better="lower",
    mean=None,
)
WITHIN, TOGETHER, BETWEEN = "within", "together", "between"


def _variances(name: str) -> tuple[Metric, ...]:
    def part(which: str, column: str, **more: Any) -> Metric:
        label = (("of", name.removeprefix("judge_")), ("part", which))
        return JUDGE_VARIANCE.changed(mean=f"{name} {column}", label=label, **more)

    within = part(WITHIN, "own", each="judge")
    return within, part(TOGETHER, "other"), part(BETWEEN, "more", range=(-1.0, 1.0))


VARIANCES = tuple(metric for name in JUDGED_ALIKE for metric in _variances(name))

LABEL_KAPPA = AGREEMENT.changed(
    name="label_kappa",
    formula="Cohen's kappa, (p − e) ÷ (1 − e), of the labels “confusing”, over questions: p the share of equal labels, "
    "e what chance would give.",
    says="How far two sides agree on which questions are confusing.",
)
LABEL_PEARSON = AGREEMENT.changed(
    name="label_pearson",
    formula="Pearson's correlation of the labels over replies, as the source gives it.",
    says="The same agreement as the CFE study reports it.",
)
SCORE_SPEARMAN = AGREEMENT.changed(
    name="score_spearman",
    formula="Spearman's rank correlation of the scores over replies.",
    says="How far two sides agree on which replies are better.",
)
_BY_JUDGES = (
    *(*JUDGED, *JUDGED_OF_RIGHT, *QUALITY_BY_ASPECT, *CLARIFYING_BY_JUDGE),
    *(JUDGE_CONFUSION, JUDGE_CONFUSION_MEDIAN, JUDGE_CONFUSING, JUDGE_ALTERNATIVES, *CONFUSION_BANDS),
)
METRICS = (
    *(ACCURACY, *SCORES, *CLARIFYING, *SCORES_OF_RIGHT, *CLARIFYING_OF_RIGHT, *CLARIFYING_BY_INDEX),
    *(*_BY_JUDGES, JUDGE_VARIANCE, LABEL_KAPPA, LABEL_PEARSON, SCORE_SPEARMAN),
)
# The summary has each group of figures first over replies whose answer is right, and at once over all.
IN_SUMMARY = (
    *(ACCURACY, *SCORES_OF_RIGHT, *SCORES, *CLARIFYING_OF_RIGHT, *CLARIFYING, *CLARIFYING_BY_INDEX, *_BY_JUDGES),
)

HUMAN_ACCURACY = _figure(
    "human_accuracy",
    "People who say that the reply's answer is right ÷ people who rated it; mean over replies.",
    "How often the answer is right, to people.",
    mean="correct",
)
HUMAN_PRECISION = _rated(
    "human_precision",
    "Alternatives of a reply that are plausible to people ÷ alternatives it names, each with the share of "
    "people who say so; not defined without alternatives.",
)
HUMAN_RECALL = _rated(
    "human_recall",
    "Plausible alternatives that the reply names ÷ these and the important ones that people miss (mean number "
    "over people); not defined where there are neither.",
)
HUMAN_F1 = _rated(
    "human_f1",
    "2 · plausible ÷ (named + plausible + missed); 0 where nothing is named and something missed, not defined "
    "where neither.",
)
HUMAN_RESTRAINT = _rated(
    "human_restraint",
    "People who say that no clarification was unneeded ÷ people, on questions that are not confusing to people.",
    of=PLAIN,
)
HUMAN_QUALITY = _rated(
    "human_quality",
    "Mean of how clear, accurate and convincing a reply's clarifications are, 0 to 100.",
    **_SCORE,
)
HUMAN_CONFUSION = _rated(
    "human_confusion",
    "How likely a question is mixed up, 0 to 100; mean over people, then over questions.",
    better=None,
    of=RATED_QUESTION,
    **_SCORE,
)
HUMAN_LABEL_KAPPA = AGREEMENT.changed(
    name="human_label_kappa",
    formula="Cohen's kappa of the labels “confusing”, over questions.",
    says="How far people and machines agree on which questions are confusing.",
)
HUMAN_CORRECT_KAPPA = AGREEMENT.changed(
    name="human_correct_kappa",
    formula="Cohen's kappa on whether answers are right, over replies; people: what most say.",
    says="How far people and machines agree on which answers are right.",
)
HUMAN_CONFUSION_SPEARMAN = AGREEMENT.changed(
    name="human_confusion_spearman",
    formula="Spearman's rank correlation of the confusion scores, over questions.",
    says="How far people and judges put questions into the same order of confusion.",
)
HUMAN_SCORE_SPEARMAN = AGREEMENT.changed(
    name="human_score_spearman",
    formula="Spearman's rank correlation of scores over replies: people and judges by F1.",
    says="How far people and machines agree on which replies are better.",
)
HUMAN_QUALITY_SPEARMAN = AGREEMENT.changed(
    name="human_quality_spearman",
    formula="Spearman's rank correlation of the quality of clarifications, over replies.",
    says="How far people and judges agree on which clarifications are better.",
)
# What people say of replies, in the order of the summary, and how far they agree with algorithm and judges.
SAID_BY_PEOPLE = (
    *(HUMAN_ACCURACY, HUMAN_PRECISION, HUMAN_RECALL, HUMAN_F1, HUMAN_RESTRAINT, HUMAN_QUALITY, HUMAN_CONFUSION),
)
PEOPLE = (
    *(*PEOPLE_OF_ALL_SUITES, *SAID_BY_PEOPLE, HUMAN_LABEL_KAPPA, HUMAN_CORRECT_KAPPA),
    *(HUMAN_CONFUSION_SPEARMAN, HUMAN_SCORE_SPEARMAN, HUMAN_QUALITY_SPEARMAN),
)
