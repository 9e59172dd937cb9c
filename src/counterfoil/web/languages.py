"""In which language the replies are that people rate: as the records say, or by letters and the commonest words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from counterfoil.report.html import language_of
from counterfoil.suite.form import Task

# Of each language that datasets are in, by its ISO code, the name.
NAMES = {
    "en": "English",
    "ko": "Korean",
    "ja": "Japanese",
    "zh": "Chinese",
    "es": "Spanish",
    "ca": "Catalan",
    "nl": "Dutch",
    "tr": "Turkish",
    "de": "German",
}
# Words that hardly a text of the language lacks. Those of Catalan and Spanish, of Dutch and German differ.
_WORDS = {
    "en": "the and of is was were who which what to in that with his her they an",
    "es": "el los las su sus y con una por para quién qué cuál más está del se que fue era ha han dos",
    "ca": "el els les seu seva seus vaig i amb una per qui què quin més està del dels es que va era això",
    "nl": "het een van wie wat niet en zijn dat met op was hun er welke geen zij hij ik twee werd voor aan",
    "tr": "ve bir bu kim için ile değil hangi hangisi mi mı mu mü olan daha kimdi çok iki var yok",
    "de": "der die das und wer was nicht ist ein eine einen dem den mit war sich welche",
}
_BY_WORD = {code: frozenset(words.split()) for code, words in _WORDS.items()}
FEWEST = 2


def language_in(text: str) -> str | None:
    """By its script; of Latin letters the language that has most of the words, at least two and more than any other."""
    if by_script := language_of(text):
        return by_script
    words = re.findall(r"[^\W\d_]+", text.lower())
    counts = {code: sum(word in common for word in words) for code, common in _BY_WORD.items()}
    best, *others = sorted(counts, key=lambda code: -counts[code])
    return best if counts[best] >= FEWEST and counts[best] > counts[others[0]] else None


def language_of_task(task: Task) -> str | None:
    """That of its question, as the record says it where it does."""
    return task.language or language_in(" ".join((task.context, task.question, *task.options)))


def names_of(tasks: Iterable[Task]) -> list[str]:
    """The languages of the questions, the one of most of them first."""
    found = Counter(language_of_task(task) for task in tasks)
    return [NAMES.get(code, code) for code, _ in found.most_common() if code]
