"""The run folder: one process at a time, nothing of others written over, nothing of an earlier run left behind."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import counterfoil as cf
import three_choice
from commands import SUITE
from counterfoil import targets
from counterfoil.files import write_json
from counterfoil.report.page.page import write_report
from counterfoil.running.folder import discard_empty, locked

pytestmark = pytest.mark.heavy

PLANTED = "planted/three_choice:suite"


@pytest.fixture(autouse=True)
def in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def run(**options: Any) -> cf.Run:
    return cf.run(SUITE, **{"model": PLANTED, "data": "5", "out": "out"} | options)


def names(folder: str = "out") -> set[str]:
    return {path.name for path in Path(folder).iterdir()} - {".lock", targets.LIST}


OURS = {"manifest.json", "records.parquet", "summary.json"}


def test_who_does_not_get_the_lock_leaves_everything_as_it_is() -> None:
    with locked(Path("out")):
        Path("out/.parts").mkdir()
        Path("out/.parts/0000-00000000.parquet").write_bytes(b"another's work")
        with pytest.raises(cf.UserError, match="Another process is at work on out"):
            run()
        assert Path("out/.parts/0000-00000000.parquet").read_bytes() == b"another's work"
        assert Path("out/.lock").exists()


def test_a_run_that_comes_to_nothing_leaves_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any) -> None:
        raise cf.UserError("no such thing")

    monkeypatch.setattr(three_choice.ThreeChoice, "messages", fail)
    with pytest.raises(cf.UserError, match="no such thing"):
        run()
    assert not Path("out").exists()


def test_only_an_empty_folder_is_discarded() -> None:
    with locked(Path("out")):
        Path("out/mine.txt").write_text("kept")
        discard_empty(Path("out"))
        assert names() == {"mine.txt"}
        Path("out/mine.txt").unlink()
        discard_empty(Path("out"))
    assert not Path("out").exists()


def test_another_suites_run_is_not_written_over() -> None:
    cf.run("bias", model="planted/bias", variant=["1"], limit=2, out="out")
    before = {path.name: path.read_bytes() for path in Path("out").iterdir()}
    with pytest.raises(
        cf.UserError, match=r"^out holds a run of bias, and this one is of three_choice: name another .* --out, or repl"
    ):
        run()
    assert {path.name: path.read_bytes() for path in Path("out").iterdir()} == before


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("summary.json", b'{"total": 3}'),
        ("summary.json", b'{"suite": "three_choice"}'),  # no estimates: a name alone makes no run
        ("summary.json", b"[1, 2]"),
        ("summary.json", b"not JSON"),
        ("manifest.json", b'{"name": "an app", "start_url": "/"}'),
        ("records.parquet", b"not parquet"),
    ],
)
def test_files_that_only_have_our_names_are_not_written_over(name: str, content: bytes) -> None:
    Path("out").mkdir()
    Path("out", name).write_bytes(content)
    with pytest.raises(cf.UserError, match=f"{name} is not what a run has written, and would be replaced: name anothe"):
        run()
    assert [path.name for path in Path("out").iterdir()] == [name]
    assert Path("out", name).read_bytes() == content


def test_somebody_elses_table_is_not_written_over() -> None:
    Path("out").mkdir()
    pl.DataFrame({"a": [1]}).write_parquet("out/records.parquet")
    with pytest.raises(cf.UserError, match=r"records\.parquet is not what a run has written"):
        run()
    assert pl.read_parquet("out/records.parquet").columns == ["a"]


@pytest.mark.parametrize("damaged", sorted(OURS))
def test_running_again_mends_a_damaged_file(damaged: str) -> None:
    run()
    Path("out", damaged).write_bytes(b"{")
    assert run().records.height == 5
    assert json.loads(Path("out/manifest.json").read_text())["suite"] == "three_choice"


def test_running_again_goes_on_where_only_the_records_were_written() -> None:
    run()
    Path("out/manifest.json").unlink()
    Path("out/summary.json").unlink()
    assert run().records.height == 5
    assert names() == OURS


def test_the_same_suite_with_other_settings_takes_the_place_of_what_was_there() -> None:
    run()
    Path("out/notes.txt").write_text("mine")
    Path("out/pilot.study.sqlite").write_bytes(b"ratings")
    assert run(data="7", variant=["polite"]).records.height == 7
    assert names() == OURS | {"notes.txt", "pilot.study.sqlite"}


def test_the_page_on_an_earlier_run_goes_and_somebody_elses_stays() -> None:
    write_report([run()], Path("out/report.html"))
    write_report([cf.Run("out")], Path("out/mine.html"))
    run(data="7")
    assert names() == OURS | {"mine.html"}, "a page that the user has named is the user's"
    Path("out/report.html").write_text("<title>Our quarter</title>")
    run()
    assert names() == OURS | {"mine.html", "report.html"}


def test_what_the_suite_wrote_for_an_earlier_run_goes_when_it_is_not_written_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wanted = ["a.json", "b.json"]

    def finished(self: Any, of: cf.Run, facts: Any) -> None:
        assert of.manifest["suite"] == "three_choice"
        for name in wanted:
            write_json(of.folder / name, wanted)
        write_json(Path("elsewhere.json"), wanted)

    monkeypatch.setattr(three_choice.ThreeChoice, "finished", finished)
    assert run().manifest["files"] == ["a.json", "b.json"]
    Path("out/c.json").write_text("mine")
    wanted = ["b.json"]
    assert run().manifest["files"] == ["b.json"]
    assert names() == OURS | {"b.json", "c.json"}
    assert json.loads(Path("out/b.json").read_text()) == ["b.json"]
    wanted = []
    assert "files" not in run().manifest
    assert names() == OURS | {"c.json"}
    assert Path("elsewhere.json").exists()


def test_a_manifest_names_no_files_of_other_folders() -> None:
    run()
    Path("kept.json").write_text("1")
    Path("out/sub").mkdir()
    manifest = json.loads(Path("out/manifest.json").read_text())
    manifest["files"] = ["../kept.json", str(Path("kept.json").absolute()), "sub", "records.parquet", 3, ""]
    Path("out/manifest.json").write_text(json.dumps(manifest))
    assert run().records.height == 5
    assert Path("kept.json").exists()
    assert names() == OURS | {"sub"}


def test_the_results_of_one_variant_do_not_stay_beside_those_of_two() -> None:
    arguments: dict[str, Any] = {"model": "planted/memorization", "limit": 3, "out": "out"}
    cf.run("memorization", variant=["mcq"], **arguments)
    assert "results.json" in names()
    cf.run("memorization", variant=["mcq", "open"], **arguments)
    found = {name.rpartition("_")[2] for name in names() if name.startswith("results")}
    assert found == {"mcq.json", "open.json"}


def test_what_a_run_has_read_is_not_taken_away() -> None:
    arguments: dict[str, Any] = {"model": "planted/memorization", "limit": 3, "out": "out"}
    cf.run("memorization", variant=["mcq", "open"], **arguments)
    (given,) = [name for name in names() if name.endswith("_mcq.json")]
    cf.score("memorization", f"out/{given}", format="cfa", out="out")
    assert {name for name in names() if name.startswith("results")} == {given, "results.json"}


def test_a_runs_files_are_decoded_once_and_again_when_they_were_replaced() -> None:
    opened = run()
    assert opened.whole_summary is opened.whole_summary
    assert opened.manifest is opened.manifest
    assert run(data="7").outcomes[0]["answered"] == 7
    assert (opened.outcomes[0]["answered"], opened.manifest["data"]["asked"]) == (7, 7)
