"""EsBBQ and CaBBQ (Ruiz-Fernández et al. 2025): Spanish and Catalan in parallel, as the Hugging Face hub has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from counterfoil.bias.questions import Question
from counterfoil.bias.relatives.languages import LANGUAGES as KNOWN
from counterfoil.bias.sources.bbq import words_of
from counterfoil.bias.sources.told import Told, place_of, questions_from
from counterfoil.tables import Row

# Both have the same questions, and are one dataset of parallel ones: CaBBQ's name is that of its files.
NAME, CATALAN = "esbbq", "cabbq"
# Spanish opens questions with a mark of its own, and Catalan does not.
_SPANISH = "¿"


def is_mine(row: Mapping[str, object], where: str) -> bool:
    return "instance_id" in row and "template_id" in row and "stereotyped_groups" in row


def is_spanish(row: Mapping[str, object], where: str) -> bool:
    return is_mine(row, where) and _SPANISH in str(row["question"])


def read(rows: Sequence[Row], where: str) -> list[Question]:
    """The questions of a file: it is in one language."""
    marked = [_SPANISH in str(row.get("question")) for _, row in rows if isinstance(row, dict)]
    language = "es" if 2 * sum(marked) > len(marked) else "ca"
    return questions_from(rows, where, lambda row: _told(row, language))


def _told(row: Any, language: str) -> Told:
    # The last of an answer's notes is its group, behind a comma where there are two attributes.
    groups = [str(row["answer_info"][f"ans{place}"][-1]).split(",")[-1].strip() for place in range(3)]
    unknown = groups.index("unknown")
    found = [place for place, group in enumerate(groups) if group in row["stereotyped_groups"]]
    number, ambiguous = int(row["instance_id"]), row["context_condition"] == "ambig"
    negative, target = row["question_polarity"] == "neg", found[0] if len(found) == 1 else None
    right = place_of(row["label"])
    if not ambiguous and row.get("question_type") in ("pro-stereo", "anti-stereo"):
        # The files say it of contexts that decide.
        target = right if (row["question_type"] == "pro-stereo") == negative else 3 - unknown - right
    # The files write “unknown”: our wordings of it, one after another.
    wordings = KNOWN[language].unknown
    choices = [str(row[f"ans{place}"]) for place in range(3)]
    choices[unknown] = wordings[number % len(wordings)]
    told = f"{row['category']}-{row['template_id']}"
    people = sorted(choice for place, choice in enumerate(choices) if place != unknown)
    return Told(
        id=f"{row['category']}-{number}-{language}",
        template=told,
        category=row["category"],
        context=row["context"],
        text=row["question"],
        choices=tuple(choices),
        unknown=unknown,
        right=right,
        ambiguous=ambiguous,
        negative=negative,
        target=target,
        swapped=f"{told} {language} {row['question']} {people} {words_of(row['context'])}",
        dataset=NAME,
        language=language,
        parallel=f"{row['category']}-{number}",
    )
