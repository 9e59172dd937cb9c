"""What a run says in sentences, the same in the terminal and in the report: what its figures do not speak of, and the
main result.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from counterfoil.figures.numbers import listed, plural, replies_to, with_interval
from counterfoil.figures.population import population_sentence, shares_asked
from counterfoil.report.cut_off import advice, cut_off_sentences
from counterfoil.report.decided import decided_sentences
from counterfoil.report.readings import not_reread, weak_sentences
from counterfoil.running.folder import RECORDS, Run, readable
from counterfoil.suite.habits import habit_sentences
from counterfoil.suite.outcome import BROKEN, LEFT_OUT, UNREAD
from counterfoil.suite.suite import AnySuite

# Where a suite has no sentences of its own, so many of its first figures are told.
FIGURES = 6
# So many sentences of the main result stand below the table; the others are folded away.
PROSE = 5
# Of what was left out, so many are named.
NAMED = 3
FAILURES = "judge_failures"


def headline_of(run: Run, suite: AnySuite) -> list[str]:
    """What --until has decided; habits that explain the replies; then the suite's sentences, or the first overall
    estimates where it has none.
    """
    sentences = suite.headline(run) or [
        f"{estimate.model}, {estimate.variant}: {estimate.metric} {with_interval(estimate)}."
        for estimate in [estimate for estimate in run.estimates if not estimate.group][:FIGURES]
    ]
    return [*decided_sentences(run), *habit_sentences(suite.habits, run.estimates), *sentences]


def warnings_of(run: Run) -> list[str]:
    """What the figures do not speak of: it comes before them."""
    silent = [row for row in run.outcomes if not row["answered"] and any(row[name] for name in UNREAD)]
    return [
        *_broken(run),
        *_unread(run, silent),
        *weak_sentences(run),
        *cut_off_sentences(run.manifest, without={row["model"] for row in silent}),
        *_several_models(run),
        *_not_in_the_file(run),
        *_part_of_the_questions(run),
        *_left_out(run),
        *_unjudged(run),
        *not_reread(run),
    ]


def data_sentence(manifest: Mapping[str, Any]) -> str:
    """The dataset, and to how many of its questions there are replies; orders and draws are no questions."""
    data = manifest["data"]
    if "answered" not in data:  # of an older run, which counted each order and draw
        asked = f"{data['asked']:,} of {plural(data['questions'], 'question')}"
        return f"{data['name']}: {asked}, each order and draw counted"
    chosen, questions = data["chosen"], data["questions"]
    counts = [row["answered"] for row in manifest["answered"]] or [0]
    low, high = min(counts), max(counts)
    answered = f"{low:,}" if low == high else f"{low:,} (from one model and prompt) to {high:,} (from another)"
    of = f" that were chosen of {questions:,}" if chosen < questions else ""
    return f"{data['name']}: replies to {answered} of {plural(chosen, 'question')}{of}"


def of_whom(run: Run) -> str:
    """Of whom the run's intervals speak."""
    return population_sentence(run.whole_summary.population, shares_asked(run.manifest))


def ledger_sentences(manifest: Mapping[str, Any]) -> list[str]:
    """How many of the replies were in the ledger before the run, and how old they are."""
    sentences = []
    for sender in senders_of(manifest):
        known, now = sender["in_ledger"], sender["asked"]
        if known:
            oldest = f", the oldest of {sender['oldest'][:10]}" if sender.get("oldest") else ""
            sentences.append(f"{sender['name']}: {known:,} of {known + now:,} replies are from the ledger{oldest}.")
    return sentences


