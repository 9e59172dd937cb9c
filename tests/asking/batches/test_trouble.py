"""What can go wrong with a batch, and what becomes of its asks."""

from __future__ import annotations

import json
import os
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import counterfoil as cf
from batch_server import ANTHROPIC_MODEL, OPENAI_MODEL, BatchServer, Fault, Made, Said, largest
from commands import SUITE
from counterfoil.asking.batches import carrier
from counterfoil.running.folder import Run
from waiting import wait_until

pytestmark = pytest.mark.heavy

MODELS = [OPENAI_MODEL, ANTHROPIC_MODEL]
# The same errors in the words of both.
INVALID = {"type": "invalid_request_error", "message": "the prompt is odd", "code": "invalid_value"}
OVERLOADED = {"type": "overloaded_error", "message": "busy"}


def run(server: BatchServer, model: str, **options: Any) -> Run:
    return cf.run(SUITE, model=model, base_url=server.url(model), data="40", out="out", batch=True, **options)


def about(done: Run) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((done.folder / "manifest.json").read_text())["models"][0]
    return read


def outcomes(done: Run) -> dict[str, int]:
    return dict(done.records["outcome"].value_counts().iter_rows())


def reasons(done: Run) -> set[str]:
    return set(done.records["reason"].drop_nulls())


def times(number: int, said: Said) -> Callable[[dict[str, Any]], Said]:
    """Every fourth ask is told this so many times, and then answered."""
    told: Counter[str] = Counter()

    def line(body: dict[str, Any]) -> Said:
        text = body["messages"][-1]["content"]
        told[text] += 1
        first_number = int(text.split("A: ")[1].split("\n")[0])
        return said if first_number % 4 == 0 and told[text] <= number else largest(body)

    return line


def fourths(server: BatchServer) -> int:
    """How many asks are those of every fourth."""
    texts = [body["messages"][-1]["content"] for body in next(iter(server.batches.values())).asks.values()]
    return sum(int(text.split("A: ")[1].split("\n")[0]) % 4 == 0 for text in texts)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(("said", "ending"), [("expired", "expired"), ((529, OVERLOADED), "completed")])
def test_what_was_not_come_to_goes_with_the_next_batch(model: str, said: Said, ending: str) -> None:
    endings = iter([ending])
    with BatchServer(times(1, said), ends=lambda made: next(endings, "completed")) as server:
        done = run(server, model)
        again = fourths(server)
        assert [len(made.asks) for made in server.batches.values()] == [40, again]
        assert 0 < again < 40
    assert done.is_complete
    assert (about(done)["asked"], about(done)["retries"], about(done)["failed"]) == (40, again, 0)


@pytest.mark.parametrize("model", MODELS)
def test_what_is_never_come_to_fails_in_the_end(model: str) -> None:
    with BatchServer(times(99, "expired"), ends=lambda made: "expired") as server:
        done = run(server, model)
        never = fourths(server)
        assert [len(made.asks) for made in server.batches.values()] == [40] + [never] * (carrier.MOST_BATCHES - 1)
    assert outcomes(done) == {"answered": 40 - never, "failed": never} | _unread(done)
    assert len(reasons(done)) == 1
    assert f"(in each of {carrier.MOST_BATCHES} batches)" in reasons(done).pop()
    assert about(done)["failed"] == never


def _unread(done: Run) -> dict[str, int]:
    """Those that were answered are told apart by whether something could be read."""
    found = outcomes(done)
    if "out_of_choice" not in found:
        return {}
    return {"answered": found["answered"], "out_of_choice": found["out_of_choice"]}


@pytest.mark.parametrize("model", MODELS)
def test_an_ask_that_is_wrong_fails_alone_and_at_once(model: str) -> None:
    with BatchServer(times(99, (400, INVALID))) as server:
        done = run(server, model)
        wrong = fourths(server)
        assert len(server.batches) == 1
    assert outcomes(done)["failed"] == wrong
    assert reasons(done) == {"the server said 400: the prompt is odd"}
    assert about(done)["stopped"] is None


