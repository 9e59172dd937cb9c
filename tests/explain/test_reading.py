"""What counts as a mention of a candidate, rule by rule, each with what looks like it and is not."""

from __future__ import annotations

import pytest

from counterfoil.explain.reading import find_mentions, mention_spans

PAINTERS = ["Salvador Dalí", "Joan Miró", "Juan Gris", "Diego Rivera"]
WHO_PAINTED = "Who painted Guernica?"
HOW_MANY_MOONS = "How many moons does Mars have?"
HOW_MANY_PLAYERS = "How many players are in a water polo team?"
NUMBERS = ["1", "3", "4", "5", "12", "25", "100"]


def painters(reply: str) -> list[str]:
    return find_mentions(reply, PAINTERS, gold="Pablo Picasso", question=WHO_PAINTED)


def moons(reply: str, question: str = HOW_MANY_MOONS) -> list[str]:
    return find_mentions(reply, NUMBERS, gold="2", question=question)


def one(reply: str, candidate: str, *, gold: str = "", question: str = "") -> bool:
    return find_mentions(reply, [candidate], gold=gold, question=question) == [candidate]


def test_the_order_is_that_of_the_candidates_and_each_is_given_once() -> None:
    assert painters("Juan Gris, then Joan Miró, then Juan Gris again.") == ["Joan Miró", "Juan Gris"]


def test_spans_are_places_in_the_reply_as_given() -> None:
    reply = "Not **Joan  Miró**, “Dali” or Juan Gris’s brother."
    spans = mention_spans(reply, PAINTERS, gold="Pablo Picasso", question=WHO_PAINTED)
    assert [(reply[start:end], candidate) for start, end, candidate in spans] == [
        ("Joan  Miró", "Joan Miró"),
        ("Dali", "Salvador Dalí"),
        ("Juan Gris", "Juan Gris"),
    ]


@pytest.mark.parametrize(
    ("reply", "candidate"),
    [
        ("It is not the WALNUT.", "Walnut"),
        ("Some say Dvorak wrote it.", "Dvořák"),
        ("Some say Dvor\u030ca\u0301k wrote it.", "Dvořák"),
        ("The encyclopædia says so.", "Encyclopaedia"),
        ("Paul O’Neill did it.", "Paul O'Neill"),
        ("It was Jean–Luc Picard.", "Jean-Luc Picard"),
        ("It was Jean Luc Picard.", "Jean-Luc Picard"),
        ("the colour of anaemia", "Color of Anemia"),
        ("a theater", "Theatre"),
        ("Philip Larkin did.", "Phillip Larkin"),
        ("_Dracula_ came later.", "Dracula"),
        ("The Beatles did.", "Beatles"),
        ("Beatles songs.", "The Beatles"),
        ("Saint Lucia is an island.", "St. Lucia"),
        ("the UK and the U.S.", "United Kingdom"),
        ("a BLT, please", "Bacon Lettuce Tomato"),
        ("It was the National Basketball Association.", "NBA"),
        ("Born in the U.S. in 1900.", "US"),
        ("Made by the K.L.M. company", "K.L.M."),
        ("Oslo (the capital)", "Oslo (Norway)"),
        ("Oslo is far.", "Oslo, Norway"),
        ("Nellie Bly went there.", "Investigative reporter, Nellie Bly"),
        ("The answer is not ♥ but ♠.", "♥"),
    ],
)
def test_spellings_of_one_name(reply: str, candidate: str) -> None:
    assert one(reply, candidate)


@pytest.mark.parametrize(
    ("reply", "candidate"),
    [
        ("It is a trap.", "Rap"),
        ("The cargo of the ship", "Car"),
        ("Let us go.", "US"),
        ("they saw it", "IT"),
        ("the 1870s", "1870"),
        ("the 1870's", "1870"),
    ],
)
def test_letters_inside_other_words_are_no_mention(reply: str, candidate: str) -> None:
    assert not one(reply, candidate)


@pytest.mark.parametrize(
    ("reply", "candidate"),
    [
        ("Oxen? No, boxes.", "Box"),
        ("Two mice.", "Mouse"),
        ("A mouse.", "Mice"),
        ("His teeth.", "Tooth"),
        ("some policemen", "Policeman"),
        ("ponies", "Pony"),
        ("wolves", "Wolf"),
        ("potatoes", "Potato"),
        ("a horse", "Horses"),
        ("the Danish king", "Danish Kings"),
    ],
)
def test_plurals_and_singulars(reply: str, candidate: str) -> None:
    assert one(reply, candidate)


