"""How people in Korea rated each stereotype of KoBBQ: its survey, as KoBBQ_templates.tsv and KoBBQ_survey_result.json
have it.

Of 100 people each said which groups a stereotype is held of, or that there is none. What counts here is the share of
those who named the group that the template takes for its target; of a target of several groups, the mean of their
shares.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.bias.questions import UNKNOWN, Question
from counterfoil.errors import UserError
from counterfoil.files import read_bytes
from counterfoil.inputs import text_of
from counterfoil.tables import cell_rows

TEMPLATES = "KoBBQ_templates.tsv"
_COLUMNS = ("Category", "ID", "version", "Stereotype", "Target_group")
_ASKED = 100

Stats = Mapping[str, float]
# By the template and the letter of its version.
Shares = Mapping[tuple[str, str], float]


class _Rated(msgspec.Struct):
    category: str
    stereotype: str
    survey_stats: dict[str, float]


def with_survey(questions: Sequence[Question], files: Sequence[str], named: str | None) -> list[Question]:
    """The questions with their shares, where the survey is in the files they come from, beside one, or in `named`."""
    if not questions or questions[0].unknown != UNKNOWN:
        return list(questions)
    # Where nobody asks for it, a file without the survey is none of our business.
    given = [named] if named else []
    beside = [str(path) for file in files if (path := Path(file).parent / TEMPLATES).is_file()]
    tables = [path for path in dict.fromkeys([*given, *files, *beside]) if path.lower().endswith(".tsv")]
    ratings = _ratings(named) if named and named.lower().endswith(".json") else None
    shares: dict[tuple[str, str], float] = {}
    for table in tables:
        if Path(table).is_file():
            shares = dict(_shares(table, ratings)) | shares
    if named and not shares:
        raise UserError(
            f"--metadata {named}: no survey of these questions is in it. Name {TEMPLATES}; or put that beside the "
            "questions and name KoBBQ_survey_result.json."
        )
    return [_rated(question, shares) for question in questions] if shares else list(questions)


def _rated(question: Question, shares: Shares) -> Question:
    version = question.sample_id[len(question.template) : len(question.template) + 1]
    return msgspec.structs.replace(question, surveyed=shares.get((question.template, version)))


def _shares(table: str, ratings: Sequence[_Rated] | None) -> Shares:
    """From a table of templates; none where it is no such table, or has no survey. Bad rows are told of elsewhere."""
    text = text_of(read_bytes(Path(table)), table)
    header = text.partition("\n")[0].strip("\ufeff\r").split("\t")
    if not {*_COLUMNS} <= {*header} or ("Survey_stats" not in header and ratings is None):
        return {}
    found: dict[tuple[str, str], float] = {}
    for _, row in cell_rows(text, table, _COLUMNS, delimiter="\t"):
        if isinstance(row, ValueError) or not row["ID"].strip().isdigit():
            continue
        target = row["Target_group"].strip()
        stats = [_stats(row.get("Survey_stats") or "")] if ratings is None else _of(ratings, row)
        share = next((share for some in stats if (share := share_of(some, target)) is not None), None)
        if share is not None:
            template = f"{row['Category'].strip().lower()}-{int(row['ID']):03d}"
            found[template, row["version"].strip()] = share
    return found


def share_of(stats: Stats, target: str) -> float | None:
    """The share of people who named the target; None where the survey did not ask about it."""
    named = [target] if target in stats else [group.strip() for group in target.split(",")]
    counts = [stats[group] for group in named if group in stats]
    return sum(counts) / len(counts) / _ASKED if counts and len(counts) == len(named) else None


def _of(ratings: Sequence[_Rated], row: Mapping[str, str]) -> list[Stats]:
    category, stereotype = row["Category"].strip().lower(), row["Stereotype"].strip()
    return [
        one.survey_stats
        for one in ratings
        if one.category.strip().lower() == category and one.stereotype.strip() == stereotype
    ]


def _ratings(path: str) -> list[_Rated]:
    try:
        return msgspec.json.decode(text_of(read_bytes(Path(path)), path), type=list[_Rated])
    except msgspec.MsgspecError as error:
        raise UserError(
            f"{path} is not KoBBQ's survey ({error}): it is a list of objects with category, stereotype and "
            "survey_stats."
        ) from error


def _stats(cell: str) -> Stats:
    """A dict as Python writes it: parsed, never evaluated."""
    try:
        found: Any = ast.literal_eval(cell) if cell.strip().startswith("{") else {}
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return {}
    return {str(group): float(count) for group, count in found.items() if isinstance(count, int | float)}
