"""What the report of `explain` shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from counterfoil.errors import UserError
from counterfoil.explain.judging.sentences import judge_sentences
from counterfoil.explain.metrics import (
    ACCURACY,
    DISCERNMENT,
    JUDGE_F1,
    JUDGE_PRECISION,
    JUDGE_RECALL,
    MENTIONS,
    SCORE_CONFUSION_INDEX,
    SCORE_THRESHOLD,
)
from counterfoil.explain.prompts import VARIANTS
from counterfoil.explain.questions import Question
from counterfoil.explain.reading import mention_spans
from counterfoil.explain.scoring import CONFUSING_AT, label_all
from counterfoil.figures.numbers import dot, overall
from counterfoil.figures.plots import Axis, Counts, Dot, Dots, Histogram, Lines, Plot
from counterfoil.figures.sentences import extremes, sides
from counterfoil.running.asked import questions_of
from counterfoil.running.folder import RECORDS, Run
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.suite import Dataset

LABELLINGS = {SCORE_THRESHOLD.name: "threshold", SCORE_CONFUSION_INDEX.name: "confusion index"}
# Steps of the plausibility, and of the confusion scores, from 0 to 100.
STEP = 10
LAST_STEP = 100 // STEP - 1
BINS = 20
# The groups of what judges say of right replies: of several, each has its own.
_BY_JUDGE = {"replies", "judge"}
# Words of a long reply: intervals of lengths are made on a scale that ends there, or at the longest reply.
LONG_REPLY = 100


def plots(run: Run) -> list[Plot]:
    """Scores, discernment, mentions and lengths by model and prompt, how confusing the questions are, what
    plausibility does.
    """
    estimates = in_order(run)
    found = [_scores(estimates), _discernment(estimates), _judged(estimates), _mentions(estimates), _lengths(run)]
    found.append(_judge_confusion(run))
    dataset = _dataset(run)
    if dataset is not None:
        found += [_confusion_index(dataset), _mention_rate(run, dataset)]
    return [plot for plot in found if plot is not None]


def in_order(run: Run, estimates: Sequence[Estimate] | None = None) -> list[Estimate]:
    """The run's estimates, or these, with the prompts in the order of the CFE study, from plain answering to always
    clearing up; others stand behind, in the order in which they were asked.
    """
    order = list(dict.fromkeys([*VARIANTS, *(str(row["variant"]) for row in run.outcomes)]))
    places = {variant: place for place, variant in enumerate(order)}
    return sorted(
        run.estimates if estimates is None else estimates, key=lambda one: places.get(one.variant, len(places))
    )


def of_right(estimates: Iterable[Estimate], metric: str) -> list[Estimate]:
    """The metric over replies whose answer is right, as the CFE study has it."""
    return [one for one in estimates if one.metric == metric and one.group == {"replies": "correct"}]


def headline(run: Run) -> list[str]:
    """How well right replies clear things up, and whether only where it is needed; how many are right; what could not
    be shown.
    """
    estimates = in_order(run)
    sentences = [
        *extremes("The score of right replies (by threshold; 1 is best)", of_right(estimates, SCORE_THRESHOLD.name)),
        *extremes("The share of right answers", overall(estimates, ACCURACY.name)),
        *sides(
            f"{DISCERNMENT.name} in right replies",
            of_right(estimates, DISCERNMENT.name),
            "something is cleared up more often where there is confusion",
            "it is cleared up more often where there is none",
        ),
        *extremes("Discernment in right replies", of_right(estimates, DISCERNMENT.name)),
        *extremes("The judge's F1 of right replies", of_right(estimates, JUDGE_F1.name)),
        *judge_sentences(estimates, _confusing_at(run)),
    ]
    if _dataset(run) is None:
        name = run.manifest["data"]["name"]
        sentences.append(
            f"Plausibility against mention rate is not shown: the dataset {name} is not where it was, or has changed."
        )
    return sentences


def marks(record: Mapping[str, Any], shown: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """Where the reply mentions the candidates that count, and where it has the right answer's words."""
    reply = record.get("reply") or ""
    names = [name for name in record.get("mentioned") or [] if name]
    gold = shown.get("right answer", "")
    mentions = mention_spans(reply, names, gold=gold, question=shown.get("question", ""))
    spans = [(start, end, "mention") for start, end, _ in mentions]
    # What somebody else found may be spelled so that the rules don't find it: then its bare words are marked.
    missed = [name for name in names if name not in {found for *_, found in mentions}]
    for found in [*(span for name in missed for span in _bare(reply, name, "mention")), *_bare(reply, gold, "answer")]:
        if all(found[1] <= start or end <= found[0] for start, end, _ in spans):
            spans.append(found)
    return sorted(spans)