def test_a_verb_is_not_the_noun() -> None:
    birds = {"gold": "Sparrow", "question": "Which bird is it?"}
    assert not one("The sparrow has to duck and can swallow.", "Duck", **birds)
    assert not one("The sparrow has to duck and can swallow.", "Swallow", **birds)
    assert one("The sparrow, compared to duck and goose.", "Duck", **birds)


def test_the_longest_name_wins() -> None:
    assert find_mentions("Guinea-Bissau is it.", ["Guinea", "Guinea-Bissau"]) == ["Guinea-Bissau"]
    assert find_mentions("It is Lake Victoria.", ["Victoria"], gold="Lake Victoria") == []
    assert find_mentions("It is Lake Victoria.", ["Victoria"], gold="Nile") == ["Victoria"]


def test_another_spelling_of_the_gold_answer_is_no_candidate() -> None:
    assert find_mentions("It is an oesophagus.", ["Oesophagus"], gold="Esophagus") == []
    assert find_mentions("It is haemoglobin.", ["Haemoglobin"], gold="Hemoglobin") == []


@pytest.mark.parametrize(
    ("reply", "candidate"),
    [
        ("It lies in South Korea.", "Korea"),
        ("It lies in New Mexico.", "Mexico"),
        ("Born in Kingston upon Hull.", "Hull"),
        ("Born in Southend-on-Sea.", "Sea"),
        ("See 2 Kings 7 for this.", "Kings"),
        ("See Ruth 1:16 for this.", "Ruth"),
    ],
)
def test_part_of_another_name_is_no_mention(reply: str, candidate: str) -> None:
    assert not one(reply, candidate, gold="Norway")
    assert one(f"{reply} And {candidate}.", candidate, gold="Norway")


def test_words_repeated_from_the_question_are_no_mention() -> None:
    question = "Complete the title 'The Wind in the …', with a River Bank in it"
    assert not one("On the River Bank, The Wind in the Willows.", "Bank", gold="Willows", question=question)
    assert one("Not The Wind in the Bank.", "Bank", gold="Willows", question=question)


def test_small_letters_are_not_the_name_where_the_answer_is_one() -> None:
    names = {"gold": "Oliver", "question": "What is his first name?"}
    assert not one("He is called Oliver, to be frank with you, a frank man.", "Frank", **names)
    assert one("He is called Oliver, not Frank.", "Frank", **names)
    assert one("He is called Oliver, not frank.", "Frank", **names)
    assert one("It is an elm, not an ash tree.", "Ash", gold="Elm", question="Which tree is it?")


def test_surnames_stand_for_their_owners() -> None:
    assert painters("While Miró was there, Rivera was not.") == ["Joan Miró", "Diego Rivera"]
    assert painters("Don't confuse him with Sir Diego M. Rivera.") == ["Diego Rivera"]


def test_a_surname_of_somebody_else_stands_for_nobody() -> None:
    assert painters("Geraldo Rivera is a journalist. Rivera was born in New York.") == []
    assert find_mentions("Cooper won.", ["Gary Cooper", "Alice Cooper"], gold="James Dean") == []
    assert find_mentions("Dean won.", ["Dizzy Dean"], gold="James Dean") == []
    assert find_mentions("The river Cooper.", ["Gary Cooper"], question="Who lived at Cooper Street?") == []


def test_first_names_stand_for_persons_only_where_a_person_is_asked_for() -> None:
    hobbits = ["Samwise Gamgee", "Peregrin Took"]
    assert find_mentions("Samwise came along.", hobbits, question="Who carried the ring?") == ["Samwise Gamgee"]
    assert find_mentions("Samwise Brown came along.", hobbits, question="Who carried the ring?") == []
    assert find_mentions("A Fast one.", ["Fast Food"], question="What is it?") == []


def test_titles_kinds_and_epithets_can_be_dropped_or_added() -> None:
    assert one("It was Watson.", "Dr. Watson")
    assert one("It was Sir Walter Raleigh.", "Walter Raleigh")
    assert one("It stands in Windsor.", "Windsor Castle")
    assert one("It flows into the Danube.", "River Danube")
    assert one("It flows into the River Danube.", "Danube")
    assert one("It was Harald, king of Norway.", "Harald the Fair")
    assert one("It was King Henry.", "Henry VIII")
    assert not one("It was King Henry V.", "Henry VIII")
    assert one("It was made by Rolls.", "Rolls-Royce")


