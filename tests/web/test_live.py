"""Runs under way: seen from the first reply on, watched, left off, gone on with, and started from the page."""

from __future__ import annotations

import re
import signal
import threading
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from commands import counterfoil_process, start
from counterfoil.running.folder import LIVE, Run
from counterfoil.running.live.rows import rows_so_far
from counterfoil.running.live.state import read_live, write_live
from left_off import left_off
from mock_server import Answer, MockServer, completion, held
from sites import Client, serving
from waiting import wait_until

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")

pytestmark = pytest.mark.heavy

PLANTED = ("run", "bias", "--data", "english", "--limit", "8", "--orders", "1", "--model", "planted/bias")


def test_what_is_told_of_the_rest() -> None:
    # Four of eight in two seconds, no more: two a second, and two seconds to go.
    live = left_off()
    assert (live.done, live.total, live.rate, live.seconds_left, live.cost) == (4, 8, 2.0, 2.0, 0.25)
    assert not live.is_running
    assert left_off(host="another-machine").is_running
    assert not left_off(host="another-machine", stopped=True).is_running


class Held:
    """A server that answers so many asks, and holds the others until it is told to go on."""

    def __init__(self, answered: int) -> None:
        self._left = answered
        self.go_on = threading.Event()

    def __call__(self, request: object) -> Answer:
        self._left -= 1
        return completion("A") if self._left >= 0 else held(self.go_on, "B")


@pytest.fixture
def under_way(tmp_path: Path) -> Iterator[tuple[Path, Held, object]]:
    """A run of eight questions, of which three are answered."""
    behave = Held(3)
    with MockServer(behave) as server:
        words = ("run", "bias", "--data", "english", "--limit", "8", "--orders", "1", "--model", "vllm/m")
        process = start(*words, "--base-url", server.url, "--out", "now", cwd=tmp_path)
        try:
            wait_until(lambda: len(_rows(tmp_path / "now")) == 3)
            yield tmp_path, behave, process
        finally:
            behave.go_on.set()
            process.kill()
            process.communicate()


def _rows(folder: Path) -> list[object]:
    live = read_live(folder)
    return [] if live is None else list(rows_so_far(folder, live) or [])


def test_a_run_is_there_from_its_first_replies_until_it_is_over(under_way: tuple[Path, Held, object]) -> None:
    folder, behave, _ = under_way
    with serving(folder) as site:
        client = Client(site)
        assert "under way" in client.get("/").text
        text = unescape(client.get("/run/now").text)
        assert "3 of 8" in text
        assert 'data-live="2"' in text
        assert "interim" in text
        # What came last, the latest first.
        assert len(re.findall(r'<ul class="last">.*?</ul>', text, re.DOTALL)[-1].split("<li>")) == 4
        behave.go_on.set()
        wait_until(lambda: "under way" not in client.get("/run/now").text)
        wait_until(lambda: (folder / "now" / "manifest.json").is_file())
        assert 'id="run-estimates"' in client.get("/run/now").text
        assert not (folder / "now" / LIVE).exists()


def test_it_is_watched_in_a_second_terminal(under_way: tuple[Path, Held, object]) -> None:
    folder, behave, _ = under_way
    watching = start("show", "now", "--watch", cwd=folder)
    assert watching.stderr is not None
    # A line where there is no terminal.
    assert watching.stderr.readline().startswith("vllm/m: 3 of 8, ")
    behave.go_on.set()
    out, _ = watching.communicate()
    assert watching.returncode == 0
    assert "The run is in" in out or "accuracy_disambiguated" in out


def test_a_killed_run_is_shown_as_stopped_and_its_command_is_told(under_way: tuple[Path, Held, object]) -> None:
    folder, _, process = under_way
    process.send_signal(signal.SIGKILL)  # type: ignore[attr-defined]
    process.wait()  # type: ignore[attr-defined]
    said = counterfoil_process("show", "now", "--watch", cwd=folder)
    assert (said.returncode, "3 of 8 done" in said.stderr) == (1, True)
    with serving(folder) as site:
        client = Client(site)
        text = client.get("/run/now").text
        assert "with 3 of 8 done" in text
        assert "counterfoil run bias --data english" in unescape(text)
        # It names a server of its own: the site does not go on with it.
        answer = client.post("/continue/now", {"csrf": client.csrf("/run/now")})
        assert (answer.status, "copy the command into a terminal" in answer.text) == (400, True)


