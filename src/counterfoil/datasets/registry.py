"""The datasets that can be fetched by name, and those that ship with the suites. A dataset is data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module, resources
from pathlib import Path, PurePosixPath

import msgspec

from counterfoil.asking.models.weights import cache_folder
from counterfoil.errors import UserError
from counterfoil.suite.options import nearest

# Where the data of each suite lies in the package.
SHIPPED = {"explain": "explain/samples", "bias": "bias/samples", "memorization": "perturbing/bank"}
SHIPPED_LICENCE = "Apache-2.0"
DATA_ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".toml", ".yaml")
# The names in `--data` of samples whose files are named otherwise. All files of the bank are one dataset.
SAMPLE_NAMES = {"kobbq_templates.tsv": "korean", "bbq_templates.csv": "english"}
BANK = "bank"


class DataFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a dataset. Without a pinned `sha256`, the hash of the first fetch is kept and holds from then on."""

    name: str
    url: str
    sha256: str | None = None


class Dataset(msgspec.Struct, frozen=True, kw_only=True):
    """A dataset that somebody else publishes. Its name means all of its files; with `beside`, only the first, and the
    others lie beside it. `by_hand`: where its authors hand it out, if it can't be fetched.
    """

    name: str
    suite: str
    what: str
    licence: str
    files: tuple[DataFile, ...]
    beside: bool = False
    citation: str | None = None
    by_hand: str | None = None

    @property
    def folder(self) -> Path:
        """Where its files are kept."""
        return cache_folder() / "data" / self.name


PLAUSIBLEQA = "https://huggingface.co/datasets/JamshidJDMY/PlausibleQA/resolve/main"
KOBBQ = "https://raw.githubusercontent.com/naver-ai/KoBBQ/0dd165aeaaacd1bd46c63513a9b2e9875eb6dce7"
KOBBQ_TEMPLATES = "5536ec18433d4a75b0087c1b1a3ed225e0ac068cd66d3f80de051c366036cc1f"
BBQ = "https://raw.githubusercontent.com/nyu-mll/BBQ/bea11bd97d79217245b5871acd247b9d6eb24598"
FLARE_CFA = "https://huggingface.co/datasets/TheFinAI/flare-cfa/resolve/0ef87599cc2b3c555d6892e37a53f5f7170a8205"
GSM8K = "https://raw.githubusercontent.com/openai/grade-school-math/3101c7d5072418e28b9008a6636bde82a006892c"
GSM_SYMBOLIC = (
    "https://raw.githubusercontent.com/apple-aiml-research/ml-gsm-symbolic/3b645c25d200bf950fb84e8cdcbfeccd91d6a8af"
)
BBQ_CATEGORIES = (
    "Age",
    "Disability_status",
    "Gender_identity",
    "Nationality",
    "Physical_appearance",
    "Race_ethnicity",
    "Race_x_SES",
    "Race_x_gender",
    "Religion",
    "SES",
    "Sexual_orientation",
)


def _files(address: str, hashes: Mapping[str, str | None]) -> tuple[DataFile, ...]:
    """Files below an address, by their paths there; each with its hash where that is pinned."""
    return tuple(
        DataFile(name=PurePosixPath(path).name, url=f"{address}/{path}", sha256=sha256)
        for path, sha256 in hashes.items()
    )


