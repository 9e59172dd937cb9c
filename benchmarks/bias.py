"""`bias` at its full sizes: scoring as many predictions as KoBBQ has, asking its whole test set over HTTP, and as many
questions of MBBQ in four languages.

    python -m benchmarks.bias

The predictions are the given ones under new ids. The server, in a process of its own, answers as `planted/bias` does;
to the questions of the bare aiohttp loop it answers, too. Needs ../shared/data/kobbq and bbq-family; says so and exits
with 0 where they are missing. Prints one line for each thing that must hold, and exits with 1 if one does not.
"""

from __future__ import annotations

import asyncio
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path

from benchmarks.asking import CONCURRENCY, HERE, SUPPORT, Report, measured, script, server

from counterfoil.running.folder import Run
from counterfoil.suite.outcome import LEFT_OUT, OUTCOMES

DATA = HERE.parent.parent / "shared" / "data" / "kobbq"
SAMPLES = DATA / "KoBBQ_test_samples.tsv"
PREDICTIONS = DATA / "KoBBQ_test_evaluation_1_planted-a_predictions.tsv"
MBBQ = DATA.parent / "bbq-family"
CODES = ("en", "es", "nl", "tr")
ALL_SAMPLES, ORDERS, PROMPTS = 76_048, 3, 5
FEW_ASKS, ASKS = 2_280 * ORDERS, 2_280 * ORDERS * PROMPTS
ROUNDS = 2
MOST_SECONDS_AGAIN, MOST_GIGABYTES_AGAIN = 45.0, 0.5
MOST_TIMES_KOBBQ, MOST_TIMES_KOBBQ_MEMORY = 1.3, 1.3
MOST_SECONDS, MOST_GIGABYTES, MOST_TIMES_BARE, MOST_MEGABYTES_ABOVE = 6.0, 1.0, 2.2, 60.0


def write_all(folder: Path) -> tuple[Path, Path]:
    """Samples and predictions in the number of KoBBQ's whole set: the given ones, again and again under new ids."""
    samples, predictions = folder / "KoBBQ_all_samples.tsv", folder / "KoBBQ_all_evaluation_1_m_predictions.tsv"
    header, *rows = _table(SAMPLES)
    copies = ([_renumbered(row[0], k), *row[1:]] for k in count() for row in rows)
    copied = list(islice(copies, ALL_SAMPLES))
    _write(samples, [header, *copied])
    asked = {row[0] for row in copied}
    header, *rows = _table(PREDICTIONS)
    at = header.index("guid")
    copies = ([*row[:at], _renumbered(row[at], k), *row[at + 1 :]] for k in count() for row in rows)
    # Behind a sample's id stands the order of its choices.
    kept = (row for row in copies if row[at].rpartition("-")[0] in asked)
    _write(predictions, [header, *islice(kept, ALL_SAMPLES * ORDERS)])
    return samples, predictions


def _table(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file, delimiter="\t"))


