"""A run as logs of Inspect: `counterfoil export RUN --to inspect DIR`, for `inspect view` and whatever reads them."""

from __future__ import annotations

import hashlib
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil import targets
from counterfoil.asking.models.inspect import chat_messages, generate_config, require_inspect
from counterfoil.console import say
from counterfoil.errors import UserError
from counterfoil.files import explained, replacing
from counterfoil.running.asked import Key, key_of_question, key_of_record, questions_of, suite_of, variants_of
from counterfoil.running.folder import RECORDS, Run, readable
from counterfoil.running.records import TEXT_COLUMNS
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.outcome import LEFT_OUT
from counterfoil.suite.suite import AnySuite, Question, Row, Variant

SCORER, METRIC = "record", "estimates"
_STOP_REASON = {"refused": "content_filter", "truncated": "max_tokens"}
_SCALARS = (bool, int, float, str)
_LIKELIEST_FIELDS = ("answer", "choice")


class _Asked(NamedTuple):
    """The suite of a run, and its questions and variants, which are empty where they can't be loaded any more."""

    suite: AnySuite
    questions: Mapping[Key, Question]
    variants: Mapping[str, Variant]

    def question(self, row: Row) -> Question | None:
        return self.questions.get(key_of_record(self.suite, row))

    def sample_id(self, row: Row) -> str:
        """The id of the sample, as our tasks name it."""
        question, order = self.question(row), row.get("order")
        id = question.id if question else row["question_id"] if order is None else f"{row['question_id']}-{order}"
        return f"{row['variant']} {id}"


def metric_values(estimates: Iterable[Estimate]) -> dict[str, float]:
    """Estimates as Inspect's metrics, overall ones first: `accuracy(variant=cfe,label=confusing)`, and the same with
    `.low` and `.high`. What is not defined is left out. Inspect takes square brackets for a style of the terminal.
    """
    values: dict[str, float | None] = {}
    for estimate in sorted(estimates, key=lambda estimate: bool(estimate.group)):
        group = {"variant": estimate.variant} | dict(estimate.group)
        name = f"{estimate.metric}({','.join(f'{key}={value}' for key, value in group.items())})"
        name = name.replace("[", "(").replace("]", ")")
        values |= {name: estimate.value, f"{name}.low": estimate.low, f"{name}.high": estimate.high}
    return {name: value for name, value in values.items() if value is not None}


def sample_metadata(question: Question, variant: str) -> dict[str, Any]:
    """The columns of a question, for its sample."""
    return {"variant": variant, "cluster": question.cluster, **question.columns, "question_id": question.id}


def record_score(row: Row, suite: AnySuite, about: Iterable[str]) -> Any:
    """A record as a Score. Its value is what was read and scored, its metadata the whole record without the reply.
    `about` are the columns of the question.
    """
    from inspect_ai.scorer import Score

    scores = [name for name, kind in suite.columns.items() if kind in _SCALARS and name not in set(about)]
    answer = next((row[name] for name in _LIKELIEST_FIELDS if row.get(name) is not None), None)
    kept = {name: value for name, value in row.items() if name not in TEXT_COLUMNS or name == "reason"}
    return Score(
        value={"outcome": row["outcome"]} | {name: row.get(name) for name in scores},
        answer=None if answer is None else str(answer),
        explanation=row.get("reason"),
        metadata=kept,
    )


def export_log(run: Run, folder: Path) -> list[Path]:
    """Write one .eval log for each of the run's models; gives the files."""
    require_inspect("--to inspect")
    asked = _asked(run)
    with explained(folder):
        folder.mkdir(parents=True, exist_ok=True)
    logs = {_path_of(folder, header): header for header in (_header(run, model, asked) for model in _models(run))}
    targets.refuse(*logs)
    for path, header in logs.items():
        _write_log(run, asked, header, path)
    return list(logs)


def _models(run: Run) -> list[str]:
    return list(dict.fromkeys(str(row["model"]) for row in run.outcomes))


def _path_of(folder: Path, header: Any) -> Path:
    time = re.sub(r"[^\dT]", "-", header.eval.created[:19])
    suite = header.eval.task.rpartition("/")[2]
    return folder / f"{time}_{suite}_{re.sub(r'[^A-Za-z0-9.]+', '-', header.eval.model)}.eval"


def _asked(run: Run) -> _Asked:
    suite = suite_of(run)
    try:
        dataset = questions_of(run)
        variants = variants_of(run, dataset, ())
    except UserError as error:
        say(f"The logs hold the questions' ids in place of their words: {error}")
        return _Asked(suite, {}, {})
    return _Asked(suite, {key_of_question(suite, question): question for question in dataset}, variants)


