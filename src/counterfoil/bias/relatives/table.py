"""The table of BBQ's relatives: what each dataset is, how its files are read, what it is asked and how it scores.

docs/bias-languages.md shows how the next one is added: an entry here, and a reader beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePosixPath

import msgspec

from counterfoil.bias import metrics
from counterfoil.bias.questions import Question
from counterfoil.bias.relatives import cbbq, esbbq, ggbbq, jbbq, mbbq, scores
from counterfoil.datasets.registry import DataFile, Dataset
from counterfoil.tables import Row

# The questions of a file: from its rows, each with its place, and the file's path.
Reader = Callable[[Sequence[Row], str], list[Question]]


class Relative(msgspec.Struct, frozen=True, kw_only=True):
    """A dataset that asks as BBQ does.

    `is_mine` tells its files from a row and the file's path. `prompts`: the variants that are its authors' own
    published ones, by language; they are asked where they are named, and else the language's.
    `scores`: the names of its own metrics, or of ours that are the same.
    `files`: their names here, by their paths below `address`, which names a commit; none where the authors hand them
    out, as `by_hand` says.
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
    address: str = ""
    files: Mapping[str, str] = {}
    by_hand: str | None = None

    @property
    def dataset(self) -> Dataset:
        """The same for `counterfoil data`."""
        return Dataset(
            name=self.name,
            suite="bias",
            what=self.what,
            licence=self.licence,
            citation=self.citation,
            by_hand=self.by_hand,
            files=tuple(DataFile(name=name, url=f"{self.address}/{path}") for path, name in self.files.items()),
        )


_GITHUB, _HUB = "https://raw.githubusercontent.com", "https://huggingface.co/datasets"
_MBBQ = ("Age", "Disability_status", "Gender_identity", "Physical_appearance", "SES", "Sexual_orientation")
_CBBQ = (
    *("SES", "age", "disability", "disease", "educational_qualification", "ethnicity", "gender"),
    *("household_registration", "nationality", "physical_appearance", "race", "region", "religion"),
    "sexual_orientation",
)
_ESBBQ = (
    *("Age", "DisabilityStatus", "Gender", "LGBTQIA", "Nationality", "PhysicalAppearance", "RaceEthnicity"),
    *("Religion", "SES", "SpanishRegion"),
)
_ESBBQ_FILES = {f"{category}/test-00000-of-00001.parquet": f"{category}.parquet" for category in _ESBBQ}
_ESBBQ_CITATION = (
    "Ruiz-Fernández et al. 2025, EsBBQ and CaBBQ: The Spanish and Catalan Bias Benchmarks for Question Answering. "
    "arXiv:2507.11216"
)


def _named(*paths: str) -> dict[str, str]:
    return {path: PurePosixPath(path).name for path in paths}