DATASETS = (
    Dataset(
        name="plausibleqa",
        suite="explain",
        what="PlausibleQA, 10,000 questions, each with ten candidates and their plausibilities",
        licence="CC BY 4.0",
        files=_files(PLAUSIBLEQA, {"test.json": None}),
    ),
    Dataset(
        name="kobbq",
        suite="bias",
        what="KoBBQ's test set, 2,280 questions, with its prompts, its templates and its survey",
        licence="MIT",
        beside=True,
        files=_files(
            KOBBQ,
            {
                "data/KoBBQ_test_samples.tsv": "6eacb1c0ff995c74b26183d368c500193454b7bf96a2a0f9462641e57972aab7",
                "evaluation/0_evaluation_prompts.tsv": (
                    "1757448babb55bfc01dce7233f64c2188ad06843646f75b6c590bff633d88bca"
                ),
                "data/KoBBQ_templates.tsv": KOBBQ_TEMPLATES,
            },
        ),
    ),
    Dataset(
        name="kobbq-all",
        suite="bias",
        what="KoBBQ's templates, which give its whole set (see docs/bias.md for the count)",
        licence="MIT",
        files=_files(KOBBQ, {"data/KoBBQ_templates.tsv": KOBBQ_TEMPLATES}),
    ),
    Dataset(
        name="bbq",
        suite="bias",
        what="BBQ, 58,492 questions in eleven categories",
        licence="CC BY 4.0",
        files=_files(BBQ, {f"data/{category}.jsonl": None for category in BBQ_CATEGORIES}),
    ),
    Dataset(
        name="cfa",
        suite="memorization",
        what="CFA-style exam questions, 1,032, as FLARE has them (also called cfa-easy)",
        licence="as its publisher says",
        files=(
            DataFile(
                name="test.parquet",
                url=f"{FLARE_CFA}/data/test-00000-of-00001-6e96e3a2bc65fdb8.parquet",
                sha256="32d00a77170c7dc450deb35516a3f6ade394015aa64378c2c8146c37ab6ac32f",
            ),
        ),
    ),
    Dataset(
        name="gsm8k",
        suite="memorization",
        what="GSM8K's 1,319 test questions (Cobbe et al. 2021); GSM-Symbolic's templates of 100 (Mirzadeh et al. 2024)",
        licence="MIT; the templates: Apple's sample code licence",
        beside=True,
        files=(
            *_files(
                GSM8K,
                {
                    "grade_school_math/data/test.jsonl": (
                        "3730d312f6e3440559ace48831e51066acaca737f6eabec99bccb9e4b3c39d14"
                    )
                },
            ),
            *_files(GSM_SYMBOLIC, {f"templates/symbolic/{number:04}.json": None for number in range(100)}),
        ),
    ),
)


# Datasets that a suite describes beside their readers, as MODULE:ATTRIBUTE.
OF_SUITES = ("counterfoil.bias.relatives.table:DATASETS",)


@cache
def _of_suites() -> tuple[Dataset, ...]:
    found = (place.partition(":") for place in OF_SUITES)
    return tuple(dataset for module, _, name in found for dataset in getattr(import_module(module), name))


def _every() -> tuple[Dataset, ...]:
    return (*DATASETS, *_of_suites())


class Listed(msgspec.Struct):
    """A dataset as `data list` shows it. `where`: shipped, cached, not here, or by hand; `bytes` where it is here."""

    name: str
    suite: str
    where: str
    bytes: int | None
    licence: str
    what: str
    path: str | None
    citation: str | None = None


def is_registered(name: str) -> bool:
    return any(dataset.name == name for dataset in _every())


def no_dataset(data: str, known: Sequence[str]) -> UserError:
    """Neither one of the suite's datasets nor a file."""
    none = f"there is no such dataset{nearest(data, known)}, nor a file that can be read"
    return UserError(f"--data {data}: {none}. There are: {', '.join(known)}.")


def registered(name: str) -> Dataset:
    """The dataset of that name, or a sentence that says which there are."""
    names = [dataset.name for dataset in _every()]
    if name not in names:
        raise UserError(f"There is no dataset {name}{nearest(name, names)}. There are: {', '.join(names)}.")
    return _every()[names.index(name)]


def all_datasets() -> list[Listed]:
    """The samples of each suite, then those of the registry. Nothing is fetched or hashed to find out."""
    return [*_shipped(), *(_listed(dataset) for dataset in _every())]


def _shipped() -> list[Listed]:
    listed = []
    for suite, place in SHIPPED.items():
        folder = resources.files("counterfoil").joinpath(place)
        files = sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else []
        sizes = {file: len(file.read_bytes()) for file in files if file.name.endswith(DATA_ENDINGS)}
        named = {
            SAMPLE_NAMES.get(file.name, PurePosixPath(file.name).stem): (size, file) for file, size in sizes.items()
        }
        if suite == "memorization":
            named = {BANK: (sum(sizes.values()), folder)}
        what = "questions written for this project"
        listed += [
            Listed(name, suite, "shipped", size, SHIPPED_LICENCE, what, str(path))
            for name, (size, path) in named.items()
        ]
    return listed


def _listed(dataset: Dataset) -> Listed:
    paths = [dataset.folder / file.name for file in dataset.files]
    is_here = bool(paths) and all(path.is_file() for path in paths)
    return Listed(
        name=dataset.name,
        suite=dataset.suite,
        where="cached" if is_here else "by hand" if dataset.by_hand else "not here",
        bytes=sum(path.stat().st_size for path in paths) if is_here else None,
        licence=dataset.licence,
        what=dataset.what,
        path=str(dataset.folder) if is_here else None,
        citation=dataset.citation,
    )
