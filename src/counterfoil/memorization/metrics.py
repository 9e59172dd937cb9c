"""The metrics of `memorization`.

o is 1 where the original was answered right, v̄ the share of its K changed questions that were, c̄ that of a control.
All are means over questions that have all their draws.
"""

from __future__ import annotations

from counterfoil.stats.metric import QUESTION, Groups, Metric
from counterfoil.suite.outcome import OUT_OF_CHOICE as OF_REPLIES

# Gold answers that were computed, and those of files from elsewhere; what a model wrote is shown apart.
TRUSTED = ("verified", "imported")
WRITTEN_BY_A_MODEL = ("unverified", "refuted")
# Level 3 is another skill, and never inside the gap.
GAP_LEVELS = (1, 2)
OTHER_LEVEL = 3
CONTROLS = ("again", "reshuffled", "reoptioned", "renamed", "stand_in")
# The control that stands in for the original, and those that only change the options.
STAND_IN, OF_OPTIONS = "stand_in", ("reshuffled", "reoptioned")
# The original with sentences that do not matter, and changed questions with such; how many sentences there are.
NOISE, NOISE_CHANGED, BOTH_WITH_NOISE = "noise", "noise_changed", "both with noise"
STRENGTHS = (1, 2, 3)
# Items beside the originals with all their draws.
REPLY, LURE, LEVEL, OTHER_SKILL, STATUS, EXCESS = "reply", "lure", "level", "other skill", "status", "excess"
MEMORY = "memory"
BY_TOPIC: Groups = ((), ("topic",))
BY_LEVEL: Groups = (("level",),)
BY_STATUS: Groups = (("status",),)
# A mean over many draws says little about how questions differ (docs/statistics.md).
MOST_PER_CLUSTER = 3.0
NOT_COMPUTED = (
    "the gold answers were written by a model and nothing confirms them: an error rate of e moves it by up to e"
)


def control_of(name: str) -> str:
    """The kind of the originals beside a control of theirs."""
    return f"control {name}"


def draws_of(kind: str) -> str:
    """The kind of the draws behind items of a kind."""
    return f"draws of {kind}"


def answers_of(kind: str) -> str:
    """The kind of the answers in both arms of items of a kind."""
    return f"answers of {kind}"


# A difference of shares, from −1 to 1: 0 is no memory.
GAP = Metric(name="", formula="", says="", better="zero", range=(-1.0, 1.0), mean="gap", tested=True)

