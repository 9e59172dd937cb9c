"""The datasets that can be fetched by name, and those that ship with the suites. A dataset is data."""

from __future__ import annotations

from importlib import resources
from pathlib import Path, PurePosixPath

import msgspec

from counterfoil.asking.models.weights import cache_folder
from counterfoil.errors import UserError
from counterfoil.runs.options import nearest

SUITES = ("explain", "bias", "memorization")
SHIPPED_LICENCE = "Apache-2.0"
DATA_ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".toml", ".yaml")


class DataFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a dataset. Without a pinned `sha256`, the hash of the first fetch is kept and holds from then on."""

    name: str
    url: str
    sha256: str | None = None


class Dataset(msgspec.Struct, frozen=True, kw_only=True):
    """A dataset that somebody else publishes; the first of its files is the one that its name stands for."""

    name: str
    suite: str
    what: str
    licence: str
    files: tuple[DataFile, ...]

    @property
    def folder(self) -> Path:
        """Where its files are kept."""
        return cache_folder() / "data" / self.name


DATASETS = (
    Dataset(
        name="plausibleqa",
        suite="explain",
        what="PlausibleQA, 10,000 questions, each with ten candidates and their plausibilities",
        licence="CC BY 4.0",
        files=(
            DataFile(
                name="test.json",
                url="https://huggingface.co/datasets/JamshidJDMY/PlausibleQA/resolve/main/test.json",
            ),
        ),
    ),
)


class Listed(msgspec.Struct, kw_only=True):
    """A dataset as `data list` shows it. `where`: shipped, cached, or not here; `bytes` where it is here."""

    name: str
    suite: str
    where: str
    bytes: int | None
    licence: str
    what: str
    path: str | None


def is_registered(name: str) -> bool:
    return any(dataset.name == name for dataset in DATASETS)


def registered(name: str) -> Dataset:
    """The dataset of that name, or a sentence that says which there are."""
    names = [dataset.name for dataset in DATASETS]
    if name not in names:
        raise UserError(f"There is no dataset {name}{nearest(name, names)}. There are: {', '.join(names)}.")
    return DATASETS[names.index(name)]


def all_datasets() -> list[Listed]:
    """The samples of each suite, then those of the registry. Nothing is fetched or hashed to find out."""
    return [*_shipped(), *(_listed(dataset) for dataset in DATASETS)]


def _shipped() -> list[Listed]:
    listed = []
    for suite in SUITES:
        folder = resources.files("counterfoil") / suite / "samples"
        files = sorted(folder.iterdir(), key=lambda file: file.name) if folder.is_dir() else []
        listed += [
            Listed(
                name=PurePosixPath(file.name).stem,
                suite=suite,
                where="shipped",
                bytes=len(file.read_bytes()),
                licence=SHIPPED_LICENCE,
                what="questions written for this project",
                path=str(file),
            )
            for file in files
            if file.name.endswith(DATA_ENDINGS)
        ]
    return listed


def _listed(dataset: Dataset) -> Listed:
    paths = [dataset.folder / file.name for file in dataset.files]
    is_here = all(path.is_file() for path in paths)
    return Listed(
        name=dataset.name,
        suite=dataset.suite,
        where="cached" if is_here else "not here",
        bytes=sum(path.stat().st_size for path in paths) if is_here else None,
        licence=dataset.licence,
        what=dataset.what,
        path=str(dataset.folder) if is_here else None,
    )
