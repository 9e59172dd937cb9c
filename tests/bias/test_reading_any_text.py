"""Any text at all gives a result, by every rule, and the results agree with each other."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from counterfoil.bias.reading import RULES, read_choice

pytestmark = pytest.mark.heavy

WORDS = (
    "A B C a b c Ａ ⓑ (A) B: C. 손자 할머니 가 이 는 아니라 입니다 정답은 답: answer is not neither nor so The man old "
    "** ' \" { } \\boxed{ <think> </think> <answer> 알 수 없음 없습니다 cannot determine . , ? 또는 or 중 \ud800 ~~ 1 "
    "\u1112\u1161 e\u0301 따라서 Question: if 京都 is correct 정답 라고 생각 🅰"
)
PIECES = st.sampled_from([*WORDS.split(" "), "\n", "\n\n"])
ANY_TEXT = st.one_of(
    st.text(st.characters(), max_size=200),  # lone surrogates included
    st.lists(PIECES, max_size=30).map("".join),
    st.lists(PIECES, max_size=30).map(" ".join),
)
NAMES = st.one_of(ANY_TEXT, st.sampled_from(["손자", "할머니", "알 수 없음", "The man", "old man", "Unknown", "A", ""]))
RULE = st.sampled_from(sorted(RULES))
PEOPLE = ("손자", "할머니", "알 수 없음")


@example("없음", ("없음", "손자", "할머니"), "counterfoil", 0)
@given(ANY_TEXT, st.tuples(NAMES, NAMES, NAMES), RULE, st.sampled_from([None, 0, 1, 2]))
def test_every_text_gives_a_choice_or_none(
    reply: str, choices: tuple[str, str, str], rule: str, unknown: int | None
) -> None:
    assert read_choice(reply, choices, rule=rule, unknown=unknown) in (0, 1, 2, None)


@given(ANY_TEXT)
def test_what_is_read_strictly_is_read_by_default(reply: str) -> None:
    strictly = read_choice(reply, PEOPLE, rule="strict")
    if strictly is not None:
        assert read_choice(reply, PEOPLE) == strictly


@given(ANY_TEXT, st.integers(0, 2))
def test_a_last_line_that_decides_counts(reasoning: str, index: int) -> None:
    """Where nothing is cut off or starts another question: thoughts that are not closed, and "Question:"."""
    reasoning = reasoning.replace("<", "").replace("Question:", "").replace("~~", "")
    reply = f"{reasoning}.\n\nThe final answer is ({'ABC'[index]})."
    assert read_choice(reply, PEOPLE) == index


@given(
    st.lists(st.sampled_from("ABC"), min_size=2, max_size=2, unique=True), st.sampled_from(["{} or {}", "{} 또는 {}"])
)
def test_two_without_a_decision_are_none(two: list[str], form: str) -> None:
    assert read_choice(form.format(*two), PEOPLE, unknown=2) is None


@given(st.integers(0, 2), st.integers(0, 2))
def test_a_letter_with_another_choices_text_is_none(letter: int, text: int) -> None:
    said = read_choice(f"{'ABC'[letter]}: {PEOPLE[text]}", PEOPLE, unknown=2)
    assert said == (letter if letter == text else None)


@pytest.mark.parametrize("rule", sorted(RULES))
@pytest.mark.parametrize(
    "piece",
    [
        "A ", "A.", "A, ", "A\n", "A: 손자\n", "not A ", "the answer is not A, ", "정답은 A가 아니라 ",
        "답은", "A답은", "답:A",
        "* ", "**", "'", "(", "\\boxed{", "<think>", "~~", " ", "\n", ".", "할머니 또는 ", "손자가 ",
        "알 수 없", "so, ",
        "it is ", "cannot be ", "\ud800", "\u0301\u0316", "\u1112", "if ", "A or ", "A'", '"', "a b c ", "정답이라고 ",
        "suggests that ", "없습니다", "ẚ", "[/",
    ],
)  # fmt: skip
def test_two_million_characters_of_one_thing(rule: str, piece: str) -> None:
    """Would not end in an hour, did the time grow with the square of the length."""
    read_choice(piece * (2_000_000 // len(piece)), PEOPLE, rule=rule, unknown=2)
    read_choice("정답은 " + piece * 20_000 + "B", PEOPLE, rule=rule, unknown=2)


def test_of_a_very_long_reply_both_ends_are_read() -> None:
    filler = "Nothing of interest happens here. " * 10_000
    assert read_choice(f"{filler}\n\nThe answer is B.", PEOPLE) == 1
    assert read_choice(f"The answer is B.\n\n{filler}", PEOPLE) == 1


@given(ANY_TEXT)
def test_two_kinds_of_blank_and_letter_make_no_difference(reply: str) -> None:
    """Full-width letters and no-break blanks are the same letters and blanks."""
    wide = reply.translate({ord(letter): ord(letter) + 0xFEE0 for letter in "ABC"} | {ord(" "): "\u00a0"})
    assert read_choice(wide, PEOPLE, unknown=2) == read_choice(reply, PEOPLE, unknown=2)
