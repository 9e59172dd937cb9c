"""The way of the CFA study: a model writes the perturbed question and its answer.

Its JSON has `perturbed_question`, `perturbed_answer`, `changes_made` and `solution_steps`. The checks: is
it another question, and has it changed what it says? Whether the answer is right, only a template can tell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import msgspec

from counterfoil.datasets.judged import Judging
from counterfoil.judging.text import short
from counterfoil.perturbing.making.asking import Unfit, ask_twice, json_object, question_shown
from counterfoil.perturbing.making.confirming import Confirmation, confirm
from counterfoil.perturbing.making.existing import ExistingQuestion
from counterfoil.perturbing.questions import LETTERS, Change, Question, three, value_of, variant_of
from counterfoil.perturbing.templates import draws, numbers, wording
from counterfoil.perturbing.templates.draws import Rejected
from counterfoil.perturbing.templates.numbers import USUAL
from counterfoil.perturbing.templates.variants import Original
from counterfoil.suite.prompts import shipped_text

INCOMPLETE = "a field of the JSON is missing or empty"
SAME = "it is not another question"
REPEATED = "it repeats an earlier version"
NOT_CHANGED = "it has not changed what it says"
OLD_ANSWER = "the original's answer is among its options"
NO_OPTIONS = "its answer is no option, or its options can't be read"

FIELDS = ("perturbed_question", "perturbed_answer", "changes_made", "solution_steps")
_LETTERED = re.compile(r"(?:(?<=[\s,;])|^)\(?([ABC])[:.)]\s+")
_ANNOUNCED = re.compile(r"[\s,;]*\b(?:answer )?(?:choices|options):\s*$", re.IGNORECASE)
_LONGEST_TEXT, _LONGEST_ENTRY = 20_000, 1_000
_FROM_TO = re.compile(r"(?P<name>.*?)\bfrom\b(?P<before>.*?)\bto\b(?P<after>.*)", re.DOTALL | re.IGNORECASE)
_LETTER = re.compile(r"\(?([ABC])\)?[.:)]?(?:\s.*)?", re.DOTALL)
_AT_THE_END = re.compile(r"[\s.…]*(?:\.\.\.|…)[\s.…]*$")


class Source(NamedTuple):
    """What is rewritten: a question, and the original of a template where it is one."""

    question: Question
    original: Original | None = None


class WrittenQuestion(NamedTuple):
    """A reply that passed the checks. The first of its options, if it has any, is the gold."""

    text: str
    answer: str
    options: tuple[str, str, str] | None
    changes: tuple[Change, ...]
    steps: str


def unconfirmed_original(question: ExistingQuestion) -> Question:
    """An existing question that no template is known for."""
    name = f"direct-{question.sha256[:12]}"
    gold = LETTERS[question.right]
    value = value_of(question.options[question.right])
    digits, percent = _form(value)
    return Question(
        id=f"{name}/0", parent=None, template=name, topic=question.topic, level=0, draw=0, control=None,
        text=question.stem, options=three(question.options), gold=gold, value=value, digits=digits, percent=percent,
        old=gold, sham=None, changes=(), steps="", expression="", computed=None, status="unverified", source="direct",
    )  # fmt: skip


async def rewrite(
    judging: Judging, source: Source, levels: Sequence[int], count: int, seed: int
) -> list[Question | Unfit]:
    """`count` versions of each level, one after another, each told what the earlier ones changed."""
    made: list[Question | Unfit] = []
    for level in levels:
        earlier: list[Question] = []
        for draw in range(count):
            read = partial(question_in, source=source, level=level, earlier=earlier, seed=seed)
            told = content(source.question, draw, count, earlier)
            written = await ask_twice(judging, prompt(level), told, read)
            if isinstance(written, Question):
                name = f"{source.question.template}/{level}/{draw}"
                written = msgspec.structs.replace(written, id=name, draw=draw)
                earlier.append(written)
            made.append(written)
    return made


def prompt(level: int) -> str:
    """What the model is asked to do at a level."""
    return shipped_text("counterfoil.perturbing", f"direct_level_{level}.txt").strip()


def content(original: Question, draw: int, count: int, earlier: Sequence[Question]) -> str:
    """The question, and what earlier versions of it have changed."""
    parts = [question_shown(original.text, original.options, original.gold), f"Version {draw + 1} of {count}."]
    if earlier:
        versions = ["Earlier versions:"]
        for version in earlier:
            told = (f"{change.name} from {change.before} to {change.after}" for change in version.changes)
            versions.append(f"- {', '.join(told)}")
        parts.append("\n".join(versions))
    return "\n\n".join(parts)


def question_in(text: str, source: Source, level: int, earlier: Sequence[Question], seed: int) -> Question:
    """The question in a reply, confirmed or not. Unfit says what does not hold."""
    original = source.question
    written = read_written(text, original, level)
    if _folded(written.text) in {_folded(other.text) for other in earlier}:
        raise Unfit(REPEATED, REPEATED)
    answer = number(written.answer)
    confirmation = Confirmation("unverified", "there is no template")
    if source.original is not None:
        confirmation = confirm(source.original, level, written.text, answer)
    options = written.options or made_options(source, level, written.answer, confirmation)
    if number(original.value).value in {number(option).value for option in options}:
        raise Unfit(OLD_ANSWER, OLD_ANSWER)
    orders = wording.orders_of(original.template, seed, level)
    order = orders[len(earlier) % len(orders)]
    digits, percent = _form(value_of(options[0]))
    return variant_of(
        original,
        options,
        order,
        level=level,
        text=written.text,
        digits=digits,
        percent=percent,
        changes=written.changes,
        steps=written.steps,
        expression=confirmation.expression,
        computed=confirmation.computed,
        status=confirmation.status,
        source="direct",
    )


def made_options(source: Source, level: int, answer: str, confirmation: Confirmation) -> tuple[str, str, str]:
    """Options for a reply without any: the template's mistakes, or the original's options, scaled."""
    original = source.question
    gold = number(answer)
    old = number(original.value)
    # Level 3 asks for something else, which has its own unit.
    shape = answer if level == 3 else original.value
    digits = number(shape).decimals
    wrong: Sequence[Decimal] = ()
    if source.original is not None and confirmation.draw is not None and confirmation.status == "verified":
        template, draw = source.original.template, confirmation.draw
        try:
            wrong = draws.wrong_options(
                template.distractors, draw.values, gold.value, digits, template.percent, {old.value}
            )
        except Rejected as error:
            raise Unfit(NO_OPTIONS, f"there are no options in perturbed_question, and {error}") from error
    elif old.value:
        others = [number(option).value for option in original.options if value_of(option) != original.value]
        wrong = [numbers.rounded(gold.value * other / old.value, digits) for other in others]
    printed = [numbers.rounded(gold.value, digits), *wrong]
    if len(printed) < 3 or any(not USUAL.holds(a, b, digits) for a, b in combinations(printed, 2)):
        raise Unfit(NO_OPTIONS, "there are no options in perturbed_question: give them as A: …, B: …, C: …")
    return three(_shaped(value, shape, digits) for value in printed)


def _shaped(value: Decimal, shape: str, digits: int) -> str:
    """A number, printed as another one is, in the same words."""
    start, end = numbers.only(shape)
    like = numbers.read(shape[start:end])
    return numbers.with_unit(
        numbers.printed(value, digits, plain=like.plain), shape[:start] + like.currency, shape[end:]
    )


def number(text: str) -> numbers.PrintedNumber:
    """The one number in an option or answer; Unfit if there is not one."""
    try:
        return numbers.only_number(text)
    except ValueError as error:
        raise Unfit(NO_OPTIONS, str(error)) from error


def read_written(text: str, original: Question, level: int) -> WrittenQuestion:
    """The fields of a reply, checked. Unfit says what does not hold."""
    fields = json_object(text, FIELDS[:1])
    question, answer, steps = (_words(fields, name) for name in (*FIELDS[:2], FIELDS[3]))
    entries = fields.get("changes_made")
    entries = [entries] if isinstance(entries, str) else entries
    if not isinstance(entries, list) or not all(isinstance(entry, str) and entry.strip() for entry in entries):
        raise Unfit(INCOMPLETE, "changes_made is no list of texts")
    if len(question) > _LONGEST_TEXT:
        raise Unfit(INCOMPLETE, f"perturbed_question is longer than {_LONGEST_TEXT:,} characters")
    stem, contents = _split(question)
    if not stem or _folded(stem) == _folded(original.text):
        raise Unfit(SAME, "perturbed_question is the original")
    changes = _changes(entries, original.text, stem, level)
    options = None
    if contents is not None:
        gold = _gold(answer, contents)
        answer = contents[gold]
        wrong = [option for position, option in enumerate(contents) if position != gold]
        options = (answer, wrong[0], wrong[1])
        if len({number(option).value for option in options}) < len(LETTERS):
            raise Unfit(NO_OPTIONS, "two of the options have the same number")
    number(answer)
    return WrittenQuestion(stem, answer, options, changes, steps)


def _split(question: str) -> tuple[str, tuple[str, ...] | None]:
    """The question, and the three options behind it, if it has them: the last A:, B: and C: that follow each other."""
    found: list[re.Match[str]] = []
    for match in reversed(list(_LETTERED.finditer(question))):
        if match[1] == "CBA"[len(found)]:
            found.insert(0, match)
            if len(found) == len(LETTERS):
                ends = [*(after.start() for after in found[1:]), len(question)]
                texts = (question[one.end() : end].strip(" ,;\n") for one, end in zip(found, ends, strict=True))
                contents = tuple(value_of(text) for text in texts)
                question = _ANNOUNCED.sub("", question[: found[0].start()])
                return _AT_THE_END.sub("", question).strip(" ,;\n"), contents
    return _AT_THE_END.sub("", question).strip(), None


def _words(fields: dict[str, Any], name: str) -> str:
    """A field as a text. Numbers and lists of lines are accepted, too."""
    value = fields.get(name)
    if isinstance(value, list):
        value = "\n".join(str(line) for line in value)
    if isinstance(value, bool) or not isinstance(value, str | int | float) or not str(value).strip():
        raise Unfit(INCOMPLETE, f"{name} is missing or empty")
    return str(value).strip()


def _changes(entries: Sequence[str], before: str, after: str, level: int) -> tuple[Change, ...]:
    """What was changed from what to what. At levels 1 and 2 both numbers must be there, and the old one gone."""
    if not entries:
        raise Unfit(NOT_CHANGED, "changes_made is empty")
    if level < 3 and len(entries) != level:
        raise Unfit(NOT_CHANGED, f"changes_made has {len(entries)} entries instead of {level}")
    old, new = _counted(before), _counted(after)
    changes = []
    for entry in entries:
        match = _FROM_TO.fullmatch(entry.strip()[:_LONGEST_ENTRY])
        sides = [numbers.in_text(match[side]) for side in ("before", "after")] if match else [[], []]
        if match is None or (level < 3 and not all(sides)):
            if level < 3:
                raise Unfit(NOT_CHANGED, f"the entry {short(entry)} does not say from which number to which")
            changes.append(Change(name="asked for", before="as in the original", after=entry.strip()))
            continue
        if level < 3:
            one, other = (numbers.read(side[0]).value for side in sides)
            if not (old[one] > new[one] and new[other] > old[other]):
                raise Unfit(NOT_CHANGED, f"{short(entry)} is not what was changed in perturbed_question")
        name = re.sub(r"\s*\b(?:was |is )?(?:changed|increased|decreased|raised|lowered)?[\s:]*$", "", match["name"])
        changes.append(
            Change(name=name.strip() or "number", before=match["before"].strip(), after=match["after"].strip())
        )
    return tuple(changes)


def _counted(text: str) -> Counter[Decimal]:
    return Counter(numbers.read(printed).value for printed in numbers.in_text(text) if len(printed) <= 30)


def _gold(answer: str, options: Sequence[str]) -> int:
    """Which option the answer is: by its letter, its words or its number."""
    same = [position for position, option in enumerate(options) if option == value_of(answer)]
    letter = _LETTER.fullmatch(answer)
    if not same and letter is not None:
        same = ["ABC".index(letter[1])]
    if not same:
        value = number(answer).value
        same = [position for position, option in enumerate(options) if number(option).value == value]
    if len(same) != 1:
        raise Unfit(NO_OPTIONS, f"perturbed_answer {short(answer)} is not exactly one of the options")
    return same[0]


def _form(value: str) -> tuple[int, bool]:
    """Digits behind the point, and whether it is a percentage."""
    return number(value).decimals, "%" in value


def _folded(text: str) -> str:
    return " ".join(text.split()).rstrip(" .:?…").casefold()
