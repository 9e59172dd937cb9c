"""The end of a run: join the records, estimate, write the run folder."""

from __future__ import annotations

import hashlib
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from counterfoil import __version__
from counterfoil.asking.models.base import ModelSpec
from counterfoil.figures.numbers import replies_to
from counterfoil.figures.population import is_drawn, of_these, shares_of
from counterfoil.files import write_json
from counterfoil.judging.second_reader import described_prompts
from counterfoil.running.askers import Askers, RunAsker
from counterfoil.running.folder import (
    MANIFEST,
    OWN,
    RECORDS,
    SUMMARY,
    Run,
    Summary,
    Unanswered,
    staging,
    take_place,
)
from counterfoil.running.looks import DECIDED
from counterfoil.running.looks.ending import estimates_of, forget_looks, in_force, until_of
from counterfoil.running.plan import Plan
from counterfoil.running.records import Answered, Parts, read_answered, read_left_out, read_scores
from counterfoil.running.request import RunRequest
from counterfoil.running.rows import Counts
from counterfoil.running.sampling import distinct
from counterfoil.stats.estimate import ALL, THESE, Estimate
from counterfoil.stats.variance.explained import Explained, of_questions_alone
from counterfoil.suite.habits import all_estimates
from counterfoil.suite.outcome import LEFT_OUT, OUTCOMES, Outcome

if TYPE_CHECKING:
    import polars as pl

PACKAGES = ("aiohttp", "inspect_ai", "msgspec", "numpy", "polars", "ray", "torch", "transformers", "xllamacpp")


class Asked(NamedTuple):
    """The round of fresh asks, where it is one, and when the oldest reply came that was in the ledger, by model."""

    round: str | None
    oldest: Mapping[str, float]


def manifest(
    plan: Plan,
    askers: Askers[Any],
    outcomes: Mapping[tuple[str, str, Outcome], int],
    started_at: datetime,
    stopped: Mapping[str, str],
    answered: Sequence[Answered],
    asked: Asked,
    counts: Sequence[Counts],
) -> dict[str, Any]:
    """The content of manifest.json. It holds no keys, and not the path of the ledger. `stopped`: why models were not
    asked on, where that is not the model's doing.
    """
    request = plan.request
    totals: Counter[Outcome] = Counter()
    for (*_, outcome), number in outcomes.items():
        totals[outcome] += number
    return {
        "suite": plan.suite.name,
        "suite_at": plan.suite.place,
        "options": {
            "limit": request.limit,
            **({"population": THESE} if request.population == THESE else {}),
            "repeats": request.repeats,
            "prompts_are": request.prompts_are,
            "max_cost": request.max_cost,
            "max_tokens_total": request.max_tokens_total,
            **({"encoding": request.encoding} if request.encoding else {}),
            **request.settings,
        },
        "seed": request.seed,
        "data": {
            "name": plan.dataset.name,
            "given": request.data,
            "sha256": plan.dataset.sha256,
            "questions": distinct(plan.dataset_units),
            "chosen": distinct(plan.units),
            # In all their orders and draws.
            "asks": len(plan.units),
            "asked": answered[0].asked,
            "answered": answered[0].answered,
            **getattr(plan.dataset, "about", {}),
            **plan.inputs.described(),
        },
        "answered": answered[1:],
        "variants": [{"name": variant.name, "sha256": variant.sha256} for variant in plan.variants],
        "models": [_about(*pair, stopped, asked.oldest) for pair in zip(request.models, askers.models, strict=True)],
        "judges": [_about(*pair, {}, asked.oldest) for pair in zip(request.judges, askers.judges, strict=True)],
        **_judge_prompts(plan),
        "second_reader": _second_reader(askers, asked, counts),
        "cost": {
            "models": _total_cost(askers.models),
            "judges": _total_cost(askers.judges),
            **({"second_reader": _total_cost(askers.second_reader)} if askers.second_reader else {}),
        },
        "outcomes": {outcome: totals[outcome] for outcome in OUTCOMES},
        "asked_by": _asked_by(request),
        "fresh": asked.round,
        "stopped": askers.halt.reason,
        "started_at": started_at.isoformat(timespec="seconds"),
        "finished_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": _versions(),
    }


