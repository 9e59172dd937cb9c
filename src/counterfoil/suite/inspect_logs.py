"""Replies from logs of Inspect: those of our own tasks, and of other people's whose samples are our questions."""

from __future__ import annotations

import json
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from counterfoil.asking.ask import Reply, after
from counterfoil.asking.models.inspect import read_output
from counterfoil.errors import UserError
from counterfoil.suite.imports import Imported

HEADER, START = "header.json", "_journal/start.json"
# In a sample's store: the replies of the turns before the last.
EARLIER = "counterfoil_earlier"
LONGEST_REASON = 300
_ATTACHMENT = re.compile(r"attachment://(\w+)")


class _Log(NamedTuple):
    """A log's head, and its samples, each with its id and epoch; None where one is missing."""

    model: str
    variant: str | None
    is_whole: bool
    samples: Iterator[tuple[str, int, dict[str, Any] | None]]


class _Where(NamedTuple):
    path: Path
    sample: str


def import_inspect(files: Sequence[Path], questions: Mapping[str, Any]) -> Iterator[Imported]:
    """A sample is a question's if its id is the question's, or a variant and the question's, as in our own tasks, or
    if its metadata has a `question_id`; the variant is that of its metadata, or of its id, or of the task's
    arguments. A sample that failed, or never came to be in a log that broke off, is a failed reply.
    """
    seen: dict[int, _Where] = {}
    for path in files:
        with _readable(path):
            log = _opened(path)
        for id, epoch, sample in _each(path, log):
            metadata = (sample or {}).get("metadata")
            metadata = metadata if isinstance(metadata, dict) else {}
            variant, question_id = _placed(id, metadata, questions)
            with _readable(path):
                reply = _reply(sample)
            imported = Imported(
                model=log.model,
                variant=variant or log.variant or "imported",
                question_id=question_id,
                repeat=epoch - 1,
                reply=reply,
                where=f"{path}, sample {id}, epoch {epoch}",
            )
            _check_that_it_is_new(imported, _Where(path, id), seen)
            yield imported


def _check_that_it_is_new(imported: Imported, where: _Where, seen: dict[int, _Where]) -> None:
    """The same question and epoch may come from two logs, or from samples of one that don't say how they differ."""
    identity = hash((imported.model, imported.variant, imported.question_id, imported.repeat))
    earlier = seen.setdefault(identity, where)
    if earlier is where:
        return
    if earlier == where:
        raise UserError(f"{where.path} is named twice: name each log once.")
    if earlier.path == where.path:
        raise UserError(
            f"{imported.where}: sample {earlier.sample} is the question {imported.question_id} in {imported.variant}, "
            "too: name their variants as `variant` in the samples' metadata, or ask again with --epochs."
        )
    raise UserError(
        f"{imported.where}: the same sample and epoch of {imported.model} is in {earlier.path}, too: "
        "leave one of the logs out, or score them apart, each with its own --out."
    )


def _placed(id: str, metadata: Mapping[str, Any], questions: Mapping[str, Any]) -> tuple[str | None, str]:
    variant = metadata.get("variant")
    variant = None if variant is None else str(variant)
    if isinstance(metadata.get("question_id"), str):
        return variant, metadata["question_id"]
    before, _, question_id = id.rpartition(" ")
    if id not in questions and question_id in questions:
        return variant or before, question_id
    return variant, id


def _reply(sample: dict[str, Any] | None) -> Reply:
    if sample is None:
        return Reply(status="failed", error="the log broke off before it was asked")
    error, limit, output = (sample.get(name) for name in ("error", "limit", "output"))
    if sample.get("invalidation"):
        return Reply(status="failed", error="somebody has marked it as invalid")
    if isinstance(error, dict):
        return Reply(status="failed", error=" ".join(str(error.get("message")).split())[:LONGEST_REASON])
    if not isinstance(output, dict) or (not output.get("choices") and output.get("time") is None):
        by_limit = f"stopped by its {limit.get('type')} limit" if isinstance(limit, dict) else "there is no output"
        return Reply(status="failed", error=by_limit)
    attachments = sample.get("attachments") or {}
    earlier = (sample.get("store") or {}).get(EARLIER)
    return with_earlier(read_output(_with_attachments(output, attachments)), _with_attachments(earlier, attachments))


