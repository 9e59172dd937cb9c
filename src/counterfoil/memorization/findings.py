"""What is wrong with results from elsewhere: counted, and said in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from counterfoil.errors import UserError
from counterfoil.memorization.importers import VARIANT
from counterfoil.memorization.results_file import Results, reported_summary
from counterfoil.perturbing.making.existing import Existing
from counterfoil.stats import Estimate

REPORTED = {"basis": "reported"}
_DIGIT = re.compile(r"\d")
_NUMBER_AT_END = re.compile(r"(\d+)$")


def reported_estimates(results: Results) -> list[Estimate]:
    """What the file reports, made anew from its results in its own way."""
    summary = reported_summary(results)
    n = len(results.results)
    estimates = [
        _plain(results, metric, summary[metric], n, REPORTED)
        for metric in ("accuracy_original", "robust_accuracy", "memorization_suspect")
    ]
    for level, found in summary["perturbation_levels"].items():
        group: dict[str, str | int] = {**REPORTED, "level": int(level)}
        estimates.append(_plain(results, "accuracy_perturbed", found["accuracy"], found["n_valid"], group))
        estimates.append(_plain(results, "memorization_gap", found["memorization_gap"], found["n_valid"], group))
    levels = list(summary["perturbation_levels"].values())
    if len(levels) == 1:
        [only] = levels
        estimates.append(_plain(results, "accuracy_perturbed", only["accuracy"], only["n_valid"], REPORTED))
        estimates.append(_plain(results, "memorization_gap", only["memorization_gap"], only["n_valid"], REPORTED))
    return estimates


def with_doubt(estimates: Iterable[Estimate]) -> list[Estimate]:
    """Gaps of imported results, with the bound on what wrong gold answers could do to them."""
    doubt = "the gold answers are the file's: if a share e of them is wrong, that moves the gap by up to e"
    return [
        msgspec.structs.replace(it, note="; ".join(filter(None, [doubt, it.note])))
        if it.metric in ("memorization_gap", "consistency") and it.value is not None
        else it
        for it in estimates
    ]


def findings(results: Results, texts: Mapping[str, str] | None) -> list[tuple[str, int, int, str]]:
    """Name, number, out of how many, and a sentence, for everything that makes the reported figures wrong.

    `texts`: the questions by their ids, where they are known.
    """
    valid = [(result, p) for result in results.results for p in result.perturbations if p.valid]
    without = [result for result in results.results if not any(p.valid for p in result.perturbations)]
    counted_robust = sum(bool(result.original.correct) for result in without)
    unchanged = sum(1 for _, p in valid if p.changes_made is not None and not p.changes_made)
    unread = sum(not (result.original.answer or "").strip() for result in results.results)
    unread += sum(not (p.model_answer or "").strip() for _, p in valid)
    n, asked = len(results.results), len(results.results) + len(valid)
    found = [
        (
            "unpaired",
            len(without),
            n,
            f"The reported gap is unpaired: {n} originals against variants of {n - len(without)} of them.",
        ),
        (
            "robust_without_variant",
            counted_robust,
            n,
            f"{counted_robust} of {n} questions have no valid variant and are counted as robust.",
        ),
        (
            "unchanged_variants",
            unchanged,
            len(valid),
            f"{unchanged} of {len(valid)} variants list no change at all.",
        ),
        ("unread_answers", unread, asked, f"{unread} of {asked} answers could not be read, and count as wrong."),
    ]
    if texts is not None:
        plain = [result for result, _ in valid if not _DIGIT.search(texts.get(result.question_id, "0"))]
        sentence = f"{len(plain)} of {len(valid)} variants are of questions without a single digit."
        found.append(("variants_without_digits", len(plain), len(valid), sentence))
    return [entry for entry in found if entry[1]]


def finding_estimates(results: Results, texts: Mapping[str, str] | None) -> list[Estimate]:
    """The same as numbers, for summary.json."""
    return [
        _plain(results, name, number / total, total, {"basis": "finding"}, sentence)
        for name, number, total, sentence in findings(results, texts)
    ]


def texts_by_id(existing: Sequence[Existing], results: Results) -> dict[str, str]:
    """The questions' texts without their options, by the ids in the file, which number them as the dataset does.

    UserError if the right answers show that it is another dataset.
    """
    texts = {}
    for result in results.results:
        number = _NUMBER_AT_END.search(result.question_id)
        if number is None or int(number[1]) >= len(existing):
            continue
        question = existing[int(number[1])]
        texts[result.question_id] = question.stem
        letter = None if question.gold is None else chr(ord("A") + question.gold)
        if letter is not None and result.correct_answer not in (None, letter):
            raise UserError(
                f"--data is not the dataset of these results: the right answer to {result.question_id} is {letter} in "
                f"the one and {result.correct_answer} in the other."
            )
    return texts


def _plain(
    results: Results, metric: str, value: float | None, n: int, group: Mapping[str, str | int], note: str | None = None
) -> Estimate:
    return Estimate(
        metric=metric,
        model=results.model,
        variant=VARIANT,
        group=dict(group),
        value=value,
        low=None,
        high=None,
        n=n,
        clusters=n,
        method="as the file counts" if group.get("basis") == "reported" else "counted",
        note=note or "no interval: recomputed as reported",
    )