def test_a_filter_is_a_refusal() -> None:
    filtered = {"message": "filtered", "code": "content_filter"}
    with BatchServer(times(99, (400, filtered))) as server:
        done = run(server, OPENAI_MODEL)
        assert outcomes(done)["refused"] == fourths(server)


def test_what_a_model_does_not_take_is_learned_and_left_out() -> None:
    def line(body: dict[str, Any]) -> Said:
        for name in ("temperature", "max_tokens"):
            if name in body:
                return 400, {
                    "message": f"Unsupported parameter: {name}",
                    "param": name,
                    "code": "unsupported_parameter",
                }
        return largest(body)

    with BatchServer(line) as server:
        done = run(server, OPENAI_MODEL)
        assert [len(made.asks) for made in server.batches.values()] == [40, 40, 40]
        last = server.bodies[-1]
    assert done.is_complete
    assert "max_completion_tokens" in last
    assert "temperature" not in last
    assert len(about(done)["adjustments"]) == 2


def test_anthropics_temperature_is_learned_too() -> None:
    def line(body: dict[str, Any]) -> Said:
        error = {"type": "invalid_request_error", "message": "temperature is not taken by this model"}
        return (400, error) if "temperature" in body else largest(body)

    with BatchServer(line) as server:
        assert run(server, ANTHROPIC_MODEL).is_complete
        assert len(server.batches) == 2


