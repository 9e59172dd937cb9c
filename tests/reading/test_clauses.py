"""A reply is cut into clauses, and each is known by what it does; in every language that has tables."""

from __future__ import annotations

import pytest

from counterfoil.reading import words
from counterfoil.reading.clauses import Does, clause_at, clauses, sentences

LANGUAGES = {"en", "ko", "es", "de", "fr", "nl", "tr", "ca", "zh", "ja"}


def pieces(text: str) -> list[tuple[str, str]]:
    return [(text[clause.start : clause.end].strip(" ,;:-\n"), clause.does) for clause in clauses(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sydney is the largest. canberra is the capital.", ["sydney is the largest.", "canberra is the capital."]),
        # A label is no sentence, nor is an abbreviation or a number one's end.
        ("a. the nurse\nb. the cook", ["a. the nurse", "b. the cook"]),
        ("it was approx. 3.5 times, e.g. in may. so b.", ["it was approx. 3.5 times, e.g. in may.", "so b."]),
        ("答案是b.因为他迟到了.", ["答案是b.", "因为他迟到了."]),
        ("정답은 b입니다.따라서 b.", ["정답은 b입니다.", "따라서 b."]),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end].strip() for start, end in sentences(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it is the cook.", [("it is the cook.", Does.STATES)]),
        ("it is not the nurse, but the cook.", [("it is not the nurse", Does.REJECTS), ("but the cook.", Does.STATES)]),
        ("could it be a? it is c.", [("could it be a?", Does.ASKS), ("it is c.", Does.STATES)]),
        ("wait, i meant c.", [("wait, i meant c.", Does.CORRECTS)]),
        ("if it rained, it was a.", [("if it rained, it was a.", Does.SUPPOSES)]),
        ("many people think of sydney.", [("many people think of sydney.", Does.QUOTES)]),
        ("시드니가 크지만 수도는 캔버라.", [("시드니가 크지만", Does.STATES), ("수도는 캔버라.", Does.STATES)]),
        ("no es la chica, sino el chico.", [("no es la chica", Does.REJECTS), ("sino el chico.", Does.STATES)]),
        ("nicht der koch, sondern sie.", [("nicht der koch", Does.REJECTS), ("sondern sie.", Does.STATES)]),
        ("不是护士,而是厨师.", [("不是护士", Does.REJECTS), ("而是厨师.", Does.STATES)]),
    ],
)  # fmt: skip
def test_what_a_clause_does(text: str, expected: list[tuple[str, str]]) -> None:
    assert pieces(text) == expected


def test_the_clause_of_a_place() -> None:
    text = "not a, but b. or c?"
    found = clauses(text)
    assert [clause.does for at in (4, 11, 17) if (clause := clause_at(found, at))] == [
        Does.REJECTS,
        Does.STATES,
        Does.ASKS,
    ]
    assert clause_at(found, 99) is None
    assert clause_at([], 0) is None


@pytest.mark.parametrize(
    "table",
    [
        words.CONTRAST,
        words.CORRECTS,
        words.SUPPOSES,
        words.WEIGHS,
        words.QUOTES,
        words.REJECTS,
        words.ANSWER,
        words.IS,
        words.RIGHT,
        words.CONCLUDES,
        words.ORDINALS,
        words.OPTION,
        words.OR,
        words.GOOD,
        words.BAD,
        words.CHOOSES,
    ],
)
def test_every_table_has_every_language(table: words.Table) -> None:
    assert set(table) == LANGUAGES


def test_what_english_and_korean_say_finer_elsewhere() -> None:
    for table in (words.UNTOLD, words.REFUSES):
        assert set(table) == LANGUAGES - {"en", "ko"}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("respuesta: b", "es"), ("die antwort ist b, weil er es war", "de"), ("la bonne réponse est b", "fr"),
        ("het antwoord is b", "nl"), ("doğru cevap b", "tr"), ("la resposta és la b", "ca"), ("答案是b", "zh"),
        ("答えはbです", "ja"), ("정답은 b", "ko"),
    ],
)  # fmt: skip
def test_a_few_words_tell_the_language(text: str, language: str) -> None:
    assert language in words.languages_in(text)
    assert words.languages_in("the answer is b, as the nurse said") == ("en",)
