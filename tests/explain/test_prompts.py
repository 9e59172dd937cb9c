"""The system prompts that ship."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import counterfoil as cf
from counterfoil.explain.prompts import ENGLISH, KOREAN, load_variants, unlike


def test_the_usual_ones_are_in_the_language_of_the_questions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for data, names in (("english", ENGLISH), ("korean", KOREAN)):
        run = cf.run("explain", model="planted/explain", data=data, limit=2)
        assert sorted(set(run.records["variant"])) == sorted(names), data


def test_each_of_the_studys_prompts_is_there_in_korean() -> None:
    english, korean = load_variants(ENGLISH), load_variants(KOREAN)
    assert [variant.name for variant in korean] == [f"{variant.name}-ko" for variant in english]
    for one, other in zip(english, korean, strict=True):
        assert not re.search("[가-힣]", one.prompt)
        assert not re.search("[A-Za-z]", other.prompt)
        # A prompt of two lines is one of two lines in Korean, too.
        assert one.prompt.count("\n") == other.prompt.count("\n")
    assert len({variant.sha256 for variant in (*english, *korean)}) == 10


def test_prompts_in_another_language_than_the_questions_are_named(tmp_path: Path) -> None:
    own = tmp_path / "own.txt"
    own.write_text("Answer.", encoding="utf-8")
    english, korean = ["Which city?", "Who wrote 춘향전?", "When?"], ["어느 도시?", "누가?"]
    for names, questions in ((ENGLISH, english), (KOREAN, korean), ([str(own)], korean), ([str(own)], english)):
        assert not unlike(load_variants(names), questions)
    assert not unlike(load_variants(KOREAN), ["어느 도시?", "Who?", "누가?"])
    assert unlike(load_variants(["cfe", "baseline-ko"]), korean) == (
        "The questions are in Korean, and these prompts in English: cfe. There is cfe-ko, too."
    )
    assert unlike(load_variants(["cfe-ko"]), english) == (
        "The questions are in English, and these prompts in Korean: cfe-ko. There is cfe, too."
    )
