"""No command writes over a file that counterfoil did not write there for the same purpose, or that it reads."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import counterfoil as cf
from commands import counterfoil
from counterfoil import targets
from counterfoil.files import check_target, replacing
from mock_server import MockServer

pytestmark = pytest.mark.heavy

BIAS = ("run", "bias", "--model", "planted/bias", "--limit", "44")
ENGLISH = (*BIAS, "--data", "english")
MEMORIZATION = ("run", "memorization", "--model", "planted/memorization", "--limit", "4")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two runs of bias, a run of memorization, a set, a study and a ledger."""
    folder = tmp_path_factory.mktemp("made")
    for arguments in (
        (*ENGLISH, "--out", "r"),
        (*ENGLISH, "--seed", "1", "--out", "r2"),
        (*MEMORIZATION, "--out", "m"),
        ("data", "perturb", "--from", "bank", "--limit", "4", "--lure", "--out", "s/set.jsonl"),
        ("rate", "new", "--run", "r", "--name", "pilot", "--sample", "2"),
    ):
        done = counterfoil(*arguments, cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path) -> Path:
    """The same, for one test."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return tmp_path


def refused(*arguments: str, cwd: Path, because: str) -> None:
    """The command ends with one sentence, and every file is as it was."""
    before = contents(cwd)
    done = counterfoil(*arguments, cwd=cwd)
    assert done.returncode == 2, done.stdout
    assert because in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1, done.stderr
    assert contents(cwd) == before


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(("-wal", "-shm")))
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def accepted(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = counterfoil(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done


READ, THERE = "is read by this command", "is there already, and is not what counterfoil wrote there for this"


def test_a_file_is_not_imported_into_its_own_place(here: Path) -> None:
    (here / "seed").mkdir()
    shutil.copy(here / "m/results.json", here / "seed/results.json")
    arguments = ("score", "memorization", "--from", "cfa", "seed/results.json", "--out", "seed")
    refused(*arguments, cwd=here, because=f"seed/results.json {READ}")
    refused(*arguments, "--overwrite", cwd=here, because=f"seed/results.json {READ}")
    (here / "link").symlink_to("seed")
    refused(*arguments[:-1], "link", "--overwrite", cwd=here, because=f"link/results.json {READ}")
    (here / "hard.json").hardlink_to(here / "seed/results.json")
    refused(
        *("score", "memorization", "--from", "cfa", "hard.json", "--out", "seed", "--overwrite"),
        cwd=here,
        because=f"seed/results.json {READ}",
    )
    assert sorted(path.name for path in (here / "seed").iterdir()) == ["results.json"]


def test_a_run_does_not_rewrite_the_set_it_is_asked_from(here: Path) -> None:
    arguments = ("run", "memorization", "--data", "s/set.jsonl", "--model", "planted/memorization", "--no-lure")
    refused(*arguments, "--out", "s", cwd=here, because=f"s/set.jsonl {READ}")
    refused(*arguments, "--out", "s", "--overwrite", cwd=here, because=f"s/set.jsonl {READ}")
    accepted(*arguments, "--out", "elsewhere", cwd=here)


@pytest.mark.parametrize("name", ["report.html", "set.jsonl", "items.json", "results.json"])
def test_a_run_replaces_no_file_of_the_users_and_asks_nothing_before_it_says_so(name: str, tmp_path: Path) -> None:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / name).write_text("mine")
    with MockServer() as server:
        arguments = ("run", "memorization", "--limit", "2", "--model", "vllm/m", "--base-url", server.url)
        refused(*arguments, "--out", "own", cwd=tmp_path, because=f"own/{name} {THERE}")
        assert server.requests == []
        accepted(*arguments, "--out", "own", "--overwrite", cwd=tmp_path)
    assert (tmp_path / "own" / name).read_text() != "mine"


def test_a_file_that_was_changed_since_is_the_users(here: Path) -> None:
    accepted(*MEMORIZATION, "--out", "m", cwd=here)
    (here / "m/items.json").write_text("[]")
    refused(*MEMORIZATION, "--out", "m", cwd=here, because=f"m/items.json {THERE}")
    (here / "r/report.html").write_text((here / "r/report.html").read_text() + "<p>What we make of it.</p>")
    refused(*ENGLISH, "--out", "r", cwd=here, because=f"r/report.html {THERE}")


def test_runs_of_older_versions_kept_no_list_and_are_made_again_all_the_same(here: Path) -> None:
    (here / "m" / targets.LIST).unlink()
    accepted(*MEMORIZATION, "--out", "m", cwd=here)
    (here / "m" / targets.LIST).unlink()
    accepted("report", "m", cwd=here)


def test_another_suites_run_goes_only_where_the_user_says_so(here: Path) -> None:
    refused(*MEMORIZATION, "--out", "r", cwd=here, because="r holds a run of bias, and this one is of memorization")
    accepted(*MEMORIZATION, "--out", "r", "--overwrite", cwd=here)
    accepted(*ENGLISH, "--out", "r", "--overwrite", cwd=here)
    assert not {"items.json", "results.json", "set.jsonl"} & {path.name for path in (here / "r").iterdir()}


def test_a_run_says_which_earlier_one_it_takes_the_place_of(here: Path) -> None:
    other = ("run", "bias", "--model", "planted/bias?unread=0.2", "--limit", "44", "--data", "english", "--out", "r")
    said = accepted(*other, cwd=here).stderr
    assert "r holds an earlier run (planted/bias, " in said
    assert "): this one takes its place." in said
    assert "takes its place" not in accepted(*other, cwd=here).stderr


@pytest.mark.parametrize("overwrite", [(), ("--overwrite",)])
def test_the_ledger_is_not_exported_over_itself(overwrite: tuple[str, ...], here: Path) -> None:
    ledger = ".counterfoil/ledger.sqlite"
    refused("ledger", "export", "--to", ledger, *overwrite, cwd=here, because=f"{ledger} {READ}")
    (here / "link").symlink_to(ledger)
    refused("ledger", "export", "--to", "link", *overwrite, cwd=here, because=f"link {READ}")


def test_an_export_of_the_ledger_replaces_itself_and_nothing_else(here: Path) -> None:
    (here / "mine.jsonl").write_text("mine")
    refused("ledger", "export", "--to", "mine.jsonl", cwd=here, because=f"mine.jsonl {THERE}")
    accepted("ledger", "export", "--to", "ours.jsonl", cwd=here)
    accepted("ledger", "export", "--to", "ours.jsonl", cwd=here)
    # Of one model only, it would have fewer replies.
    refused(
        "ledger", "export", "--model", "planted/bias", "--to", "ours.jsonl", cwd=here, because=f"ours.jsonl {THERE}"
    )
    accepted("ledger", "export", "--model", "planted/bias", "--to", "mine.jsonl", "--overwrite", cwd=here)


@pytest.mark.parametrize("name", ["README.md", "train.jsonl", "test.jsonl", "held_out.jsonl"])
def test_training_data_replace_no_file_of_the_users(name: str, here: Path) -> None:
    (here / name).write_text("# my project")
    refused("export", "r", "--to", "sft", ".", cwd=here, because=f"{name} {THERE}")
    accepted("export", "r", "--to", "sft", ".", "--overwrite", cwd=here)
    accepted("export", "r", "--to", "sft", ".", cwd=here)
    refused("export", "r", "--to", "dpo", ".", cwd=here, because=THERE)


@pytest.mark.parametrize(
    ("to", "name"), [("csv", "records.csv"), ("parquet", "records.parquet"), ("latex", "summary.tex")]
)
def test_tables_replace_those_of_the_same_run_only(to: str, name: str, here: Path) -> None:
    accepted("export", "r", "--to", to, "tables", cwd=here)
    accepted("export", "r", "--to", to, "tables", cwd=here)
    refused("export", "r2", "--to", to, "tables", cwd=here, because=THERE)
    # All of it can be moved together.
    (here / "moved").mkdir()
    for folder in ("r", "tables"):
        (here / folder).rename(here / "moved" / folder)
    accepted("export", "moved/r", "--to", to, "moved/tables", cwd=here)
    (here / "moved/tables" / name).write_bytes(b"mine")
    refused("export", "moved/r", "--to", to, "moved/tables", cwd=here, because=f"moved/tables/{name} {THERE}")


def test_a_runs_own_records_are_not_exported_over_themselves(here: Path) -> None:
    for overwrite in ((), ("--overwrite",)):
        refused("export", "r", "--to", "parquet", "r", *overwrite, cwd=here, because=f"r/records.parquet {READ}")


def test_a_report_replaces_its_own_page_only(here: Path) -> None:
    accepted("report", "r", "r2", cwd=here)  # in the first run's folder, as the run's own was
    accepted("report", "r", "--out", "page.html", "--plots", "plots", cwd=here)
    accepted("report", "r", "--out", "page.html", "--plots", "plots", cwd=here)
    refused("report", "r2", "--out", "page.html", cwd=here, because=f"page.html {THERE}")
    refused("report", "r2", "--out", "r/report.html", cwd=here, because=f"r/report.html {THERE}")
    for overwrite in ((), ("--overwrite",)):
        refused("report", "r", "--out", "r/summary.json", *overwrite, cwd=here, because=f"r/summary.json {READ}")
    refused("report", "r", "--out", "r2/summary.json", cwd=here, because=f"r2/summary.json {THERE}")
    plot = next((here / "plots").glob("*.svg"))
    plot.write_text("mine")
    before = (here / "page.html").read_bytes()
    done = counterfoil("report", "r", "--out", "page.html", "--plots", "plots", cwd=here)
    assert (done.returncode, plot.read_text()) == (2, "mine")
    assert (here / "page.html").read_bytes() == before


def test_a_report_from_python(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)
    Path("mine.html").write_text("mine")
    with pytest.raises(cf.UserError, match=r"mine\.html is there already"):
        cf.report("r", out="mine.html")
    assert cf.report("r", out="mine.html", overwrite=True).read_text() != "mine"


def test_a_frozen_set_is_not_replaced_by_another_one(here: Path) -> None:
    perturb = ("data", "perturb", "--from", "bank", "--limit", "4", "--out", "s/set.jsonl")
    accepted(*perturb, "--lure", cwd=here)
    refused(*perturb, cwd=here, because=f"s/set.jsonl {THERE}")
    (here / "mine.jsonl").write_text("mine")
    refused(*perturb[:-1], "mine.jsonl", cwd=here, because=f"mine.jsonl {THERE}")
    (here / "t.toml").write_text("")
    for overwrite in ((), ("--overwrite",)):
        refused("data", "perturb", "--from", "t.toml", "--out", "t.toml", *overwrite, cwd=here, because=READ)
    accepted(*perturb, "--overwrite", cwd=here)


def test_ratings_replace_those_of_the_same_study_only(here: Path) -> None:
    study = "r/pilot.study.sqlite"
    results = ("rate", "results", study, "--csv")
    accepted(*results, "ratings.csv", cwd=here)
    accepted(*results, "ratings.csv", cwd=here)
    for overwrite in ((), ("--overwrite",)):
        refused(*results, study, *overwrite, cwd=here, because=f"{study} {READ}")
        refused(*results, "r/summary.json", *overwrite, cwd=here, because=f"r/summary.json {READ}")
    (here / "mine.csv").write_text("mine")
    refused(*results, "mine.csv", cwd=here, because=f"mine.csv {THERE}")


def test_the_official_table_replaces_that_of_the_same_run_only(here: Path) -> None:
    one = (*BIAS, "--variant", "1", "--out", "k")
    accepted(*one, "--write-official", "t.tsv", cwd=here)
    accepted(*one, "--write-official", "t.tsv", cwd=here)
    refused(*one[:-1], "k2", "--write-official", "t.tsv", cwd=here, because=f"t.tsv {THERE}")
    # Two variants have a table each: one of them is somebody else's.
    (here / "u_2.tsv").write_text("mine")
    two = (*BIAS, "--variant", "1", "--variant", "2", "--out", "k3", "--write-official", "u.tsv")
    refused(*two, cwd=here, because=f"u_2.tsv {THERE}")
    (here / "replies.jsonl").write_text('{"text": "A"}\n')
    replay = ("run", "bias", "--model", "replay/replies.jsonl", "--limit", "4", "--variant", "1", "--out", "k4")
    target = ("--write-official", "replies.jsonl", "--overwrite")
    refused(*replay, *target, cwd=here, because=f"replies.jsonl {READ}")


def test_one_file_that_must_stay_keeps_the_whole_export_from_being_written(tmp_path: Path) -> None:
    korean = (*BIAS, "--data", "korean", "--variant", "1", "--variant", "2", "--out", "r")
    assert counterfoil(*korean, cwd=tmp_path).returncode == 0
    assert counterfoil("export", "r", "--to", "kobbq", "out", cwd=tmp_path).returncode == 0
    last = sorted((tmp_path / "out" / "outputs").rglob("*.tsv"))[-1]
    shutil.rmtree(tmp_path / "out")
    last.parent.mkdir(parents=True)
    last.write_text("mine")
    done = counterfoil("export", "r", "--to", "kobbq", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{last.relative_to(tmp_path)} is there already" in done.stderr
    assert [path for path in (tmp_path / "out").rglob("*") if path.is_file()] == [last]


def test_results_of_each_model_and_prompt_have_their_names_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "m").mkdir()
    # The last part is the beginning of the SHA-256 of "planted/memorization".
    mine = tmp_path / "m" / "results_planted-memorization-35cc09f4_open.json"
    mine.write_text("mine")
    done = counterfoil(*MEMORIZATION, "--variant", "mcq", "--variant", "open", "--out", "m", cwd=tmp_path)
    assert done.returncode == 2
    assert f"{mine.name} is there already" in done.stderr
    assert mine.read_text() == "mine"
    assert not (tmp_path / ".counterfoil").exists(), "nothing was asked"


def test_files_in_a_folder_that_is_read_are_inputs(tmp_path: Path) -> None:
    from counterfoil.bias.sources.loading import encode_questions
    from counterfoil.suite.finding import load_suite

    suite = load_suite("bias")
    file = tmp_path / "questions.jsonl"
    file.write_bytes(encode_questions(suite.load("english")))
    with targets.writing("run", overwrite=True):
        suite.load(str(tmp_path))
        with pytest.raises(cf.UserError, match=r"questions\.jsonl is read by this command"):
            targets.refuse(file)


def test_an_experiment_file_is_read(here: Path) -> None:
    (here / "e.toml").write_text('suite = "bias"\nmodel = "planted/bias"\nlimit = 4\nvariant = "1"\n')
    arguments = ("run", "bias", "--experiment", "e.toml", "--write-official", "e.toml", "--overwrite")
    refused(*arguments, cwd=here, because=f"e.toml {READ}")


def test_a_curation_replaces_no_file_of_the_users(tmp_path: Path) -> None:
    (tmp_path / "c").mkdir()
    (tmp_path / "c/1-sample.jsonl").write_text("mine")
    arguments = ("data", "curate", "english", "--sample", "8", "--keep", "4", "--out", "c")
    refused(*arguments, cwd=tmp_path, because=f"c/1-sample.jsonl {THERE}")
    accepted(*arguments, "--overwrite", cwd=tmp_path)
    accepted(*arguments, cwd=tmp_path)
    (tmp_path / "c" / targets.LIST).unlink()
    accepted(*arguments, cwd=tmp_path)


def test_a_link_is_not_a_file_that_counterfoil_wrote(tmp_path: Path) -> None:
    with targets.writing("this"), replacing(tmp_path / "a.txt") as temporary:
        temporary.write_text("ours")
    (tmp_path / "a.txt").rename(tmp_path / "b.txt")
    (tmp_path / "a.txt").symlink_to("b.txt")
    with targets.writing("this"), pytest.raises(cf.UserError, match=r"a\.txt is there already"):
        check_target(tmp_path / "a.txt")
    (tmp_path / "c.txt").symlink_to("nowhere")
    with targets.writing("this"), pytest.raises(cf.UserError, match=r"c\.txt is there already"):
        check_target(tmp_path / "c.txt")


def test_a_list_that_is_damaged_tells_nothing(tmp_path: Path) -> None:
    for damaged in (b"{", b"[]", b'{"a.txt": 3}', b'{"a.txt": {"for": "this"}}', b"\xff"):
        (tmp_path / targets.LIST).write_bytes(damaged)
        (tmp_path / "a.txt").write_text("mine")
        with targets.writing("this"), pytest.raises(cf.UserError, match=r"a\.txt is there already"):
            check_target(tmp_path / "a.txt")


def test_what_a_killed_process_left_goes_with_the_next_one_that_writes_the_file(tmp_path: Path) -> None:
    dead = subprocess.Popen(["true"])
    dead.wait()
    left = [f".a.txt.{dead.pid}", f".a.txt.{os.getppid()}", ".a.txt.old", f".b.txt.{dead.pid}"]
    for name in left:
        (tmp_path / name).write_text("half")
    with replacing(tmp_path / "a.txt") as temporary:
        temporary.write_text("whole")
    # Nothing of a process that lives, of another file, or that only looks like it.
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([*left[1:], "a.txt"])


def test_no_list_names_a_path_of_this_machine(here: Path) -> None:
    accepted("export", "r", "--to", "csv", "tables", cwd=here)
    listed = json.loads((here / "tables" / targets.LIST).read_text())
    assert {entry["for"] for entry in listed.values()} == {"export --to csv of ../r"}
