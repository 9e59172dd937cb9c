"""The metrics of `explain`, counterfactual explanatory question answering."""

from __future__ import annotations

from counterfoil.stats.metric import Metric
from counterfoil.suite.people import AGREEMENT
from counterfoil.suite.people import METRICS as PEOPLE_OF_ALL_SUITES

# What a judge says of a reply, and what the judges say of a question, in all replies to it.
JUDGEMENT, JUDGED_QUESTION = "judgement", "judged question"
# Replies to questions that are plain to people, and questions that people rated.
PLAIN, RATED_QUESTION = "reply to a plain question", "rated question"
CORRECT = (("replies", "correct"),)
BY_INDEX = (("label", "confusion_index"),)
BY_JUDGE = (("label", "judge"),)
# A question of PlausibleQA has ten candidates; the interval of the mentions is made on a scale that ends there.
USUAL_CANDIDATES = 10
# The bands of the CFE study's scale, from straightforward to extremely likely to cause uncertainty.
BANDS = ((0, 15), (16, 40), (41, 65), (66, 85), (86, 100))

ACCURACY = Metric(
    name="accuracy",
    formula="Replies whose answer is right ÷ replies; what could not be read is wrong.",
    says="How often the answer itself is right.",
    better="higher",
    headline=True,
    mean="correct",
)
SCORE_THRESHOLD = Metric(
    name="score_threshold",
    formula="Reward where a candidate's plausibility is at least 50, else 1 − penalty; mean over replies.",
    says="How well the model clears up confusion where a candidate is plausible, and holds back where none is.",
    better="higher",
    headline=True,
    mean="score_threshold",
)
SCORE_CONFUSION_INDEX = Metric(
    name="score_confusion_index",
    formula="Reward where the confusion index is above the dataset's mean, else 1 − penalty; mean over replies. The "
    "index is M · S ÷ max S, M the share of plausibility before the largest drop, S all of it.",
    says="The same score, with the confusion index to tell which questions are confusing.",
    better="higher",
    mean="score_confusion_index",
)
REWARD = Metric(
    name="reward",
    formula="Σp² over mentioned candidates ÷ Σp² over all, p the plausibility; mean over replies to confusing "
    "questions.",
    says="How much of what could be mixed up is cleared up, where there is confusion.",
    better="higher",
    mean="reward_confusing",
)
PENALTY = Metric(
    name="penalty",
    formula="Σ(100 − p)² over mentioned candidates ÷ Σ(100 − p)² over all; mean over replies to plain questions.",
    says="How much is brought up that nobody would mix up, where there is no confusion.",
    better="lower",
    mean="penalty_plain",
)
MENTIONS = Metric(
    name="mentions",
    formula="Candidates mentioned in a reply; mean over replies.",
    says="How many other candidates a reply brings up.",
    range=(0.0, float("inf")),
    mean="mentions",
    most=USUAL_CANDIDATES,
)
CLARIFIES_CONFUSING = Metric(
    name="clarifies_confusing",
    formula="Replies that mention a candidate ÷ replies, on confusing questions.",
    says="How often a reply clears something up where that is needed.",
    better="higher",
    mean="clarifies_if_confusing",
)
CLARIFIES_PLAIN = Metric(
    name="clarifies_plain",
    formula="Replies that mention a candidate ÷ replies, on plain questions.",
    says="How often a reply clears something up where that is not needed.",
    better="lower",
    mean="clarifies_if_plain",
)
DISCERNMENT = Metric(
    name="discernment",
    formula="clarifies_confusing − clarifies_plain; from −1 to 1.",
    says="How well the model tells confusing questions from plain ones.",
    better="higher",
    range=(-1.0, 1.0),
    mean="clarifies_if_confusing",
    minus="clarifies_if_plain",
)
_OF_JUDGE = Metric(name="", formula="", says="", of=JUDGEMENT, each="judge")
JUDGE_PRECISION = _OF_JUDGE.changed(
    name="judge_precision",
    formula="Mentioned and in the judge's ideal ÷ mentioned; not defined without mentions.",
    says="How much of what a reply clears up should be cleared up, to the judge.",
    better="higher",
    mean="judge_precision",
)
JUDGE_RECALL = _OF_JUDGE.changed(
    name="judge_recall",
    formula="Mentioned and in the judge's ideal ÷ the judge's ideal.",
    says="How much of what should be cleared up a reply clears up, to the judge.",
    better="higher",
    mean="judge_recall",
)
JUDGE_F1 = _OF_JUDGE.changed(
    name="judge_f1",
    formula="2 · precision · recall ÷ (precision + recall); 0 without mentions.",
    says="How near a reply's clarifications are to the judge's ideal.",
    better="higher",
    mean="judge_f1",
)
JUDGE_RESTRAINT = _OF_JUDGE.changed(
    name="judge_restraint",
    formula="Replies without an unneeded clarification ÷ replies, on questions plain to the judge.",
    says="How often a reply holds back where nothing needs clearing up, to the judge.",
    better="higher",
    mean="judge_restraint",
)
JUDGE_CORRECT = _OF_JUDGE.changed(
    name="judge_correct",
    formula="Replies whose answer is right to the judge ÷ replies.",
    says="How often the answer itself is right, to the judge.",
    better="higher",
    mean="judge_correct",
)
JUDGE_CHANGED = _OF_JUDGE.changed(
    name="judge_changed",
    formula="Replies whose intersection comes out otherwise with the lists swapped ÷ replies.",
    says="How often the judge contradicts itself when the same lists are shown in the other order.",
    better="lower",
    mean="judge_changed",
)
JUDGE_QUALITY = _OF_JUDGE.changed(
    name="judge_quality",
    formula="Mean of clarity, accuracy and convincingness of a reply's clarifications, 0 to 100.",
    says="How good the clarifications are that a reply gives, to the judge.",
    better="higher",
    range=(0.0, 100.0),
    mean="judge_quality",
    scale=100.0,
)
JUDGE_CONFUSION = Metric(
    name="judge_confusion",
    formula="How confusing the questions are to the judge, 0 to 100; mean over questions.",
    says="How confusing the judge finds the questions.",
    range=(0.0, 100.0),
    of=JUDGED_QUESTION,
    mean="confusion",
    scale=100.0,
    groups=(("judge",),),
)
JUDGE_CONFUSION_SHARE = Metric(
    name="judge_confusion_share",
    formula="Questions whose confusion score is in the band ÷ questions.",
    says="How the judge's confusion scores are spread over the bands of its scale.",
    of=JUDGED_QUESTION,
    groups=(("judge",),),
)
LABEL_KAPPA = Metric(
    name="label_kappa",
    formula="Cohen's kappa, (p − e) ÷ (1 − e), of the labels “confusing”, over questions: p the share of equal labels, "
    "e what chance would give.",
    says="How far two sides agree on which questions are confusing.",
    better="higher",
    range=(-1.0, 1.0),
    agreement=True,
)
LABEL_PEARSON = Metric(
    name="label_pearson",
    formula="Pearson's correlation of the labels over replies, as the source gives it.",
    says="The same agreement as the CFE study reports it.",
    better="higher",
    range=(-1.0, 1.0),
    agreement=True,
)
SCORE_SPEARMAN = Metric(
    name="score_spearman",
    formula="Spearman's rank correlation of the scores over replies.",
    says="How far two sides agree on which replies are better.",
    better="higher",
    range=(-1.0, 1.0),
    agreement=True,
)

