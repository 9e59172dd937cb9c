"""A second reader with a known share of errors, behind a mock server."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

from mock_server import Answer, completion

_LETTER = re.compile(r"\b([A-E])\b")
_NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)? ?%?")


def reader(errors: float = 0.0, *, says: str | None = None) -> Callable[[dict[str, Any]], Answer]:
    """Reads short replies right, and with this chance otherwise; or says always the same."""

    def behave(request: dict[str, Any]) -> Answer:
        content = request["messages"][1]["content"]
        about, _, rest = content.partition("<reply>\n")
        reply = rest.removesuffix("\n</reply>")
        luck = random.Random(content)
        is_wrong = luck.random() < errors
        if says is not None:
            return completion(says)
        if "Candidates:" in about:
            return completion(_explanation(about, reply, is_wrong))
        if "Choices:" in about:
            return completion(f"Choice: {_choice(about, reply, luck if is_wrong else None)}")
        numbers = _NUMBER.findall(reply)
        return completion(f"Number: {'none' if is_wrong or not numbers else numbers[-1]}")

    return behave


def _choice(about: str, reply: str, luck: random.Random | None) -> str:
    labels = re.findall(r"^([A-E]): ", about, re.MULTILINE)
    found = _LETTER.findall(reply)
    right = found[-1] if found else "none"
    return right if luck is None else luck.choice([label for label in labels if label != right])


def _explanation(about: str, reply: str, is_wrong: bool) -> str:
    """It knows names only where they stand as they are in the list."""
    gold = about.split("Right answer: ")[1].split("\n")[0].split(" / ")[0]
    candidates = re.findall(r"^- (.*)$", about, re.MULTILINE)
    mentioned = [name for name in candidates if name in reply]
    is_right = (gold in reply) != is_wrong
    listed = "\n" + "\n".join(f"- {name}" for name in mentioned) if mentioned else " none"
    return f"Answer: {'right' if is_right else 'wrong'}\nInstead: none\nMentioned:{listed}"
