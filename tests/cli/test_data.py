"""counterfoil data: list, get, check and curate, as a user calls them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from commands import SUITE, counterfoil, on_a_terminal

pytestmark = pytest.mark.heavy

QUESTION = {"id": "q1", "question": "Who?", "answer": "She", "candidates": {"He": 60, "They": 10}}
PLAIN = {"id": "q2", "question": "When?", "answer": "Now", "candidates": {"Then": 5, "Never": 1}}


@contextmanager
def mirror(content: bytes, hold: threading.Event | None = None) -> Iterator[str]:
    """A mirror of the hub with one file on it, whose second half comes when `hold` is set."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path.endswith("/resolve/main/test.json") else 404)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            half = len(content) // 2
            self.wfile.write(content[:half])
            self.wfile.flush()
            if hold is not None:
                hold.wait(600)
            self.wfile.write(content[half:])

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=lambda: server.serve_forever(0.01), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def write(path: Path, *rows: object) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path.name


def test_a_dataset_is_listed_fetched_checked_and_used(tmp_path: Path) -> None:
    cache = {"COUNTERFOIL_CACHE": str(tmp_path / "cache")}
    before = counterfoil("data", "list", cwd=tmp_path, **cache)
    assert before.returncode == 0
    lines = {line.split()[0]: line for line in before.stdout.splitlines() if line}
    assert " shipped " in lines["english"]
    # The bank is one dataset of several files.
    assert " shipped   0.2 MB " in lines["bank"]
    assert " not here " in lines["plausibleqa"]
    assert "CC BY 4.0" in lines["plausibleqa"]
    missing = counterfoil("data", "check", "explain", "plausibleqa", cwd=tmp_path, **cache)
    assert missing.returncode == 2
    assert "`counterfoil data get plausibleqa`" in missing.stderr
    with mirror(json.dumps([QUESTION, PLAIN]).encode()) as url:
        got = counterfoil("data", "get", "plausibleqa", cwd=tmp_path, HF_ENDPOINT=url, **cache)
        assert got.returncode == 0, got.stderr
        assert len(got.stderr.splitlines()) == 2
    again = counterfoil("data", "get", "plausibleqa", cwd=tmp_path, HF_ENDPOINT=url, **cache)
    assert again.returncode == 0, "it needs no server"
    assert again.stderr.startswith("plausibleqa is here: ")
    listed = json.loads(counterfoil("data", "list", "--json", cwd=tmp_path, **cache).stdout)
    (entry,) = [entry for entry in listed if entry["name"] == "plausibleqa"]
    assert entry["where"] == "cached"
    assert entry["suite"] == "explain"
    checked = counterfoil("data", "check", "explain", "plausibleqa", "--json", cwd=tmp_path, **cache)
    found = json.loads(checked.stdout)
    assert found["questions"] == 2
    assert found["confusing"] == {"threshold": 1, "confusion_index": 1}
    curated = counterfoil("data", "curate", "plausibleqa", "--out", "out", "--json", cwd=tmp_path, **cache)
    assert curated.returncode == 0, curated.stderr
    assert json.loads(curated.stdout)["data"]["name"] == "plausibleqa"


def test_check_counts_what_the_reader_finds(tmp_path: Path) -> None:
    file = write(tmp_path / "my.jsonl", QUESTION, PLAIN)
    done = counterfoil("data", "check", "explain", file, cwd=tmp_path)
    assert done.returncode == 0
    counts, *examples = done.stdout.split("\n\nq")
    assert [line.split() for line in counts.splitlines()[2:]] == [
        ["all", "2"],
        ["stratum", "confusing", "1"],
        ["stratum", "plain", "1"],
        ["confusing", "by", "threshold", "1"],
        ["confusing", "by", "confusion_index", "1"],
        ["candidates,", "fewest", "in", "a", "question", "2"],
        ["candidates,", "most", "2"],
    ]
    # Three questions are shown as they will be asked: here there are two.
    assert [one.splitlines()[0] for one in examples] == [f"{n}, as it will be asked (variant baseline):" for n in "12"]
    assert all(one.splitlines()[1] == "[system]" for one in examples)
    other = json.loads(counterfoil("data", "check", SUITE, "60", "--json", cwd=tmp_path).stdout)
    assert other["questions"] == 60
    assert other["strata"] == {"even": 30, "odd": 30}


def test_check_shows_three_questions_of_several_kinds_as_they_will_be_asked(tmp_path: Path) -> None:
    found = json.loads(counterfoil("data", "check", "bias", "english", "--json", cwd=tmp_path).stdout)
    assert [one["variant"] for one in found["examples"]] == ["en"] * 3
    texts = [one["messages"][0]["content"] for one in found["examples"]]
    assert all(text.startswith("Read the context carefully") and text.endswith("\nAnswer:") for text in texts)
    ids = [one["question_id"] for one in found["examples"]]
    assert len({it.rpartition("-")[0] for it in ids}) == 3
    assert any("-amb-" in it for it in ids)
    assert any("-dis-" in it for it in ids)


