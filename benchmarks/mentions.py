"""How well and how fast replies are read: mentions of candidates, and whether the answer is right.

    python -m benchmarks.mentions

Prints precision, recall and F1 on the judged replies in ../shared/data/cfe, beside a plain case-insensitive whole-word
search; the share of right answers, with the real gold answer and with wrong ones in its place; the time for 100,000
replies, and that for a reply of 1,000 words with ten candidates, mentions and answer. Exits with 1 if what is promised
does not hold; says so and exits with 0 where the data is missing.
"""

from __future__ import annotations

import csv
import json
import random
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from counterfoil.explain import answer_is_right, find_mentions
from counterfoil.explain.questions import Question
from counterfoil.explain.reading import read_reply

DATA = Path(__file__).parents[1].parent / "shared" / "data" / "cfe"
LEAST_F1, LEAST_RIGHT, MOST_RIGHT_IF_WRONG, MOST_SECONDS = 0.99, 0.97, 0.05, 20.0
REPLIES, LENGTH = 100_000, 600
LONG_REPLIES, WORDS, MOST_MILLISECONDS = 300, 1000, 1.0
CITIES = [
    "Sydney",
    "Melbourne",
    "Brisbane",
    "Perth",
    "Adelaide",
    "Hobart",
    "Darwin",
    "Wellington",
    "Auckland",
    "Newcastle",
]
FILLING = """the of and city government in federal parliament was chosen as a compromise between rivals which had long
argued about where it should sit while others preferred an inland site with a cooler climate far from coast and harbour
trade people population large historic port river railway wool gold rush colony premier conference agreed"""


class Judged(NamedTuple):
    """A reply with what people found in it."""

    question: str
    gold: str
    candidates: list[str]
    text: str
    mentioned: list[str]
    unclear: list[str]


class Agreement(NamedTuple):
    found_and_true: int
    found: int
    true: int

    @property
    def precision(self) -> float:
        return self.found_and_true / self.found

    @property
    def recall(self) -> float:
        return self.found_and_true / self.true

    @property
    def f1(self) -> float:
        return 2 * self.found_and_true / (self.found + self.true)


