"""How well, and how fast, replies are read: real ones without their final line, very long ones, and any text at all.

    python -m benchmarks.reading [--fuzz N] [FILE.jsonl]

Real solutions of ../shared/data/gsm end with a line "A: 18"; it must be read, and without it the rest is read and
compared with it. FILE holds real replies to multiple choice, a row for each (`reply`, `options`), whose last line is
"ANSWER: B": they are read without it. Then the time for 100,000 usual replies, the time for 200 kB of one thing, and N
random texts (100,000 unless told), of which none may raise an exception. Exits with 1 if a bound is not kept.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from benchmarks.asking import Report

from counterfoil.reading import read_choice, read_number
from counterfoil.reading.choices import choice_of

ROOT = Path(__file__).parents[1]
SOLUTIONS = ROOT.parent / "shared" / "data" / "gsm" / "example_solutions_dev.jsonl"
READINGS = ROOT / "tests" / "bias" / "readings.jsonl"
# Shares of real replies without their final line: at most so many are not read, or read as another letter.
MOST_UNREAD, MOST_WRONG = 0.4, 0.005
# Most of the others state a result that their own final line rounds, or gives without its percent sign.
MOST_UNREAD_SOLUTIONS, MOST_OTHER = 0.15, 0.06
SECONDS_FOR_USUAL, SECONDS_FOR_LONG = 20.0, 0.2
USUAL, LONG = 100_000, 200_000
_WORKED_OUT = re.compile(r"<<[^<>]*>>")
_FINAL_NUMBER = re.compile(r"\nA: ?(-?[\d,]*\.?\d+)\s*$")
_FINAL_LETTER = re.compile(r"\n?[^\n]*ANSWER: ?\**\(?([A-E])\)?\**[^\n]*\s*$")
_PIECES = re.findall(
    r"\S+",
    "A B C a b (A) B: C. 14,047.16 $15,030.46 15.5% 45 bps 1e5 10^ × = ≈ - ( ) 0,5 1.2.3 ' , . million k answer is: "
    "ANSWER: not neither or and so The option correct closest to if would be wait ** \\boxed{ } \\text{ <think> "
    "</think> <answer> 정답은 또는 입니다 답: ~~ Question: therefore that is wrong 🅰 { } \\frac{1}{2} ⁴ 9 1/2 ½ three "
    "half 이십오 2번 ① 第一 一番目 respuesta es no sino Antwort ist nicht réponse c'est 答案是 不是 です ではない "
    "<|channel|>final<|message|> | - [ ] first last one option",
)


def without_final_numbers() -> Counter[str]:
    """Whether solutions are read without their final line as with it: right, other, none; and the line itself."""
    counts: Counter[str] = Counter()
    for line in SOLUTIONS.read_text(encoding="utf-8").splitlines():
        for solution in json.loads(line).values():
            text = _WORKED_OUT.sub("", solution["solution"]) if isinstance(solution, dict) else ""
            final = _FINAL_NUMBER.search(text)
            if final is None:
                continue
            number = Decimal(final[1].replace(",", ""))
            counts["line"] += read_number(text) == number
            read = read_number(text[: final.start()])
            counts["all"] += 1
            counts["none" if read is None else "right" if read == number else "other"] += 1
    return counts


def without_final_letters(path: Path) -> Counter[str]:
    """The same for replies to multiple choice."""
    counts: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        final = _FINAL_LETTER.search(row["reply"])
        if final is None:
            continue
        counts["all"] += 1
        place = read_choice(row["reply"][: final.start()], row["options"])
        counts["none" if place is None else "right" if "ABCDE"[place] == final[1] else "other"] += 1
    return counts


def random_texts(count: int, seed: int = 1) -> Iterator[str]:
    """Words of replies, in any order, with any characters between them."""
    chance = random.Random(seed)
    for _ in range(count):
        words = [chance.choice(_PIECES) for _ in range(chance.randrange(1, 24))]
        if chance.random() < 0.3:
            words[chance.randrange(len(words))] = "".join(
                chr(chance.randrange(1, 0xFFFF)) for _ in range(chance.randrange(1, 6))
            )
        yield chance.choice(("", " ", "\n", ", ")).join(words)


def read_all(texts: Iterator[str]) -> int:
    """Read texts in every way; how many there were."""
    count = 0
    for text in texts:
        choice_of(text, ("The nurse", "The cook", "Not known"), ("A", "B", "C"), 2)
        read_choice(text, ("$14,047.16", "$16,215.64", "$15,030.46"))
        read_number(text, percent=True)
        count += 1
    return count


def seconds_for_usual() -> float:
    """The processor time for 100,000 of the replies that the tests of `bias` know."""
    rows = [json.loads(line) for line in READINGS.read_text(encoding="utf-8").splitlines()]
    start = time.process_time()
    for i in range(USUAL):
        row = rows[i % len(rows)]
        choice_of(row["reply"], tuple(row["choices"]), ("A", "B", "C"), row["unknown"])
    return time.process_time() - start


def seconds_for_long() -> tuple[float, str]:
    """The longest processor time for 200 kB of one thing, and that thing."""
    worst = (0.0, "")
    for piece in (*_PIECES, "A: 10%\n", "**B** ", "the answer is not A, ", "wait, ", "(1 + "):
        text = f"{piece} " * (LONG // (len(piece) + 1))
        for read in (read_number, lambda said: choice_of(said, ("The nurse", "The cook", "No"), ("A", "B", "C"), 2)):
            start = time.process_time()
            read(text)
            worst = max(worst, (time.process_time() - start, piece))
    return worst


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path)
    parser.add_argument("--fuzz", type=int, default=100_000)
    options = parser.parse_args([] if arguments is None else arguments)
    report = Report()
    if SOLUTIONS.is_file():
        solved = without_final_numbers()
        note = f"{solved['all']:,} solutions"
        report.line("final lines not read as they are", 1 - solved["line"] / solved["all"], 0.0, note=note)
        report.line("without them: not read", solved["none"] / solved["all"], MOST_UNREAD_SOLUTIONS)
        report.line("without them: read as another number", solved["other"] / solved["all"], MOST_OTHER)
    if options.file is not None:
        letters = without_final_letters(options.file)
        report.line("replies without their last line: not read", letters["none"] / letters["all"], MOST_UNREAD)
        report.line("read as another letter", letters["other"] / letters["all"], MOST_WRONG)
    report.line("100,000 usual replies", seconds_for_usual(), SECONDS_FOR_USUAL, "s")
    seconds, piece = seconds_for_long()
    report.line("200 kB of one thing, the slowest", seconds, SECONDS_FOR_LONG, "s", repr(piece))
    print(f"{read_all(random_texts(options.fuzz)):,} random texts read without an exception")
    return int(report.failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