def _bare(reply: str, words: str, kind: str) -> list[tuple[int, int, str]]:
    """Wherever these words stand, not within longer ones; Korean particles may follow."""
    if not words:
        return []
    pattern = re.compile(rf"(?<![0-9A-Za-z]){re.escape(words)}(?![0-9A-Za-z])", re.IGNORECASE)
    return [(*found.span(), kind) for found in pattern.finditer(reply)]


def _dataset(run: Run) -> Dataset[Question] | None:
    """The questions of the run, where they are still what they were."""
    try:
        return questions_of(run)
    except UserError:
        return None


def _scores(estimates: Sequence[Estimate]) -> Plot | None:
    by_label = {label: of_right(estimates, metric) for metric, label in LABELLINGS.items()}
    return _dots(
        [
            _dot(estimate, estimate.variant, f"labels by {label}")
            for label, some in by_label.items()
            for estimate in some
        ],
        title="Score by model and prompt",
        description="The mean score of replies whose answer is right, with its interval, under both ways to say "
        "which questions are confusing. 1: every plausible confusion is cleared up where there is one, and nothing is "
        "brought up where there is none.",
        x=Axis("score", 0.0, 1.0),
    )


def _discernment(estimates: Sequence[Estimate]) -> Plot | None:
    return _dots(
        [_dot(estimate, estimate.variant) for estimate in of_right(estimates, DISCERNMENT.name)],
        title="Discernment by model and prompt",
        description="How much more often a right reply clears something up on confusing questions (by threshold) than "
        "on plain ones. At 0 it does not tell them apart.",
        x=Axis(DISCERNMENT.name),
        reference=0.0,
    )


def _judged(estimates: Sequence[Estimate]) -> Plot | None:
    names = {JUDGE_PRECISION.name: "precision", JUDGE_RECALL.name: "recall", JUDGE_F1.name: "F1"}
    of_judges = [one for one in estimates if one.group.get("replies") == "correct" and set(one.group) <= _BY_JUDGE]
    return _dots(
        [
            _dot(one, one.variant, f"{what}, {one.group['judge']}" if "judge" in one.group else what)
            for metric, what in names.items()
            for one in of_judges
            if one.metric == metric
        ],
        title="Precision, recall and F1 by the judge",
        description="How much of what a right reply clears up should be cleared up, to the judge; how much of what "
        "should be cleared up it does clear up; and both in one. On questions that are confusing to the judge.",
        x=Axis("share", 0.0, 1.0),
    )


def _mentions(estimates: Sequence[Estimate]) -> Plot | None:
    return _dots(
        [_dot(estimate, estimate.variant) for estimate in overall(estimates, MENTIONS.name)],
        title="Mentions by model and prompt",
        description="How many candidates a reply mentions.",
        x=Axis("candidates mentioned in a reply", 0.0),
    )


def _lengths(run: Run) -> Plot | None:
    """How long replies are, in words."""
    import polars as pl

    from counterfoil.stats.metric import Metric
    from counterfoil.stats.summary import summarize

    length = Metric(name="words", formula="", says="", mean="words", range=(0.0, float("inf")), most=LONG_REPLY)
    words = pl.col("reply").str.count_matches(r"\S+")
    columns = pl.scan_parquet(run.folder / RECORDS).filter(pl.col("outcome") == "answered")
    frame = columns.select("model", "variant", "cluster", item="question_id", left_out=False, words=words).collect()
    found = summarize([length], {length.of: frame}) if frame.height else []
    return _dots(
        [_dot(estimate, estimate.variant) for estimate in in_order(run, found)],
        title="Length of replies by model and prompt",
        description="How many words a reply has, what stands between spaces counting as one.",
        x=Axis("words in a reply", 0.0),
    )


def _dots(rows: Sequence[Dot], **words: Any) -> Plot | None:
    return Dots(rows=tuple(rows), label_name="prompt", series_name="model", **words) if rows else None


def _dot(estimate: Estimate, label: str, group: str = "") -> Dot:
    """As a row; what it says of right replies is of the records that are `correct`, whoever judged them."""
    made = dot(label, estimate.model, estimate, group)
    of = {name: value for name, value in made.of if name not in _BY_JUDGE}
    right = {"correct": "true"} if estimate.group.get("replies") == "correct" else {}
    return msgspec.structs.replace(made, of=tuple({**of, **right}.items()))