def senders_of(manifest: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Models, judges and the second reader."""
    return [*manifest["models"], *manifest["judges"], *filter(None, [manifest.get("second_reader")])]


def served_as(sender: Mapping[str, Any]) -> str:
    """The names that the server gave its model: with their counts, where there are several."""
    served = sender.get("served") or {}
    return ", ".join(served) if len(served) < 2 else ", ".join(f"{name} ({n:,})" for name, n in served.items())


def _several_models(run: Run) -> Iterator[str]:
    """Names behind which the server had more than one model."""
    for sender in senders_of(run.manifest):
        if len(sender.get("served") or {}) > 1:
            yield f"Not one model answered as {sender['name']}, by the server's own word: {served_as(sender)}."


def _broken(run: Run) -> Iterator[str]:
    """What went wrong in the suite itself."""
    if broken := run.whole_summary.broken:
        first = next((row for row in run.unanswered if row.reason and row.reason.startswith(BROKEN)), None)
        where = f" The first: {first.model}, {first.variant}, {first.question_id}: {first.reason}." if first else ""
        replies = plural(broken, "reply", "replies")
        yield f"The suite's own code failed on {replies}, left out of all figures.{where}"


class _Cause(NamedTuple):
    """Why nothing could be read in replies: in words, how many of them, and what may help."""

    words: str
    number: int
    advice: str


def _unread(run: Run, silent: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Models and variants of whose replies none could be read: why, and what to try."""
    empty = _empty_replies(run) if silent else Counter()
    models = {model["name"]: model for model in run.manifest["models"]}
    for row in silent:
        about = models.get(row["model"])
        total = sum(row[name] for name in UNREAD)
        causes = _causes(row, empty[row["model"], row["variant"]], about)
        present = sorted((cause for cause in causes if cause.number), key=lambda cause: -cause.number)
        counts = ["all" if cause.number == total else f"{cause.number:,}" for cause in present]
        why = listed(f"{count} {cause.words}" for count, cause in zip(counts, present, strict=True))
        replies = "the only reply" if total == 1 else f"any of the {total:,} replies"
        yield f"Nothing could be read in {replies} of {row['model']}, {row['variant']}: {why}. {present[0].advice}"


def _causes(row: Mapping[str, Any], empty: int, about: Mapping[str, Any] | None) -> list[_Cause]:
    """`about` is the manifest's of the model; None where the replies were made elsewhere."""
    truncated = row["truncated"]
    return [
        _Cause("are empty", empty, advice(about, "model", 0) if about else "Look at how they were made."),
        _Cause("were cut off", truncated, advice(about, "model", truncated) if about else "Ask for longer replies."),
        _Cause(
            "were refused",
            row["refused"],
            "The model, or its provider's filter, declines these questions: nothing else is known of it.",
        ),
        _Cause(
            "have a text, but no answer in it that could be found",
            row["out_of_choice"] - empty,
            "Look at some of them among the records of the report: another --variant may suit the model better.",
        ),
    ]


def _empty_replies(run: Run) -> Counter[tuple[str, str]]:
    """How many replies of each model and variant have no text at all."""
    import polars as pl

    path = run.folder / RECORDS
    with readable(path):
        unread = pl.scan_parquet(path).filter(pl.col("outcome") == "out_of_choice")
        without_text = pl.col("reply").fill_null("").str.strip_chars() == ""
        found = unread.filter(without_text).group_by("model", "variant").len().collect()
    return Counter({(model, variant): number for model, variant, number in found.iter_rows()})


def _not_in_the_file(run: Run) -> Iterator[str]:
    """Replies from elsewhere that are not to all questions."""
    manifest = run.manifest
    data = manifest["data"]
    if manifest["models"] or "answered" not in data:
        return
    lacking = [row for row in manifest["answered"] if row["replies"] < data["asks"]]
    for row in lacking:
        counts = replies_to(row["answered"], data["chosen"], row["replies"], data["asks"])
        yield (
            f"There are replies of {row['model']}, {row['variant']}, to {counts} of {data['name']}: its figures speak "
            "for these alone."
        )


def _left_out(run: Run) -> Iterator[str]:
    missing = sum(row[name] for row in run.outcomes for name in LEFT_OUT) - run.whole_summary.decided
    if missing:
        different = dict.fromkeys(
            f"{row.model}, {row.variant}, {row.question_id}: {row.outcome.replace('_', ' ')}"
            + (f", {row.reason}" if row.reason else "")
            for row in run.unanswered
        )
        named = "; ".join(list(different)[:NAMED])
        among = f", among them {named}" if missing > min(len(different), NAMED) else f": {named}"
        ended = ("record failed or was", "is") if missing == 1 else ("records failed or were", "are")
        yield f"{missing:,} {ended[0]} not asked, and {ended[1]} left out{among}."


def _unjudged(run: Run) -> Iterator[str]:
    """How many replies were not judged, why that mostly was, and where the rest is."""
    if not run.unjudged:
        return
    reasons = _judge_failures(run)
    often = f" Most often: {reasons.most_common(1)[0][0]}." if reasons else ""
    where = f" The column {FAILURES} of {RECORDS} says why for each." if reasons else ""
    yield f"{plural(run.unjudged, 'reply', 'replies')} could not be judged, or not in every step.{often}{where}"


def _judge_failures(run: Run) -> Counter[str]:
    import polars as pl

    path = run.folder / RECORDS
    with readable(path):
        records = pl.scan_parquet(path)
        if FAILURES not in records.collect_schema().names():
            return Counter()
        return Counter(records.select(pl.col(FAILURES).explode()).drop_nulls().collect()[FAILURES].to_list())


def _part_of_the_questions(run: Run) -> list[str]:
    """For each model of a run that is not whole a sentence; one for each variant where they differ. Of what is decided
    nothing is missing.
    """
    of_model: dict[str, dict[str, list[str]]] = {}
    for part in run.manifest.get("partial", []):
        if part.get("decided"):
            continue
        of_model.setdefault(part["model"], {}).setdefault(part["sentence"], []).append(part["variant"])
    return [
        (model if len(said) == 1 else f"{model} ({', '.join(variants)})") + f": {sentence}."
        for model, said in of_model.items()
        for sentence, variants in said.items()
    ]