def _second_reader(askers: Askers[Any], asked: Asked, counts: Sequence[Counts]) -> dict[str, Any] | None:
    """The second reader, how many replies it was to read and has read, and its prompts; None where there is none."""
    request = askers.plan.request
    if not request.second_reader:
        return None
    [spec], [asker] = request.second_reader, askers.second_reader
    return {
        **_about(spec, asker, {}, asked.oldest),
        "sample": request.second_reader_sample,
        "read": sum(bool(one.same) for of_model in counts for one in of_model.reread),
        "differ": sum(not all(one.same.values()) for of_model in counts for one in of_model.reread),
        "not_read": sum(of_model.not_reread for of_model in counts),
        "prompts": described_prompts(),
    }


def _judge_prompts(plan: Plan) -> dict[str, Any]:
    """The hashes of what judges were told in each step."""
    if not plan.judges or not plan.suite.judge_prompts:
        return {}
    hashes = {step: hashlib.sha256(text.encode()).hexdigest() for step, text in plan.suite.judge_prompts.items()}
    return {"judge_prompts": hashes}


def _asked_by(request: RunRequest) -> dict[str, Any]:
    """How asks went to the models: one by one, in batches at half the price, or by a cluster."""
    if request.batch:
        return {"way": "batch"}
    if request.cluster is not None:
        return {"way": "ray", "workers": request.cluster.workers, "worker_cores": request.cluster.worker_cores}
    return {"way": "local"}


def _about(spec: ModelSpec, asker: RunAsker, stopped: Mapping[str, str], oldest: Mapping[str, float]) -> dict[str, Any]:
    found_at = oldest.get(spec.name) if asker.account.tally.in_ledger else None
    return {
        **{name: value for name, value in msgspec.structs.asdict(spec).items() if name != "dry"},
        "adjustments": asker.adjustments,
        "stopped": asker.stopped or stopped.get(spec.name),
        **msgspec.to_builtins(asker.account.tally),
        # When the oldest of the replies came that were in the ledger.
        "oldest": None if found_at is None else datetime.fromtimestamp(found_at, UTC).isoformat(timespec="seconds"),
    }


def _total_cost(askers: Sequence[RunAsker]) -> float | None:
    """None where one of the prices is not known."""
    costs = [asker.account.tally.cost for asker in askers]
    return None if None in costs else sum(cost for cost in costs if cost is not None)


def _versions() -> dict[str, str]:
    loaded = {name: sys.modules[name] for name in PACKAGES if name in sys.modules}
    return {
        "counterfoil": __version__,
        "python": platform.python_version(),
        **{name: str(getattr(module, "__version__", "")) for name, module in loaded.items()},
    }


UNANSWERED_NAMED = 20
SEVERAL = 2


def finish(
    plan: Plan,
    parts: Parts,
    counts: Sequence[Counts],
    askers: Askers[Any],
    started_at: datetime,
    asked: Asked,
) -> Run:
    """Write records, summary, manifest and what the suite has beside them; then put all of it in the place of an
    earlier run. Until then that run stays whole.
    """
    folder = plan.request.out
    outcomes: Counter[tuple[str, str, Outcome]] = Counter()
    stopped: dict[str, str] = {}
    for of_model in counts:
        outcomes.update(of_model.outcomes)
        stopped |= of_model.stopped
    with staging(folder) as staged:
        id = f"{plan.request.letters}-{_digest(parts)}"
        parts.join(staged / RECORDS, id)
        answered = _answered(plan, staged / RECORDS, outcomes)
        partial = parts_of(counts, askers, answered, distinct(plan.units))
        summary = _summary(plan, staged / RECORDS, outcomes, counts, answered)
        note(summary.estimates, partial)
        summary.id = id
        write_json(staged / SUMMARY, summary)
        content = {"id": id, **manifest(plan, askers, outcomes, started_at, stopped, answered, asked, counts)}
        content["partial"] = msgspec.to_builtins(partial)
        content |= until_of(plan, counts, askers)
        write_json(staged / MANIFEST, content)
        plan.suite.finished(Run(staged), plan.facts)
        files = sorted(path.name for path in staged.iterdir() if path.is_file() and path.name not in OWN)
        if files:
            write_json(staged / MANIFEST, content | {"files": files})
        take_place(staged, folder)
    forget_looks(folder)
    return Run(folder)