def _judge_confusion(run: Run) -> Plot | None:
    """The judges' confusion scores, each question once for each judge."""
    import polars as pl

    frame = pl.scan_parquet(run.folder / RECORDS).select("question_id", "judges", "judge_confusion")
    scores = (
        frame.drop_nulls()
        .explode("judges", "judge_confusion")
        .drop_nulls()
        .unique(["judges", "question_id"], maintain_order=True)
        .collect()
    )
    at = _confusing_at(run)
    series = [
        Counts(str(judge), _counts(some["judge_confusion"].to_list(), 100.0, at))
        for (judge,), some in scores.group_by("judges", maintain_order=True)
    ]
    if not series:
        return None
    return Histogram(
        title="Confusion scores of the questions",
        description="How confusing each question is to each judge, from 0 to 100. Right of the line it counts as "
        "confusing.",
        x="confusion score",
        y="questions",
        edges=tuple(i * 100 / BINS for i in range(BINS + 1)),
        series=tuple(series),
        series_name="judge",
        threshold=at,
        threshold_label=f"confusing above {at:g}",
    )


def _confusing_at(run: Run) -> float:
    return float(run.manifest["options"].get("confusing_at", CONFUSING_AT))


def _confusion_index(dataset: Dataset[Question]) -> Plot | None:
    facts = label_all({question.id: list(question.candidates.values()) for question in dataset})
    values = [labels.ci for labels in facts.labels.values()]
    if not values:
        return None
    return Histogram(
        title="Confusion index of the questions",
        description="The algorithm's confusion index of every question of the dataset. Right of the line, which is the "
        "mean, a question counts as confusing by the index.",
        x="confusion index",
        y="questions",
        edges=tuple(i / BINS for i in range(BINS + 1)),
        series=(Counts("", _counts(values, 1.0, facts.mean_index)),),
        threshold=facts.mean_index,
        threshold_label=f"mean {facts.mean_index:.3f}",
    )


def _counts(values: Sequence[float], most: float, threshold: float) -> tuple[int, ...]:
    """How many are in each of the bins; the highest value is in the last one. What is just as high as the threshold is
    not above it, and stands left of its line.
    """
    counts = [0] * BINS
    for value in values:
        place = int(value / most * BINS)
        on_the_line = value == threshold == place * most / BINS
        counts[max(0, min(BINS - 1, place - on_the_line))] += 1
    return tuple(counts)


def _mention_rate(run: Run, dataset: Dataset[Question]) -> Plot | None:
    """Every candidate of every reply is mentioned or not; by steps of its plausibility, clustered by question."""
    import polars as pl

    from counterfoil.stats import proportions

    records = pl.scan_parquet(run.folder / RECORDS)
    columns = records.select("model", "variant", "question_id", "cluster", "mentioned", "outcome")
    answered = columns.filter(pl.col("mentioned").is_not_null(), pl.col("outcome") == "answered").drop("outcome")
    steps = [
        (question.id, name, min(int(plausibility // STEP), LAST_STEP))
        for question in dataset
        for name, plausibility in question.candidates.items()
    ]
    schema = {"question_id": pl.String, "candidate": pl.String, "step": pl.Int64}
    candidates = pl.DataFrame(steps, schema=schema, orient="row")
    frame = answered.join(candidates.lazy(), on="question_id").collect()
    frame = frame.with_columns(said=pl.col("mentioned").list.contains(pl.col("candidate")))
    by = "variant" if frame["variant"].n_unique() > 1 else "model"
    frame = frame.with_columns(model=pl.col(by), variant=pl.lit(""))
    found = proportions(frame, "said", metric="mention_rate", by=["step"])
    if not found:
        return None
    found.sort(key=lambda estimate: int(estimate.group["step"]))
    rows = [_dot(estimate, _range(int(estimate.group["step"]))) for estimate in found]
    what = "prompt, over all models" if by == "variant" else "model"
    return Lines(
        title=f"Plausibility against mention rate, by {what}",
        description="How often a candidate is mentioned, by its plausibility. A line that rises: the more plausible "
        "candidates are the ones that are cleared up.",
        x="plausibility",
        y=Axis("share mentioned", 0.0, None),
        rows=tuple(rows),
        series_name="prompt" if by == "variant" else "model",
    )


def _range(step: int) -> str:
    return f"{step * STEP}–{100 if step == LAST_STEP else step * STEP + STEP - 1}"