SCORES = (SCORE_THRESHOLD, SCORE_CONFUSION_INDEX, REWARD, PENALTY, MENTIONS)
CLARIFYING = (CLARIFIES_CONFUSING, CLARIFIES_PLAIN, DISCERNMENT)
# What every judge of a run is asked for; the answer and the other way round only where the user wants it.
ALWAYS_JUDGED = (JUDGE_PRECISION, JUDGE_RECALL, JUDGE_F1, JUDGE_RESTRAINT, JUDGE_QUALITY)
JUDGED = (JUDGE_PRECISION, JUDGE_RECALL, JUDGE_F1, JUDGE_RESTRAINT, JUDGE_CORRECT, JUDGE_CHANGED, JUDGE_QUALITY)


def _over_right_replies(metrics: tuple[Metric, ...]) -> tuple[Metric, ...]:
    """As the CFE study has them: over replies whose answer is right."""
    return tuple(metric.changed(where="correct", label=CORRECT) for metric in metrics)


def _by_index(column: str | None) -> str | None:
    return column and f"{column} by index"


SCORES_OF_RIGHT = _over_right_replies(SCORES)
CLARIFYING_OF_RIGHT = _over_right_replies(CLARIFYING)
CLARIFYING_BY_INDEX = tuple(
    metric.changed(mean=_by_index(metric.mean), minus=_by_index(metric.minus), label=BY_INDEX) for metric in CLARIFYING
)
CLARIFYING_BY_JUDGE = tuple(
    metric.changed(of=JUDGEMENT, each="judge", given_with="confusing_to_judge", label=BY_JUDGE) for metric in CLARIFYING
)
CONFUSION_BANDS = tuple(
    JUDGE_CONFUSION_SHARE.changed(mean=f"{low}-{high}", label=(("band", f"{low}-{high}"),)) for low, high in BANDS
)
METRICS = (
    ACCURACY,
    *(*SCORES, *CLARIFYING),
    *(*SCORES_OF_RIGHT, *CLARIFYING_OF_RIGHT),
    *CLARIFYING_BY_INDEX,
    *(*JUDGED, *CLARIFYING_BY_JUDGE),
    *(JUDGE_CONFUSION, *CONFUSION_BANDS),
    *(LABEL_KAPPA, LABEL_PEARSON, SCORE_SPEARMAN),
)

