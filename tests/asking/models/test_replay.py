"""Canned replies: which line answers which ask, and what is said about a file that is wrong."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import Hopeless, ModelSpec
from counterfoil.asking.models.replay import ReplayModel
from counterfoil.errors import UserError

HELLO = (Message("system", "Be brief."), Message("user", "Hello, world"))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "replies.jsonl"


def write(file: Path, lines: Sequence[Any]) -> None:
    file.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")


def model_of(file: Path) -> ReplayModel:
    return ReplayModel(ModelSpec(name=f"replay/{file}"))


def reply_of(file: Path, messages: Sequence[Message] = HELLO, sample: int = 0) -> Reply:
    async def send() -> Reply:
        model = model_of(file)
        reply = (await model.send(model.ask(messages, {}, sample), 1)).reply
        await model.close()
        return reply

    return asyncio.run(send())


def exported(text: str, messages: Sequence[Message] = HELLO, sample: int = 0, **reply: Any) -> dict[str, Any]:
    """A line as `counterfoil ledger export` writes it."""
    wire = [{"role": message.role, "content": message.content} for message in messages]
    ask = {"provider": "openai", "model": "gpt-4o", "messages": wire, "params": {"seed": 1}, "sample": sample}
    line = {"key": "ab", "model": "openai/gpt-4o", "received_at": 1.5, "ask": ask}
    return line | {"reply": {"status": "ok", "text": text, **reply}}


def test_an_exported_line_answers_the_same_messages_and_sample_with_its_whole_reply(file: Path) -> None:
    write(file, [exported("first", input_tokens=7, reasoning="why"), exported("second", sample=1)])
    assert reply_of(file) == Reply(status="ok", text="first", input_tokens=7, reasoning="why")
    assert reply_of(file, sample=1).text == "second"
    for messages, sample in ((HELLO, 2), (HELLO[1:], 0), (HELLO[::-1], 0)):
        with pytest.raises(Hopeless, match="no line of the file fits this ask"):
            reply_of(file, messages, sample)


def test_an_exported_line_without_a_sample_is_the_first_sample(file: Path) -> None:
    line = exported("first")
    del line["ask"]["sample"]
    write(file, [line])
    assert reply_of(file).text == "first"


def test_of_lines_that_fit_the_first_is_taken_and_exact_ones_before_all(file: Path) -> None:
    write(file, [{"text": "any"}, exported("one"), exported("two"), {"when": "Hello", "text": "hello"}])
    assert reply_of(file).text == "one"
    assert reply_of(file, [Message("user", "Hello")]).text == "any"  # the line without `when` comes first


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Hello, world", "both"),
        ("world, Hello", "both"),
        ("Hello", "one"),
        ("hello", "else"),  # letters are taken as they are
        ("", "else"),
    ],
)
def test_all_texts_of_when_must_be_in_the_messages(file: Path, content: str, text: str) -> None:
    write(file, [{"when": ["Hello", "world"], "text": "both"}, {"when": "Hello", "text": "one"}, {"text": "else"}])
    assert reply_of(file, [Message("user", content)]).text == text


def test_when_looks_into_all_messages(file: Path) -> None:
    write(file, [{"when": ["brief", "world"], "text": "found"}])
    assert reply_of(file).text == "found"


def test_a_line_by_hand_can_have_reasoning_and_a_status(file: Path) -> None:
    write(file, [{"text": "no", "status": "refused", "reasoning": "why"}])
    assert reply_of(file) == Reply(status="refused", text="no", reasoning="why")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ({"text": "broken", "status": "failed"}, "broken"),
        (exported("", status="failed", error="no reply within 5 seconds"), "no reply within 5 seconds"),
    ],
)
def test_a_failed_reply_fails_again(file: Path, line: Any, reason: str) -> None:
    write(file, [line])
    with pytest.raises(Hopeless, match=f"^{reason}$"):
        reply_of(file)


def test_empty_lines_are_skipped(file: Path) -> None:
    file.write_bytes(b'\n  \r\n{"text": "B"}\r\n\n')
    assert reply_of(file).text == "B"


@pytest.mark.parametrize("content", [b"", b"\n \r\n", b"\xef\xbb\xbf"])
def test_a_file_without_replies_is_refused(content: bytes, file: Path) -> None:
    file.write_bytes(content)
    with pytest.raises(UserError, match=r"replies\.jsonl holds no replies\.$"):
        model_of(file)


def test_any_script_and_any_line_separator_of_unicode_may_be_in_a_text(file: Path) -> None:
    file.write_text('{"text": "서울 \u2028 \u0085 🙂"}\n', encoding="utf-8")
    assert reply_of(file).text == "서울 \u2028 \u0085 🙂"


def test_the_ask_is_the_files_content_not_its_place(file: Path, tmp_path: Path) -> None:
    write(file, [{"text": "A"}])
    before = model_of(file).ask(HELLO, {"top_p": 1}, 2)
    # printf '{"text": "A"}' | sha256sum
    digest = "d80e6328dba8321f73555882af8d2f2ee5a7fcb8bc5da5ee34961534b0205700"
    assert before == Ask(provider="replay", model=before.model, messages=HELLO, params={"top_p": 1}, sample=2)
    assert before.model == f"sha256:{digest}"
    other = tmp_path / "elsewhere.jsonl"
    other.write_bytes(file.read_bytes())
    assert model_of(other).ask(HELLO, {"top_p": 1}, 2).key == before.key
    write(file, [{"text": "B"}])
    assert model_of(file).ask(HELLO, {"top_p": 1}, 2).key != before.key


def test_a_file_that_can_not_be_read_is_said(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "none.jsonl", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(UserError) as raised:
            model_of(path)
        assert str(raised.value) == f"replay/{path}: the file {path} can't be read: {reason}."


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (b"{", "it is not valid JSON"),
        (b"text", "it is not valid JSON"),
        (b"[]", "it is a list, and must be an object"),
        (b"{}", "there is neither a text nor an ask with its reply"),
        (b'{"when": "x"}', "there is neither a text nor an ask with its reply"),
        (b'{"reply": {"status": "ok"}}', "there is neither a text nor an ask with its reply"),
        (b'{"ask": {"messages": []}}', "there is neither a text nor an ask with its reply"),
        (b'{"text": "B", "wen": "x"}', "wen"),
        (b'{"text": 7}', "its text is a whole number, and must be a text or null"),
        (b'{"text": "B", "status": "good"}', "Invalid enum value 'good'"),
        (b'{"text": "B", "when": [1]}', "is a whole number, and must be a text"),
        (b'{"ask": {}, "reply": {"status": "ok"}}', "it has no messages in ask"),
        (b'{"ask": {"messages": "Hi"}, "reply": {"status": "ok"}}', "its ask.messages is a text, and must be a list"),
        (
            b'{"ask": {"messages": [], "sample": [1]}, "reply": {"status": "ok"}}',
            "its ask.sample is a list, and must be a",
        ),
        (b'{"ask": {"messages": []}, "reply": {}}', "it has no status in reply"),
        (b'{"ask": {"messages": [], "x": ' + b"[" * 100_000, "it is not valid JSON"),
    ],
    ids=lambda value: repr(value[:30]),
)
def test_a_bad_line_is_named_with_its_number(file: Path, bad: bytes, says: str) -> None:
    file.write_bytes(b'{"text": "A"}\n\n' + bad + b'\n{"text": "B"}\n')
    with pytest.raises(UserError) as raised:
        model_of(file)
    assert str(raised.value).startswith(f"{file}, line 3: ")
    assert says in str(raised.value)


def test_a_file_that_is_no_text_is_refused_with_what_to_do(file: Path) -> None:
    file.write_bytes(b'{"text": "A"}\n{"text": "\xff"}\n')
    with pytest.raises(UserError, match=r"is not UTF-8 \(byte 24: invalid start byte\): name its encoding"):
        model_of(file)


def test_it_has_no_address(file: Path) -> None:
    write(file, [{"text": "B"}])
    assert isinstance(open_model(ModelSpec(name=f"replay/{file}")), ReplayModel)
    with pytest.raises(UserError, match="is not behind an address: leave --base-url out"):
        open_model(ModelSpec(name=f"replay/{file}", base_url="http://localhost"))
