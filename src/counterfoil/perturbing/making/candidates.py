"""What variants are made from: templates, and those existing questions that can be perturbed, with their recipes.

The other questions are set aside, each for the first reason that holds.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from counterfoil.errors import UserError
from counterfoil.files import read_bytes
from counterfoil.perturbing.making.existing import ENDINGS, ExistingQuestion, around, load_existing, options_of
from counterfoil.perturbing.making.recipes import apply_one, shipped_recipes
from counterfoil.perturbing.making.report import PerturbRequest, Refusal, Report
from counterfoil.perturbing.questions import LETTERS
from counterfoil.perturbing.symbolic.sources import GSM8K, is_published, load_published
from counterfoil.perturbing.templates.tables import load_bank, load_templates, of_topics
from counterfoil.perturbing.templates.template import Template
from counterfoil.running.sampling import chosen_units

BANK, CFA_EASY = "bank", "cfa-easy"
_DATASET = "cfa"
_DIGIT = re.compile(r"\d", re.ASCII)

NO_TEMPLATE = "no template is published for it"
SEEN_BEFORE = "the same question was there before"
NOT_THREE = "it has not three options"
CONTRADICTS = "its gold and its answer contradict"
NO_NUMBER = "there is no number in its text"
NO_OPTION_NUMBER = "there is an option without a number"
SEVERAL_NUMBERS = "there is an option with more than one number, or with one that can't be read"
SAME_NUMBER = "two options have the same number"
LABELS = "the numbers of its options are labels, as in Portfolio 1"
OTHER_WORDS = "its options differ in their words, too"
REASONS = (
    SEEN_BEFORE, NOT_THREE, CONTRADICTS, NO_NUMBER, NO_OPTION_NUMBER, SEVERAL_NUMBERS, SAME_NUMBER, LABELS, OTHER_WORDS,
)  # fmt: skip


class Candidate(NamedTuple):
    """What variants are made from: a template, an existing question without one, or both."""

    unit: str
    stratum: str
    template: Template | None = None
    existing: ExistingQuestion | None = None

    @property
    def family(self) -> str:
        return self.unit


def load_candidates(request: PerturbRequest, report: Report) -> list[Candidate]:
    """The templates, or the existing questions that can be perturbed, with their recipes."""
    if request.source == BANK:
        return [Candidate(template.id, template.topic, template) for template in load_bank(request.topics)]
    if request.source == GSM8K or is_published(Path(request.source)):
        return _published(request, report)
    path = _file(request)
    if path.suffix.lower() == ".toml":
        report.source_sha256 = _sha256(path)
        templates_of_file = of_topics(load_templates(path), request.topics)
        return [Candidate(template.id, template.topic, template) for template in templates_of_file]
    if path.suffix.lower() not in ENDINGS:
        raise UserError(
            f"--from {request.source}: it must be {BANK}, {CFA_EASY}, {GSM8K}, a file of templates (.toml), or one of "
            f"questions ({', '.join(ENDINGS)})."
        )
    questions = load_existing(path)
    report.source_sha256 = _sha256(path)
    kept, set_aside = sort_out(questions)
    report.existing, report.perturbable, report.set_aside = len(questions), len(kept), set_aside
    templates = _recipe_templates(kept, report)
    found = [Candidate(one.sha256, one.topic, templates.get(one.sha256), one) for one in kept]
    if request.proposer is not None:
        return found
    return [candidate for candidate in found if candidate.template is not None]


def _published(request: PerturbRequest, report: Report) -> list[Candidate]:
    """Public questions with published templates, and why some can't be perturbed by theirs."""
    found = load_published(request.data if request.source == GSM8K else Path(request.source))
    report.source_sha256 = found.sha256
    reasons = Counter(one.kind for one in found.refused)
    without = found.questions - len(found.templates) - reasons.total()
    report.existing, report.perturbable = found.questions, len(found.templates)
    report.set_aside = {**({NO_TEMPLATE: without} if without else {}), **dict(reasons.most_common())}
    report.refused += [Refusal(one.id, "template", f"template {one.id}: {one.reason}.") for one in found.refused]
    templates = of_topics(found.templates, request.topics)
    return [Candidate(template.id, template.topic, template) for template in templates]


def _file(request: PerturbRequest) -> Path:
    if request.source != CFA_EASY:
        return Path(request.source)
    if request.data is not None:
        return request.data
    from counterfoil.datasets.fetch import dataset_path  # loads aiohttp

    try:
        return dataset_path(_DATASET)
    except UserError as error:
        raise UserError(f"{error} Or name your copy of the questions with --data FILE.") from error


def _sha256(path: Path) -> str:
    return hashlib.sha256(read_bytes(path)).hexdigest()


def _recipe_templates(questions: Sequence[ExistingQuestion], report: Report) -> dict[str, Template]:
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
            report.refused.append(Refusal(recipe.id, "recipe", str(error)))
    report.covered = len(templates)
    return templates


def sampled(request: PerturbRequest, candidates: list[Candidate]) -> list[Candidate]:
    """As many as the request is limited to, over all topics."""
    if request.limit is None:
        return candidates
    units = chosen_units(candidates, request.limit, request.seed)
    return [candidate for candidate in candidates if candidate.unit in units]


def sort_out(questions: Iterable[ExistingQuestion]) -> tuple[list[ExistingQuestion], dict[str, int]]:
    """The questions that can be perturbed, and how many can't for which reason."""
    kept: list[ExistingQuestion] = []
    seen: set[str] = set()
    counts: Counter[str] = Counter()
    for question in questions:
        reason = SEEN_BEFORE if question.sha256 in seen else why_not(question)
        seen.add(question.sha256)
        if reason is None:
            kept.append(question)
        else:
            counts[reason] += 1
    return kept, {reason: counts[reason] for reason in REASONS if counts[reason]}


def why_not(question: ExistingQuestion) -> str | None:
    """Why a question can't be perturbed; None if it can.

    A variant's options have the gold's words around other numbers: at least one wrong option must have them, too.
    """
    if len(question.options) != len(LETTERS):
        return NOT_THREE
    if question.gold is None:
        return CONTRADICTS
    if not _DIGIT.search(question.stem):
        return NO_NUMBER
    if not all(_DIGIT.search(option) for option in question.options):
        return NO_OPTION_NUMBER
    try:
        options = options_of(question)
    except ValueError:
        return SEVERAL_NUMBERS
    if len({number.value for number in options.numbers}) < len(LETTERS):
        return SAME_NUMBER
    words = [
        tuple(part.strip(" .") for part in around(question.text, whole, span, ()))
        for whole, span in zip(options.layout.options, options.spans, strict=True)
    ]
    if words.count(words[question.gold]) < 2:
        return OTHER_WORDS
    labelled = (
        sorted(number.value for number in options.numbers) == [1, 2, 3] and words[question.gold][0][-1:].isalpha()
    )
    return LABELS if labelled else None
