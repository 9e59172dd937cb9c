"""Any text at all gives a choice and a number, or none, in time that does not explode; stated answers are read."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.perturbing.templates import numbers
from counterfoil.reading import read_choice, read_number

pytestmark = pytest.mark.heavy

MONEY = ("$14,047.16", "$16,215.64", "$15,030.46")
WORDS = (
    "A B C a b c Ａ ⓑ (A) B: C. 14,047.16 $15,030.46 15.5% 45 bps 1e5 10^ × = ≈ - ( ) 0,5 1.2.3 ' , . million k answer "
    "is: ANSWER: Answer not neither or and so The option correct closest to if would be wait ** \\boxed{ } \\text{ "
    "<think> </think> <answer> 정답은 또는 입니다 답: \ud800 ~~ Question: therefore that is wrong 🅰 { , } \\$ \\, ⁴ 9"
)
PIECES = st.sampled_from([*WORDS.split(" "), "\n", "\n\n"])
ANY_TEXT = st.one_of(
    st.text(st.characters(), max_size=200),  # lone surrogates included
    st.lists(PIECES, max_size=30).map("".join),
    st.lists(PIECES, max_size=30).map(" ".join),
)
OPTIONS = st.tuples(*[st.one_of(ANY_TEXT, st.sampled_from([*MONEY, "15.5%", "liquidity", "A", ""]))] * 3)
# What cuts a reply off, or begins another question.
CUTS = str.maketrans("", "", "<>[]◁▷~:")


def read_letter(reply: str, options: tuple[str, ...]) -> str | None:
    place = read_choice(reply, options)
    return None if place is None else "ABC"[place]


@given(ANY_TEXT, OPTIONS)
def test_every_text_gives_a_letter_or_none(reply: str, options: tuple[str, str, str]) -> None:
    assert read_letter(reply, options) in ("A", "B", "C", None)


@given(ANY_TEXT, st.booleans(), st.integers(0, 6), st.sampled_from([None, Decimal(0), Decimal("15.5")]))
def test_every_text_gives_a_number_or_none(reply: str, percent: bool, digits: int, around: Decimal | None) -> None:
    number = read_number(reply, percent=percent, digits=digits, around=around)
    assert number is None or number.is_finite()


@given(ANY_TEXT, st.sampled_from("ABC"), st.sampled_from(["ANSWER: {}", "**ANSWER: {}**", "The final answer is ({})."]))
def test_a_last_line_that_decides_counts(reasoning: str, letter: str, form: str) -> None:
    reply = f"{reasoning.translate(CUTS)}.\n\nThat was the way there.\n\n{form.format(letter)}"
    assert read_letter(reply, MONEY) == letter


@given(ANY_TEXT, st.decimals(-(10**9), 10**9, places=2), st.sampled_from(["ANSWER: ${}", "So the answer is {}."]))
def test_a_number_as_questions_print_it_is_read_back(reasoning: str, value: Decimal, form: str) -> None:
    said = form.format(numbers.printed(value, 2))
    reply = f"{reasoning.translate(CUTS)}.\n\nThat was the way there.\n\n{said}"
    assert read_number(reply, percent=False, digits=2) == value


@given(st.decimals(-100, 1000, places=3))
def test_percentages_are_read_back_whatever_their_unit(value: Decimal) -> None:
    for said in (f"{value}%", f"{value} percent", f"{value * 100} bps"):
        assert read_number(f"ANSWER: {said}", percent=True, digits=1) == value


@given(st.decimals(-(10**6), 10**6, places=3), st.sampled_from(["{:f}", "{:,f}", "${:,f}", "{:f}%"]), st.booleans())
def test_the_plain_form_is_read_as_any_other_form(value: Decimal, form: str, percent: bool) -> None:
    said = form.format(value)
    one, other = (read_number(f"{cue}: {said}", percent=percent, digits=2) for cue in ("ANSWER", "Final answer"))
    assert one == other
    assert one is not None


@given(st.integers(-(10**12), 10**12), st.sampled_from([",", ".", "'", "’", "\u2009", "\u202f", "\u00a0", "_", "{,}"]))
def test_thousands_are_separated_in_many_ways(value: int, separator: str) -> None:
    printed = f"{value:,}".replace(",", separator)
    # A single point is a decimal one.
    expected = Decimal(value) if separator != "." or abs(value) < 1000 or abs(value) >= 10**6 else Decimal(printed)
    said = f"\\boxed{{{printed}}}" if separator == "{,}" else f"ANSWER: {printed}"
    assert read_number(said, percent=False, digits=0) == expected


@given(st.sampled_from("ABC"), st.sampled_from("ABC"))
def test_two_at_a_time_are_none(one: str, other: str) -> None:
    for form in (
        "ANSWER: {} or {}",
        "The answer is {} or {}.",
        "ANSWER: {}/{}",
        "정답은 {} 또는 {}",
        "ANSWER: {}\nANSWER: {}",
    ):
        assert read_letter(form.format(one, other), MONEY) == (one if one == other else None)


@given(st.sampled_from("ABC"), st.integers(0, 2))
def test_a_letter_with_another_options_number_is_none(letter: str, index: int) -> None:
    said = read_letter(f"ANSWER: {letter}: {MONEY[index]}", MONEY)
    assert said == (letter if "ABC"[index] == letter else None)


@given(ANY_TEXT, st.sampled_from("ABC"))
def test_reading_only_the_last_line_is_no_other_reading(reasoning: str, letter: str) -> None:
    """Which is what happens where it begins with "ANSWER:"; a sentence makes that all of the reply is read."""
    reply = f"{reasoning.translate(CUTS)}.\n\nThat was the way there.\n\n"
    assert read_letter(f"{reply}ANSWER: {letter}", MONEY) == read_letter(f"{reply}The answer is: {letter}", MONEY)


@given(ANY_TEXT)
def test_full_width_letters_and_other_blanks_make_no_difference(reply: str) -> None:
    wide = reply.translate({ord(letter): ord(letter) + 0xFEE0 for letter in "ABC"} | {ord(" "): "\u00a0"})
    assert read_letter(wide, MONEY) == read_letter(reply, MONEY)


@pytest.mark.parametrize(
    "piece",
    [
        "A ", "A.", "A, ", "A\n", "A: $14,047.16\n", "not A ", "the answer is not A, ", "answer: ", "answer is ",
        "답은", "* ", "**", "'", "(", "\\boxed{", "\\text{", "<think>", "~~", " ", "\n", ".", ",", "1", "1 ", "111 ",
        "111'",
        "1,", "1.", "1e", "1^", "10^{", "-", "=", "= 1 ", "so ", "so the is 1", "is closest to ", "option A is ",
        "option ", "A or ", "if ", "wait ", "\ud800", "⁴", ">", "> ", "#", "_", "{,}", "$", "US$", "million ",
        "1 million ", "[/", "%", "1 is the answer ", "(1", "1)", "A is correct ", "the final correct ",
        "answer for the a b c ",
    ],
)  # fmt: skip
def test_two_million_characters_of_one_thing(piece: str) -> None:
    """Would not end in an hour, did the time grow with the square of the length."""
    for reply in (piece * (2_000_000 // len(piece)), "answer: " + piece * 20_000 + "B"):
        read_letter(reply, MONEY)
        read_number(reply, percent=True, digits=2)


def test_of_a_very_long_reply_both_ends_are_read() -> None:
    filler = "Nothing of interest happens here. " * 10_000
    assert read_letter(f"{filler}\n\nThe answer is B.", MONEY) == "B"
    assert read_letter(f"The answer is B.\n\n{filler}", MONEY) == "B"
    assert read_number(f"{filler}\n\nThe answer is 5.", percent=False, digits=0) == 5
