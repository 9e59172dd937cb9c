"""Which of several names a reply gives as its answer: not what it grants, rejects or puts in others' mouths."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from counterfoil import explain
from counterfoil.explain import answer_is_right

SAMPLES = Path(explain.__file__).parent / "samples"


def sample(language: str) -> list[dict[str, Any]]:
    lines = (SAMPLES / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def misread(template: str, language: str, right: bool) -> list[str]:
    """The replies made from the template, with g, c and d filled in, that are not read as they should be."""
    wrong = []
    for question in sample(language):
        names = list(question["candidates"])
        reply = template.format(g=question["answer"], c=names[0], d=names[1])
        found = answer_is_right(
            reply, question["answer"], aliases=question["aliases"], candidates=names, question=question["question"]
        )
        if found is not right:
            wrong.append(reply)
    return wrong


@pytest.mark.parametrize(
    ("template", "right"),
    [
        ("While {c} is often named, {g} is correct.", True),
        ("While {g} is often named, {c} is correct.", False),
        ("While {c} and {d} are often named, it is {g}.", True),
        ("Although many would say {c}, it is {g}.", True),
        ("Although many would say {g}, it is {c}.", False),
        ("Many people say {g}, but it is {c}.", False),
        ("{c} is a common mistake; it is {g}.", True),
        ("{g} is a common mistake; it is {c}.", False),
        ("- {c}: incorrect\n- {g}: correct", True),
        ("- {g}: incorrect\n- {c}: correct", False),
        ("{g} (wrong), {c} (right)", False),
        ("{c} (wrong), {g} (right)", True),
        ("First, {c} can be ruled out. So can {d}. That leaves {g}.", True),
        ("First, {g} can be ruled out. So can {d}. That leaves {c}.", False),
        ("The two contenders are {c} and {g}; the right one is {g}.", True),
        ("The two contenders are {c} and {g}; the right one is {c}.", False),
        ("{g}? No, {c}.", False),
        ("{c}? No. {g}.", True),
        ("Some may think of {c}. Others may think of {d}. It is {g}.", True),
        ("Clarification: none needed. {g}.", True),
        ("At first glance {c} seems right. But it is {g}.", True),
        ("It could be {c}, but it is {g}.", True),
        ("It could be {g}.", True),
        ("It used to be thought that it was {g}; it is {c}.", False),
        ("{c} or {g}? It is {g}.", True),
        ("{g} or {c}? It is {c}.", False),
        ("{g}? Yes. Think of {c} too.", True),
        ("{c}, wait, no: {g}.", True),
        ("Unlike {c}, {g} fits.", True),
        ("Neither {c} nor {d}: {g}.", True),
        ("{g} comes to mind, but the answer is {c}.", False),
        ("You may have heard of it: {g}.", True),
        ("It is {g}, although many would say {c}.", True),
        ("It is {c}, although many would say {g}.", False),
    ],
)
def test_english(template: str, right: bool) -> None:
    assert misread(template, "english", right) == []


@pytest.mark.parametrize(
    ("template", "right"),
    [
        ("{c}는 틀렸습니다. {g}가 맞습니다.", True),
        ("{g}는 틀렸습니다. {c}가 맞습니다.", False),
        ("흔히 {c}로 착각하지만 {g}가 맞습니다.", True),
        ("흔히 {g}로 착각하지만 {c}가 맞습니다.", False),
        ("{c}, {d}도 유명하지만 {g}입니다.", True),
        ("{g}로 알고 있는 사람이 많지만 사실은 {c}입니다.", False),
        ("{c}로 알고 있는 사람이 많지만 사실은 {g}입니다.", True),
        ("{g}이지만 {c}도 유명합니다.", True),
        ("많은 사람이 {c}라고 생각하는데, 사실은 {g}입니다.", True),
        ("많은 사람이 {g}라고 생각하는데, 사실은 {c}입니다.", False),
        ("{c}는 정답이 아닙니다. {g}입니다.", True),
        ("{c}(오답), {g}(정답)", True),
        ("{g}(오답), {c}(정답)", False),
    ],
)
def test_korean(template: str, right: bool) -> None:
    assert misread(template, "korean", right) == []


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("Many people say Canberra, but the capital is Sydney.", False),
        ("Sydney is the largest city in Australia, but the capital is Canberra.", True),
        ("Canberra is the capital, but the largest city is Sydney.", True),
        ("Sydney is the capital, but the largest city is Canberra.", False),
        ("Canberra (wrong), Sydney (right)", False),
        ("People often mistake Sydney for the capital. It's Canberra.", True),
        ("People often mistake Canberra for the capital. It's Sydney.", False),
        ("Some might think it is Canberra.", False),
        ("While Sydney, Melbourne and Perth are larger, Canberra is the capital.", True),
        ("Despite Sydney's fame, the capital is Canberra.", True),
        ("Most people would answer Sydney; it's actually Canberra.", True),
        ("I first thought of Sydney, but it is Canberra.", True),
        ("I first thought of Canberra, but it is Sydney.", False),
        ("I think it is Canberra.", True),
        ("You might be surprised: it is Canberra.", True),
        ("As you may know, Canberra is the capital.", True),
        ("~~Sydney~~ Canberra", True),
        ("Sydney? Wrong! It's Canberra.", True),
        ("Canberra? No doubt about it.", True),
        ("- Sydney: Right on the coast.\n- It is Canberra.", True),
        ("Canberra. Sydney: right on the coast.", True),
        ("While Canberra is the capital, it is small.", True),
        ("Contrary to popular belief, the capital is Canberra.", True),
    ],
)
def test_the_capital(reply: str, right: bool) -> None:
    cities = ["Sydney", "Melbourne", "Perth"]
    assert answer_is_right(reply, "Canberra", candidates=cities, question="What is the capital of Australia?") is right


def test_who_did_and_who_did_not() -> None:
    reply = "Thomas Edison did not invent it, Alexander Graham Bell did."
    bell, edison = "Alexander Graham Bell", "Thomas Edison"
    question = "Who invented the telephone?"
    assert answer_is_right(reply, bell, candidates=[edison], question=question)
    assert not answer_is_right(reply, edison, candidates=[bell], question=question)
