"""Whether a reply's answer is right, and not only named somewhere in it."""

from __future__ import annotations

import pytest

from counterfoil.explain import answer_is_right

CITIES = ["Sydney", "Melbourne", "Perth"]
CAPITAL = "What is the capital of Australia?"


def is_canberra(reply: str) -> bool:
    return answer_is_right(reply, "Canberra", candidates=CITIES, question=CAPITAL)


@pytest.mark.parametrize(
    "reply",
    [
        "Canberra.",
        "**Canberra**",
        "The capital of Australia is Canberra, not Sydney.",
        "It is not Sydney but Canberra.",
        "The capital isn't Sydney. It is Canberra.",
        "Many people think it is Sydney, but it is actually Canberra.",
        "You might think of Melbourne. The correct answer is Canberra.",
        "Canberra.\n\nClarifications:\n- **Sydney**: the largest city.\n- **Perth**: the answer is no.",
        "Both large cities wanted to be it. Sydney was the larger one. So the capital became Canberra.",
        "Rather than Sydney, Canberra was chosen.",
    ],
)
def test_the_answer_given_is_the_right_one(reply: str) -> None:
    assert is_canberra(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "I don't know.",
        "Sydney.",
        "The capital of Australia is Sydney.",
        "The capital is Sydney, not Canberra.",
        "Sydney.\n\nClarification: Some might think it is Canberra, but it is not.",
        "Auckland.\n\nIncorrect alternative answer: Canberra. It is a small city.",
        "It isn't Canberra.",
        "Canberra is not the capital.",
        "Some might think Canberra, but the answer is Melbourne.",
    ],
)
def test_the_right_one_only_rejected_or_absent(reply: str) -> None:
    assert not is_canberra(reply)


def test_a_wrong_candidate_in_the_answers_place() -> None:
    reply = "It is Canberra.\n\nSome might think of Sydney, which is larger, or Melbourne, the former seat."
    for wrong in ("Sydney", "Melbourne"):
        assert not answer_is_right(reply, wrong, candidates=["Canberra", *CITIES], question=CAPITAL)
        assert not is_canberra(reply.replace("Canberra", wrong))


@pytest.mark.parametrize(
    ("reply", "gold"),
    [
        ("It was Captain James Cook.", "Captain Cook"),
        ("It was William Shakespeare.", "Wm Shakespeare"),
        ("It was Shakespeare.", "William Shakespeare"),
        ("It lies in New South Wales.", "NSW"),
        ("It lies in NSW.", "New South Wales"),
        ("On the left hand.", "Hands"),
        ("Seven.", "7"),
        ("7.", "Seven"),
        ("7.\n\nClarification: not 8.", "7"),
        ("About 12,000 of them.", "12000"),
        ("On 14 July 1789.", "July 14, 1789"),
    ],
)
def test_forms_of_the_gold_answer(reply: str, gold: str) -> None:
    assert answer_is_right(reply, gold)


def test_an_alias_is_as_good() -> None:
    assert not answer_is_right("It is Everest.", "Chomolungma")
    assert answer_is_right(
        "It is Everest.", "Chomolungma", aliases=["Mount Everest"], candidates=["K2", "Mount Everest"]
    )
    assert not answer_is_right("It is K2.", "Chomolungma", aliases=["Mount Everest"], candidates=["K2"])


def test_the_longer_name_is_the_answer() -> None:
    reply = "He was known as Captain James Cook."
    assert answer_is_right(reply, "Captain Cook", candidates=["James Cook"])
    assert not answer_is_right(reply, "James Cook", candidates=["Captain Cook"])


def test_what_is_said_in_passing_is_not_the_answer() -> None:
    reply = "Octavian, also known as Augustus, defeated Antony at Actium."
    assert answer_is_right(reply, "Antony", candidates=["Augustus"], question="Whom did Octavian defeat at Actium?")
    assert not answer_is_right(reply, "Augustus", candidates=["Antony"], question="Whom did Octavian defeat at Actium?")


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("정답은 서울입니다.", True),
        ("부산이 아니라 서울입니다.", True),
        ("서울이다. 부산과 혼동하기 쉽다.", True),
        ("정답은 부산입니다. 서울이 아닙니다.", False),
        ("부산입니다.", False),
        ("대전입니다. 서울로 착각하기 쉽습니다.", False),
    ],
)
def test_korean_answers(reply: str, right: bool) -> None:
    assert answer_is_right(reply, "서울", candidates=["부산", "대구"], question="대한민국의 수도는?") is right


def test_no_gold_answer_is_never_right() -> None:
    assert not answer_is_right("Anything at all.", "")
