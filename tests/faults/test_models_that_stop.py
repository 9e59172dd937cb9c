"""A model that can't be used stops at once, with one sentence, and leaves the others going."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from commands import SUITE, counterfoil
from counterfoil import Run
from mock_server import Answer, MockServer, completion, error

pytestmark = pytest.mark.heavy


def two_models(server: MockServer, tmp_path: Path, second_url: str | None = None) -> Path:
    """An experiment with a good model and a bad one."""
    path = tmp_path / "two.toml"
    path.write_text(
        f'suite = "{SUITE}"\nout = "out"\ndata = "300"\n'
        f'model = [{{name = "vllm/bad", base-url = "{second_url or server.url}"}},'
        f' {{name = "vllm/good", base-url = "{server.url}"}}]\n'
    )
    return path


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (error(401, "Incorrect API key"), "the server said 401: Incorrect API key"),
        (error(404, "The model `bad` does not exist"), "check the model's name"),
        (error(429, "You exceeded your quota", code="insufficient_quota"), "You exceeded your quota"),
        (error(429, "come back tomorrow", {"Retry-After": "86400"}), "left alone for 86400 seconds"),
        (error(400, "wrong request"), "20 asks failed one after another"),
    ],
)
def test_a_refused_model_stops_and_the_other_goes_on(answer: Answer, sentence: str, tmp_path: Path) -> None:
    def behave(request: dict[str, Any]) -> Answer:
        return answer if request["model"] == "bad" else completion()

    with MockServer(behave) as server:
        done = counterfoil("run", "--experiment", str(two_models(server, tmp_path)), cwd=tmp_path)
        asked = sum(request["model"] == "bad" for request in server.requests)
    assert done.returncode == 1
    assert done.stderr.count("vllm/bad: ") == 1, done.stderr
    assert sentence in done.stderr
    assert asked < 150, "not after thousands of failures"
    records = Run(tmp_path / "out").records
    assert records.filter(pl.col("model") == "vllm/good")["outcome"].to_list() == ["answered"] * 300
    bad = records.filter(pl.col("model") == "vllm/bad")
    assert bad.height == 300
    assert set(bad["outcome"].to_list()) <= {"failed", "not_asked"}
    assert all(bad["reason"].to_list())


def test_an_unreachable_server_stops_its_model_only(tmp_path: Path) -> None:
    with MockServer() as gone:
        nobody = gone.url
    with MockServer() as server:
        done = counterfoil("run", "--experiment", str(two_models(server, tmp_path, nobody)), cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.count("vllm/bad: no server answers at") == 1, done.stderr
    records = Run(tmp_path / "out").records
    assert records.filter((pl.col("model") == "vllm/good") & (pl.col("outcome") == "answered")).height == 300
    assert records.filter((pl.col("model") == "vllm/bad") & (pl.col("outcome") == "not_asked")).height == 300
