"""What of a reply is its answer to the question: no train of thought, nothing behind a question of its own."""

from __future__ import annotations

import re

from counterfoil.reading.plain_text import spoken

_ANOTHER_ROUND = re.compile(
    r"\n[*#> ]{0,8}(?:question|q|problem|user|human|instruction|질문|문제) ?\d{0,3}\*{0,2} ?[:.]", re.I
)


def own_words(reply: str) -> str:
    """The reply with blanks in place of a marked train of thought, until it goes on to another question.

    What is left stands where it stood.
    """
    said = spoken(reply)
    # A very long reply, of which `spoken` gives only the ends, is read as it is.
    if said != reply and said in reply:
        reply = " " * reply.rfind(said) + said if said else ""
    another = _ANOTHER_ROUND.search(reply) if "\n" in reply else None
    return reply[: another.start()] if another is not None and reply[: another.start()].strip() else reply
