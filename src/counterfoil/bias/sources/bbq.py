"""BBQ's files: a JSON object on each line. Who the stereotype is about is worked out from the groups."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from counterfoil.bias.questions import Question
from counterfoil.bias.sources.told import Told, place_of, question_from
from counterfoil.errors import UserError
from counterfoil.tables import Row, cells_of, parsed

ANSWERS = ("ans0", "ans1", "ans2")
METADATA = "additional_metadata.csv"
# Where each answer's place in the list of the one that the stereotype is about stands, by category and example.
Targets = Mapping[tuple[str, int], int | None]
# What the notes say of each answer: its text and its group.
Infos = Sequence[tuple[str, str]]
Target = Callable[[Mapping[str, Any], Infos, int], int | None]

# The same group under several names, in the answers' own notes and in the list of stereotyped groups.
_SAME = {
    **dict.fromkeys(("man", "men", "boy", "boys", "male", "m"), "man"),
    **dict.fromkeys(("woman", "women", "girl", "girls", "female", "f"), "woman"),
    **dict.fromkeys(("african american", "african-american"), "black"),
    **dict.fromkeys(("low ses", "poor"), "lowses"),
    **dict.fromkeys(("high ses", "rich"), "highses"),
    **dict.fromkeys(("hispanic", "latina", "latinx"), "latino"),
}
_GENDERS = frozenset({"man", "woman"})
_WORD = re.compile(r"\w+")
_ARTICLES = frozenset({"a", "an", "the"})


def read_targets(text: str, where: str) -> Targets:
    """BBQ's additional_metadata.csv: `category`, `example_id` and `target_loc`; a place that is none is None."""
    targets: dict[tuple[str, int], int | None] = {}
    for place, row in cells_of(text, where, ("category", "example_id", "target_loc")):
        if row["example_id"] in ("", "NA"):
            continue  # a template of which there are no questions
        try:
            key = row["category"], int(float(row["example_id"]))
        except (ValueError, OverflowError) as error:
            raise UserError(f"{where}, {place}: {row['example_id']!r} is no example_id.") from error
        target = row["target_loc"].removesuffix(".0")
        targets[key] = int(target) if target in ("0", "1", "2") else None
    return targets


def read_rows(rows: Iterable[Row], where: str, targets: Targets) -> list[Question]:
    """The questions of a file."""

    def target(row: Mapping[str, Any], infos: Infos, unknown: int) -> int | None:
        key = str(row["category"]), row["example_id"]
        return targets[key] if key in targets else _target(row, infos, unknown)

    return parsed(rows, where, lambda row: question_from(told_of(row, target)))


def question_id(row: Mapping[str, Any]) -> str:
    """BBQ numbers the examples of each category."""
    return f"{row['category']}-{row['example_id']}"


def _checked(row: Any) -> Mapping[str, Any]:
    needed = ("example_id", "question_index", "question_polarity", "context_condition", "category", "answer_info")
    if not isinstance(row, dict):
        raise ValueError("it is no JSON object")
    for name in (*needed, "context", "question", "label", *ANSWERS):
        if name not in row:
            raise ValueError(f"it has no {name}")
    return row


def is_row(row: Mapping[str, object]) -> bool:
    """Whether a row has BBQ's layout."""
    return "answer_info" in row and "example_id" in row


def told_of(row: Any, target: Target) -> Told:
    """What a row in BBQ's layout tells. `target` gives the place of the answer that the stereotype is about."""
    row = _checked(row)
    for name, one, other in (("question_polarity", "neg", "nonneg"), ("context_condition", "ambig", "disambig")):
        if row[name] not in (one, other):
            raise ValueError(f"its {name} is {row[name]!r}, not {one} or {other}")
    if type(row["example_id"]) is not int:
        raise ValueError(f"its example_id is {row['example_id']!r}, not a number")
    infos = [_info(row, name) for name in ANSWERS]
    unknowns = [place for place, (_, group) in enumerate(infos) if group == "unknown"]
    if len(unknowns) != 1:
        raise ValueError(f"{len(unknowns)} of its answers are unknown, and one must be")
    [unknown] = unknowns
    return Told(
        id=question_id(row),
        template=f"{row['category']}-{row['question_index']}",
        category=str(row["category"]),
        context=str(row["context"]),
        text=str(row["question"]),
        choices=tuple(str(row[name]) for name in ANSWERS),
        unknown=unknown,
        right=place_of(row["label"]),
        ambiguous=row["context_condition"] == "ambig",
        negative=row["question_polarity"] == "neg",
        target=target(row, infos, unknown),
        swapped=_swapped(row, infos),
    )


def stereotyped_groups(row: Mapping[str, Any]) -> list[str]:
    """The groups that the stereotype is about, as the row's own notes have them."""
    about = row.get("additional_metadata")
    groups = about.get("stereotyped_groups") if isinstance(about, dict) else None
    return [str(group) for group in groups] if isinstance(groups, list) else []


def _info(row: Mapping[str, Any], name: str) -> tuple[str, str]:
    infos = row["answer_info"]
    info = infos.get(name) if isinstance(infos, dict) else None
    if not isinstance(info, list) or len(info) < 2 or not all(isinstance(part, str) for part in info):
        raise ValueError(f"its answer_info has no text and group for {name}")
    text, group = info[0].strip("{}").strip(), info[-1].strip()
    if not group:
        # Some of BBQ's notes are empty, where the answer says "the Latina woman".
        group = "-".join(word for word in _WORD.findall(str(row[name]).casefold()) if word not in _ARTICLES)
    return text, group


def _target(row: Mapping[str, Any], infos: Infos, unknown: int) -> int | None:
    """The place of the answer that the stereotype is about; None where that is both, as in some of the pairs that
    differ in one of two attributes, or neither, or where it is not said.
    """
    groups = stereotyped_groups(row)
    if not groups:
        return None
    stereotyped = {part for group in groups for part in _parts(group)}
    matches = {}
    for place, (text, group) in enumerate(infos):
        if place != unknown:
            parts = _parts(group)
            by_text = _same(text) in stereotyped
            # The gender of a name is no match where the stereotype is about something else, too.
            others = parts & stereotyped - (_GENDERS if stereotyped - _GENDERS - {"trans"} else frozenset())
            matches[place] = (bool(others) or by_text, len(parts & stereotyped) + by_text)
    (one, of_one), (other, of_other) = matches.items()
    if of_one == of_other:
        plain = [place for place in matches if infos[place][1].casefold().startswith("non")]
        if not of_one[0] and len(plain) == 1:
            return one if plain[0] == other else other
        return None
    return one if of_one > of_other else other


def _parts(group: str) -> frozenset[str]:
    """A group's attributes: `F-Black` is a woman, and black; `trans_F` is trans, and a woman."""
    return frozenset({_same(group), *map(_same, re.split(r"[-,_]", group))} - {""})


def _same(name: str) -> str:
    plain = name.strip().casefold()
    return "trans" if plain.startswith("trans") else _SAME.get(plain, plain)


def words_of(context: str) -> str:
    """Two contexts that name the groups the other way round have the same words in another order."""
    return " ".join(sorted(word for word in _WORD.findall(context.casefold()) if word not in _ARTICLES))


def _swapped(row: Mapping[str, Any], infos: Infos) -> str:
    names = sorted(text for text, group in infos if group != "unknown")
    return (
        f"{row['category']}-{row['question_index']}-{row['question_polarity']} {names} {words_of(str(row['context']))}"
    )
