"""One thing written in many ways: numerals, dates, amounts, two Englishes; and what of a reply is read at all."""

from __future__ import annotations

import pytest

from counterfoil.explain import answer_is_right, find_mentions, mention_spans

WARS = ["World War II", "Crimean War", "Boer War"]
KINGS = ["Henry VII", "Charles II"]
BOOKS = ["2 Samuel", "1 Kings", "Samuel"]
DATES = ["May 3, 1971", "May 9, 1971", "June 7, 1970"]
PRICES = ["$15 million", "$10 million", "$7.2 billion"]


@pytest.mark.parametrize(
    ("reply", "gold", "candidates", "mentioned", "right"),
    [
        ("WWI.", "World War I", WARS, [], True),
        ("WW1, not WWII.", "World War I", WARS, ["World War II"], True),
        ("World War One.", "World War I", WARS, [], True),
        ("The First World War. The Second World War was later.", "World War I", WARS, ["World War II"], True),
        ("World War 2.", "World War I", WARS, ["World War II"], False),
        ("Henry the Eighth, not Henry 7.", "Henry VIII", KINGS, ["Henry VII"], True),
        ("First Samuel, before Second Samuel.", "1 Samuel", BOOKS, ["2 Samuel"], True),
        ("The First Book of Samuel.", "1 Samuel", BOOKS, [], True),
        ("I Samuel, not II Samuel or I Kings.", "1 Samuel", BOOKS, ["2 Samuel", "1 Kings"], True),
        # A number that a name begins with is no number of anything.
        ("1 Samuel. There are 2 more.", "1 Samuel", BOOKS, [], True),
        ("1 Samuel. 1 and 2 Kings come later.", "1 Samuel", BOOKS, ["1 Kings"], True),
    ],
)
def test_numbered_names(reply: str, gold: str, candidates: list[str], mentioned: list[str], right: bool) -> None:
    assert find_mentions(reply, candidates, gold=gold) == mentioned
    assert answer_is_right(reply, gold, candidates=candidates) is right


@pytest.mark.parametrize(
    ("reply", "mentioned", "right"),
    [
        ("5/7/1971", [], True),
        ("07.05.1971", [], True),
        ("07/05/1971", [], True),
        ("03.05.1971", ["May 3, 1971"], False),
        # The year goes without saying.
        ("On May 7, 1971; it had begun on May 3.", ["May 3, 1971"], True),
        ("It began on May 3 and ended on May 7, 1971.", ["May 3, 1971"], True),
        # No other answer is of 1970.
        ("May 7, 1971, a month before June 7.", [], True),
    ],
)
def test_dates(reply: str, mentioned: list[str], right: bool) -> None:
    assert find_mentions(reply, DATES, gold="May 7, 1971", question="On what date did it end?") == mentioned
    assert answer_is_right(reply, "May 7, 1971", candidates=DATES, question="On what date did it end?") is right


@pytest.mark.parametrize(
    ("reply", "mentioned", "right"),
    [
        ("$7.2M", [], True),
        ("7,200,000 dollars, not $15M.", ["$15 million"], True),
        ("$10,000,000", ["$10 million"], False),
        ("$7.20 million, not $7.2bn.", ["$7.2 billion"], True),
    ],
)
def test_amounts(reply: str, mentioned: list[str], right: bool) -> None:
    assert find_mentions(reply, PRICES, gold="$7.2 million", question="What did it cost?") == mentioned
    assert answer_is_right(reply, "$7.2 million", candidates=PRICES, question="What did it cost?") is right


def test_numbers() -> None:
    sizes = ["500,000", "1 million"]
    assert find_mentions("380k, not 500k.", sizes, gold="380,000") == ["500,000"]
    assert find_mentions("380 000, not 1 000 000.", sizes, gold="380,000") == ["1 million"]
    assert answer_is_right("About 380 000 people.", "380,000", candidates=sizes)
    assert answer_is_right("12.0", "12", candidates=["13"])
    assert answer_is_right("1066 AD.", "1066", candidates=["1067"], question="In which year was it?")
    assert not answer_is_right("1066 AD.", "1066", candidates=["1067"], question="How many ships were there?")
    # Four digits and three are two numbers.
    assert find_mentions("In 1066 100 ships came.", ["1066100", "100"], question="How many ships came?") == ["100"]


