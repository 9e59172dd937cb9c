"""What a run was asked, again: its suite, its questions and its wordings, where they can still be had."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from counterfoil.errors import UserError
from counterfoil.inputs import Inputs, reading_inputs
from counterfoil.running.folder import Run
from counterfoil.suite.finding import suite_of_run
from counterfoil.suite.suite import AnySuite, Context, Dataset, Question, Record, Suite, Variant

# A question's identity: the values of the suite's `identity` columns.
Key = tuple[Any, ...]


def suite_of(run: Run) -> AnySuite:
    """The suite of a run, with the options that were in force, but for files to write: they are written."""
    manifest = run.manifest
    suite = suite_of_run(manifest["suite"], manifest.get("suite_at"))
    written = {option.key for option in suite.options if option.is_target}
    options = {key: value for key, value in manifest["options"].items() if key not in written}
    return suite.configured(options, Context(data=manifest["data"]["name"]))


class _Plain(Suite[Any, Any, Any, Any]):
    name = "plain"
    columns: Mapping[str, Any] = {}
    metrics = ()


def suite_to_show(run: Run) -> AnySuite:
    """The same. A run of a suite that is not installed here has tables and records, and nothing of the suite's own."""
    try:
        return suite_of(run)
    except UserError:
        return _Plain()


def key_of_record(suite: AnySuite, record: Record) -> Key:
    """Which question a record is of."""
    return tuple(record.get(name) for name in suite.identity)


def key_of_question(suite: AnySuite, question: Question) -> Key:
    """The same of a question."""
    return key_of_record(suite, {"question_id": question.id, **question.columns})


# What the runs of this process were asked from, as long as somebody holds the run.
_ASKED: WeakKeyDictionary[Run, Dataset[Any]] = WeakKeyDictionary()


def keep_dataset(run: Run, dataset: Dataset[Any]) -> None:
    """The run has just been asked from this dataset: nobody needs to load it again."""
    _ASKED[run] = dataset


def questions_of(run: Run, data: str | None = None) -> Dataset[Any]:
    """The dataset that the run was asked from; `data` names it where it has moved."""
    if data is None and run in _ASKED:
        return _ASKED[run]
    about = run.manifest["data"]
    try:
        # As the run has read it: it has told of the rows that it left out.
        with reading_inputs(Inputs(strict=False, encoding=run.manifest["options"].get("encoding"))):
            dataset = suite_of(run).questions_of(run, data)
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


def questions_by_key(run: Run, data: str | None = None) -> dict[Key, Any]:
    """The questions of a run, each by what its records say of it."""
    suite = suite_of(run)
    return {key_of_question(suite, question): question for question in questions_of(run, data)}


def question_of(suite: AnySuite, known: Mapping[Key, Any], record: Record) -> Any:
    """The question that a record is of."""
    key = key_of_record(suite, record)
    if key not in known:
        name = " ".join(str(part) for part in key if part is not None)
        raise UserError(f"The run has a reply to question {name}, and its dataset has no such question.")
    return known[key]


def shown_of(run: Run, records: Sequence[Record]) -> list[Mapping[str, str]]:
    """For each record what its question says, by name; empty where the dataset is gone or has changed."""
    suite = suite_to_show(run)
    known = _questions_of_records(run, records) if run in _ASKED else known_questions(run)
    found = (known.get(key_of_record(suite, record)) for record in records)
    return [{} if question is None else suite.shown(question) for question in found]


def _questions_of_records(run: Run, records: Sequence[Record]) -> Mapping[Key, Any]:
    """The questions of these records, out of a dataset that is here. Few of its questions are looked at closely."""
    suite = suite_of(run)
    wanted = {key_of_record(suite, record) for record in records}
    names = {record["question_id"] for record in records}
    named = (question for question in _ASKED[run] if question.id in names or question.unit in names)
    known = {key_of_question(suite, question): question for question in named}
    return known if wanted <= known.keys() else known_questions(run)


# The questions of the latest runs, kept for whoever looks at one record after another.
_LATEST: dict[tuple[str, str], Mapping[Key, Any]] = {}
_KEPT = 2


def known_questions(run: Run) -> Mapping[Key, Any]:
    """The run's questions, kept for the next who asks; none where the dataset is gone or has changed."""
    identity = str(run.folder), repr(run.manifest["data"])
    if identity not in _LATEST:
        while len(_LATEST) >= _KEPT:
            del _LATEST[next(iter(_LATEST))]
        try:
            _LATEST[identity] = questions_by_key(run)
        except UserError:
            _LATEST[identity] = {}
    return _LATEST[identity]


def variants_of(run: Run, dataset: Dataset[Any], names: Sequence[str]) -> dict[str, Variant]:
    """The run's variants by name; where names or files are given, those of them."""
    suite = suite_of(run)
    there = list(dict.fromkeys(str(row["variant"]) for row in run.outcomes))
    hashes = {variant["name"]: variant["sha256"] for variant in run.manifest["variants"]}
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
