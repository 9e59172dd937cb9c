"""What a question of `bias` is: three choices in one of three orders, and the roles that they play."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from counterfoil.suite.suite import ListedQuestions
from counterfoil.suite.suite import Question as SuiteQuestion

LETTERS = "ABC"
ORDERS = 3
# What KoBBQ's files call the third choice; each prompt has its own wording for it.
UNKNOWN = "알 수 없음"
# KoBBQ's own names of its whole set, and ours: its figures are means over templates.
WHOLE_SET = ("KoBBQ_all_samples.tsv", "KoBBQ_templates.tsv", "kobbq-all")


# As KoBBQ's preprocessing names its files.
PREPROCESSED = re.compile(r".*_evaluation(?P<debiased>_debiased)?_(?P<prompt>[1-5])\.(?:tsv|json)")


class Question(msgspec.Struct, SuiteQuestion, frozen=True):
    """A context, a question about it, and three choices, in one of the orders in which they are shown."""

    # The dataset's own id; the asked question's `id` tells the order, too.
    sample_id: str
    context: str
    text: str
    choices: tuple[str, str, str]
    # The three roles' contents, each one of the choices; the third role, counter-biased, is what is left. Where the
    # stereotype is about both groups or neither, `biased` is empty, and there are no roles.
    unknown: str
    biased: str
    right: str
    category: str
    # KoBBQ's label of how the template came to be (ST, TM, NC); empty for BBQ.
    label: str
    # What questions that are not independent have in common: category and template number.
    template: str
    ambiguous: bool
    # KoBBQ's a, c against b, d; in contexts that decide: whether they decide for the biased answer. None where it is
    # not said.
    biased_context: bool | None
    # The same for two questions that differ only in which group is which; None where there is no other.
    pair: str | None = None
    order: int = 0
    # The id and the category of BBQ's template that KoBBQ says it is made from.
    bbq: tuple[str, str] = ("", "")
    # Which of BBQ's relatives it is from, and the code of its language; None for BBQ, KoBBQ and files of one's own.
    dataset: str | None = None
    language: str | None = None
    # Names stand in the place of groups: it tells of accuracy, and not of bias.
    control: bool = False
    # The same for one question in several languages; None where it has no parallels.
    parallel: str | None = None
    # The same for a pair and its parallels: a sample takes them together.
    kin: str | None = None
    # The share of people in Korea who say that this stereotype is held of its group; None where nobody was asked.
    surveyed: float | None = None

    @property
    def id(self) -> str:
        """As the official files write it: the order behind the sample's id."""
        return f"{self.sample_id}-{self.order}"

    @property
    def unit(self) -> str:
        return self.sample_id

    @property
    def cluster(self) -> str:
        return self.template

    @property
    def stratum(self) -> str:
        """A sample holds as much of each category, kind of context and language as the dataset does."""
        # Parallel questions are drawn together, so each language has its share as it is.
        language = self.language if self.kin is None else None
        about = " control" * self.control + (f" {language}" if language else "")
        return f"{'ambiguous' if self.ambiguous else 'disambiguated'} {self.category}{about}"

    @property
    def family(self) -> str:
        """Which group is which must not matter, so both ways are asked; and in each language."""
        return self.kin or self.pair or self.sample_id

    @property
    def columns(self) -> Mapping[str, Any]:
        return {
            "question_id": self.sample_id,
            "order": self.order,
            "category": self.category,
            "label": self.label or None,
            "ambiguous": self.ambiguous,
            "biased_context": self.biased_context,
            "pair": self.pair if self.ambiguous else None,
            "dataset": self.dataset,
            "language": self.language,
            "control": self.control if self.dataset else None,
            "parallel": self.parallel,
            "surveyed": self.surveyed,
        }

    @property
    def right_letter(self) -> str:
        return LETTERS[self.shown.index(self.right)]

    @property
    def shown(self) -> tuple[str, str, str]:
        """The choices in the order in which they are shown: order i of c is (c[i], c[i−1], c[i−2]), modulo 3."""
        choices, order = self.choices, self.order
        return choices[order], choices[order - 1], choices[order - 2]

    def turned(self, place: int) -> int:
        """The place in the dataset's own list of what is shown in this place, and the other way round."""
        return (self.order - place) % ORDERS

    def role(self, choice: str) -> str | None:
        """What it means to choose this."""
        if not self.biased:
            # Were unknown a role here, it would count among the ambiguous answers, and the others would not.
            return None
        if choice == self.unknown:
            return "unknown"
        return "biased" if choice == self.biased else "counter_biased"


class Questions(ListedQuestions[Question]):
    """A dataset: its questions, each in so many orders. `language` is that of questions that don't say theirs."""

    def __init__(self, name: str, sha256: str, questions: Sequence[Question], orders: int, language: str) -> None:
        super().__init__(name, sha256, questions)
        self.language = language
        # Of questions that don't say theirs, it is what they are compared by.
        self.about = {"language": language}
        self._orders = orders

    @property
    def languages(self) -> list[tuple[str | None, str]]:
        """The relatives and languages of its questions: they say in which prompts it is asked."""
        found = dict.fromkeys((question.dataset, question.language or self.language) for question in self._questions)
        return list(found)

    @property
    def by_template(self) -> bool:
        """Whether its figures are means over templates."""
        return self.name in WHOLE_SET

    @property
    def prompt(self) -> str | None:
        """The prompt that KoBBQ's preprocessed files are for, by their names; None of others."""
        found = PREPROCESSED.fullmatch(self.name)
        return found and found["prompt"] + ("-debiased" if found["debiased"] else "")

    def __iter__(self) -> Iterator[Question]:
        for question in super().__iter__():
            yield question
            for order in range(1, self._orders):
                yield msgspec.structs.replace(question, order=order)
