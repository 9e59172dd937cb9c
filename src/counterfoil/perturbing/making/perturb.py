"""counterfoil data perturb: from templates or existing questions to a frozen set, with a report beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from counterfoil import targets
from counterfoil.asking.asker import NotAsked
from counterfoil.console import Say
from counterfoil.datasets.judged import Judging, ReadyJudge, open_judge
from counterfoil.errors import UserError
from counterfoil.files import explained, write_json
from counterfoil.inputs import first_of
from counterfoil.perturbing.leaning import CONTROL as REOPTIONED
from counterfoil.perturbing.leaning import without_leaning
from counterfoil.perturbing.making.asking import Unfit
from counterfoil.perturbing.making.candidates import BANK, CFA_EASY, Candidate, load_candidates, sampled
from counterfoil.perturbing.making.direct import Source, rewrite, unconfirmed_original
from counterfoil.perturbing.making.existing import ExistingQuestion
from counterfoil.perturbing.making.proposer import propose
from counterfoil.perturbing.making.report import (
    UNBALANCED,
    PerturbRequest,
    Refusal,
    Report,
    report_path,
    tally_of,
    why_none,
)
from counterfoil.perturbing.noise.noise import with_noise
from counterfoil.perturbing.questions import Question, with_source_id, write_set
from counterfoil.perturbing.symbolic.sources import GSM8K
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.variants import (
    CONTROLS,
    has_control,
    has_level,
    make_original,
    make_variants,
    variants_as_far_as_possible,
)
from counterfoil.progress import counted


def perturb(request: PerturbRequest, say: Say) -> Report:
    """Make the set and write it with its report. One that was made of the same in the same way is replaced whole, or
    stays; any other is refused.
    """
    inputs: list[Path | str | None] = [request.source, request.data]
    if request.proposer is not None:
        inputs += [request.proposer.ledger, request.proposer.prices]
    made = f"data perturb --from {request.source} {msgspec.json.encode(request.settings).decode()}"
    with targets.writing(made, inputs=inputs, overwrite=request.overwrite):
        _check(request)
        return _perturb(request, say)


def _perturb(request: PerturbRequest, say: Say) -> Report:
    ready = ReadyJudge(request.proposer) if request.proposer is not None else None
    report = Report(set=str(request.out), source=request.source, settings=request.settings)
    candidates = sampled(request, load_candidates(request, report))
    rewritten: dict[str, list[Question]] = {}
    if ready is not None:
        try:
            candidates, rewritten = asyncio.run(_ask_model(request, ready, candidates, report, say))
        except asyncio.CancelledError as error:
            raise KeyboardInterrupt from error
    questions: list[Question] = []
    for candidate in counted(candidates, "drawing variants of questions"):
        questions += _questions(request, candidate, rewritten.get(candidate.unit, []), report)
    if report.left_open["not_asked"]:
        return report
    if not any(question.parent for question in questions):
        if report.left_open["failed"]:
            return report
        raise UserError(f"No question of {request.source} gave a variant{why_none(report)}.")
    report.describe(questions)
    if report.unbalanced and not request.allow_unbalanced:
        raise UserError(
            f"{UNBALANCED}: {first_of(report.unbalanced)}. No set was written. Change its templates, or write it all "
            "the same with --allow-unbalanced, and the report says so."
        )
    with explained(request.out):
        request.out.parent.mkdir(parents=True, exist_ok=True)
    report.sha256 = write_set(request.out, questions)
    write_json(report_path(request.out), report)
    return report


def _check(request: PerturbRequest) -> None:
    if request.direct and request.proposer is None:
        raise UserError("--generator direct needs a model that writes the questions: name one with --proposer.")
    if request.data is not None and request.source not in (CFA_EASY, GSM8K):
        known = f"--from {CFA_EASY} or {GSM8K}"
        raise UserError(f"--data names your copy of the questions for {known}; here --from names the file.")
    if request.out.is_dir():
        raise UserError(f"{request.out} is a folder: name the file to write with --out, as SET.jsonl.")
    has_templates = request.source == BANK or Path(request.source).suffix.lower() == ".toml"
    if has_templates and request.proposer is not None and not request.direct:
        raise UserError(f"{request.source} has templates already: --proposer is for existing questions.")
    targets.refuse(request.out, report_path(request.out))


async def _ask_model(
    request: PerturbRequest, ready: ReadyJudge, candidates: list[Candidate], report: Report, say: Say
) -> tuple[list[Candidate], dict[str, list[Question]]]:
    """The candidates with proposed templates, and what the model wrote directly, by unit."""
    async with open_judge(ready, say) as judging:
        candidates = await _with_proposals(request, judging, candidates, report)
        rewritten = await _rewrite(request, judging, candidates, report) if request.direct else {}
        report.model = judging.described()
    return candidates, rewritten


async def _with_proposals(
    request: PerturbRequest, judging: Judging, candidates: list[Candidate], report: Report
) -> list[Candidate]:
    levels = () if request.direct else request.levels
    lacking = [
        candidate.existing for candidate in candidates if candidate.template is None and candidate.existing is not None
    ]

    async def work(question: ExistingQuestion) -> Template | Unfit:
        return await propose(judging, question, lambda template: _variants(request, template, levels))

    results = await judging.each("propose", lacking, work)
    outcomes = {question.sha256: result for question, result in zip(lacking, results, strict=True)}
    report.proposals = tally_of((name[:12], outcome) for name, outcome in outcomes.items())
    found = {name: outcome for name, outcome in outcomes.items() if isinstance(outcome, Template)}
    return [candidate._replace(template=candidate.template or found.get(candidate.unit)) for candidate in candidates]


async def _rewrite(
    request: PerturbRequest, judging: Judging, candidates: list[Candidate], report: Report
) -> dict[str, list[Question]]:
    sources = [_source(request, candidate) for candidate in candidates]
    levels, count, seed = sorted(request.levels), request.draws, request.seed

    async def work(source: Source) -> list[Question | Unfit]:
        return await rewrite(judging, source, levels, count, seed)

    results = await judging.each("rewrite", sources, work)
    outcomes: list[tuple[str, Any]] = []
    rewritten: dict[str, list[Question]] = {}
    for candidate, source, result in zip(candidates, sources, results, strict=True):
        one_by_one = [result] * (len(levels) * count) if isinstance(result, NotAsked) else result
        outcomes += [(source.question.template, outcome) for outcome in one_by_one]
        written = [outcome for outcome in one_by_one if isinstance(outcome, Question)]
        rewritten[candidate.unit] = [source.question, *written]
    report.rewritten = tally_of(outcomes)
    return rewritten


def _source(request: PerturbRequest, candidate: Candidate) -> Source:
    if candidate.template is not None:
        original = make_original(candidate.template, request.seed)
        return Source(original.question, original)
    assert candidate.existing is not None
    return Source(unconfirmed_original(candidate.existing))


def _questions(
    request: PerturbRequest, candidate: Candidate, written: list[Question], report: Report
) -> list[Question]:
    """All questions of a candidate, the original first; nothing if there is only the original."""
    template = candidate.template
    source_id = template.id.replace("-", "_") if template is not None and template.source == "published" else None
    if candidate.existing is not None:
        source_id = candidate.existing.source_id(public=template is not None and template.source == "recipe")
    levels = () if request.direct else request.levels
    if template is None:
        return with_source_id(written, source_id) if len(written) > 1 else []
    for level in levels:
        if not has_level(template, level):
            report.without[f"level {level}"] = report.without.get(f"level {level}", 0) + 1
    if request.controls and not has_control(template, "renamed"):
        report.without["renamed"] = report.without.get("renamed", 0) + 1
    if template.source in ("bank", "file"):
        drawn = _variants(request, template, levels)
    else:
        drawn = _as_far_as_possible(request, template, levels, report)
        before, drawn = len(drawn), without_leaning(drawn)
        if len(drawn) < before:
            report.without[REOPTIONED] = report.without.get(REOPTIONED, 0) + 1
    if request.lure and not any(question.control == "lure" for question in drawn):
        report.without["lure"] = report.without.get("lure", 0) + 1
    whole = [*drawn[:1], *written[1:], *drawn[1:]]
    whole = with_noise(whole, request.seed, request.draws) if request.noise else whole
    return with_source_id(whole, source_id) if len(whole) > 1 else []


def _variants(request: PerturbRequest, template: Template, levels: Sequence[int]) -> list[Question]:
    controls = CONTROLS if request.controls else ()
    return make_variants(template, request.seed, levels, controls, request.lure, request.draws)


def _as_far_as_possible(
    request: PerturbRequest, template: Template, levels: Sequence[int], report: Report
) -> list[Question]:
    """What the template of a public question can't give is reported, and the rest is made."""
    controls = CONTROLS if request.controls else ()
    questions, refused = variants_as_far_as_possible(
        template, request.seed, levels, controls, request.lure, request.draws
    )
    report.refused += [Refusal(template.id, arm, reason) for arm, reason in refused.items()]
    return questions
