"""Judges' replies, good and bad, in each format."""

from __future__ import annotations

import pytest

from counterfoil.judging.parsing import read_list, read_ratings, read_score, read_verdict
from counterfoil.judging.text import Unreadable, find_entry, fold, unique

ASPECTS = ("clarity", "accuracy", "convincingness")


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ("Explanation: People mix them up.\nScore: 42", 42),
        ("explanation: People mix them up.\n\nscore: 42\n", 42),
        ("Sure! Here it is.\n\nExplanation: x\nScore: 42\n\nI hope this helps.", 42),
        ("**Explanation:** x\n**Score:** 42", 42),
        ("**Explanation**: x\n**Score**: **42**", 42),
        ("**Score: 42**", 42),
        ("Score: <42>", 42),
        ("## Score: 42/100", 42),
        ("Score: 42 out of 100.", 42),
        ("Score (0–100): 42", 42),
        ("Score: 42.5", 42.5),
        ("Score: 42 (often causes hesitation)", 42),
        ("Confusion Score: 42", 42),
        ("Score:\n42", 42),
        ("- Explanation: x\n- Score: 42", 42),
        ("Explanation: x. Score: 42", 42),
        ("Score: 42\nExplanation: IQ score: 250 is not meant.", 42),
        ("Score: 42\r\nExplanation: x\r\n", 42),
        ("Score: 42\nIn short:\nScore: 42", 42),
        ("```text\nExplanation: x\nScore: 42\n```", 42),
        ("Score: 0", 0),
        ("Score: 100", 100),
        ("42", 42),
        ('{"explanation": "x", "score": 42}', 42),
        ('{"Explanation": "x", "Score": "42"}', 42),
        ('```json\n{"explanation": "x", "score": 42}\n```', 42),
        ('Sure! ```{"score": 42}``` Anything else?', 42),
        ('Here is my rating: {"explanation": "uses {braces} and [1]", "score": 42} Done.', 42),
        ('Some {words} first, then {"score": 42}', 42),
        ('Score: {"score": 42}', 42),
    ],
)
def test_scores(text: str, score: float) -> None:
    assert read_score(text).score == score


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("I can't rate this.", "no score"),
        ("Explanation: x", "no score"),
        ("Explanation: x\nScore:", "from 0 to 100"),
        ("Explanation: x\nScore: 250", "“250”"),
        ("Explanation: x\nScore: -5", "“-5”"),
        ("Explanation: x\nScore: high", "“high”"),
        ("Score: 40-50", "“40-50”"),
        ("Score: 42 or 60", "from 0 to 100"),
        ("Score: 7/10", "from 0 to 100"),
        ("Score: <integer 0–100>", "from 0 to 100"),
        ("Score: 10\nScore: 90", "differ"),
        ("250", "“250”"),
        ('{"explanation": "x", "score": 250}', "“250”"),
        ('{"explanation": "x", "score": "high"}', "“high”"),
        ('{"explanation": "x", "score": null}', "from 0 to 100"),
        ('{"explanation": "x", "score": true}', "from 0 to 100"),
        ('{"explanation": "x", "score": NaN}', "from 0 to 100"),
        ('{"explanation": "x", "score": [42]}', "a list"),
        ('{"explanation": "x"}', "no score"),
        ('{"explanation": "x", "score": 4', "no score"),
        ('{"score": 10} or rather {"score": 90}', "differ"),
        ("[" * 100_000, "no score"),
        ('{"score": ' * 50_000, "no score"),
    ],
)
def test_scores_that_are_none(text: str, problem: str) -> None:
    with pytest.raises(Unreadable, match=problem):
        read_score(text)


def test_the_explanation_ends_at_the_score() -> None:
    text = "**Explanation:** Two cities.\nBoth large: yes.\n**Score:** 42\nBye."
    assert read_score(text).explanation == "Two cities.\nBoth large: yes."
    assert read_score("Score: 42\nExplanation: Two cities.").explanation == "Two cities."
    assert read_score('{"score": 42, "explanation": "Two."}').explanation == "Two."
    assert read_score("Score: 42").explanation == ""