ACCURACY_ORIGINAL = Metric(
    name="accuracy_original",
    formula="Originals answered right ÷ originals, o for each; over questions with all their draws, as everything "
    "below. What could not be read is wrong.",
    says="How often the model answers the questions as they were published.",
    better="higher",
    mean="right_original",
    open="right_original",
)
ACCURACY_PERTURBED = Metric(
    name="accuracy_perturbed",
    formula="Mean over questions of v̄, the share of its K changed questions (levels 1 and 2) that were answered "
    "right. Level 3 asks for another unknown and stands apart.",
    says="How often the model answers the same questions with other numbers.",
    better="higher",
    mean="right_perturbed",
    open="right_perturbed",
)
MEMORIZATION_GAP = GAP.changed(
    name="memorization_gap",
    formula="Mean of o − v̄; from −1 to 1.",
    says="How much easier the published questions are to the model than the same with other numbers.",
    headline=True,
    draws=draws_of(QUESTION),
    answers=answers_of(QUESTION),
    open="gap",
)
MEMORIZED_SHARE = Metric(
    name="memorized_share",
    formula="Σ[(o − v̄) + (old − sham)] ÷ Σ[(1 − v̄) + (1 − right + sham)], over questions; old, sham and right are the "
    "shares of a question's lures with that answer, and questions without lures have the first part alone.",
    says="Of the questions that the model cannot do, the share that it answers from memory; behind what it can do, "
    "memory is not seen.",
    better="zero",
    range=(float("-inf"), 1.0),
    headline=True,
    mean="memory",
    over="missed",
    of=MEMORY,
    answers=answers_of(MEMORY),
)
CONTROL_GAP = GAP.changed(
    name="control_gap",
    formula="Mean of o − c̄, c̄ the share of right answers to the original asked again, with its options reshuffled or "
    "computed anew, or with its names changed; for the control stand_in, mean of c̄ − v̄, c̄ over questions that nobody "
    "has seen and that stand in for the original.",
    says="How much of a gap there is where there is nothing to remember: the noise floor of the memorization gap.",
    headline=True,
    draws=draws_of(QUESTION),
    answers=answers_of(QUESTION),
)
EXCESS_GAP = GAP.changed(
    name="excess_gap",
    formula="Mean of reoptioned − perturbed: what changed numbers do, where the originals' options are computed and "
    "ordered as the variants' are. In sets without the control reoptioned: reshuffled − perturbed.",
    says="How much of the gap is due to the numbers, and not to the options.",
    of=EXCESS,
    draws=draws_of(EXCESS),
    answers=answers_of(EXCESS),
    most_per_cluster=MOST_PER_CLUSTER,
)
KEPT_OLD = Metric(
    name="kept_old",
    formula="Replies with the original's answer ÷ replies, where the options are the new answer, the original's and "
    "the sham: the answer of another draw.",
    says="How often the model gives the published answer although the numbers have changed.",
    better="lower",
    mean="old",
    of=LURE,
)
KEPT_OLD_EXCESS = GAP.changed(
    name="kept_old_excess",
    formula="kept_old − the share of replies with the sham, which is as round as the old answer, and in turn above and "
    "below it; 0 for whoever looks at what is printed and nothing else.",
    says="How much more often the model gives the published answer than a wrong one that was never published.",
    headline=True,
    mean="excess",
    of=LURE,
)
ROBUST_ACCURACY = Metric(
    name="robust_accuracy",
    formula="Questions right in the original and in all K draws ÷ questions; at k = 1 the mean of o · v̄, which does "
    "not depend on K.",
    says="How often the model can do a question whatever its numbers are.",
    better="higher",
    mean="robust",
)
MEMORIZATION_SUSPECT = Metric(
    name="memorization_suspect",
    formula="Questions right in the original and wrong in a draw ÷ questions; at k = 1 the mean of o · (1 − v̄).",
    says="How many questions the model may know by heart.",
    mean="suspect",
)
IMPROVED = Metric(
    name="improved",
    formula="Questions wrong in the original and right in a draw ÷ questions; at k = 1 the mean of (1 − o) · v̄.",
    says="How many questions are right only with other numbers: what chance does the other way round.",
    mean="improved",
)
CONSISTENCY = Metric(
    name="consistency",
    formula="1 − memorization_gap ÷ accuracy_original; not defined where no original is right.",
    says="Which share of its accuracy the model keeps when the numbers change.",
    range=(0.0, float("inf")),
    mean="right_perturbed",
    over="paired_original",
)
OUT_OF_CHOICE = OF_REPLIES.changed(of=REPLY, groups=((), *BY_LEVEL))
NOISE_GAP = GAP.changed(
    name="noise_gap",
    formula="Mean of o − n̄, n̄ the share of right answers to the original with one to three sentences that do not "
    "matter; by `strength`, their number; for `numbers` changed, v̄ − n̄ over changed questions and the same with noise.",
    says="How much what does not matter distracts the model.",
    better="zero",
)
GAP_WITH_NOISE = GAP.changed(
    name="gap_with_noise",
    formula="Mean of n̄ − n̄′, n̄ over originals with sentences that do not matter, n̄′ over changed questions with such.",
    says="How much easier the published questions are among noise: beside the gap it says whether noise hides memory.",
)
ACCURACY_NOISE = Metric(
    name="accuracy_noise",
    formula="Mean of the share of right answers with noise, by `numbers`: those of the original, or changed.",
    says="How often the model is right among sentences that do not matter.",
    better="higher",
    mean="right",
)
PLACEBO_BAND = Metric(
    name="placebo_band",
    formula="From the lowest to the highest value of `figure` that responders without memory show on the questions "
    "asked: each solves a share of them and answers the others by a rule on what is printed, or with an error, and is "
    "right in as many changed questions as the model.",
    says="What a figure can be without any memory: only what lies above it speaks of memory.",
    range=(-1.0, 1.0),
)
# Counted in results from elsewhere: what makes the figures wrong that they report.
UNPAIRED = Metric(
    name="unpaired",
    formula="Questions without a valid variant ÷ questions: they are in one side of the reported gap only.",
    says="How many questions make the reported gap one of different questions.",
    better="lower",
)
ROBUST_WITHOUT_VARIANT = Metric(
    name="robust_without_variant",
    formula="Questions without a valid variant that are reported as robust ÷ questions.",
    says="How many questions are reported as robust although nothing was changed in them.",
    better="lower",
)
UNCHANGED_VARIANTS = Metric(
    name="unchanged_variants",
    formula="Valid variants that list no change ÷ valid variants.",
    says="How many variants are the original once more.",
    better="lower",
)
UNREAD_ANSWERS = Metric(
    name="unread_answers",
    formula="Answers that could not be read ÷ answers.",
    says="How many answers count as wrong because nothing could be read.",
    better="lower",
)
VARIANTS_WITHOUT_DIGITS = Metric(
    name="variants_without_digits",
    formula="Valid variants of questions without a digit ÷ valid variants.",
    says="How many variants are of questions that have no number to change.",
    better="lower",
)

