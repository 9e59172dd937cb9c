"""Names with small words inside, and numbers with the units that a question asks for."""

from __future__ import annotations

import pytest

from counterfoil.explain import answer_is_right, find_mentions


@pytest.mark.parametrize(
    ("reply", "gold", "right"),
    [
        ("Van Gogh.", "Vincent van Gogh", True),
        ("It was van Gogh.", "Vincent van Gogh", True),
        ("In Van Gogh's hand.", "Vincent van Gogh", True),
        ("It was Theo van Gogh.", "Vincent van Gogh", False),
        ("It was Theo Van Gogh.", "Vincent van Gogh", False),
        ("Beethoven.", "Ludwig van Beethoven", True),
        ("Da Vinci did.", "Leonardo da Vinci", True),
        ("Leonardo did.", "Leonardo da Vinci", True),
        ("It was Cervantes.", "Miguel de Cervantes", True),
        ("It was De Vega.", "Miguel de Cervantes", False),
    ],
)
def test_a_surname_behind_a_particle(reply: str, gold: str, right: bool) -> None:
    assert answer_is_right(reply, gold, candidates=["Lope de Vega", "Claude Monet"], question="Who did it?") is right


def test_neither_is_no_first_name() -> None:
    assert find_mentions("Neither Monet nor Manet.", ["Claude Monet"], question="Who did it?") == ["Claude Monet"]


@pytest.mark.parametrize(
    ("reply", "question", "right"),
    [
        ("He was 35 years old.", "How old was Mozart when he died?", True),
        ("35 degrees Fahrenheit.", "At what temperature does it melt?", True),
        ("Thirty-five degrees.", "At what temperature does it melt?", True),
        ("About 35%.", "What percentage of the air is it?", True),
        ("About 35 percent.", "What percentage of the air is it?", True),
        ("About 35 meters.", "How tall is the tower?", True),
        ("It is 35 km long.", "How long is the race?", True),
        ("It took 35 minutes.", "How long did it take?", True),
        ("It is 35 minutes away.", "How tall is the tower?", False),
        ("It takes 35 hours.", "How many moons are there?", False),
    ],
)
def test_a_measure_that_is_asked_for(reply: str, question: str, right: bool) -> None:
    assert answer_is_right(reply, "35", candidates=["36", "40"], question=question) is right


def test_a_measure_in_words() -> None:
    assert answer_is_right("Zero degrees.", "0", candidates=["4"], question="At what temperature does it melt?")
    assert not answer_is_right("One day, maybe.", "1", candidates=["4"], question="Which number is on the day's page?")


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("18. Some people think it is 36.", True),
        ("18. Phobos\n19. Deimos", False),
        ("Two of them:\n18. Phobos", False),
    ],
)
def test_a_number_as_the_first_sentence(reply: str, right: bool) -> None:
    assert answer_is_right(reply, "18", candidates=["36"], question="What is the number?") is right


def test_one_at_the_start_begins_a_list() -> None:
    assert not answer_is_right("1. Phobos", "1", question="What is the number?")


@pytest.mark.parametrize(
    ("reply", "gold", "right"),
    [
        ("1945년입니다.", "1945", True),
        ("1945입니다.", "1945년", True),
        ("1945", "1945년", True),
        ("11명입니다.", "11", True),
        ("11 명입니다.", "11명", True),
        ("11.", "11명", True),
        ("11월입니다.", "11명", False),
        ("11일입니다.", "11명", False),
        ("1. 서울", "1개", False),
        ("정답은 5입니다.", "5개", True),
        ("15입니다.", "5개", False),
        ("5,000입니다.", "5개", False),
        ("1.5입니다.", "5개", False),
    ],
)
def test_korean_numbers_with_and_without_what_is_counted(reply: str, gold: str, right: bool) -> None:
    assert answer_is_right(reply, gold, candidates=["7개", "9"], question="얼마인가요?") is right


@pytest.mark.parametrize(
    ("reply", "question", "gold", "candidates", "mentioned"),
    [
        # Old names, names in the place's own language, and bynames.
        ("Willis has antennas.", "What is the tallest building?", "Burj Khalifa", ["Willis Tower"], ["Willis Tower"]),
        ("The Sears Tower was.", "What is the tallest building?", "Burj Khalifa", ["Willis Tower"], ["Willis Tower"]),
        ("Bern, not Genève.", "What is the capital of Switzerland?", "Bern", ["Geneva", "Basel"], ["Geneva"]),
        (
            "Honest Abe was shot.",
            "Who was the first president?",
            "Washington",
            ["Abraham Lincoln"],
            ["Abraham Lincoln"],
        ),
        ("Peru. The Zambians won later.", "Which country won?", "Peru", ["Zambia", "Mali"], ["Zambia"]),
        ("Murray. Rafa lost.", "Who won in 2013?", "Andy Murray", ["Rafael Nadal"], ["Rafael Nadal"]),
        # Among things of one kind, the kind is "one".
        ("The krona; the Danish one is older.", "Which?", "Swedish krona", ["Danish krona"], ["Danish krona"]),
        # Another name has the place in it.
        ("Boston; he taught at the University of Oslo.", "In which city?", "Boston", ["Oslo", "Bern"], []),
        # Names that Korean writes in two ways, and the code of a name.
        ("캔버라는 오스트레일리아에 있다.", "캔버라는 어느 나라에 있나?", "뉴질랜드", ["호주", "영국"], ["호주"]),
        ("우승국은 이집트. 튀르키예는 3위였다.", "우승국은?", "이집트", ["터키", "가나"], ["터키"]),
        ("비타민 C입니다. 각기병은 B1 부족입니다.", "괴혈병은?", "비타민 C", ["비타민 B1", "비타민 D"], ["비타민 B1"]),
    ],
)
def test_what_it_is_called_elsewhere(
    reply: str, question: str, gold: str, candidates: list[str], mentioned: list[str]
) -> None:
    assert find_mentions(reply, candidates, gold=gold, question=question) == mentioned


def test_a_casual_copula() -> None:
    assert answer_is_right(
        "로물루스이지 ㅎㅎ", "로물루스", candidates=["한니발"], question="로마를 세운 사람은 누구야?"
    )