def _digest(parts: Parts) -> str:
    """The same for equal records of one version; another wherever a summary could be another."""
    return hashlib.sha256(f"{__version__} {parts.digest()}".encode()).hexdigest()[:16]


def _answered(plan: Plan, records: Path, outcomes: Mapping[tuple[str, str, Outcome], int]) -> list[Answered]:
    """What has a reply: of all, then of each model and variant. Records are read only where some may be missing."""
    if plan.request.context.format is None and not any(outcome in LEFT_OUT for *_, outcome in outcomes):
        chosen = distinct(plan.units)
        pairs = dict.fromkeys((model, variant) for model, variant, _ in outcomes)
        return [Answered(*pair, chosen, chosen, len(plan.units)) for pair in ((None, None), *pairs)]
    return read_answered(records, plan.suite.unit_column, plan.suite.identity)


def _partial_notes(plan: Plan, answered: Sequence[Answered]) -> dict[tuple[str, str], str]:
    """For each model and variant whose replies from elsewhere are not to all questions: to how many they are."""
    if plan.request.context.format is None:
        return {}
    questions, replies = distinct(plan.units), len(plan.units)
    return {
        (row.model or ALL, row.variant or ALL): "replies to "
        + replies_to(row.answered, questions, row.replies, replies)
        for row in answered
        if row.replies < replies
    }


def _summary(
    plan: Plan,
    records: Path,
    outcomes: Counter[tuple[str, str, Outcome]],
    counts: Sequence[Counts],
    answered: Sequence[Answered],
) -> Summary:
    asked = [(model.name, variant.name) for model in plan.models for variant in plan.variants]
    found = [(model, variant) for model, variant, _ in outcomes]
    unanswered: list[Unanswered] = []
    if any(outcome in LEFT_OUT for *_, outcome in outcomes):
        unanswered = [Unanswered(**row) for row in read_left_out(records, UNANSWERED_NAMED)]
    scores = read_scores(records, plan.suite.categorical)
    estimates = estimates_of(plan, lambda: all_estimates(plan.suite, scores, plan.facts))
    reread = [one for of_model in counts for one in of_model.reread]
    if reread:
        from counterfoil.running.second_reader.figures import second_figures

        estimates += second_figures(plan.suite, reread)
    notes = _partial_notes(plan, answered)
    for estimate in estimates:
        partial = notes.get((estimate.model, estimate.variant))
        estimate.note = "; ".join(filter(None, (estimate.note, partial))) or None
    if plan.request.population == THESE:
        drawn = {model.name: is_drawn(model.params) for model in plan.request.models}
        replied = [(str(row.model), row.answered) for row in answered[1:]]
        shares = shares_of(drawn, replied, answered[0].answered, distinct(plan.dataset_units))
        estimates = of_these(estimates, shares)
    return Summary(
        suite=plan.suite.name,
        population=plan.request.population,
        estimates=estimates,
        outcomes=[
            {"model": model, "variant": variant} | {name: outcomes[model, variant, name] for name in OUTCOMES}
            for model, variant in dict.fromkeys([*asked, *found])
        ],
        readings=_readings(counts),
        unanswered=unanswered,
        unjudged=sum(of_model.unjudged for of_model in counts),
        not_reread=sum(of_model.not_reread for of_model in counts),
        broken=sum(of_model.broken.total() for of_model in counts),
        decided=sum(of_model.decided.total() for of_model in counts),
        variance=_variance(plan, scores, estimates),
    )


