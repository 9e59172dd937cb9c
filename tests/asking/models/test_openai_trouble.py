"""Chat completions: what goes wrong."""

from __future__ import annotations

import pytest

from counterfoil.asking.models.base import Hopeless, ModelUnusable, Sent, TimedOut, TryAgain, Unreachable
from mock_server import Answer, MockServer, completion, error
from openai_asks import KEY, reply_to, send_all


@pytest.mark.parametrize(
    "answer",
    [
        error(
            400, "The response was filtered", code="content_filter", innererror={"code": "ResponsibleAIPolicyViolation"}
        ),
        error(403, "flagged", code=403, metadata={"reasons": ["hate"], "flagged_input": "…"}),
    ],
)
def test_a_content_filter_refuses(answer: Answer) -> None:
    reply = reply_to(answer)
    assert (reply.status, reply.finish_reason) == ("refused", "content_filter")


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (error(400), Hopeless),
        (error(401), ModelUnusable),
        (error(404), ModelUnusable),
        (error(429), TryAgain),
        (error(500), TryAgain),
        (error(200, code=502), TryAgain),
        (Answer(completion().body[:-9]), TryAgain),
        (Answer(reset=True), TryAgain),
        (Answer(hang=True), TimedOut),
    ],
)
def test_errors_pass_through(answer: Answer, kind: type[Exception]) -> None:
    with MockServer(lambda request: answer) as server:
        (raised,) = send_all(server, timeout=0.5 if answer.hang else 300)
    assert isinstance(raised, kind)


def test_a_server_that_has_gone_is_unreachable() -> None:
    with MockServer() as server:
        pass
    (raised,) = send_all(server)
    assert isinstance(raised, Unreachable)


def test_a_model_can_be_asked_again_after_any_trouble() -> None:
    answers = [Answer(reset=True), error(500), Answer(b"<html>"), completion("B")]
    with MockServer(lambda request: answers[len(server.requests) - 1]) as server:
        *troubles, last = send_all(server, [{}] * 4)
    assert [type(one).__name__ for one in troubles] == ["TryAgain", "TryAgain", "NotJson"]
    assert isinstance(last, Sent)


def test_a_reply_passes_on_how_long_to_be_quiet() -> None:
    answer = completion()
    answer.headers = {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "6m0s"}
    with MockServer(lambda request: answer) as server:
        (sent,) = send_all(server)
    assert isinstance(sent, Sent)
    assert sent.quiet == 360  # six minutes


@pytest.mark.parametrize(
    ("name", "variable", "version"), [("openai/m", "OPENAI_API_KEY", ""), ("azure/m", "AZURE_OPENAI_API_KEY", "1")]
)
def test_the_key_does_not_come_back(name: str, variable: str, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, KEY)
    monkeypatch.setenv("OPENAI_API_VERSION", version)
    answers = [
        error(401, f"Incorrect API key provided: {KEY}"),
        error(400, f"{KEY}", code="content_filter"),
        completion(f"Your key is {KEY}.", reasoning=KEY),
    ]
    with MockServer(lambda request: answers[len(server.requests) - 1]) as server:
        refused, filtered, said = send_all(server, [{}] * 3, name=name)
        assert all(KEY in head for head in server.heads)
    assert "Incorrect API key provided: [key]" in str(refused)
    assert f"check {variable}" in str(refused)
    assert isinstance(said, Sent)
    assert said.reply.text == "Your key is [key]."
    assert KEY not in f"{refused!r} {filtered!r} {said!r}"