HUMAN_ACCURACY = Metric(
    name="human_accuracy",
    formula="People who say that the reply's answer is right ÷ people who rated it; mean over replies.",
    says="How often the answer is right, to people.",
    better="higher",
    mean="correct",
)
HUMAN_CONFUSION = Metric(
    name="human_confusion",
    formula="How likely a question is mixed up, 0 to 100; mean over people, then over questions.",
    says="How confusing people find the questions.",
    range=(0.0, 100.0),
    mean="confusion",
    scale=100.0,
    of=RATED_QUESTION,
)
HUMAN_PRECISION = Metric(
    name="human_precision",
    formula="Alternatives of a reply that are plausible to people ÷ alternatives it names, each with the share of "
    "people who say so; not defined without alternatives.",
    says="How much of what a reply clears up should be cleared up, to people.",
    better="higher",
    mean="precision",
)
HUMAN_RECALL = Metric(
    name="human_recall",
    formula="Plausible alternatives that the reply names ÷ these and the important ones that people miss (mean number "
    "over people); not defined where there are neither.",
    says="How much of what should be cleared up a reply clears up, to people.",
    better="higher",
    mean="recall",
)
HUMAN_F1 = Metric(
    name="human_f1",
    formula="2 · plausible ÷ (named + plausible + missed); 0 where nothing is named and something missed, not defined "
    "where neither.",
    says="How near a reply's clarifications are to what people want.",
    better="higher",
    mean="f1",
)
HUMAN_QUALITY = Metric(
    name="human_quality",
    formula="Mean of how clear, accurate and convincing a reply's clarifications are, 0 to 100.",
    says="How good the clarifications of a reply are, to people.",
    better="higher",
    range=(0.0, 100.0),
    mean="quality",
    scale=100.0,
)
HUMAN_RESTRAINT = Metric(
    name="human_restraint",
    formula="People who say that no clarification was unneeded ÷ people, on questions that are not confusing to "
    "people.",
    says="How often a reply holds back where nothing needs clearing up, to people.",
    better="higher",
    mean="needed_only",
    of=PLAIN,
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
