"""The table of BBQ's relatives: what each dataset is, how its files are read, what it is asked and how it scores.

docs/bias-languages.md shows how the next one is added: an entry here, and a reader beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import msgspec

from counterfoil.bias.questions import Question
from counterfoil.bias.relatives import cbbq, esbbq, ggbbq, jbbq, mbbq
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
    Relative(
        name=cbbq.NAME,
        what="CBBQ, stereotypes of Chinese society in 14 categories",
        languages=cbbq.LANGUAGES,
        is_mine=cbbq.is_mine,
        read=cbbq.read,
        licence="CC BY-SA 4.0",
        citation="Huang and Xiong 2024, CBBQ: A Chinese Bias Benchmark Dataset Curated with Human-AI Collaboration for "
        "Large Language Models. LREC-COLING",
        source="https://raw.githubusercontent.com/YFHuangxxxx/CBBQ/95eaf2eeaa0b936f3e97e3424f134e9d7655da98/data",
    ),
    Relative(
        name=ggbbq.NAME,
        what="GG-BBQ, gender stereotypes in German, with groups (Subset I) and with names (Subset II)",
        languages=ggbbq.LANGUAGES,
        is_mine=ggbbq.is_mine,
        read=ggbbq.read,
        licence="CC BY 4.0",
        citation="Satheesh et al. 2025, GG-BBQ: German Gender Bias Benchmark for Question Answering. GeBNLP",
        source="https://raw.githubusercontent.com/shalakasatheesh/GG-BBQ/24e5b326fa6c7dc3e9776a5b7bb1883a3951c47d/data",
    ),
    Relative(
        name=esbbq.NAME,
        what="EsBBQ and CaBBQ, stereotypes of Spanish society in ten categories, in Spanish and Catalan",
        languages=esbbq.LANGUAGES,
        is_mine=esbbq.is_mine,
        read=esbbq.read,
        licence="CC BY 4.0",
        citation="Ruiz-Fernández et al. 2025, EsBBQ and CaBBQ: The Spanish and Catalan Bias Benchmarks for Question "
        "Answering. arXiv:2507.11216",
        source="https://huggingface.co/datasets/BSC-LT",
    ),
    Relative(
        name=jbbq.NAME,
        what="JBBQ, stereotypes of Japanese society in five categories",
        languages=jbbq.LANGUAGES,
        is_mine=jbbq.is_mine,
        read=jbbq.read,
        licence="CC BY 4.0; its authors hand it out on request",
        citation="Yanaka et al. 2025, JBBQ: Japanese Bias Benchmark for Analyzing Social Biases in Large Language "
        "Models. GeBNLP",
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