def test_spellings() -> None:
    assert find_mentions("Aluminum and sulfur.", ["Aluminium", "Sulphur"]) == ["Aluminium", "Sulphur"]
    assert find_mentions("Grey whiskies in litres.", ["Gray", "Whiskey", "Liter"]) == ["Gray", "Whiskey", "Liter"]
    # A plural is no longer a word than its singular.
    assert find_mentions("Apples, glasses and puppies.", ["Apple", "Glass", "Puppy"]) == ["Apple", "Glass", "Puppy"]
    assert find_mentions("Infra-red, or ultra-violet.", ["Infrared", "Violet"]) == ["Infrared", "Violet"]


def test_the_word_that_two_names_share_is_said_once() -> None:
    seas = ["Red Sea", "Black Sea", "Dead Sea"]
    assert find_mentions("The Red and Black Seas.", seas, gold="Caspian Sea") == ["Red Sea", "Black Sea"]
    assert find_mentions("Red and blue ships on the sea.", seas, gold="Caspian Sea") == []


def test_initials() -> None:
    who = "Who wrote it?"
    names = ["Johann Sebastian Bach", "J. J. Thomson"]
    assert find_mentions("J.S. Bach.", names, question=who) == names[:1]
    assert find_mentions("S. Bach.", names, question=who) == names[:1]
    assert find_mentions("C. P. E. Bach.", names, question=who) == []
    assert find_mentions("JJ Thomson.", names, question=who) == names[1:]
    assert find_mentions("Boris Johnson.", ["Lyndon B. Johnson"], question=who) == []


def test_new_makes_another_name() -> None:
    assert not answer_is_right("New York", "York", question="Which city is it?")
    assert answer_is_right("York, not New York.", "York", question="Which city is it?")
    assert answer_is_right("New York", "New York", candidates=["York"], question="Which city is it?")


def test_at_the_head_of_a_sentence_the_question_tells_names_from_nouns() -> None:
    metals, what = ["Gold", "Lead"], "Which metal is liquid?"
    assert find_mentions("Mercury. Unlike gold, it is liquid.", metals, gold="Mercury", question=what) == ["Gold"]
    assert find_mentions("Mercury leads the list.", metals, gold="Mercury", question=what) == []
    cities, where = ["Wells", "Bath"], "Which city has the minster?"
    assert find_mentions("York. It draws from deep wells.", cities, gold="York", question=where) == []
    assert find_mentions("York, not Wells.", cities, gold="York", question=where) == ["Wells"]
    # What is small in the answer is no name.
    bears = ["Elephant", "Lion"]
    assert find_mentions("Polar bear; the elephant eats grass.", bears, gold="Polar bear") == ["Elephant"]


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("| City | Capital? |\n|---|---|\n| Sydney | no |\n| Canberra | **yes** |", True),
        ("| Canberra | ❌ |\n| Sydney | ✅ |", False),
        ("Sydney as capital? No: Canberra.", True),
        ("Canberra as capital? No: Sydney.", False),
        ("Sydney is too proud, so it is Canberra.", True),
        ("Sydney has the opera, while the capital is Canberra.", True),
        ("Sydney is the capital, while the opera is in Canberra.", False),
        ("<think>Sydney? Or not?</think>\nCanberra.", True),
        ("<think>Canberra, surely.</think>\nSydney.", False),
        ("<think>Canberra, or", False),
        ("Canberra.\n\nQuestion: What is the largest city?\nAnswer: Sydney", True),
        ("Question: What is the capital?\nAnswer: Canberra", True),
    ],
)
def test_which_of_two_is_given(reply: str, right: bool) -> None:
    said = answer_is_right(reply, "Canberra", candidates=["Sydney"], question="What is the capital of Australia?")
    assert said is right


def test_thoughts_and_questions_of_its_own_mention_nothing() -> None:
    reply = "<think>Sydney? Perth?</think>\nCanberra, not Perth.\nQuestion: What is large?\nAnswer: Sydney"
    assert mention_spans(reply, ["Sydney", "Perth"], gold="Canberra") == [
        (reply.rindex("Perth"), reply.rindex("Perth") + 5, "Perth")
    ]


def test_korean_titles_and_endings() -> None:
    kings = ["정조", "태종", "고종"]
    assert find_mentions("세종입니다. 정조대왕이나 고종황제가 아니죠.", kings, gold="세종") == ["정조", "고종"]
    assert find_mentions("태종이었어요.", kings, gold="세종") == ["태종"]
    assert find_mentions("고종사촌이에요.", kings, gold="세종") == []
    cities = ["서울", "인천"]
    reply = "서울은 1988년에 열렸고, 2018년은 평창입니다."
    assert answer_is_right(reply, "평창", candidates=cities, question="2018년 올림픽이 열린 곳은 어디인가요?")
    assert not answer_is_right(reply, "평창", candidates=cities, question="1988년 올림픽이 열린 곳은 어디인가요?")