def test_what_all_candidates_share_can_be_dropped() -> None:
    ministers = ["French Prime Minister", "French President", "French King"]
    assert find_mentions("Either the French President or Prime Minister.", ministers) == ministers[:2]


def test_numbers_in_digits_and_words() -> None:
    assert moons("Mars has two moons, not three or 4.") == ["3", "4"]
    assert moons("Not twenty-five, not 12, not one hundred.") == ["12", "25", "100"]
    assert moons("Not one moon. One might think so.") == ["1"]
    assert moons("One of the planets has more.") == []
    assert find_mentions("It has 3 sides.", ["Three", "Five"], gold="Four") == ["Three"]
    assert find_mentions("Some 12,500 or 7.5 or 1.25.", ["12500", "7.5", "25"]) == ["12500", "7.5"]
    assert find_mentions("It is 12² or \\(12^2\\).", ["12", "122"]) == ["12"]
    assert find_mentions("Not 11 players.", ["11 players", "5 players"], question=HOW_MANY_PLAYERS) == ["11 players"]
    assert find_mentions("Not 11, though.", ["11 players", "5 players"], question=HOW_MANY_PLAYERS) == ["11 players"]


@pytest.mark.parametrize(
    "reply",
    [
        "It has two:\n\n1. Phobos\n3. Deimos",
        "It has two:\n- **1.** Phobos\n- 3) Deimos",
        "It has two: (1) Phobos and (3) Deimos.",
        "Found on March 4, 1877, or on 12 August, or 5 Aug.",
        "Found on 1877-08-12.",
        "The orbit takes 12 hours, 3-5 km away, 25 percent or 25% or 100 mph.",
        "Season 3, part 4.",
        "At 12:25.",
        "It has 1,250 craters, 3.5 of them, 4th and 5s.",
        "See The Three Musketeers.",
    ],
)
def test_digits_that_number_something_else(reply: str) -> None:
    assert moons(reply) == []


def test_numbers_that_do_count() -> None:
    assert moons("* 3: too many\n* 4 moons\n1. **5**: no. Twelve (12) too. From 25 to 100.") == [
        "3",
        "4",
        "5",
        "12",
        "25",
        "100",
    ]
    assert moons("Part 3 says so.", "How many days, which part?") == ["3"]
    assert moons("It takes 25 days.", "How many days does it take?") == ["25"]


def test_years_and_dates() -> None:
    years = ["1801", "1802", "1803"]
    assert find_mentions("On May 3, 1801, in 1802–1803.", years) == years
    day = "July 14, 1789"
    for written in ("14 July 1789", "14th of July, 1789", "Jul 14, 1789", "1789-07-14", "July 14th, 1789"):
        assert one(f"It was on {written}.", day)
    assert not one("It was on July 15, 1789.", day)


KOREAN = ["부산", "대구", "한강", "세종 대왕", "이순신 장군"]


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("부산은 항구 도시이고 대구에서는 멀다.", ["부산", "대구"]),
        ("정답은 부산입니다.", ["부산"]),
        ("부산이라고 생각할 수 있지만", ["부산"]),
        ("부산과 대구를 혼동하기 쉽다.", ["부산", "대구"]),
        ("대구광역시의 시장", ["대구"]),
        ("세종대왕께서 만드셨다. 이순신  장군은 아니다.", ["세종 대왕", "이순신 장군"]),
        ("이순신장군이었다.", ["이순신 장군"]),
        ("“부산”, **대구**", ["부산", "대구"]),
        ("대구탕을 먹고 남한강에 갔다.", []),
        ("서울이다.", []),
    ],
)
def test_korean_particles_and_spacing(reply: str, expected: list[str]) -> None:
    assert find_mentions(reply, KOREAN, gold="서울", question="대한민국의 수도는?") == expected


def test_korean_numbers_and_dates() -> None:
    years = ["1919", "1945년", "3", "15"]
    assert find_mentions("1919년은 아니고 1945년이다. 3월 15일.", years, gold="1948") == ["1919", "1945년"]
    assert find_mentions("Seoul은 아니고 Busan입니다.", ["Seoul", "Busan"]) == ["Seoul", "Busan"]


def test_scripts_without_spaces_are_matched_as_they_stand() -> None:
    assert find_mentions("大阪ではなく京都です。", ["大阪", "神戸"], gold="京都") == ["大阪"]
