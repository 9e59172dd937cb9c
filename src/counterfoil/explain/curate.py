"""From a large dataset to a small, checked one: sample, verify, check for ambiguity, review by people, freeze.

Every step writes its file, and every judge's reply is in the ledger: the same command goes on where it was stopped.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, suppress
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil import targets
from counterfoil.asking.models.weights import hash_file
from counterfoil.console import Say
from counterfoil.datasets.curation import (
    MANIFEST,
    NOT_ASKED,
    Manifest,
    Recorder,
    Source,
    decisions,
    has_entries,
    read_manifest,
    write_review,
)
from counterfoil.datasets.fetch import resolved
from counterfoil.datasets.judged import JudgeSettings, Judging, ReadyJudge, ask_verdicts, open_judge
from counterfoil.datasets.registry import is_registered
from counterfoil.errors import UserError
from counterfoil.explain.questions import SCORE_KINDS, load_questions
from counterfoil.explain.scoring import is_confusing_by_threshold
from counterfoil.files import replacing
from counterfoil.inputs import Inputs, inputs_now, reading_inputs
from counterfoil.running.folder import locked
from counterfoil.running.sampling import Sample, chosen_units
from counterfoil.suite.suite import Question as SuiteQuestion

REVIEW_COLUMNS = ("id", "question", "answer", "candidates", "verdicts")


class Row(msgspec.Struct, SuiteQuestion, kw_only=True, omit_defaults=True):
    """A question as every step writes it: a row that questions.py reads, and what the judge said so far."""

    id: str
    question: str
    answer: str
    aliases: tuple[str, ...] = ()
    candidates: dict[str, float | dict[str, float]]
    verdict: str | None = None
    reason: str | None = None
    ambiguity: str | None = None
    ambiguity_reason: str | None = None

    @property
    def plausibilities(self) -> dict[str, float]:
        """By the kind of score that labels and reviews go by."""
        return {text: p["listwise"] if isinstance(p, dict) else p for text, p in self.candidates.items()}

    @property
    def shown_to_judges(self) -> str:
        aliases = f" (also: {', '.join(self.aliases)})" if self.aliases else ""
        return f"Question: {self.question}\nAnswer: {self.answer}{aliases}"

    @property
    def stratum(self) -> str:
        return "confusing" if is_confusing_by_threshold(self.plausibilities.values()) else "plain"


def write_rows(path: Path, rows: Iterable[Row]) -> None:
    with replacing(path) as temporary, temporary.open("wb") as file:
        file.writelines(msgspec.json.encode(row) + b"\n" for row in rows)


def read_rows(path: Path) -> list[Row]:
    return [msgspec.json.decode(line, type=Row) for line in path.read_bytes().splitlines()]


def review_row(row: Row) -> dict[str, str]:
    by_plausibility = sorted(row.plausibilities.items(), key=lambda item: -item[1])
    verdicts = [(row.verdict, row.reason), (row.ambiguity, row.ambiguity_reason)]
    return {
        "id": row.id,
        "question": row.question,
        "answer": " | ".join((row.answer, *row.aliases)),
        "candidates": " | ".join(f"{text} ({plausibility:g})" for text, plausibility in by_plausibility),
        "verdicts": " | ".join(f"{word}: {reason}" for word, reason in verdicts if word is not None),
    }


def strata(rows: Iterable[Row]) -> dict[str, int]:
    return dict(sorted(Counter(row.stratum for row in rows).items()))


SAMPLE, VERIFIED, UNAMBIGUOUS = "1-sample.jsonl", "2-verified.jsonl", "3-unambiguous.jsonl"
REVIEW, EDITS, DATASET = "4-review.csv", "4-edits.json", "dataset.jsonl"


class JudgeStep(NamedTuple):
    """What a judge is asked. The first of its words lets a question through; `fields`: where a row has its verdict."""

    name: str
    words: tuple[str, ...]
    file: str
    fields: tuple[str, str]


JUDGE_STEPS = (
    JudgeStep("verify", ("correct", "incorrect", "unsure"), VERIFIED, ("verdict", "reason")),
    JudgeStep("ambiguity", ("clear", "ambiguous", "unsure"), UNAMBIGUOUS, ("ambiguity", "ambiguity_reason")),
)


class CurateRequest(msgspec.Struct, frozen=True, kw_only=True):
    """What to curate, and how."""

    data: str
    out: Path
    sample: int = 3000
    keep: int = 100
    seed: int = 0
    judge: JudgeSettings | None = None
    check_ambiguity: bool = False
    overwrite: bool = False

    @property
    def settings(self) -> dict[str, Any]:
        """What the list for people depends on, beside the data."""
        spec = self.judge.spec if self.judge is not None else None
        return {
            "sample": self.sample,
            "keep": self.keep,
            "seed": self.seed,
            "judge": spec and spec.name,
            "base_url": spec and spec.base_url,
            "check_ambiguity": self.check_ambiguity,
        }


def curate(request: CurateRequest, say: Say) -> Manifest:
    """Do all steps up to the list for people, as far as they go now. Once people have begun, all stays as it is."""
    if request.check_ambiguity and request.judge is None:
        raise UserError("--check-ambiguity needs a judge: name one with --judge.")
    ready = ReadyJudge(request.judge) if request.judge is not None else None
    before = read_manifest(request.out)
    if has_entries(request.out / REVIEW) or (before is not None and before.step("freeze") is not None):
        return _under_review(request, before)
    with _writing(request.out, before, [request.data], overwrite=request.overwrite):
        targets.refuse(*(request.out / name for name in (SAMPLE, VERIFIED, UNAMBIGUOUS, REVIEW, MANIFEST)))
        return _steps(request, before, ready, say)


def _writing(
    out: Path, before: Manifest | None, inputs: Sequence[str] = (), *, overwrite: bool = False
) -> AbstractContextManager[None]:
    """The rule for what a curation writes into its folder. Of an older one, the manifest names the files."""
    steps = before.steps if before is not None else []
    earlier = {MANIFEST, *(step.file for step in steps)} if before is not None else set()
    return targets.writing("data curate", inputs=inputs, overwrite=overwrite, known=lambda path: path.name in earlier)


def _steps(request: CurateRequest, before: Manifest | None, ready: ReadyJudge | None, say: Say) -> Manifest:
    source, rows = _sample(request, before)
    with locked(request.out):
        if before is not None and (before.data != source or before.settings != request.settings):
            before = None
            for file in (VERIFIED, UNAMBIGUOUS, REVIEW):
                (request.out / file).unlink(missing_ok=True)
        recorder = Recorder(request.out, before or Manifest(data=source, settings=request.settings))
        write_rows(request.out / SAMPLE, rows)
        recorder.done("sample", source.questions, len(rows), SAMPLE, counts=strata(rows), seed=request.seed)
        try:
            passed = asyncio.run(_judged(request, ready, rows, recorder, say))
        except asyncio.CancelledError as error:
            raise KeyboardInterrupt from error
        if passed is not None:
            _list_for_people(request, passed, recorder)
    return recorder.manifest


def freeze(out: Path) -> Manifest:
    """The questions that people keep become a dataset, once all are decided."""
    manifest = read_manifest(out)
    listed = manifest.step("review") if manifest is not None else None
    sampled = manifest.step("sample") if manifest is not None else None
    if manifest is None or listed is None or sampled is None:
        raise UserError(f"{out} holds no list to freeze: run `counterfoil data curate DATA --out {out}` first.")
    with locked(out), _writing(out, manifest):
        targets.refuse(out / DATASET)
        if not (out / SAMPLE).is_file() or hash_file(out / SAMPLE) != sampled.sha256:
            raise UserError(
                f"{out / SAMPLE} is not what the list was drawn from: put it back, or begin in another folder."
            )
        drawn: list[str] = listed.more["ids"]
        decided = decisions(out / REVIEW, drawn)
        kept = [row for row in read_rows(out / SAMPLE) if row.id in decided and decided[row.id] is None]
        if not kept:
            raise UserError(f"No question of {out / REVIEW} is kept: there is nothing to freeze.")
        edits = read_edits(out)
        for row in kept:
            if row.id in edits:
                row.answer, row.aliases = edits[row.id].answer, edits[row.id].aliases
        write_rows(out / DATASET, kept)
        reasons = Counter(reason or "no reason given" for reason in decided.values() if reason is not None)
        more: dict[str, Any] = {"review_sha256": hash_file(out / REVIEW)}
        if edited := [row.id for row in kept if row.id in edits]:
            more["edited"] = edited
        Recorder(out, manifest).done("freeze", len(drawn), len(kept), DATASET, counts=dict(reasons), **more)
    return manifest


class Edit(msgspec.Struct):
    """What people want an answer and its aliases to be."""

    answer: str
    aliases: tuple[str, ...]


def read_edits(out: Path) -> dict[str, Edit]:
    """Edited answers by question, as people wrote them on the page for review; none where there is no such file."""
    path = out / EDITS
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict[str, Edit]) if path.is_file() else {}
    except (OSError, msgspec.MsgspecError) as error:
        raise UserError(f"{path} can't be read: {error}.") from error


def _under_review(request: CurateRequest, before: Manifest | None) -> Manifest:
    """The curation as it is, if it is the one that this command asks for."""
    path = request.out / REVIEW
    if before is None or before.step("review") is None:
        raise UserError(f"{path} has entries and does not belong to a curation: name another folder with --out.")
    changed = [name for name, value in request.settings.items() if before.settings.get(name) != value]
    if before.data.sha256 != _sha256(resolved(request.data)):
        changed.insert(0, "data")
    if changed:
        raise UserError(
            f"{path} has entries, and was made with another {', '.join(changed).replace('_', '-')}: "
            "name another folder with --out."
        )
    return before


def _sample(request: CurateRequest, before: Manifest | None) -> tuple[Source, list[Row]]:
    """Step 1: a sample with as large a share of confusing questions as the dataset has."""
    data, path = resolved(request.data), request.out / SAMPLE
    old = before.step("sample") if before is not None else None
    if before is not None and old is not None and path.is_file() and old.sha256 == hash_file(path):
        same = all(before.settings.get(name) == request.settings[name] for name in ("sample", "seed"))
        if same and before.data.sha256 == _sha256(data):
            return before.data, read_rows(path)
    questions = load_questions(data)
    name = request.data if is_registered(request.data) else questions.name
    inputs = inputs_now()
    left_out = sum(left.rows for left in inputs.left_out.values())
    source = Source(name=name, sha256=questions.sha256, questions=sum(1 for _ in questions), left_out=left_out)
    if not source.questions:
        raise UserError(f"{request.data} holds no questions.")
    ids = chosen_units(questions, request.sample, request.seed)
    rows = [
        Row(id=one.id, question=one.text, answer=one.gold, aliases=one.aliases, candidates=dict(one.candidates))
        for one in Sample(questions, ids)
    ]
    by_kind: dict[str, dict[str, dict[str, float]]] = {}
    for kind in SCORE_KINDS:
        # A dataset that has no such plausibilities for all these questions can't be loaded with them.
        with suppress(UserError), reading_inputs(Inputs(strict=False, encoding=inputs.encoding)):
            by_kind[kind] = {one.id: one.candidates for one in load_questions(data, kind) if one.id in ids}
    by_kind = {kind: scores for kind, scores in by_kind.items() if len(scores) == len(rows)}
    if any(scores != by_kind["listwise"] for scores in by_kind.values()):
        for row in rows:
            row.candidates = {
                text: {kind: scores[row.id][text] for kind, scores in by_kind.items()} for text in row.candidates
            }
    return source, rows


async def _judged(
    request: CurateRequest, ready: ReadyJudge | None, rows: list[Row], recorder: Recorder, say: Say
) -> list[Row] | None:
    """Steps 2 and 3: those that the judge lets through; None if it could not be asked about all."""
    passed: list[Row] | None = rows
    if ready is None:
        for step in JUDGE_STEPS:
            recorder.skip(step.name, len(rows), "no judge was named", step.file)
        return passed
    async with open_judge(ready, say) as judging:
        for step in JUDGE_STEPS:
            if passed is None:
                break
            if step.name == "ambiguity" and not request.check_ambiguity:
                recorder.skip(step.name, len(passed), "not asked for", step.file)
            else:
                passed = await _judge_step(request, judging, recorder, step, passed)
    return passed


async def _judge_step(
    request: CurateRequest, judging: Judging, recorder: Recorder, step: JudgeStep, rows: list[Row]
) -> list[Row] | None:
    """Ask about all rows, write down what was said; gives those that passed, or None if some were not asked about."""
    prompt = (resources.files("counterfoil.explain") / "prompts" / f"curate-{step.name}.txt").read_text("utf-8").strip()
    verdicts = await ask_verdicts(judging, step.name, prompt, step.words, [row.shown_to_judges for row in rows])
    for row, verdict in zip(rows, verdicts, strict=True):
        for field, value in zip(step.fields, verdict, strict=True):
            setattr(row, field, value)
    write_rows(request.out / step.file, rows)
    counts = Counter(verdict.word for verdict in verdicts)
    passed = [row for row, verdict in zip(rows, verdicts, strict=True) if verdict.word == step.words[0]]
    recorder.manifest.judge = judging.described()
    prompt_sha256 = hashlib.sha256(prompt.encode()).hexdigest()
    recorder.done(step.name, len(rows), len(passed), step.file, counts=dict(counts), prompt_sha256=prompt_sha256)
    return None if counts[NOT_ASKED] else passed


def _list_for_people(request: CurateRequest, passed: list[Row], recorder: Recorder) -> None:
    """Step 4: a sample of what passed. A list that people have begun to fill in stays as it is."""
    path = request.out / REVIEW
    if not passed:
        raise UserError(f"The judge let no question through: see {request.out / VERIFIED} for its reasons.")
    if has_entries(path):
        raise UserError(f"{path} was filled in in the meantime and stays as it is: run the same command again.")
    drawn = list(Sample(passed, chosen_units(passed, request.keep, request.seed)))
    write_review(path, REVIEW_COLUMNS, map(review_row, drawn))
    ids = [row.id for row in drawn]
    recorder.done("review", len(passed), len(drawn), REVIEW, counts=strata(drawn), seed=request.seed, ids=ids)


def _sha256(data: str) -> str:
    return hash_file(Path(data)) if Path(data).is_file() else load_questions(data).sha256