def _write(path: Path, rows: list[list[str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t").writerows(rows)


def _renumbered(identity: str, k: int) -> str:
    """category-template-SAMPLE-context…: the k-th copy has another number of the sample."""
    category, template, sample, *rest = identity.split("-")
    return "-".join((category, template, str(int(sample) + 1000 * k), *rest))


def scoring(report: Report) -> None:
    """From files to the summary with intervals, by both readings."""
    with tempfile.TemporaryDirectory(dir=HERE) as name:
        folder = Path(name)
        samples, predictions = write_all(folder)
        for reading in ("kobbq", "counterfoil"):
            command = [sys.executable, "-m", "counterfoil", "score", "bias", "--from", "kobbq", str(predictions)]
            command += ["--data", str(samples), "--reading", reading, "--out", reading]
            cost = measured(command, folder)
            records = _records(folder / reading)
            assert records == ALL_SAMPLES * ORDERS, records
            what = f"{records:,} predictions scored, {reading}"
            report.line(what, cost.seconds, MOST_SECONDS, " s", f"{cost.processor:.1f} s of processor time")
            report.line(f"{what}: peak memory", cost.peak / 2**30, MOST_GIGABYTES, " GB")


def again(report: Report) -> None:
    """All samples in five prompts and three orders, with every reply in the ledger. The copies have the same words, so
    that the asks are few and the records many.
    """
    with tempfile.TemporaryDirectory(dir=HERE) as name:
        folder = Path(name)
        samples, _ = write_all(folder)
        command = [sys.executable, "-m", "counterfoil", "run", "bias", "--model", "planted/bias"]
        command += ["--data", str(samples), "--out", "run"]
        measured(command, folder)
        cost = measured(command, folder)
        records = _records(folder / "run")
        assert records == ALL_SAMPLES * ORDERS * PROMPTS, records
    what = f"{records:,} records, all in the ledger"
    report.line(what, cost.seconds, MOST_SECONDS_AGAIN, " s", f"{cost.processor:.1f} s of processor time")
    report.line(f"{what}: peak memory", cost.peak / 2**30, MOST_GIGABYTES_AGAIN, " GB")


def asking(report: Report) -> None:
    """The full test set in five prompts and three orders, beside the bare loop, in turns; and memory."""
    ours, bare = [], []
    with planted_server() as url:
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory(dir=HERE) as name:
                folder = Path(name)
                bare.append(measured(script("bare_aiohttp.py", url, ASKS), folder).seconds)
                ours.append(measured(_run_command(url, []), folder))
                assert _records(folder / "run") == ASKS
        with tempfile.TemporaryDirectory(dir=HERE) as name:
            few = measured(_run_command(url, ["--variant", "1"]), Path(name))
            assert _records(Path(name) / "run") == FEW_ASKS
    best, processor = min(cost.seconds for cost in ours), min(cost.processor for cost in ours)
    note = f"{best:.1f} s ({ASKS / best:,.0f} asks/s, {processor:.1f} s of processor time) against {min(bare):.1f} s"
    report.line(f"{ASKS:,} asks: run / bare aiohttp", best / min(bare), MOST_TIMES_BARE, "x", note)
    peak = max(cost.peak for cost in ours)
    note = f"{peak / 2**20:.0f} MB against {few.peak / 2**20:.0f} MB"
    above = (peak - few.peak) / 2**20
    report.line(f"{ASKS:,} asks: peak above {FEW_ASKS:,}", above, MOST_MEGABYTES_ABOVE, " MB", note)


def languages(report: Report) -> None:
    """MBBQ in four languages beside KoBBQ, as many asks of each, in turns, of a server that always says "B"."""
    mbbq, kobbq = [], []
    with server() as url:
        for _ in range(ROUNDS):
            with tempfile.TemporaryDirectory(dir=HERE) as name:
                data = write_mbbq(Path(name))
                for data_of, more, costs in ((data, [], mbbq), (SAMPLES, ["--variant", "1"], kobbq)):
                    shutil.rmtree(Path(name) / "run", ignore_errors=True)
                    shutil.rmtree(Path(name) / ".counterfoil", ignore_errors=True)
                    costs.append(measured(_run_command(url, more, data_of), Path(name)))
                    assert _records(Path(name) / "run") == FEW_ASKS
    best, usual = (min(cost.seconds for cost in costs) for costs in (mbbq, kobbq))
    processor, usual_processor = (min(cost.processor for cost in costs) for costs in (mbbq, kobbq))
    what = f"{FEW_ASKS:,} asks of MBBQ in four languages / of KoBBQ"
    note = f"{best:.1f} s against {usual:.1f} s; {processor:.1f} s of processor time against {usual_processor:.1f} s"
    report.line(what, best / usual, MOST_TIMES_KOBBQ, "x", note)
    peak, usual_peak = (min(cost.peak for cost in costs) for costs in (mbbq, kobbq))
    note = f"{peak / 2**20:.0f} MB against {usual_peak / 2**20:.0f} MB"
    report.line(f"{what}: peak memory", peak / usual_peak, MOST_TIMES_KOBBQ_MEMORY, "x", note)


def write_mbbq(folder: Path) -> Path:
    """As many questions as KoBBQ's test set has: the given ones, again and again with other words under new ids."""
    (folder / "mbbq").mkdir()
    of_language = FEW_ASKS // ORDERS // len(CODES)
    for code in CODES:
        lines = (MBBQ / f"mbbq_Sexual_orientation_{code}.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        copies = (
            row | {"example_id": row["example_id"] + 1000 * k, "context": f"{row['context']} ({k})"}
            for k in count()
            for row in rows
        )
        text = "\n".join(json.dumps(row) for row in islice(copies, of_language))
        (folder / "mbbq" / f"Sexual_orientation_{code}.jsonl").write_text(text, encoding="utf-8")
    return folder / "mbbq"


def _run_command(url: str, more: list[str], data: Path = SAMPLES) -> list[str]:
    command = [sys.executable, "-m", "counterfoil", "run", "bias", "--model", "vllm/m", "--base-url", url]
    return [*command, "--data", str(data), "--concurrency", str(CONCURRENCY), "--out", "run", *more]


def _records(run: Path) -> int:
    """How many records of a run hold a reply."""
    return sum(row[name] for row in Run(run).outcomes for name in OUTCOMES if name not in LEFT_OUT)


@contextmanager
def planted_server() -> Iterator[str]:
    """A server in a process of its own that answers as the planted respondent does; gives its address."""
    command = [sys.executable, "-m", "benchmarks.bias", "--serve"]
    process = subprocess.Popen(command, cwd=HERE.parent, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
    finally:
        process.kill()
        process.communicate()


async def serve() -> None:
    sys.path.insert(0, str(SUPPORT))
    from counterfoil.asking.ask import Message
    from counterfoil.bias.planted import respondent
    from counterfoil.errors import UserError
    from mock_server import Answer, _Connection, completion

    respond = respondent({"data": str(SAMPLES)})
    answers = {letter: completion(letter).raw() for letter in "ABC"}

    class Canned(Answer):
        def raw(self) -> bytes:
            return self.body

    def answer(head: bytes, body: bytes) -> Answer:
        messages = [Message(**message) for message in json.loads(body)["messages"]]
        try:
            letter = respond(messages, 0)
        except UserError:  # a question of the bare loop
            letter = "B"
        return Canned(answers[letter])

    server = await asyncio.get_running_loop().create_server(
        lambda: _Connection(answer, 0.0), "127.0.0.1", 0, backlog=1024
    )
    print(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1", flush=True)
    await server.serve_forever()


def main() -> int:
    if not SAMPLES.is_file() or not PREDICTIONS.is_file() or not MBBQ.is_dir():
        print(f"bias: nothing measured, KoBBQ's samples and predictions, or MBBQ's files, are not there: {DATA.parent}")
        return 0
    report = Report()
    scoring(report)
    asking(report)
    languages(report)
    again(report)
    return 1 if report.failed else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        import uvloop

        uvloop.run(serve())
    else:
        sys.exit(main())