def with_earlier(reply: Reply, earlier: Any) -> Reply:
    """A conversation's last reply with those before it, as the sample's store has them; None where it has none."""
    return after(msgspec.convert(earlier or (), tuple[Reply, ...]), reply)


def _with_attachments(value: Any, attachments: Mapping[str, str]) -> Any:
    """Long texts may stand at the sample's end, and where they belong only a reference to them."""
    if not attachments:
        return value
    if isinstance(value, str):
        return _ATTACHMENT.sub(lambda match: attachments.get(match[1], match[0]), value)
    if isinstance(value, list):
        return [_with_attachments(inner, attachments) for inner in value]
    if isinstance(value, dict):
        return {name: _with_attachments(inner, attachments) for name, inner in value.items()}
    return value


def _each(path: Path, log: _Log) -> Iterator[tuple[str, int, dict[str, Any] | None]]:
    while True:
        with _readable(path):
            found = next(log.samples, None)
        if found is None:
            return
        if found[2] is not None or not log.is_whole:
            yield found


def _opened(path: Path) -> _Log:
    if zipfile.is_zipfile(path):
        return _opened_archive(path)
    content = json.loads(path.read_bytes())
    samples = {(str(one["id"]), int(one.get("epoch") or 1)): one for one in content.get("samples") or []}
    return _log(content, ((*at, samples.get(at)) for at in _expected(content, list(samples))))


def _opened_archive(path: Path) -> _Log:
    """One sample at a time is in memory, however large the log is."""
    with suppress(ModuleNotFoundError):  # comes with Inspect, whose logs are packed that way
        import_module("zipfile_zstd")
    archive = zipfile.ZipFile(path)
    names = set(archive.namelist())
    header = json.loads(archive.read(HEADER if HEADER in names else START))
    there = [_at(name) for name in dict.fromkeys(archive.namelist()) if name.startswith("samples/")]

    def samples() -> Iterator[tuple[str, int, dict[str, Any] | None]]:
        with archive:
            for id, epoch in _expected(header, there):
                name = f"samples/{id}_epoch_{epoch}.json"
                yield id, epoch, json.loads(archive.read(name)) if name in names else None

    return _log(header, samples())


def _at(name: str) -> tuple[str, int]:
    id, _, epoch = name.removeprefix("samples/").removesuffix(".json").rpartition("_epoch_")
    return id, int(epoch)


def _expected(header: Mapping[str, Any], there: Sequence[tuple[str, int]]) -> Iterator[tuple[str, int]]:
    """The samples in the order in which they were to be asked, then those that nobody has announced."""
    spec = header["eval"]
    ids = [str(id) for id in spec["dataset"].get("sample_ids") or []]
    epochs = (spec.get("config") or {}).get("epochs") or 1
    announced = [(id, epoch) for id in ids for epoch in range(1, epochs + 1)]
    return iter(dict.fromkeys([*announced, *there]))


def _log(header: Mapping[str, Any], samples: Iterator[tuple[str, int, dict[str, Any] | None]]) -> _Log:
    spec = header["eval"]
    variant = (spec.get("task_args") or {}).get("variant")
    return _Log(
        model=str(spec["model"]),
        variant=str(variant) if isinstance(variant, str | int) else None,
        is_whole=header.get("status") == "success",
        samples=samples,
    )


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Turn whatever is wrong with a log into one sentence."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{path} can't be read: {error.strerror or error}.") from error
    except NotImplementedError as error:
        raise UserError(f"{path} is packed by Inspect: pip install 'counterfoil[inspect]', then run again.") from error
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise UserError(f"{path} is no log of Inspect, or is damaged ({type(error).__name__}: {error}).") from error
    except Exception as error:
        if type(error).__module__.partition(".")[0] not in ("zstd", "zstandard"):
            raise
        raise UserError(f"{path} is damaged: {error}.") from error
