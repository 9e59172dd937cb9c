"""A small suite that drives the whole way through: which of three numbers is the largest?

`--data N` makes N questions (default 300). `planted/three_choice:suite?right=0.7&unreadable=0.1` answers right with
that chance, and with the other chance nothing that can be read.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.planted import Respondent
from counterfoil.errors import UserError
from counterfoil.judging.step import JudgeAsk
from counterfoil.stats.metric import QUESTION, Items, Metric
from counterfoil.suite.options import Option
from counterfoil.suite.suite import Question as SuiteQuestion
from counterfoil.suite.suite import Suite, Variant

if TYPE_CHECKING:
    import polars as pl


PROMPTS = {
    "plain": "Which number is the largest? Answer with one letter.",
    "polite": "Please read the three numbers. Which of them is the largest? Answer with one letter, A, B or C.",
}
LETTERS = "ABC"


class Question(msgspec.Struct, SuiteQuestion, frozen=True):
    id: str
    cluster: str
    stratum: str
    numbers: tuple[int, int, int]

    @property
    def gold(self) -> str:
        return LETTERS[self.numbers.index(max(self.numbers))]


class Numbers:
    """Questions that are made as they are needed."""

    def __init__(self, count: int) -> None:
        self.name = f"numbers-{count}"
        self.sha256 = hashlib.sha256(self.name.encode()).hexdigest()
        self._count = count

    def __iter__(self) -> Iterator[Question]:
        for i in range(self._count):
            sizes = (i, i * 57 % 99_991 + i, 2 * i + 1)
            numbers = (sizes[i % 3], sizes[(i + 1) % 3], sizes[(i + 2) % 3])
            yield Question(f"q{i}", f"c{i % 300}", "even" if i % 2 == 0 else "odd", numbers)


class ThreeChoice(Suite[Question, str, int, bool]):
    name = "three_choice"
    options = (Option(name="lenient", kind=bool, default=False, help="read lower-case letters, too"),)
    columns: Mapping[str, Any] = {"choice": str, "correct": bool, "judged_right": bool}
    metrics = (
        Metric(
            name="accuracy",
            formula="Right answers ÷ replies.",
            says="How often the largest number is found.",
            better="higher",
            headline=True,
            mean="correct",
        ),
        Metric(
            name="out_of_choice",
            formula="Replies without a letter ÷ replies.",
            says="How often there is no answer.",
            better="lower",
            mean="unread",
        ),
    )
    asks_judges = True
    prompts: Mapping[str, str] = PROMPTS

    def params(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"max_tokens": 16}

    def load(self, data: str | None) -> Numbers:
        if data is not None and not data.isdigit():
            raise UserError(f"--data {data}: three_choice takes a number of questions.")
        return Numbers(int(data or 300))

    def variants(self, names: Sequence[str], dataset: object) -> list[Variant]:
        return super().variants(names or ["plain"], dataset)

    def planted(self, settings: Mapping[str, str], questions: Iterable[Question] | None) -> Respondent:
        unknown = set(settings) - {"right", "unreadable"}
        if unknown:
            raise ValueError(f"it has no {', '.join(sorted(unknown))}")
        right, unreadable = float(settings.get("right", 0.7)), float(settings.get("unreadable", 0.0))

        def respond(messages: Sequence[Message], sample: int) -> str:
            text = messages[-1].content
            numbers = [int(number) for number in re.findall(r": (\d+)", text)]
            if not numbers:
                return "I see no numbers."
            gold = LETTERS[numbers.index(max(numbers))]
            digest = hashlib.sha256(f"{text}{sample}".encode()).digest()
            first, second = digest[0] / 256, digest[1] / 256
            if first < unreadable:
                return "I can't say."
            return gold if second < right else LETTERS[(LETTERS.index(gold) + 1) % 3]

        return respond

    def prepare(self, dataset: Iterable[Question]) -> int:
        return sum(1 for _ in dataset)

    def messages(self, question: Question, variant: Variant) -> list[Message]:
        a, b, c = question.numbers
        return [Message("user", f"{variant.prompt}\nA: {a}\nB: {b}\nC: {c}")]

    def read(self, question: Question, variant: Variant, reply: Reply) -> str | None:
        letters = set(re.findall(r"\b[ABC]\b", reply.text.upper() if self.settings["lenient"] else reply.text))
        return letters.pop() if len(letters) == 1 else None

    async def judge(self, question: Question, reading: str, ask: JudgeAsk) -> bool | None:
        reply = await ask(ask.judges[0], [Message("user", f"Is {reading} right? {question.numbers}")])
        return {"yes": True, "no": False}.get(reply.text.strip().lower())

    def score(
        self, question: Question, facts: int, reading: str | None, verdicts: bool | None
    ) -> dict[str, str | bool | None]:
        return {"choice": reading, "correct": reading == question.gold, "judged_right": verdicts}

    def items(self, records: pl.DataFrame) -> Items:
        import polars as pl

        unread = pl.when(pl.col("correct").is_not_null()).then(pl.col("choice").is_null())
        return {QUESTION: self.question_items(records).with_columns(unread=unread)}


suite = ThreeChoice()