def _write_log(run: Run, asked: _Asked, header: Any, path: Path) -> None:
    """Write the members of a log as Inspect reads them. One sample at a time is in memory."""
    summaries: list[str] = []
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        start = {"version": header.version, "eval": header.eval, "plan": header.plan}
        archive.writestr("_journal/start.json", _json(start))
        for row in _records(run, header.eval.model):
            sample = _sample(row, asked)
            archive.writestr(f"samples/{sample.id}_epoch_{sample.epoch}.json", _json(sample))
            summaries.append(_json(sample.summary()))
        archive.writestr("summaries.json", f"[{','.join(summaries)}]")
        archive.writestr("header.json", _json(header))


def _json(value: Any) -> str:
    from pydantic_core import to_json

    return str(to_json(value, exclude_none=True, inf_nan_mode="constants"), "utf-8")


def _records(run: Run, model: str) -> Iterator[Row]:
    import polars as pl

    with readable(run.folder / RECORDS):
        records = pl.scan_parquet(run.folder / RECORDS).filter(pl.col("model") == model).collect()
    return records.iter_rows(named=True)


def _header(run: Run, model: str, asked: _Asked) -> Any:
    from inspect_ai import log

    manifest = run.manifest
    settings: Mapping[str, Any] = next((entry for entry in manifest["models"] if entry["name"] == model), {})
    counts = [row for row in run.outcomes if row["model"] == model]
    total = sum(value for row in counts for value in row.values() if isinstance(value, int))
    estimates = [estimate for estimate in run.estimates if estimate.model == model]
    metrics = {
        name: log.EvalMetric(name=name, group=METRIC, value=value) for name, value in metric_values(estimates).items()
    }
    finished = manifest.get("finished_at")
    identity = hashlib.sha256(msgspec.json.encode([model, manifest])).hexdigest()[:22]
    options = {"data": manifest["data"]["given"], "seed": manifest.get("seed"), **manifest["options"]}
    ids = dict.fromkeys(asked.sample_id(row) for row in _records(run, model))
    return log.EvalLog(
        status="success",
        eval=log.EvalSpec(
            eval_id=identity,
            run_id=identity,
            task_id=identity,
            created=manifest.get("started_at") or finished,
            task=f"counterfoil/{asked.suite.name}",
            task_version=manifest["versions"]["counterfoil"],
            task_args={name: value for name, value in options.items() if value is not None},
            dataset=log.EvalDataset(name=manifest["data"]["name"], samples=len(ids), sample_ids=list(ids)),
            model=model,
            model_base_url=settings.get("base_url"),
            model_generate_config=_config(settings.get("params") or {}),
            config=log.EvalConfig(epochs=options.get("repeats") or 1),
            packages=manifest["versions"],
            metadata={"data_sha256": manifest["data"]["sha256"]},
        ),
        results=log.EvalResults(
            total_samples=total,
            completed_samples=total - sum(row[outcome] for row in counts for outcome in LEFT_OUT),
            scores=[
                log.EvalScore(name=SCORER, scorer=SCORER, scored_samples=total, unscored_samples=0, metrics=metrics),
            ],
            metadata={"estimates": msgspec.to_builtins(estimates)},
        ),
        stats=log.EvalStats(started_at=manifest.get("started_at") or "", completed_at=finished or ""),
    )


def _config(params: Mapping[str, Any]) -> Any:
    """Those parameters of a model that Inspect has a name for."""
    try:
        return generate_config(params)
    except UserError:
        return generate_config({name: params[name] for name in ("temperature", "max_tokens", "seed") if name in params})


def _sample(row: Row, asked: _Asked) -> Any:
    from inspect_ai.log import EvalError, EvalSample
    from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelOutput

    id, question, variant = asked.sample_id(row), asked.question(row), asked.variants.get(row["variant"])
    messages = chat_messages(asked.suite.messages(question, variant)) if question and variant else None
    metadata = {name: row[name] for name in ("variant", "cluster")} | {"question_id": id.rpartition(" ")[2]}
    sample = EvalSample(
        id=id,
        epoch=row["repeat"] + 1,
        input=id if messages is None else messages,
        target="",
        metadata=sample_metadata(question, row["variant"]) if question else metadata,
        scores={SCORER: record_score(row, asked.suite, question.columns if question else ())},
    )
    if row["outcome"] in LEFT_OUT:
        reason = ": ".join(filter(None, [row["outcome"].replace("_", " "), row["reason"]]))
        sample.error = EvalError(message=reason, traceback="", traceback_ansi="")
        return sample
    reply = ChatMessageAssistant(content=row["reply"] or "", source="generate")
    stop_reason = _STOP_REASON.get(row["outcome"], "stop")
    sample.output = ModelOutput(
        model=row["model"], choices=[ChatCompletionChoice(message=reply, stop_reason=stop_reason)]
    )
    sample.messages = [*(messages or ()), reply]
    return sample