def test_bad_rows_come_out_as_the_reader_says_it(tmp_path: Path) -> None:
    file = write(tmp_path / "my.jsonl", QUESTION, QUESTION, {"id": "q3"})
    done = counterfoil("data", "check", "explain", file, cwd=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "line 2: its id q1 was there before; line 3: its question is missing" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("data",), "The following arguments are required: ACTION"),
        (("data", "get", "nix"), "There is no dataset nix. There are: plausibleqa"),
        (("data", "check", "nix", "f"), "There is no suite nix"),
        (("data", "check", "explain", "nix.json"), "nor a file that can be read"),
        (("data", "check", SUITE, "0"), "0 holds no questions"),
        (("data", "curate", "english"), "Name the folder that the steps write to: --out DIR"),
        (("data", "curate", "--out", "o"), "Name the dataset to curate"),
        (("data", "curate", "nix.json", "--out", "o"), "nor a file that can be read"),
        (("data", "curate", "plausibleqa", "--out", "o"), "`counterfoil data get plausibleqa`"),
        (("data", "curate", "english", "--out", "o", "--sample", "0"), "sample must be at least 1"),
        (("data", "curate", "english", "--out", "o", "--judge", "nix/x"), "There is no model nix"),
        (("data", "curate", "english", "--out", "o", "--judge", "openai/gpt-4o"), "needs OPENAI_API_KEY"),
        (("data", "curate", "english", "--out", "o", "--check-ambiguity"), "--check-ambiguity needs a judge"),
        (("data", "curate", "--out", "o", "--freeze"), "o holds no list to freeze"),
    ],
)
def test_wrong_use_is_one_sentence_and_leaves_nothing_behind(
    arguments: tuple[str, ...], sentence: str, tmp_path: Path
) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    done = counterfoil(*arguments, cwd=folder, COUNTERFOIL_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 2
    assert sentence in done.stderr
    assert len(done.stderr.splitlines()) == 1, done.stderr
    assert done.stdout == ""
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("action", ["list", "get", "check", "curate"])
def test_help_has_an_example(action: str, tmp_path: Path) -> None:
    done = counterfoil("data", action, "--help", cwd=tmp_path)
    assert done.returncode == 0
    assert "example: counterfoil data" in done.stdout


def test_from_the_samples_to_a_frozen_dataset(tmp_path: Path) -> None:
    done = counterfoil("data", "curate", "english", "--keep", "4", "--out", "out", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "skipped: no judge was named" in done.stdout
    assert "0 of 4 questions are decided" in done.stdout
    undecided = counterfoil("data", "curate", "--out", "out", "--freeze", cwd=tmp_path)
    assert undecided.returncode == 2
    assert "4 of the 4 questions of out/4-review.csv are undecided" in undecided.stderr
    review = tmp_path / "out" / "4-review.csv"
    review.write_text(review.read_text(encoding="utf-8-sig").replace(",,\n", ",yes,\n"), encoding="utf-8")
    frozen = counterfoil("data", "curate", "--out", "out", "--freeze", cwd=tmp_path)
    assert frozen.returncode == 0, frozen.stderr
    assert "The dataset is out/dataset.jsonl." in frozen.stdout
    checked = counterfoil("data", "check", "explain", "out/dataset.jsonl", "--json", cwd=tmp_path)
    assert json.loads(checked.stdout)["questions"] == 4


def test_on_a_terminal_a_long_download_has_a_bar(tmp_path: Path) -> None:
    hold = threading.Event()
    with mirror(b"[]" * 500_000, hold) as url:
        code, shown = on_a_terminal(
            *("data", "get", "plausibleqa"),
            cwd=tmp_path,
            watch=lambda shown: hold.set() if "0.5/1.0 MB" in shown else None,
            HF_ENDPOINT=url,
            COUNTERFOIL_CACHE=str(tmp_path),
        )
    assert code == 0
    assert "0.5/1.0 MB" in shown


@pytest.mark.parametrize(("suite", "data"), [("bias", "korean"), ("bias", "english"), ("memorization", "bank")])
def test_the_samples_of_every_suite_can_be_checked(suite: str, data: str, tmp_path: Path) -> None:
    done = counterfoil("data", "check", suite, data, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"{suite}: {data}" in done.stdout


def test_a_command_that_fails_leaves_no_folder_behind(tmp_path: Path) -> None:
    (tmp_path / "replies.jsonl").write_text('{"question_id": "none", "model": "m", "reply": "A"}\n')
    done = counterfoil("score", "bias", "--from", "jsonl", "replies.jsonl", "--out", "out", cwd=tmp_path)
    assert done.returncode == 2
    assert not (tmp_path / "out").exists()
