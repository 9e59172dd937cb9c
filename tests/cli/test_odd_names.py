"""Names in bytes that are no UTF-8, as CP949 ones are here, and control characters in what others wrote."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from commands import counterfoil
from mock_server import MockServer, error

ODD = os.fsdecode("결과".encode("cp949"))


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    run = cf.run("bias", data="english", model="planted/bias", limit=4, variant="1", out=tmp_path / "b")
    shutil.copytree(run.folder, tmp_path / ODD)
    return tmp_path


@pytest.mark.parametrize(
    "command",
    [
        ("show", "{odd}"),
        ("report", "b", "{odd}"),
        ("compare", "b", "{odd}"),
        ("compare", "b", "{odd}", "--json"),
        ("export", "{odd}", "--to", "csv", "out"),
        ("export", "b", "--to", "parquet", "{odd}"),
        ("rate", "new", "{odd}", "--raters", "2"),
        ("plan", "bias", "--run", "{odd}", "--detect", "0.1"),
        ("data", "perturb", "--from", "bank", "--out", "{odd}.jsonl"),
    ],
)
def test_every_command_refuses_them_in_a_sentence(command: tuple[str, ...], runs: Path) -> None:
    # The name itself can't stand among the parameters: it can't be sent from one test process to another.
    done = counterfoil(*(part.format(odd=ODD) for part in command), cwd=runs)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "is a name in other bytes than UTF-8: rename the file or folder" in done.stderr


def test_python_refuses_them_too_and_the_site_leaves_them_out(runs: Path) -> None:
    from counterfoil.web.served import Served

    with pytest.raises(cf.UserError, match="is a name in other bytes than UTF-8"):
        cf.Run(runs / ODD)
    assert [info.path for info in Served(runs).runs()] == ["b"]


def test_a_run_inside_such_a_folder_can_be_reported(runs: Path) -> None:
    assert counterfoil("report", ".", cwd=runs / ODD).returncode == 0


def test_a_servers_text_does_not_steer_the_terminal(tmp_path: Path) -> None:
    def refuse(request: dict[str, Any]) -> Any:
        return error(401, "\x1b[31mno\x1b[0m \x07key")

    with MockServer(refuse) as server:
        arguments = ("--model", "vllm/m", "--base-url", server.url, "--limit", "3", "--variant", "cfe", "--out", "r")
        done = counterfoil("run", "explain", *arguments, cwd=tmp_path)
    shown = counterfoil("show", "r", cwd=tmp_path)
    for text in (done.stdout, done.stderr, shown.stdout, shown.stderr):
        assert "\x1b" not in text
        assert "\x07" not in text
    assert "no" in done.stderr


def test_nor_does_the_name_of_an_imported_model(tmp_path: Path) -> None:
    line = {"question_id": "en-001", "model": "m\x1b[2J", "variant": "v", "reply": "Sicily"}
    (tmp_path / "r.jsonl").write_text(json.dumps(line))
    done = counterfoil("score", "explain", "--from", "jsonl", "r.jsonl", "--out", "s", cwd=tmp_path)
    assert "\x1b" not in done.stdout + done.stderr
    assert "m\\x1b[2J" in done.stdout


def test_csv_files_open_in_a_spreadsheet_with_korean_intact(tmp_path: Path) -> None:
    """Spreadsheets take a file without a byte order mark for one in the encoding of the country."""
    cf.run("bias", data="korean", model="planted/bias", limit=4, variant="1", out=tmp_path / "b")
    assert counterfoil("export", "b", "--to", "csv", "out", cwd=tmp_path).returncode == 0
    for name in ("summary.csv", "records.csv"):
        assert (tmp_path / "out" / name).read_bytes().startswith(b"\xef\xbb\xbf")
