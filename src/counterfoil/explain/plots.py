"""What the report of `explain` shows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.errors import UserError
from counterfoil.explain.metrics import ACCURACY, DISCERNMENT, JUDGE_F1, SCORE_CONFUSION_INDEX, SCORE_THRESHOLD
from counterfoil.explain.questions import Question
from counterfoil.explain.reading import mention_spans
from counterfoil.explain.scoring import label_all
from counterfoil.figures.numbers import overall
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


def plots(run: Run) -> list[Plot]:
    """Scores and discernment by model and prompt, how confusing the questions are, what plausibility does."""
    found = [_scores(run.estimates), _discernment(run.estimates), _judge_confusion(run)]
    dataset = _dataset(run)
    if dataset is not None:
        found += [_confusion_index(dataset), _mention_rate(run, dataset)]
    return [plot for plot in found if plot is not None]


def headline(run: Run) -> list[str]:
    """How well, and whether only where it is needed; what could not be shown."""
    estimates = run.estimates
    sentences = [
        *extremes("The score (by threshold; 1 is best)", overall(estimates, SCORE_THRESHOLD.name)),
        *sides(
            DISCERNMENT.name,
            overall(estimates, DISCERNMENT.name),
            "something is cleared up more often where there is confusion",
            "more often where there is none",
        ),
        *extremes("Discernment", overall(estimates, DISCERNMENT.name)),
        *extremes("The share of right answers", overall(estimates, ACCURACY.name)),
        *extremes("The judge's F1", overall(estimates, JUDGE_F1.name)),
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
    by_label = {label: overall(estimates, metric) for metric, label in LABELLINGS.items()}
    return _dots(
        [
            _dot(estimate, estimate.variant, f"labels by {label}")
            for label, some in by_label.items()
            for estimate in some
        ],
        title="Score by model and prompt",
        description="The mean score with its interval, under both ways to say which questions are confusing. 1: every "
        "plausible confusion is cleared up where there is one, and nothing is brought up where there is none.",
        x=Axis("score", 0.0, 1.0),
    )


def _discernment(estimates: Sequence[Estimate]) -> Plot | None:
    return _dots(
        [_dot(estimate, estimate.variant) for estimate in overall(estimates, DISCERNMENT.name)],
        title="Discernment by model and prompt",
        description="How much more often a reply clears something up on confusing questions (by threshold) than on "
        "plain ones. At 0 it does not tell them apart.",
        x=Axis(DISCERNMENT.name),
        reference=0.0,
    )


def _dots(rows: Sequence[Dot], **words: Any) -> Plot | None:
    return Dots(rows=tuple(rows), label_name="prompt", series_name="model", **words) if rows else None


def _dot(estimate: Estimate, label: str, group: str = "") -> Dot:
    return Dot(label, estimate.model, estimate.value, estimate.low, estimate.high, estimate.note or "", group)


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
    series = [
        Counts(str(judge), _counts(some["judge_confusion"].to_list(), 100.0))
        for (judge,), some in scores.group_by("judges", maintain_order=True)
    ]
    if not series:
        return None
    at = float(run.manifest["options"].get("confusing_at", 50.0))
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
        series=(Counts("", _counts(values, 1.0)),),
        threshold=facts.mean_index,
        threshold_label=f"mean {facts.mean_index:.3f}",
    )


def _counts(values: Sequence[float], most: float) -> tuple[int, ...]:
    """How many are in each of the bins; the highest value is in the last one."""
    counts = [0] * BINS
    for value in values:
        counts[max(0, min(BINS - 1, int(value / most * BINS)))] += 1
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
