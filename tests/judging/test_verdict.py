"""A judge's verdict: read from its strict format or from JSON, never guessed."""

from __future__ import annotations

import pytest

from counterfoil.judging.parsing import Verdict, verdict_reader
from counterfoil.judging.text import Unreadable

read = verdict_reader(("correct", "incorrect", "unsure"))


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Reason: It is so.\nVerdict: correct", Verdict("correct", "It is so.")),
        ("Verdict: incorrect\nReason: It is\nnot so.", Verdict("incorrect", "It is not so.")),
        ("**Reason:** It is so.\n**Verdict:** **Correct.**", Verdict("correct", "It is so.")),
        ("Verdict: unsure (no source)", Verdict("unsure", "")),
        ('{"reason": "It is so.", "verdict": "correct"}', Verdict("correct", "It is so.")),
        ('```json\n{"Verdict": "INCORRECT"}\n```', Verdict("incorrect", "")),
        ('Here it is: {"verdict": "unsure", "reason": null}', Verdict("unsure", "")),
        ("Reason: The verdict: it is clear.\nVerdict: correct", Verdict("correct", "The verdict: it is clear.")),
        ("Verdict: correct\n\nVerdict: correct", Verdict("correct", "")),
    ],
)
def test_what_can_be_read(text: str, verdict: Verdict) -> None:
    assert read(text) == verdict


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("I think that it is correct.", "no verdict"),
        ("Verdict: <correct, incorrect or unsure>", "must be correct, incorrect or unsure"),
        ("Verdict: correct|incorrect|unsure", "must be"),
        ("Verdict: maybe", "and is “maybe”"),
        ("Verdict: incorrectly put", "must be"),
        ('{"verdict": true}', "must be"),
        ('{"verdict": ["correct"]}', "must be"),
        ("Verdict: correct\nVerdict: incorrect", "more than one verdict"),
        ("[]", "no verdict"),
    ],
)
def test_what_can_not_be_read(text: str, problem: str) -> None:
    with pytest.raises(Unreadable, match=problem.replace("|", r"\|")):
        read(text)
