"""How much memory a record takes at the end of a run, where all of them are read and estimated."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

from counterfoil.bias.suite import Bias
from counterfoil.running.records import COLUMNS

pytestmark = pytest.mark.heavy

FEW, MANY, MOST_BYTES = 100_000, 700_000, 300
TYPES = {str: pl.String, int: pl.Int64, bool: pl.Boolean, float: pl.Float64, list[str]: pl.List(pl.String)}
# In a process of its own, since the memory that one has had at the most is told of whole processes.
READ_AND_ESTIMATE = """
import sys
from pathlib import Path
from counterfoil.bias.suite import Bias
from counterfoil.running.records import read_scores
import counterfoil.bias.items
suite = Bias({"aggregate": sys.argv[2]})
estimates = suite.summarize(read_scores(Path(sys.argv[1]), suite.categorical), None)
assert len(estimates) > 50
print(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
"""


def write_records(path: Path, number: int) -> None:
    """Records as a run has them: 60 to a template, in three orders and two prompts, every third answer unknown."""
    place = pl.int_range(number, dtype=pl.Int64)
    question, template = place // 6, place // 60
    role = pl.when(place % 3 == 0).then(pl.lit("unknown")).otherwise(pl.lit("biased"))
    columns = {
        "model": pl.lit("vllm/some-model-of-a-usual-name"),
        "variant": (1 + place // 3 % 2).cast(pl.String),
        "question_id": pl.format("category-{}a-{}-amb-bsd", template, question),
        "repeat": pl.lit(0),
        "cluster": pl.format("category-{}", template),
        "outcome": pl.lit("answered"),
        "order": place % 3,
        "category": pl.format("category {}", template % 12),
        "label": pl.lit("ST"),
        "ambiguous": pl.lit(True),
        "biased_context": question % 2 == 0,
        "pair": pl.format("category-{}-{}", template, question // 2),
        "choice": pl.when(place % 3 == 0).then(pl.lit("C")).otherwise(pl.lit("A")),
        "content": place % 3,
        "role": role,
        "correct": place % 3 == 0,
    }
    schema = {name: TYPES[kind] for name, kind in (COLUMNS | dict(Bias.columns)).items()}
    rows = pl.select(**columns).with_columns(
        pl.lit(None, kind).alias(name) for name, kind in schema.items() if name not in columns
    )
    rows.select(pl.col(name).cast(kind) for name, kind in schema.items()).write_parquet(path, row_group_size=16_384)


@pytest.mark.parametrize("aggregate", ["pooled", "templates"])
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells of its memory on Linux only")
def test_a_record_takes_at_most_300_bytes_when_estimates_are_made(tmp_path: Path, aggregate: str) -> None:
    kilobytes = []
    for number in (FEW, MANY):
        write_records(tmp_path / "records.parquet", number)
        command = [sys.executable, "-c", READ_AND_ESTIMATE, str(tmp_path / "records.parquet"), aggregate]
        kilobytes.append(int(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    assert (kilobytes[1] - kilobytes[0]) * 1024 / (MANY - FEW) < MOST_BYTES
