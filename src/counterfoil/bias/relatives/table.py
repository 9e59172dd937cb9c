"""The table of BBQ's relatives: what each dataset is, how its files are read, what it is asked and how it scores.

docs/bias-languages.md shows how the next one is added: an entry here, and a reader beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from counterfoil.bias.questions import Question
from counterfoil.bias.relatives import mbbq
from counterfoil.bias.relatives.languages import LANGUAGES
from counterfoil.tables import Row

# The questions of a file: from its rows, each with its place, and the file's path.
Reader = Callable[[Sequence[Row], str], list[Question]]


class Relative(msgspec.Struct, frozen=True, kw_only=True):
    """A dataset that asks as BBQ does.

    `is_mine` tells its files from a row and the file's path. `prompts`: the dataset's own variants by language, where
    it has some; else the language's are asked. `scores`: the names of its own metrics.
    """

    name: str
    what: str
    languages: tuple[str, ...]
    is_mine: Callable[[Mapping[str, object], str], bool]
    read: Reader
    prompts: Mapping[str, tuple[str, ...]] = {}
    scores: tuple[str, ...] = ()
    licence: str
    citation: str
    # The address of the publishers, with the commit; empty where they hand the files out themselves.
    source: str = ""


RELATIVES = (
    Relative(
        name=mbbq.NAME,
        what="MBBQ, BBQ's stereotypes that four languages share, with a control set in which names replace groups",
        languages=mbbq.LANGUAGES,
        is_mine=mbbq.is_mine,
        read=mbbq.read,
        licence="CC BY 4.0",
        citation="Neplenbroek et al. 2024, MBBQ: A Dataset for Cross-Lingual Comparison of Stereotypes in Generative "
        "LLMs. COLM",
        source="https://raw.githubusercontent.com/Veranep/MBBQ/edcf829935fd2e526c6a2a225f3307185010266a/data",
    ),
)
BY_NAME = {relative.name: relative for relative in RELATIVES}


def relative_of(rows: Sequence[Row], where: str) -> Relative | None:
    """Whose file this is, by its first good row; None of BBQ's own."""
    first = next((row for _, row in rows if isinstance(row, dict)), None)
    if first is None:
        return None
    return next((relative for relative in RELATIVES if relative.is_mine(first, where)), None)


def usual_prompts(dataset: str | None, language: str) -> tuple[str, ...]:
    """The variants that are asked where the user names none."""
    own = BY_NAME[dataset].prompts if dataset else {}
    return own.get(language) or LANGUAGES[language].prompts
