"""counterfoil data perturb: from templates or existing questions to a frozen set, with a report beside it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, cast

import msgspec

from counterfoil.asking.asker import NotAsked
from counterfoil.asking.models.weights import hash_file
from counterfoil.datasets.judged import JudgeSettings, Judging, ReadyJudge, open_judge
from counterfoil.errors import UserError
from counterfoil.perturbing.making.difficulty import shifts
from counterfoil.perturbing.making.direct import Source, rewrite, unconfirmed_original
from counterfoil.perturbing.making.existing import ENDINGS, Existing, load_existing
from counterfoil.perturbing.making.perturb_report import Refused, Report, arm_of, tallied, why_none
from counterfoil.perturbing.making.perturbable import sort_out
from counterfoil.perturbing.making.proposer import propose
from counterfoil.perturbing.making.recipes import apply_one, shipped_recipes
from counterfoil.perturbing.making.sent_back import Unfit
from counterfoil.perturbing.questions import Question, write_set
from counterfoil.perturbing.templates.originals import make_original
from counterfoil.perturbing.templates.tables import load_bank, load_templates
from counterfoil.perturbing.templates.template import Template
from counterfoil.perturbing.templates.variants import CONTROLS, has_control, has_level, make_variants
from counterfoil.progress import counted
from counterfoil.running.askers import Say
from counterfoil.running.sampling import chosen_units
from counterfoil.running.written import explained, write_json

BANK, CFA_EASY = "bank", "cfa-easy"
DATASET = "cfa"


class PerturbRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to perturb, and how. `source`: the bank, cfa-easy, or a file; `direct`: the model writes the questions."""

    source: str
    out: Path
    levels: tuple[int, ...] = (1,)
    controls: bool = False
    lure: bool = False
    draws: int = 5
    seed: int = 0
    limit: int | None = None
    data: Path | None = None
    direct: bool = False
    proposer: JudgeSettings | None = None


class Candidate(NamedTuple):
    """What variants are made from: a template, an existing question without one, or both."""

    unit: str
    stratum: str
    template: Template | None = None
    existing: Existing | None = None

    @property
    def kin(self) -> str:
        return self.unit


def report_path(out: Path) -> Path:
    return out.with_name(f"{out.stem}.report.json")


def perturb(request: PerturbRequest, say: Say) -> Report:
    """Make the set and write it with its report; an existing one is replaced whole, or stays."""
    _check(request)
    ready = ReadyJudge(request.proposer) if request.proposer is not None else None
    report = Report(set=str(request.out), source=request.source, settings=_settings(request))
    candidates = _sampled(request, _candidates(request, report))
    made: dict[str, list[Question]] = {}
    if ready is not None:
        try:
            candidates, made = asyncio.run(_asked(request, ready, candidates, report, say))
        except asyncio.CancelledError as error:
            raise KeyboardInterrupt from error
    questions: list[Question] = []
    for candidate in counted(candidates, "drawing variants of questions"):
        questions += _questions(request, candidate, made.get(candidate.unit, []), report)
    if report.left_open["not_asked"]:
        return report
    if not any(question.parent for question in questions):
        if report.left_open["failed"]:
            return report
        raise UserError(f"No question of {request.source} gave a variant{why_none(report)}.")
    report.questions = len(questions)
    report.counts = dict(Counter(arm_of(question) for question in questions))
    report.statuses = dict(Counter(question.status for question in questions if question.level))
    report.shifts = shifts(questions)
    with explained(request.out):
        request.out.parent.mkdir(parents=True, exist_ok=True)
    report.sha256 = write_set(request.out, questions)
    write_json(report_path(request.out), report)
    return report


def _check(request: PerturbRequest) -> None:
    if request.direct and request.proposer is None:
        raise UserError("--generator direct needs a model that writes the questions: name one with --proposer.")
    if request.data is not None and request.source != CFA_EASY:
        raise UserError(f"--data names your copy of the questions for --from {CFA_EASY}; here --from names the file.")
    if request.out.is_dir():
        raise UserError(f"{request.out} is a folder: name the file to write with --out, as SET.jsonl.")
    has_templates = request.source == BANK or Path(request.source).suffix.lower() == ".toml"
    if has_templates and request.proposer is not None and not request.direct:
        raise UserError(f"{request.source} has templates already: --proposer is for existing questions.")


def _settings(request: PerturbRequest) -> dict[str, Any]:
    spec = request.proposer.spec if request.proposer is not None else None
    return {
        "levels": list(request.levels),
        "controls": request.controls,
        "lure": request.lure,
        "draws": request.draws,
        "seed": request.seed,
        "limit": request.limit,
        "generator": "direct" if request.direct else "template",
        "proposer": spec and spec.name,
    }


def _candidates(request: PerturbRequest, report: Report) -> list[Candidate]:
    """The templates, or the existing questions that can be perturbed, with their recipes."""
    if request.source == BANK:
        return [Candidate(template.id, template.topic, template) for template in load_bank()]
    path = _file(request)
    if path.suffix.lower() == ".toml":
        report.source_sha256 = _sha256(path)
        return [Candidate(template.id, template.topic, template) for template in load_templates(path)]
    if path.suffix.lower() not in ENDINGS:
        raise UserError(
            f"--from {request.source}: it must be {BANK}, {CFA_EASY}, a file of templates (.toml), or one of questions "
            f"({', '.join(ENDINGS)})."
        )
    questions = load_existing(path)
    report.source_sha256 = _sha256(path)
    kept, set_aside = sort_out(questions)
    report.existing, report.perturbable, report.set_aside = len(questions), len(kept), dict(set_aside)
    templates = _recipe_templates(kept, report)
    found = [Candidate(it.sha256, it.topic, templates.get(it.sha256), it) for it in kept]
    return found if request.proposer is not None else [it for it in found if it.template is not None]