def _variance(plan: Plan, scores: pl.DataFrame, estimates: Sequence[Estimate]) -> list[Explained]:
    """Where uncertainty comes from."""
    if len(plan.variants) == 1 and plan.request.repeats == 1 and len(plan.judges) < SEVERAL:
        return of_questions_alone(plan.suite.metrics, estimates, plan.request.prompts_are)
    from counterfoil.stats.variance.parts import explained

    with in_force(plan):
        return explained(plan.suite.metrics, plan.suite.items(scores), plan.request.prompts_are)


def _readings(counts: Sequence[Counts]) -> list[dict[str, Any]]:
    """For each model and variant, how many readings came about how, the most frequent first."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    total: Counter[tuple[str, str, str]] = Counter()
    for of_model in counts:
        total.update(of_model.read_by)
    for (model, variant, how), number in total.most_common():
        found.setdefault((model, variant), {"model": model, "variant": variant})[how] = number
    return list(found.values())


class Part(msgspec.Struct, kw_only=True):
    """Of one model in one variant: the questions with a reply, and what they are a part of."""

    model: str
    variant: str
    questions: int
    with_replies: int
    random: bool
    # Nothing else is missing than what needed no asking.
    decided: bool = False
    sentence: str


def parts_of(counts: Sequence[Counts], askers: Askers[Any], answered: Sequence[Answered], questions: int) -> list[Part]:
    """A part for each model and variant in which not all of so many questions were answered. Clusters are asked in
    random order, so what was not asked is missing at random; what failed is not.
    """
    replied = {(each.model, each.variant): each.answered for each in answered}
    found: list[Part] = []
    for of_model, asker in zip(counts, askers.models, strict=False):
        model = asker.model.name
        reason = askers.halt.reason or asker.stopped or of_model.stopped.get(model)
        for variant in askers.plan.variants:
            missing = {name: of_model.outcomes[model, variant.name, name] for name in LEFT_OUT}
            if any(missing.values()):
                with_replies = replied[model, variant.name]
                is_random = not missing["failed"] and of_model.is_in_order(variant.name)
                is_decided = 0 < missing["not_asked"] == of_model.decided[variant.name]
                found.append(
                    Part(
                        model=model,
                        variant=variant.name,
                        questions=questions,
                        with_replies=with_replies,
                        random=is_random,
                        decided=is_decided and not missing["failed"],
                        sentence=_sentence(
                            with_replies, questions, missing, DECIDED if is_decided else reason, is_random=is_random
                        ),
                    )
                )
    return found


def _sentence(
    replied: int, questions: int, missing: Mapping[Outcome, int], reason: str | None, *, is_random: bool
) -> str:
    """Without a full stop: "a random 9 of 20 questions, stopped by the budget"."""
    if replied == questions:
        part = f"replies to all {questions:,} questions, but not to all of their asks"
    elif replied:
        part = f"{'a random ' if is_random else ''}{replied:,} of {questions:,} questions"
    else:
        part = f"none of {questions:,} questions"
    if missing["not_asked"]:
        part += f", {_stopped(reason)}"
    if missing["failed"]:
        asks = "1 ask" if missing["failed"] == 1 else f"{missing['failed']:,} asks"
        part += f"; {asks} failed"
        if replied:
            part += ", and what fails may not be like the rest: this is no random part"
    elif replied and not is_random:
        part += "; some of the replies came with other runs: this may be no random part"
    return part


def _stopped(reason: str | None) -> str:
    if reason == "interrupted":
        return "interrupted"
    if reason == DECIDED:
        return "all that was to be decided is decided"
    return "stopped by the budget" if (reason or "").startswith("the budget") else "since the model stopped"


def note(estimates: Iterable[Estimate], parts: Iterable[Part]) -> None:
    """Add to each figure what part of the questions it is over."""
    of = {(part.model, part.variant): part for part in parts}
    for estimate in estimates:
        if part := of.get((estimate.model, estimate.variant)):
            doubt = None if part.random or part.with_replies in (0, part.questions) else "no random part"
            estimate.note = "; ".join(filter(None, [estimate.note, part.sentence.split("; ")[0], doubt]))