@pytest.mark.parametrize("model", MODELS)
def test_an_unknown_model_stops_with_one_sentence(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    unknown = {"type": "not_found_error", "message": "no model of that name"}
    with BatchServer(lambda body: (404, unknown)) as server:
        done = run(server, model)
        assert len(server.batches) == 1
    assert "check the model's name" in about(done)["stopped"]
    assert capfd.readouterr().err.count("check the model's name") == 1
    assert outcomes(done) == {"failed": 40}


def _failing(*errors: dict[str, Any], first: int = 1) -> Callable[[Made], str]:
    """The first batches are not accepted, for these reasons."""
    left = [first]

    def ends(made: Made) -> str:
        if left[0]:
            left[0] -= 1
            made.errors = list(errors)
            return "failed"
        return "completed"

    return ends


def test_a_batch_that_is_not_accepted_is_said_and_not_tried_again(capfd: pytest.CaptureFixture[str]) -> None:
    error = {"code": "model_not_found", "message": "no such model for batches", "line": 1, "param": "body.model"}
    with BatchServer(ends=_failing(error, error)) as server:
        done = run(server, OPENAI_MODEL)
        assert len(server.batches) == 1
    sentence = "openai did not accept batch_0: no such model for batches"
    assert about(done)["stopped"] == sentence
    assert f"openai/gpt-4o: {sentence}." in capfd.readouterr().err
    assert outcomes(done) == {"not_asked": 40}


def test_lines_that_are_not_accepted_fail_and_the_others_go_again(capfd: pytest.CaptureFixture[str]) -> None:
    errors = [{"code": "invalid_json_line", "message": "not this", "line": line} for line in (3, 7)]
    with BatchServer(ends=_failing(*errors)) as server:
        done = run(server, OPENAI_MODEL)
        first, second = server.batches.values()
        left_out = [list(first.asks)[line - 1] for line in (3, 7)]
        assert set(first.asks) - set(second.asks) == set(left_out)
    failed = done.records.filter(done.records["outcome"] == "failed")
    assert set(failed["ask_key"]) == set(left_out)
    assert set(failed["reason"]) == {"not this"}
    assert "batch_0 was not accepted: line 3: not this, and 1 more." in capfd.readouterr().err


def test_a_full_queue_takes_smaller_batches_one_after_another(capfd: pytest.CaptureFixture[str]) -> None:
    # 15 asks fit: 40 do not, 20 do not, 10 do, four times; and never two batches at a time.
    def ends(made: Made) -> str:
        others = [other for other in server.batches.values() if other is not made and other.status == "in_progress"]
        assert not others
        if len(made.asks) <= 15:
            return "completed"
        made.errors = [{"code": "token_limit_exceeded", "message": "the queue is full", "line": None}]
        return "failed"

    with BatchServer(ends=ends) as server:
        done = run(server, OPENAI_MODEL)
        assert [len(made.asks) for made in server.batches.values()] == [40, 20, 10, 10, 10, 10]
    assert done.is_complete
    assert "did not fit into the queue (the queue is full)" in capfd.readouterr().err


def test_a_queue_that_takes_nothing_stops() -> None:
    error = {"code": "token_limit_exceeded", "message": "the queue is full", "line": None}
    with BatchServer(ends=_failing(error, first=99)) as server:
        done = run(server, OPENAI_MODEL)
        # 40, 20, 10, 5, 2, 1: halved until one ask is left.
        assert [len(made.asks) for made in server.batches.values()] == [40, 20, 10, 5, 2, 1]
    assert about(done)["stopped"] == "openai does not take even one ask: the queue is full"


@pytest.mark.parametrize("model", MODELS)
def test_a_batch_that_was_cancelled_is_not_made_again_unasked(model: str) -> None:
    with BatchServer(times(1, "canceled"), ends=lambda made: "cancelled") as server:
        done = run(server, model)
        cancelled = fourths(server)
        assert len(server.batches) == 1
        assert "was cancelled: run the same command again" in about(done)["stopped"]
        assert outcomes(done)["not_asked"] == cancelled
        server.ends = lambda made: "completed"
        assert run(server, model).is_complete
        assert [len(made.asks) for made in server.batches.values()] == [40, cancelled]


@pytest.mark.parametrize("model", MODELS)
def test_a_wrong_key_stops_at_once(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    with BatchServer(fault=lambda method, path, after: Fault(401, "wrong key")) as server:
        done = run(server, model)
        assert len(server.requests) == 1
        assert outcomes(done) == {"not_asked": 40}
        assert capfd.readouterr().err.count("wrong key") == 1
        server.fault = lambda method, path, after: None
        assert run(server, model).is_complete, "nothing of it is left behind"


@pytest.mark.parametrize("model", MODELS)
def test_a_look_that_is_refused_leaves_the_batch_to_another_run(model: str, capfd: pytest.CaptureFixture[str]) -> None:
    def broken(method: str, path: str, after: bool) -> Fault | None:
        return Fault(400, "odd thing") if method == "GET" and path[-1].isdigit() else None

    with BatchServer(fault=broken) as server:
        done = run(server, model)
        assert outcomes(done) == {"not_asked": 40}
        assert "odd thing" in capfd.readouterr().err
        server.fault = lambda method, path, after: None
        assert run(server, model).is_complete
        assert [len(made.asks) for made in server.batches.values()] == [40]


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    "fault", [Fault(429, "slow down", {"Retry-After": "0"}), Fault(500), Fault(503), Fault(reset=True)]
)
@pytest.mark.parametrize("after", [False, True])
def test_every_request_may_break_once(model: str, fault: Fault, after: bool) -> None:
    # Each kind of request fails the first time: before it was handled, or after, when only its answer is lost.
    failed: set[str] = set()

    def broken(method: str, path: str, is_after: bool) -> Fault | None:
        if fault.status == 429 and is_after:
            return None  # who says 429 has not done it
        kind = f"{method} {path.rstrip('0123456789')}"
        if is_after != after or kind in failed:
            return None
        failed.add(kind)
        return fault

    with BatchServer(fault=broken) as server:
        done = run(server, model)
        assert max(server.times_submitted.values()) == 1, "nothing is paid for twice"
        assert len(server.batches) == 1
    assert done.is_complete
    assert len(failed) >= (0 if fault.status == 429 and after else 3)


def test_polling_goes_on_however_long_the_server_is_away(capfd: pytest.CaptureFixture[str]) -> None:
    left = [50]

    def away(method: str, path: str, after: bool) -> Fault | None:
        if method == "GET" and "batch_" in path and left[0]:
            left[0] -= 1
            return Fault([429, 500, None][left[0] % 3], reset=left[0] % 3 == 2)
        return None

    with BatchServer(fault=away) as server:
        assert run(server, OPENAI_MODEL).is_complete
    assert left == [0]
    assert capfd.readouterr().err.count("still waiting") == 1


def test_no_server_is_said_soon() -> None:
    with BatchServer() as server:
        url = server.url(OPENAI_MODEL)
    done = cf.run(SUITE, model=OPENAI_MODEL, base_url=url, data="5", batch=True)
    assert "no server answers" in about(done)["stopped"]
    assert outcomes(done) == {"not_asked": 5}


def test_lines_that_are_broken_double_missing_or_unknown() -> None:
    def odd(made: Made) -> None:
        unreadable, twice, empty, missing, *others = made.lines
        made.lines = [
            {"custom_id": "not-hexadecimal", "response": {"status_code": 200}, "error": None},
            {"custom_id": "ab" * 32, "response": {"status_code": 200, "body": {}}, "error": None},
            {"no": "id", "response": {"status_code": 200}},
            unreadable | {"response": {"status_code": 200, "request_id": "q", "body": {"no": "choices"}}},
            twice,
            *others,
            twice | {"response": {"status_code": 400, "body": {"error": INVALID}}},
            empty | {"response": None},
        ]
        again.update(line["custom_id"] for line in (unreadable, empty, missing))

    again: set[str] = set()
    with BatchServer() as server:
        server.made_odd = lambda made: odd(made) if made.id == "batch_0" else None
        done = run(server, OPENAI_MODEL)
        assert len(again) == 3
        assert set(server.batches["batch_1"].asks) == again
        assert len(server.batches) == 2
    assert done.is_complete


def test_the_budget_ends_taking_but_not_waiting(tmp_path: Path) -> None:
    # An ask is some 22 tokens in and 16 out at most, at half of 2.50 and 10 dollars for a million: about 0.0001.
    with BatchServer() as server:
        done = run(server, OPENAI_MODEL, max_cost=0.001)
        (made,) = server.batches.values()
        assert 5 < len(made.asks) < 20
        found = outcomes(done)
        assert found["not_asked"] == 40 - len(made.asks)
        assert "the budget of $0.001 is reached" in about(done)["stopped"]
        assert run(server, OPENAI_MODEL, max_cost=1).is_complete
        assert max(server.times_submitted.values()) == 1


def test_the_key_goes_to_no_other_server(monkeypatch: pytest.MonkeyPatch) -> None:
    # The address of the results is the server's word; where it points elsewhere, the documented path is taken.
    with BatchServer() as server:
        server.results_host = "somewhere.invalid"
        assert run(server, ANTHROPIC_MODEL).is_complete
        assert "GET /messages/batches/msgbatch_0/results" in server.requests


def test_ctrl_c_while_the_file_goes_up_submits_nothing(capfd: pytest.CaptureFixture[str]) -> None:
    # The signal comes in the middle of the upload: what is up there costs nothing, and no batch is made of it.
    def interrupted(method: str, path: str, after: bool) -> Fault | None:
        if path == "/files" and after:
            os.kill(os.getpid(), signal.SIGINT)
            wait_until(lambda: "Stopping: 0 asks are still in flight" in said())
        return None

    heard: list[str] = []

    def said() -> str:
        heard.append(capfd.readouterr().err)
        return "".join(heard)

    with BatchServer(fault=interrupted) as server:
        done = run(server, OPENAI_MODEL)
        assert outcomes(done) == {"not_asked": 40}
        assert not server.batches
        assert said().count("Stopping: 0 asks are still in flight") == 1
        server.fault = lambda method, path, after: None
        assert run(server, OPENAI_MODEL).is_complete