@pytest.mark.parametrize(
    "text",
    [
        "Alternatives:\n- Sydney\n- Alice Springs",
        "Alternatives:\n- Sydney\n- Alice Springs\n...",
        "Alternatives:\n- Sydney\n- Alice Springs\n- ...",
        "Sure! Here you are.\n\n**Alternatives:**\n\n* **Sydney**\n\n* `Alice Springs`\n\nShall I go on?",
        "alternatives:\n• Sydney\n• “Alice Springs”",
        "## Alternatives\n1. Sydney\n2. Alice Springs",
        "Alternatives:\n1) Sydney\n2) Alice Springs",
        "Alternatives:\n- <Sydney>\n- <Alice Springs>",
        "Alternatives:\n- Sydney\n  - the largest city\n    of all\n- Alice Springs\n  because it is in the middle",
        "Alternatives:\n- Sydney\n - Alice Springs",
        "Alternatives:\n- Sydney\n- sydney\n- Alice  Springs",
        "Here are the alternatives:\n- Sydney\n- Alice Springs\n---\nBye.",
        "- Sydney\n- Alice Springs",
        "Alternatives:\n- Sydney\n- Alice Springs\n\nNotes:\n- Both are large.",
        "Alternatives:\r\n- Sydney\r\n- Alice Springs\r\n",
        "```\nAlternatives:\n- Sydney\n- Alice Springs\n```",
        '{"alternatives": ["Sydney", "Alice Springs"]}',
        '{"Alternatives": ["Sydney", "Alice Springs"], "notes": ["x"]}',
        '{"ideal_alternatives": ["Sydney", "Alice Springs"], "n": 2}',
        '["Sydney", "Alice Springs"]',
        '```json\n["Sydney", "Alice Springs"]\n```',
        'Sure! Here is the list: ["Sydney", "Alice Springs"]. Bye.',
        'Alternatives:\n["Sydney", "Alice Springs"]',
        'Alternatives: ["Sydney", "Alice Springs"]',
        '[{"answer": "Sydney", "explanation": "large"}, {"answer": "Alice Springs"}]',
        '{"alternatives": [{"alternative": "Sydney"}, {"Name": "Alice Springs"}]}',
        '[{"mentioned": "Sydney", "ideal": "Sydney, Australia"}, {"mentioned": "Alice Springs", "ideal": "Alice"}]',
    ],
)
def test_lists(text: str) -> None:
    assert read_list(text, "Alternatives") == ("Sydney", "Alice Springs")


@pytest.mark.parametrize(
    "text",
    [
        "Intersection:",
        "Intersection:\n",
        "**Intersection:**\n- None",
        "Intersection: None",
        "Intersection: []",
        "Intersection:\n(none)",
        "Intersection:\n- N/A",
        "Intersection:\n-",
        "Intersection:\n- None.\n\nThe lists share nothing.",
        "None",
        "- none",
        "Intersection:\n없음",
        "[]",
        "```json\n[]\n```",
        '{"intersection": []}',
        '{"intersection": "None"}',
        '["None"]',
        'Here it is: {"intersection": []}',
    ],
)
def test_empty_lists(text: str) -> None:
    assert read_list(text, "Intersection") == ()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("I'm sorry, I can't help with that.", "no Intersection"),
        ("Both lists have Sydney [1] in common.", "no Intersection"),
        ("Intersection: Sydney, Melbourne", "no list"),
        ("Intersection:\nThe lists share Sydney.", "no list"),
        ("List A:\n- Sydney\n\nList B:\n- Perth", "2 lists"),
        ("Intersection:\n- <Answer 1 from List A that is similar to an answer in List B>", "repeats the output format"),
        ("Intersection:\n- Sydney\n\nIntersection:\n- Perth", "differ"),
        ('{"intersection": null}', "no list"),
        ('{"intersection": "Sydney"}', "no list"),
        ('{"a": ["Sydney"], "b": ["Perth"]}', "no Intersection"),
        ('{"intersection": ["Sydney", null]}', "no text"),
        ('[["Sydney"]]', "no text"),
        ('[{"city": "Sydney"}]', "no text"),
        ("[true]", "no text"),
        ('{"list_a": ["Sydney"], "intersection": ["Sydn', "no Intersection"),
        ('["Sydney", "Per', "no Intersection"),
    ],
)
def test_lists_that_are_none(text: str, problem: str) -> None:
    with pytest.raises(Unreadable, match=problem):
        read_list(text, "Intersection")


def test_entries_of_several_kinds() -> None:
    assert read_list("Alternatives:\n- None\n- Sydney", "Alternatives") == ("None", "Sydney")
    assert read_list("[1968, 1969]", "Alternatives") == ("1968", "1969")
    assert read_list("Alternatives:\n- 1968\n- 1. FC Köln", "Alternatives") == ("1968", "1. FC Köln")
    assert read_list('Alternatives:\n- "Heroes" and "Low"', "Alternatives") == ('"Heroes" and "Low"',)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Explanation: x\nVerdict: yes", True),
        ("Explanation: x\nVerdict: No.", False),
        ("**Verdict:** **No**", False),
        ("Verdict: <yes>", True),
        ("Verdict: no, it only gives context", False),
        ("Verdict: yes (it rejects Sydney)", True),
        ("No problem!\n\nVerdict: yes", True),
        ("Yes.", True),
        ("no", False),
        ('{"explanation": "x", "verdict": "yes"}', True),
        ('{"verdict": false}', False),
        ('```json\n{"verdict": "No"}\n```', False),
        ('I say {"verdict": true}.', True),
    ],
)
def test_verdicts(text: str, verdict: bool) -> None:
    assert read_verdict(text) is verdict


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Perhaps.",
        "No doubt about it, the answer is right.",
        "Verdict: maybe",
        "Verdict: yes or no",
        "Verdict: yes\nVerdict: no",
        "Verdict:",
        '{"verdict": null}',
        '{"verdict": 1}',
        '{"correct": true}',
    ],
)
def test_verdicts_that_are_none(text: str) -> None:
    with pytest.raises(Unreadable):
        read_verdict(text)


