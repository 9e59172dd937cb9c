"""What a suite is: the five pure functions that are special about it, one that asks judges, and its furniture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import msgspec

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.planted import Respondent
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.imports import Importer
from counterfoil.suite.metric import Measure
from counterfoil.suite.options import Option

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.running.folder import Run

# What is special to a suite is opaque to the way through: only the suite's own functions look into it.
Facts = Any
Reading = Any
Verdicts = Any
Row = dict[str, Any]


class Question(Protocol):
    """What the way through needs to know of a question; each suite has its own type with more."""

    @property
    def id(self) -> str: ...

    @property
    def cluster(self) -> str:
        """Questions made from one template or about one thing share it: they are not independent."""
        ...

    @property
    def stratum(self) -> str:
        """A sample holds as much of each stratum as the dataset does."""
        ...

    @property
    def unit(self) -> str:
        """What `--limit` counts: a question before orders and draws. All with the same unit are asked, or none."""
        ...

    @property
    def kin(self) -> str:
        """A sample takes questions of one kin together as far as the strata's shares allow; else it is the unit."""
        ...

    @property
    def asked_before(self) -> int:
        """How many other questions of the dataset have the same words: each is asked for itself."""
        ...

    @property
    def columns(self) -> Mapping[str, Any]:
        """What its records say of it, whether it was answered or not."""
        ...


class Dataset(Protocol):
    """Questions that can be gone through again and again without holding them all in memory."""

    @property
    def name(self) -> str: ...

    @property
    def sha256(self) -> str: ...

    def __iter__(self) -> Iterator[Any]: ...


class Variant(msgspec.Struct, frozen=True):
    """A wording by its name; `prompt` is whatever the suite makes of it."""

    name: str
    sha256: str
    prompt: Any


class JudgeAsk(Protocol):
    """How a suite asks its judges; the names are those that the user gave."""

    @property
    def judges(self) -> Sequence[str]: ...

    async def __call__(self, judge: str, messages: Sequence[Message]) -> Reply: ...


class Suite(Protocol):
    """A suite is a folder and an entry point."""

    name: str
    options: Sequence[Option]
    # The suite's own columns of records.parquet: bool, int, float, str, list[str] or list[float].
    columns: Mapping[str, Any]
    # The metrics with an overall figure that `measures` can have.
    metrics: Sequence[str]

    def params(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Parameters of its asks, where the user sets none, under these values of its options."""
        ...

    @property
    def importers(self) -> Mapping[str, Importer]:
        """Other people's formats that it can read replies from, by name."""
        ...

    def configured(self, settings: Mapping[str, Any]) -> Suite:
        """The suite with these values of its own options, and with `judges` and `variants` (the names that the user
        gave), and for imported replies `format`, `imported_model` (None where there is none) and `files`.
        """
        ...

    def dataset(self, data: str | None) -> Dataset:
        """The dataset of that name, or in that file, or the one that ships with the package."""
        ...

    def variants(self, names: Sequence[str], dataset: Any) -> list[Variant]:
        """The variants of these names, or in these files; if there are none, the usual ones for this dataset."""
        ...

    def planted(self, settings: Mapping[str, str], questions: Iterable[Any] | None) -> Respondent:
        """The simulated respondent with these true values, which knows the questions of the run (None in other runs'
        suites).
        """
        ...

    def prepare(self, questions: Iterable[Any]) -> Facts:
        """What must be known of the whole dataset, in one pass over it."""
        ...

    def messages(self, question: Any, variant: Variant) -> list[Message]:
        """The words in which a question is asked."""
        ...

    def read(self, question: Any, variant: Variant, reply: Reply) -> Reading | None:
        """What the reply says; None if nothing could be read."""
        ...

    async def judge(self, question: Any, reading: Reading, ask: JudgeAsk) -> Verdicts:
        """What the judges say of a reply that could be read. Called only where judges were named.

        Verdicts whose `failed` is true are counted as a reply that could not be judged; those that come with an
        imported reply are joined with `|`.
        """
        ...

    def score(self, question: Any, facts: Facts, reading: Reading | None, verdicts: Verdicts | None) -> Row:
        """The suite's columns for one reply. A reply in which nothing could be read has reading None."""
        ...

    def summarize(self, rows: pl.DataFrame, facts: Facts) -> list[Estimate]:
        """The estimates, from all records of a run without the texts of their replies."""
        ...

    def measures(self, rows: pl.DataFrame, settings: Mapping[str, Any]) -> tuple[pl.DataFrame, Sequence[Measure]]:
        """What two sides are compared by: a frame of items, made from the records of one model and variant, and the
        metrics over it: those of the summary, under the same names and groups. `left_out` is true for items that can't
        count on either side; `settings` are the run's, with `data`, the name of its dataset.
        """
        ...

    def seed_comparison(
        self, a: Sequence[Estimate], b: Sequence[Estimate], label_a: str, label_b: str
    ) -> list[dict[str, Any]]:
        """The comparison as the suite's source prints it, from the estimates of both sides; empty where it has none."""
        ...

    def finished(self, run: Run) -> None:
        """Write what the suite has beside the run's own files."""
        ...