def _file(request: PerturbRequest) -> Path:
    if request.source != CFA_EASY:
        return Path(request.source)
    if request.data is not None:
        return request.data
    from counterfoil.datasets.fetch import dataset_path  # loads aiohttp

    try:
        return dataset_path(DATASET)
    except UserError as error:
        raise UserError(f"{error} Or name your copy of the questions with --data FILE.") from error


def _sha256(path: Path) -> str:
    try:
        return hash_file(path)
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}.") from error


def _recipe_templates(questions: Sequence[Existing], report: Report) -> dict[str, Template]:
    by_hash = {question.sha256: question for question in questions}
    templates = {}
    for recipe in shipped_recipes():
        question = by_hash.get(recipe.sha256)
        if question is None:
            report.unused_recipes.append(recipe.id)
            continue
        try:
            templates[recipe.sha256] = apply_one(recipe, {"text": question.text, "gold": question.gold})
        except UserError as error:
            report.refused.append(Refused(recipe.id, "recipe", str(error)))
    report.covered = len(templates)
    return templates


def _sampled(request: PerturbRequest, candidates: list[Candidate]) -> list[Candidate]:
    if request.limit is None:
        return candidates
    units = chosen_units(cast("Any", candidates), request.limit, request.seed)
    return [candidate for candidate in candidates if candidate.unit in units]


async def _asked(
    request: PerturbRequest, ready: ReadyJudge, candidates: list[Candidate], report: Report, say: Say
) -> tuple[list[Candidate], dict[str, list[Question]]]:
    """The candidates with proposed templates, and what the model wrote directly, by unit."""
    async with open_judge(ready, say) as judging:
        candidates = await _with_proposals(request, judging, candidates, report)
        made = await _rewritten(request, judging, candidates, report) if request.direct else {}
        report.model = judging.described()
    return candidates, made


async def _with_proposals(
    request: PerturbRequest, judging: Judging, candidates: list[Candidate], report: Report
) -> list[Candidate]:
    levels = () if request.direct else request.levels
    lacking = [it.existing for it in candidates if it.template is None and it.existing is not None]

    async def work(question: Existing) -> Template | Unfit:
        return await propose(judging, question, lambda template: _variants(request, template, levels))

    results = await judging.each("propose", lacking, work)
    report.proposals = tallied(
        (question.sha256[:12], result) for question, result in zip(lacking, results, strict=True)
    )
    found = {
        question.sha256: result
        for question, result in zip(lacking, results, strict=True)
        if isinstance(result, Template)
    }
    return [it._replace(template=found.get(it.unit)) if it.template is None else it for it in candidates]


async def _rewritten(
    request: PerturbRequest, judging: Judging, candidates: list[Candidate], report: Report
) -> dict[str, list[Question]]:
    sources = [_source(request, candidate) for candidate in candidates]
    levels, count, seed = sorted(request.levels), request.draws, request.seed

    async def work(source: Source) -> list[Question | Unfit]:
        return await rewrite(judging, source, levels, count, seed)

    results = await judging.each("rewrite", sources, work)
    outcomes: list[tuple[str, Any]] = []
    made: dict[str, list[Question]] = {}
    for candidate, source, result in zip(candidates, sources, results, strict=True):
        one_by_one = [result] * (len(levels) * count) if isinstance(result, NotAsked) else result
        outcomes += [(source.question.template, outcome) for outcome in one_by_one]
        written = [outcome for outcome in one_by_one if isinstance(outcome, Question)]
        made[candidate.unit] = [source.question, *written]
    report.rewritten = tallied(outcomes)
    return made


def _source(request: PerturbRequest, candidate: Candidate) -> Source:
    if candidate.template is not None:
        original = make_original(candidate.template, request.seed)
        return Source(original.question, candidate.template, original)
    assert candidate.existing is not None
    return Source(unconfirmed_original(candidate.existing))


def _questions(
    request: PerturbRequest, candidate: Candidate, written: list[Question], report: Report
) -> list[Question]:
    """All questions of a candidate, the original first; nothing if there is only the original."""
    template = candidate.template
    levels = () if request.direct else request.levels
    if template is None:
        return written if len(written) > 1 else []
    for level in levels:
        if not has_level(template, level):
            report.without[f"level {level}"] = report.without.get(f"level {level}", 0) + 1
    if request.controls and not has_control(template, "renamed"):
        report.without["renamed"] = report.without.get("renamed", 0) + 1
    if template.source in ("bank", "file"):
        drawn = _variants(request, template, levels)
    else:
        drawn = _as_far_as_possible(request, template, levels, report)
    whole = [*drawn[:1], *written[1:], *drawn[1:]]
    return whole if len(whole) > 1 else []


def _variants(request: PerturbRequest, template: Template, levels: Sequence[int]) -> list[Question]:
    controls = CONTROLS if request.controls else ()
    return make_variants(template, request.seed, levels, controls, request.lure, request.draws)


def _as_far_as_possible(
    request: PerturbRequest, template: Template, levels: Sequence[int], report: Report
) -> list[Question]:
    """Arm by arm: what a recipe's template can't give is reported, and the rest is made."""
    questions = [make_original(template, request.seed).question]
    arms: list[tuple[str, dict[str, Any]]] = [(f"level {level}", {"levels": (level,)}) for level in sorted(levels)]
    if request.controls:
        arms.append(("controls", {"levels": (), "controls": CONTROLS}))
    if request.lure:
        arms.append(("lure", {"levels": (), "lure": True}))
    for arm, chosen in arms:
        try:
            questions += make_variants(template, request.seed, count=request.draws, **chosen)[1:]
        except UserError as error:
            report.refused.append(Refused(template.id, arm, str(error)))
    return questions
