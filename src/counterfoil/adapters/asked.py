"""What a run was asked, the very same: its questions and wordings again, where they can still be had."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from counterfoil.errors import UserError
from counterfoil.running.folder import Run
from counterfoil.suite.finding import load_suite, module_beside
from counterfoil.suite.suite import Dataset, Suite, Variant


def exporting(suite: Suite) -> Any:
    """The module `exporting` beside the suite.

    It has `questions(run, data)`, the run's dataset or the one that was named; `scores(run)`, the names of the scores
    that a reply can be good by, the usual one first; `score(record, name)`, that score, or None where there is none;
    `GOOD` and `BAD`, the scores from which and up to which a reply is usually called so; and `encode(questions)`, a
    file of questions that `--data` reads.
    """
    module = module_beside(suite, "exporting")
    if module is None:
        raise UserError(
            f"The suite {suite.name} does not say which of its replies are good: put a module `exporting` beside it, "
            "as docs/training.md describes."
        )
    return module


def questions_of(run: Run, data: str | None) -> Dataset:
    """The dataset that the run was asked from; `data` names it where it has moved."""
    about = run.manifest["data"]
    beside = exporting(load_suite(run.manifest["suite"]))
    try:
        dataset: Dataset = beside.questions(run, data)
    except UserError as error:
        if data:
            raise
        raise UserError(
            f"The run's questions ({about['name']}) can't be loaded: name them with --data. ({error})"
        ) from error
    if dataset.sha256 != about["sha256"]:
        raise UserError(
            f"{data or about['given'] or dataset.name} is not what the run was asked from: its hash is another. "
            f"That was {about['name']}, with SHA-256 {about['sha256'][:12]}…: name it with --data."
        )
    return dataset


def variants_of(run: Run, dataset: Dataset, names: Sequence[str]) -> dict[str, Variant]:
    """The run's variants by name; where names or files are given, those of them."""
    manifest = run.manifest
    suite = load_suite(manifest["suite"])
    there = list(dict.fromkeys(str(row["variant"]) for row in run.outcomes))
    hashes = {variant["name"]: variant["sha256"] for variant in manifest["variants"]}
    variants: dict[str, Variant] = {}
    for name in names or there:
        try:
            found = [variant for variant in suite.variants([name], dataset) if variant.name in there]
        except UserError as error:
            if names:
                raise
            raise UserError(
                f"The prompt of variant {name} does not ship with counterfoil: name its file with --variant FILE, and "
                "every other variant that is to be exported as well."
            ) from error
        if not found:
            raise UserError(f"The run has no variant of {name}: it has {', '.join(there)}.")
        for variant in found:
            if hashes.get(variant.name, variant.sha256) != variant.sha256:
                raise UserError(
                    f"The prompt of variant {variant.name} is not the one that was asked: name its file with "
                    "--variant FILE, as it was then."
                )
            variants[variant.name] = variant
    return variants
