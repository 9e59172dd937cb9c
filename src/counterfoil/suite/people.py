"""What people say of replies, and how far they agree: the `human_*` metrics of every suite.

A rating study puts them into the summary of a run. A suite with a form of its own adds its own.
"""

from __future__ import annotations

from counterfoil.stats.metric import Metric

AGREEMENT = Metric(name="", formula="", says="", better="higher", range=(-1.0, 1.0), agreement=True)
HUMAN_READING = Metric(
    name="human_reading",
    formula="People who read the same answer in a reply as the rules did ÷ people who rated it; by whether the rules "
    "read an answer or none.",
    says="How far the rules read replies as people do.",
    better="higher",
    mean="same",
    groups=((), ("reading",)),
)
HUMAN_READING_KAPPA = AGREEMENT.changed(
    name="human_reading_kappa",
    formula="Cohen's kappa of the answers read by the rules and by most people, over replies.",
    says="How far the rules and most people read the same answers, beyond chance.",
)
HUMAN_ALPHA = AGREEMENT.changed(
    name="human_alpha",
    formula="Krippendorff's alpha of people's ratings, for each question of the form.",
    says="How far people agree with each other.",
)
HUMAN_KAPPA = AGREEMENT.changed(
    name="human_kappa",
    formula="Cohen's kappa of two raters; of scores: of whether they are above 50.",
    says="How far two raters agree.",
)
HUMAN_SPEARMAN = AGREEMENT.changed(
    name="human_spearman",
    formula="Spearman's rank correlation of two raters' scores.",
    says="How far two raters put replies into the same order.",
)
HUMAN_PAIR_ALPHA = AGREEMENT.changed(
    name="human_pair_alpha",
    formula="Krippendorff's alpha of pairs: of two people on the same reply, or of a judge and a person.",
    says="How far two people agree, and how far a judge and a person do, on the same replies.",
)
HUMAN_JUDGE_GAP = AGREEMENT.changed(
    name="human_judge_gap",
    formula="human_pair_alpha of judge and person − that of two people, on the same replies. From 0 up, the judge "
    "agrees with a person as well as another person does.",
    says="Whether a judge can stand in for a person.",
    range=(-2.0, 2.0),
)

JUDGE_BIAS = Metric(
    name="judge_bias",
    formula="The slope of a judge's error (what it says − what people say, as shares) over a factor: doublings of the "
    "reply's length; the place of its first alternative, from 0 to 1; its maker being the judge's; its script being "
    "another than most. Least squares, all but the length adjusted for it.",
    says="Whether a judge favours replies for what they are like.",
    better="zero",
    range=(float("-inf"), float("inf")),
)

METRICS = (
    *(HUMAN_READING, HUMAN_READING_KAPPA, HUMAN_ALPHA, HUMAN_KAPPA, HUMAN_SPEARMAN),
    *(HUMAN_PAIR_ALPHA, HUMAN_JUDGE_GAP, JUDGE_BIAS),
)
