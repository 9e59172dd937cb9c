"""One bad row never refuses a dataset or an import: it is left out, counted and named. `--strict` refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands import counterfoil

GOOD = [{"id": f"q{i}", "question": f"Which is {i}?", "answer": f"A{i}", "candidates": {"B": 60}} for i in range(9)]
BAD = {"id": "bad", "question": "Which?", "answer": "B", "candidates": {"B": 60}}
SAID = "q.jsonl: 1 of 10 rows is left out: line 10: its answer is one of its candidates. --strict refuses the file."


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "q.jsonl"
    path.write_text("\n".join(map(json.dumps, [*GOOD, BAD])))
    return path


def read(path: Path) -> Any:
    return json.loads(path.read_text())


def test_a_run_leaves_it_out(data: Path, tmp_path: Path) -> None:
    arguments = ("run", "explain", "--data", "q.jsonl", "--model", "planted/explain", "--variant", "cfe", "--out", "r")
    done = counterfoil(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert SAID in done.stderr
    about = read(tmp_path / "r" / "manifest.json")["data"]
    assert about["questions"] == 9
    first = "line 10: its answer is one of its candidates"
    assert about["left_out"] == [{"file": "q.jsonl", "rows": 1, "first": [first]}]
    # What loads the questions again finds those of the run.
    assert counterfoil("export", "r", "--to", "sft", "out", cwd=tmp_path).returncode == 0
    refused = counterfoil(*arguments[:-1], "s", "--strict", cwd=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr == f"counterfoil: q.jsonl has bad rows: {first}.\n"
    assert not (tmp_path / "s").exists()


def test_check_and_curate_leave_it_out(data: Path, tmp_path: Path) -> None:
    checked = counterfoil("data", "check", "explain", "q.jsonl", "--json", cwd=tmp_path)
    assert (checked.returncode, json.loads(checked.stdout)["questions"]) == (0, 9)
    assert SAID in checked.stderr
    curated = counterfoil("data", "curate", "q.jsonl", "--out", "c", cwd=tmp_path)
    assert curated.returncode == 0, curated.stderr
    assert SAID in curated.stderr
    about = read(tmp_path / "c" / "curation.json")["data"]
    assert (about["questions"], about["left_out"]) == (9, 1)
    for command in (("check", "explain", "q.jsonl"), ("curate", "q.jsonl", "--out", "d")):
        assert counterfoil("data", *command, "--strict", cwd=tmp_path).returncode == 2


def test_an_import_leaves_it_out(data: Path, tmp_path: Path) -> None:
    lines = [{"question_id": f"q{i}", "model": "m", "reply": f"A{i}"} for i in range(9)]
    rows = [*map(json.dumps, lines), '{"question_id": "q1", "reply": 7}', json.dumps(lines[0] | {"question_id": "x"})]
    (tmp_path / "r.jsonl").write_text("\n".join(rows))
    arguments = ("score", "explain", "--from", "jsonl", "r.jsonl", "--data", "q.jsonl", "--out", "r")
    done = counterfoil(*arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "line 10: its reply is a whole number, and must be a text or null" in done.stderr
    assert "line 11: the question x is not in q.jsonl" in done.stderr
    left_out = {row["file"]: row["rows"] for row in read(tmp_path / "r" / "manifest.json")["data"]["left_out"]}
    assert left_out == {"q.jsonl": 1, "r.jsonl": 2}
    assert counterfoil(*arguments, "--strict", cwd=tmp_path).returncode == 2


def test_perturb_leaves_it_out(tmp_path: Path) -> None:
    """Neither of the two good questions has a number that could be changed: the report is of two questions."""
    good = {"question": "Which one?", "A": "this", "B": "that", "C": "none", "answer": "A"}
    rows = [good, good | {"question": "And now?"}, good | {"answer": "Z"}]
    (tmp_path / "q.json").write_text(json.dumps(rows))
    done = counterfoil("data", "perturb", "--from", "q.json", "--out", "set.jsonl", cwd=tmp_path)
    assert "question 3: its answer 'Z' is neither a letter nor one of its options" in done.stderr
    assert "1 of 3 rows is left out" in done.stderr
    refused = counterfoil("data", "perturb", "--from", "q.json", "--out", "set.jsonl", "--strict", cwd=tmp_path)
    assert (refused.returncode, "has bad rows: question 3" in refused.stderr) == (2, True)


def test_replies_to_choices_in_an_unknown_order_say_what_is_missing(tmp_path: Path) -> None:
    (tmp_path / "r.jsonl").write_text('{"question_id": "Age-001a-001-amb-neg", "model": "m", "reply": "A"}\n')
    done = counterfoil("score", "bias", "--from", "jsonl", "r.jsonl", "--data", "english", cwd=tmp_path)
    assert done.returncode == 2
    assert "the choices of Age-001a-001-amb-neg have orders, and it does not say which was shown" in done.stderr


def test_a_file_in_cp949_is_read_with_its_encoding(tmp_path: Path) -> None:
    row = "id,question,answer,candidates\nq1,수도는?,캔버라,시드니 (80)\n"
    (tmp_path / "q.csv").write_bytes(row.encode("cp949"))
    refused = counterfoil("data", "check", "explain", "q.csv", cwd=tmp_path)
    assert refused.returncode == 2
    assert "--encoding cp949" in refused.stderr
    arguments = ("run", "explain", "--data", "q.csv", "--encoding", "cp949", "--model", "planted/explain", "--out", "r")
    done = counterfoil(*arguments, "--variant", "cfe", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert read(tmp_path / "r" / "manifest.json")["options"]["encoding"] == "cp949"
    assert "수도는?" in (tmp_path / "r" / "report.html").read_text()


def test_a_prompt_that_can_not_be_read_is_not_called_missing(tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_bytes("답하시오.".encode("cp949"))
    done = counterfoil("run", "explain", "--model", "planted/explain", "--variant", "p.txt", cwd=tmp_path)
    assert done.returncode == 2
    assert "p.txt is not UTF-8" in done.stderr
    assert "--encoding cp949" in done.stderr


def test_half_a_character_in_a_parameter_is_refused(tmp_path: Path) -> None:
    import counterfoil as cf

    with pytest.raises(cf.UserError, match=r"the parameter x is .*, which can't be sent"):
        cf.run("explain", model="planted/explain", param={"x": "\ud800"}, out=tmp_path / "r")
