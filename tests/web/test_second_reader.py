"""What a second reader reads otherwise is one click away, and comes first."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest

from run_folders import SECOND_READER, make_run, record
from sites import Client, serving

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")

pytestmark = pytest.mark.heavy


def test_a_run_leads_to_what_is_read_otherwise_and_records_begin_with_it(tmp_path: Path) -> None:
    rows = [record(question_id=f"q{i}", readers_agree=i != 2, second_reading="AB"[i == 2]) for i in range(4)]
    schema = {"second_reading": pl.String, "readers_agree": pl.Boolean}
    make_run(tmp_path / "reread", rows, schema=schema, second_reader=SECOND_READER)
    make_run(tmp_path / "usual", [record()])
    with serving(tmp_path) as site:
        client = Client(site)
        assert "read otherwise" not in client.get("/run/usual").text
        link = re.search(r'href="([^"]*)">1 reply read otherwise by the second reader', client.get("/run/reread").text)
        assert link is not None
        assert link[1] == "/records/reread?readers_agree=false"
        found = client.get(link[1]).text
        assert re.findall(r"row=(\d)", found) == ["2"]
        assert ">B</a></td>" in found
        assert re.findall(r"row=(\d)", client.get("/records/reread").text) == ["2", "0", "1", "3"]