def test_the_site_goes_on_with_a_run_that_was_left_off(tmp_path: Path) -> None:
    (tmp_path / "left").mkdir()
    command = [*PLANTED, "--out", "left"]
    write_live(tmp_path / "left", left_off(command=command, cwd=str(tmp_path)))
    with serving(tmp_path) as site:
        client = Client(site)
        form = {"csrf": client.csrf("/run/left")}
        assert client.post("/continue/left", form | {"csrf": "x"}).status == 403
        assert client.post("/continue/left", form).headers["location"] == "/starting/left"
        wait_until(lambda: client.get("/starting/left").status == 303)
        wait_until(lambda: (tmp_path / "left" / "manifest.json").is_file())
        assert 'id="run-estimates"' in client.get("/run/left").text
        assert Run(tmp_path / "left").is_complete
        assert client.post("/continue/left", form).status == 404


def test_a_run_is_started_from_the_page(tmp_path: Path) -> None:
    with serving(tmp_path) as site:
        client = Client(site)
        sent = {"suite": "bias", "model": "planted/bias?unknown=0.5", "data": "english", "limit": "8", "orders": "1"}
        sent |= {"csrf": client.csrf("/start?suite=bias"), "variant": "en\nen-debiased"}
        shown = client.post("/start", sent)
        # Eight questions, two prompts.
        assert (shown.status, re.search(r"\b16\b", shown.text) is not None) == (200, True)
        fields = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', shown.text))
        assert fields["name"] == "bias-1"
        assert not (tmp_path / "bias-1").exists()
        began = client.post("/start/go", {name: unescape(value) for name, value in fields.items()})
        assert began.headers["location"] == "/starting/bias-1"
        wait_until(lambda: client.get("/starting/bias-1").status == 303)
        wait_until(lambda: (tmp_path / "bias-1" / "manifest.json").is_file())
        assert Run(tmp_path / "bias-1").records.height == 16
        # Not a second time under the same name.
        again = client.post("/start/go", {name: unescape(value) for name, value in fields.items()})
        assert (again.status, "already" in again.text) == (400, True)
        wrong = client.post("/start", sent | {"model": "gguf//etc/passwd"})
        assert (wrong.status, "be asked from here" in wrong.text) == (400, True)
        assert client.post("/start", sent | {"name": "../x"}).status == 400


def test_where_it_may_not_no_run_is_started_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "left").mkdir()
    write_live(tmp_path / "left", left_off(command=list(PLANTED), cwd=str(tmp_path)))
    with serving(tmp_path, "--read-only") as site:
        client = Client(site)
        assert client.get("/start").status == 400
        assert "Start a run" not in client.get("/").text
        assert "Go on with it" not in client.get("/run/left").text
        for path in ("/start", "/start/go", "/continue/left", "/note/left", "/stop/left"):
            answer = client.post(path, {"csrf": client.cookies["counterfoil_csrf"]})
            assert (answer.status, "read-only" in answer.text) == (403, True)
    # A server in front lets others in, and there is no token.
    with serving(tmp_path, "--allow-host", "eval.example.org") as site:
        client = Client(site)
        assert client.get("/start").status == 400
        answer = client.post("/start/go", {"csrf": client.cookies["counterfoil_csrf"]})
        assert (answer.status, "starts no runs" in answer.text) == (400, True)
    with serving(tmp_path, "--allow-host", "eval.example.org", COUNTERFOIL_TOKEN="t" * 24) as site:
        client = Client(site)
        assert client.get(f"/start?token={'t' * 24}").status == 303
        assert client.get("/start").status == 200