RIGHT_LETTER_KEPT = Metric(
    name="right_letter_kept",
    formula="Variants answered right ÷ valid variants whose right letter is the original's.",
    says="How often a variant is right where keeping the letter is enough.",
    better="higher",
)
RIGHT_LETTER_MOVED = Metric(
    name="right_letter_moved",
    formula="Variants answered right ÷ valid variants whose right letter is not the original's.",
    says="How often a variant is right where the letter has to change: wrong gold answers show here, too.",
    better="higher",
)
MARKED_OTHERWISE = Metric(
    name="marked_otherwise",
    formula="Solutions that are read as right and marked as wrong, or the other way ÷ solutions.",
    says="How often a published mark and what is read in the solution differ.",
    better="lower",
)

ROBUST = (ROBUST_ACCURACY, MEMORIZATION_SUSPECT, IMPROVED)
ROBUST_AT_1 = [metric.changed(mean=f"{metric.mean}_1", label=(("k", 1),)) for metric in ROBUST]
OF_QUESTIONS = tuple(
    metric.changed(groups=BY_TOPIC)
    for metric in (ACCURACY_ORIGINAL, ACCURACY_PERTURBED, MEMORIZATION_GAP, *ROBUST, *ROBUST_AT_1, CONSISTENCY)
)
OF_MEMORY = MEMORIZED_SHARE.changed(groups=BY_TOPIC)


def _of(kind: str, metric: Metric, groups: Groups) -> Metric:
    """The metric over items of another kind, with their draws and answers where it has such."""
    draws, answers = metric.draws and draws_of(kind), metric.answers and answers_of(kind)
    return metric.changed(of=kind, draws=draws, answers=answers, groups=groups)


OF_LEVELS = tuple(_of(LEVEL, metric, BY_LEVEL) for metric in OF_QUESTIONS)
OF_OTHER_LEVEL = ACCURACY_PERTURBED.changed(of=OTHER_SKILL, groups=BY_LEVEL)
OF_STATUSES = tuple(
    _of(STATUS, metric, BY_STATUS).changed(note=NOT_COMPUTED) for metric in (ACCURACY_PERTURBED, MEMORIZATION_GAP)
)
OF_CONTROLS = (
    *(_of(control_of(name), CONTROL_GAP, ((),)).changed(label=(("control", name),)) for name in CONTROLS),
    EXCESS_GAP,
)
OF_NOISE = (
    NOISE_GAP.changed(of=NOISE),
    *(NOISE_GAP.changed(of=f"{NOISE} {strength}", label=(("strength", strength),)) for strength in STRENGTHS),
    NOISE_GAP.changed(of=NOISE_CHANGED, label=(("numbers", "changed"),)),
    GAP_WITH_NOISE.changed(of=BOTH_WITH_NOISE),
    ACCURACY_NOISE.changed(of=NOISE, label=(("numbers", "original"),)),
    ACCURACY_NOISE.changed(of=NOISE_CHANGED, label=(("numbers", "changed"),)),
)
OF_LURES = tuple(metric.changed(groups=BY_TOPIC) for metric in (KEPT_OLD, KEPT_OLD_EXCESS))
FINDINGS = (
    *(UNPAIRED, ROBUST_WITHOUT_VARIANT, UNCHANGED_VARIANTS, UNREAD_ANSWERS, VARIANTS_WITHOUT_DIGITS),
    *(RIGHT_LETTER_KEPT, RIGHT_LETTER_MOVED, MARKED_OTHERWISE, PLACEBO_BAND),
)
# Sides may have different draws, as files from elsewhere do. A question that one of them lacks tells nothing.
METRICS = tuple(
    metric.changed(on_both=True)
    for metric in (
        *(*OF_QUESTIONS, OF_MEMORY, *OF_LEVELS, OF_OTHER_LEVEL),
        *(OUT_OF_CHOICE, *OF_STATUSES, *OF_CONTROLS, *OF_NOISE, *OF_LURES, *FINDINGS),
    )
)
