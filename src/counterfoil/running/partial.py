"""What a run that is not whole stands for: how many questions have replies, and whether these are a random part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.running.folder import Run
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.outcome import LEFT_OUT, Outcome

if TYPE_CHECKING:
    from counterfoil.running.askers import Askers
    from counterfoil.running.records import Answered
    from counterfoil.running.rows import Counts


class Part(msgspec.Struct, kw_only=True):
    """Of one model in one variant: the questions with a reply, and what they are a part of."""

    model: str
    variant: str
    questions: int
    with_replies: int
    random: bool
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
                found.append(
                    Part(
                        model=model,
                        variant=variant.name,
                        questions=questions,
                        with_replies=with_replies,
                        random=is_random,
                        sentence=_sentence(with_replies, questions, missing, reason, is_random=is_random),
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
    return "stopped by the budget" if (reason or "").startswith("the budget") else "since the model stopped"


def sentences_of(run: Run) -> list[str]:
    """For each model of a run that is not whole a sentence; one for each variant where they differ."""
    of_model: dict[str, dict[str, list[str]]] = {}
    for part in run.manifest.get("partial", []):
        of_model.setdefault(part["model"], {}).setdefault(part["sentence"], []).append(part["variant"])
    return [
        (model if len(said) == 1 else f"{model} ({', '.join(variants)})") + f": {sentence}."
        for model, said in of_model.items()
        for sentence, variants in said.items()
    ]


def note(estimates: Iterable[Estimate], parts: Iterable[Part]) -> None:
    """Add to each figure what part of the questions it is over."""
    of = {(part.model, part.variant): part for part in parts}
    for estimate in estimates:
        if part := of.get((estimate.model, estimate.variant)):
            doubt = None if part.random or part.with_replies in (0, part.questions) else "no random part"
            estimate.note = "; ".join(filter(None, [estimate.note, part.sentence.split("; ")[0], doubt]))