RELATIVES = (
    Relative(
        name=mbbq.NAME,
        what="MBBQ, about 10,000 questions in each of four languages, and as many with names in the place of groups",
        languages=mbbq.LANGUAGES,
        is_mine=mbbq.is_mine,
        read=mbbq.read,
        prompts={code: tuple(f"{code}-mbbq-{number}" for number in range(1, 6)) for code in mbbq.LANGUAGES},
        scores=(*scores.leans_of(mbbq.NAME), scores.ACCURACY_CONTROL.name),
        licence="CC BY 4.0",
        citation="Neplenbroek et al. 2024, MBBQ: A Dataset for Cross-Lingual Comparison of Stereotypes in Generative "
        "LLMs. COLM",
        address=f"{_GITHUB}/Veranep/MBBQ/edcf829935fd2e526c6a2a225f3307185010266a/data",
        files=_named(
            *(f"{name}{of}_{code}.jsonl" for name in _MBBQ for of in ("", "_control") for code in mbbq.LANGUAGES)
        ),
    ),
    Relative(
        name=cbbq.NAME,
        what="CBBQ, 106,588 questions about stereotypes of Chinese society in 14 categories",
        languages=cbbq.LANGUAGES,
        is_mine=cbbq.is_mine,
        read=cbbq.read,
        prompts={"zh": ("cbbq-chatgpt", "cbbq-chatglm", "cbbq-bloomz")},
        scores=(scores.S_AMBIGUOUS.name, scores.S_DISAMBIGUATED.name, scores.S_TOTAL.name),
        licence="CC BY-SA 4.0",
        citation="Huang and Xiong 2024, CBBQ: A Chinese Bias Benchmark Dataset Curated with Human-AI Collaboration for "
        "Large Language Models. LREC-COLING",
        address=f"{_GITHUB}/YFHuangxxxx/CBBQ/95eaf2eeaa0b936f3e97e3424f134e9d7655da98/data",
        files={
            f"{name}/{kind}/{kind}.json": f"{name}_{kind}.json"
            for name in _CBBQ
            for kind in ("ambiguous", "disambiguous")
        },
    ),
    Relative(
        name=ggbbq.NAME,
        what="GG-BBQ, 968 questions about gender in German with groups (Subset I), and 10,900 with names (Subset II)",
        languages=ggbbq.LANGUAGES,
        is_mine=ggbbq.is_mine,
        read=ggbbq.read,
        scores=scores.leans_of(ggbbq.NAME),
        licence="CC BY 4.0",
        citation="Satheesh et al. 2025, GG-BBQ: German Gender Bias Benchmark for Question Answering. GeBNLP",
        address=f"{_GITHUB}/shalakasatheesh/GG-BBQ/24e5b326fa6c7dc3e9776a5b7bb1883a3951c47d/data",
        files=_named(
            "subset-1/bbq_de_amb_test.jsonl",
            "subset-1/bbq_de_disamb_test.jsonl",
            "subset-2/bbq_de_proper_names_amb_test.jsonl",
            "subset-2/bbq_de_proper_names_disamb_test.jsonl",
        ),
    ),
    Relative(
        name=esbbq.NAME,
        what="EsBBQ, 27,320 questions about stereotypes of Spanish society in ten categories, in Spanish",
        languages=("es",),
        is_mine=esbbq.is_spanish,
        read=esbbq.read,
        prompts={"es": ("esbbq",)},
        scores=scores.leans_of(esbbq.NAME),
        licence="CC BY 4.0",
        citation=_ESBBQ_CITATION,
        address=f"{_HUB}/BSC-LT/EsBBQ/resolve/8c43ae560d393328841e67f1f40174e29f7c67ed",
        files=_ESBBQ_FILES,
    ),
    Relative(
        name=esbbq.CATALAN,
        what="CaBBQ, the same 27,320 questions as EsBBQ, in Catalan",
        languages=("ca",),
        is_mine=esbbq.is_mine,
        read=esbbq.read,
        prompts={"ca": ("cabbq",)},
        scores=scores.leans_of(esbbq.NAME),
        licence="CC BY 4.0",
        citation=_ESBBQ_CITATION,
        # Its commit is not known here: the hashes of the first fetch hold.
        address=f"{_HUB}/BSC-LT/CaBBQ/resolve/main",
        files=_ESBBQ_FILES,
    ),
    Relative(
        name=jbbq.NAME,
        what="JBBQ, 50,856 pairs of questions about stereotypes of Japanese society in five categories",
        languages=jbbq.LANGUAGES,
        is_mine=jbbq.is_mine,
        read=jbbq.read,
        scores=(metrics.DIFF_BIAS_AMBIGUOUS.name, metrics.DIFF_BIAS_DISAMBIGUATED.name),
        licence="CC BY 4.0",
        citation="Yanaka et al. 2025, JBBQ: Japanese Bias Benchmark for Analyzing Social Biases in Large Language "
        "Models. GeBNLP",
        by_hand="https://github.com/ynklab/JBBQ_data",
    ),
)
BY_NAME = {relative.name: relative for relative in RELATIVES}
DATASETS = tuple(relative.dataset for relative in RELATIVES)


def relative_of(rows: Sequence[Row], where: str) -> Relative | None:
    """Whose file this is, by its first good row; None of BBQ's own."""
    first = next((row for _, row in rows if isinstance(row, dict)), None)
    if first is None:
        return None
    return next((relative for relative in RELATIVES if relative.is_mine(first, where)), None)