@pytest.mark.parametrize(
    "text",
    [
        "Ratings:\n- Sydney | clarity: 80 | accuracy: 90 | convincingness: 70\n"
        "- Córdoba | clarity: 10 | accuracy: 20 | convincingness: 30",
        "Sure!\n1. **Sydney** | **clarity**: 80 | **accuracy**: 90 | **convincingness**: 70\n"
        "2. cordoba: clarity=10, accuracy=20, convincingness=30.\nBye.",
        "| Sydney | Clarity: 80/100 | Accuracy: 90 | Convincingness: 70 |\n"
        "| “Córdoba” | Clarity: 10 | Accuracy: 20 | Convincingness: 30 |\n"
        "| Perth | Clarity: 1 | Accuracy: 2 | Convincingness: 3 |",
        '{"ratings": [{"alternative": "Sydney", "clarity": 80, "accuracy": 90, "convincingness": 70},'
        ' {"alternative": "Cordoba", "clarity": "10", "accuracy": 20, "convincingness": 30}]}',
        '```json\n[{"name": "SYDNEY", "clarity": 80, "accuracy": 90, "convincingness": 70},'
        ' {"answer": "Córdoba", "clarity": 10, "accuracy": 20, "convincingness": 30}]\n```',
        'Here: {"Sydney": {"clarity": 80, "accuracy": 90, "convincingness": 70},'
        ' "Córdoba": {"Clarity": 10, "Accuracy": 20, "Convincingness": 30}}',
    ],
)
def test_ratings(text: str) -> None:
    assert read_ratings(text, ["Sydney", "Córdoba"], ASPECTS) == {"Sydney": (80, 90, 70), "Córdoba": (10, 20, 30)}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "empty"),
        ("All of them are well explained.", "no ratings"),
        ("- Perth | clarity: 80 | accuracy: 90 | convincingness: 70", "no rating of “Sydney”"),
        ("- Sydney | clarity: 250 | accuracy: 90 | convincingness: 70", "clarity of “Sydney”.*“250”"),
        ("- Sydney | clarity: 80 | accuracy: high | convincingness: 70", "accuracy of “Sydney”.*“high”"),
        ("- Sydney | clarity: 80 | accuracy: 90", "no ratings"),
        ("- Sydney | 80 | 90 | 70", "no ratings"),
        (
            "- Sydney | clarity: 80 | accuracy: 90 | convincingness: 70\n"
            "- Sydney | clarity: 81 | accuracy: 90 | convincingness: 70",
            "rated twice",
        ),
        ('{"Sydney": {"clarity": 80, "accuracy": 90}}', "convincingness of “Sydney”"),
        ('{"ratings": []}', "no ratings"),
        ('[[{"alternative": "Sydney", "clarity": 80, "accuracy": 90, "convincingness": 70}]]', "no ratings"),
    ],
)
def test_ratings_that_are_none(text: str, problem: str) -> None:
    with pytest.raises(Unreadable, match=problem):
        read_ratings(text, ["Sydney"], ASPECTS)


def test_names_are_compared_without_case_and_accents() -> None:
    assert fold(" Córdoba. ") == fold("CORDOBA")
    assert fold("It’s") == fold("it's")
    assert fold("서울") != fold("부산")
    # The marks of other scripts are letters: が is not か.
    assert fold("が") != fold("か")
    assert unique(["Sydney", "Perth", "SYDNEY", "perth "]) == ("Sydney", "Perth")
    assert find_entry("cordoba", ["Sydney", "Córdoba"]) == "Córdoba"
    assert find_entry("Sydney (similar to Sydney, Australia)", ["Sydney"]) == "Sydney"
    assert find_entry("Star Wars: A New Hope", ["Star Wars", "Star Wars: A New Hope"]) == "Star Wars: A New Hope"
    assert find_entry("Heroes", ['"Heroes"']) == '"Heroes"'
    assert find_entry("Sydneysider", ["Sydney"]) is None
    assert find_entry("Perth", ["Sydney"]) is None