def load(folder: Path) -> list[Judged]:
    questions = {row["id"]: row for row in json.loads((folder / "questions_88.json").read_text(encoding="utf-8"))}
    judged = {}
    for line in (folder / "mentions_dev.jsonl").read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        judged[row["id"], row["model"], row["prompt_variant"]] = row
    replies = []
    with (folder / "responses_dev.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            question = questions[row["id"]]
            truth = judged[row["id"], row["model"], row["prompt_variant"]]
            candidates = list(question["candidate_answers"])
            replies.append(
                Judged(
                    question["question"],
                    question["answer"],
                    candidates,
                    row["llm_response"],
                    truth["mentioned"],
                    truth["unclear"],
                )
            )
    return replies


def found_by_reading(reply: Judged) -> list[str]:
    return find_mentions(reply.text, reply.candidates, gold=reply.gold, question=reply.question)


def found_by_plain_search(reply: Judged) -> list[str]:
    return [name for name in reply.candidates if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", reply.text, re.I)]


def agreement(replies: list[Judged], find: Callable[[Judged], list[str]]) -> Agreement:
    """Over all decisions about a candidate in a reply, those that people could not make left out."""
    both = found = true = 0
    for reply in replies:
        says = set(find(reply)) - set(reply.unclear)
        is_so = set(reply.mentioned) - set(reply.unclear)
        both, found, true = both + len(says & is_so), found + len(says), true + len(is_so)
    return Agreement(both, found, true)


def share_right(replies: list[Judged]) -> float:
    """All of these replies are right by a judge."""
    right = [answer_is_right(r.text, r.gold, candidates=r.candidates, question=r.question) for r in replies]
    return sum(right) / len(right)


def share_right_with_wrong_gold(replies: list[Judged]) -> float:
    """The same with each mentioned wrong candidate as the gold answer."""
    right = []
    for reply in replies:
        for wrong in reply.mentioned:
            others = [name for name in reply.candidates if name != wrong] + [reply.gold]
            right.append(answer_is_right(reply.text, wrong, candidates=others, question=reply.question))
    return sum(right) / len(right)


def share_right_with_gold_replaced(replies: list[Judged]) -> float:
    """The same with the gold answer, where it is written as in the data, replaced by a mentioned candidate."""
    right = []
    for reply in replies:
        gold = re.compile(re.escape(reply.gold), re.I)
        if reply.mentioned and gold.search(reply.text):
            text = gold.sub(reply.mentioned[0].replace("\\", r"\\"), reply.text)
            right.append(answer_is_right(text, reply.gold, candidates=reply.candidates, question=reply.question))
    return sum(right) / len(right)


def seconds_for_many(replies: list[Judged]) -> float:
    """The processor time to find the mentions in 100,000 replies of 600 characters, made of the real ones."""
    long = [
        reply._replace(text=(f"{reply.text}\n" * (LENGTH // (len(reply.text) + 1) + 1))[:LENGTH]) for reply in replies
    ]
    start = time.process_time()
    for number in range(REPLIES):
        found_by_reading(long[number % len(long)])
    return time.process_time() - start


def long_reply(seed: int) -> str:
    """The answer, then sentences of 10 to 24 words; every other one names one of ten candidates."""
    draw = random.Random(seed)
    sentences, left = ["The capital of Australia is Canberra."], WORDS
    while left > 0:
        words = draw.choices(FILLING.split(), k=draw.randint(10, 24))
        if draw.random() < 0.5:
            words[draw.randrange(len(words))] = draw.choice(CITIES)
        sentences.append(" ".join(words).capitalize() + ".")
        left -= len(words)
    return " ".join(sentences)


def milliseconds_for_long() -> float:
    """The processor time to read a reply of 1,000 words."""
    question = Question(
        id="capital",
        text="What is the capital city of Australia?",
        gold="Canberra",
        aliases=(),
        candidates=dict.fromkeys(CITIES, 50.0),
    )
    replies = [long_reply(seed) for seed in range(LONG_REPLIES)]
    read_reply(question, replies[0])
    start = time.process_time()
    for reply in replies:
        read_reply(question, reply)
    return 1000 * (time.process_time() - start) / len(replies)


def main() -> int:
    if not DATA.is_dir():
        print(f"mentions: nothing measured, the replies are not there: {DATA}")
        return 0
    replies = load(DATA)
    reading, plain = agreement(replies, found_by_reading), agreement(replies, found_by_plain_search)
    for name, result in (("reading", reading), ("plain search", plain)):
        print(f"{name:14} F1 {result.f1:.4f}  precision {result.precision:.4f}  recall {result.recall:.4f}")
    right, wrong = share_right(replies), share_right_with_wrong_gold(replies)
    print(f"right answers found right: {right:.2%} (at least {LEAST_RIGHT:.0%})")
    print(f"wrong candidates found right: {wrong:.2%} (at most {MOST_RIGHT_IF_WRONG:.0%})")
    print(f"gold answer replaced, found right: {share_right_with_gold_replaced(replies):.2%}")
    seconds = seconds_for_many(replies)
    print(f"{REPLIES:,} replies in {seconds:.1f} s (at most {MOST_SECONDS:.0f} s): {REPLIES / seconds:,.0f} a second")
    long = milliseconds_for_long()
    print(f"a reply of {WORDS:,} words, ten candidates: {long:.2f} ms (at most {MOST_MILLISECONDS:.0f} ms)")
    missed = reading.f1 < LEAST_F1 or right < LEAST_RIGHT or wrong > MOST_RIGHT_IF_WRONG or seconds > MOST_SECONDS
    missed = missed or long > MOST_MILLISECONDS
    print("missed" if missed else "all reached")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
