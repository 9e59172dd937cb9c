"""What a question of `bias` is: three choices in one of three orders, and the roles that they play."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from counterfoil.console import say
from counterfoil.datasets.registry import is_registered
from counterfoil.errors import UserError
from counterfoil.files import read_bytes
from counterfoil.suite.suite import Question as SuiteQuestion
from counterfoil.tables import cells_of, text_of

if TYPE_CHECKING:
    from counterfoil.bias.sources.bbq import Targets

LETTERS = "ABC"
ORDERS = 3
# What KoBBQ's files call the third choice; each prompt has its own wording for it.
UNKNOWN = "알 수 없음"


class Question(msgspec.Struct, SuiteQuestion, frozen=True):
    """A context, a question about it, and three choices, in one of the orders in which they are shown."""

    # The dataset's own id; the asked question's `id` tells the order, too.
    sample_id: str
    context: str
    text: str
    choices: tuple[str, str, str]
    # The three roles' contents, each one of the choices; the third role, counter-biased, is what is left. Where the
    # stereotype is about both groups or neither, `biased` is empty, and there are no roles.
    unknown: str
    biased: str
    right: str
    category: str
    # KoBBQ's label of how the template came to be (ST, TM, NC); empty for BBQ.
    label: str
    # What questions that are not independent have in common: category and template number.
    template: str
    ambiguous: bool
    # KoBBQ's a, c against b, d; in contexts that decide: whether they decide for the biased answer. None where it is
    # not said.
    biased_context: bool | None
    # The same for two ambiguous questions that differ only in which group is which; None where there is no other.
    pair: str | None = None
    order: int = 0

    @property
    def id(self) -> str:
        """As the official files write it: the order behind the sample's id."""
        return f"{self.sample_id}-{self.order}"

    @property
    def unit(self) -> str:
        return self.sample_id

    @property
    def cluster(self) -> str:
        return self.template

    @property
    def stratum(self) -> str:
        """A sample holds as much of each category and kind of context as the dataset does."""
        return f"{self.category} {'ambiguous' if self.ambiguous else 'disambiguated'}"

    @property
    def kin(self) -> str:
        """Which group is which must not matter, so both ways are asked."""
        return self.pair or self.sample_id

    @property
    def columns(self) -> Mapping[str, Any]:
        return {
            "question_id": self.sample_id,
            "order": self.order,
            "category": self.category,
            "label": self.label or None,
            "ambiguous": self.ambiguous,
            "biased_context": self.biased_context,
            "pair": self.pair,
        }

    @property
    def shown(self) -> tuple[str, str, str]:
        """The choices in the order in which they are shown: order i of c is (c[i], c[i−1], c[i−2]), modulo 3."""
        choices, order = self.choices, self.order
        return choices[order], choices[order - 1], choices[order - 2]

    def role(self, choice: str) -> str | None:
        """What it means to choose this."""
        if not self.biased:
            # Were unknown a role here, it would count among the ambiguous answers, and the others would not.
            return None
        if choice == self.unknown:
            return "unknown"
        return "biased" if choice == self.biased else "counter_biased"


class Questions:
    """A dataset: its name, the hash of its files, its questions, each in so many orders.

    `language` says which prompts it is asked in; `by_template`: its figures are means over templates, as KoBBQ has
    them for its whole set.
    """

    def __init__(
        self, name: str, sha256: str, questions: Iterable[Question], orders: int, language: str, *, by_template: bool
    ) -> None:
        self.name = name
        self.sha256 = sha256
        self.language = language
        self.by_template = by_template
        self._questions = questions
        self._orders = orders

    def __iter__(self) -> Iterator[Question]:
        for question in self._questions:
            yield question
            for order in range(1, self._orders):
                yield _in_order(question, order)


def _in_order(question: Question, order: int) -> Question:
    return msgspec.structs.replace(question, order=order)


SAMPLES = {"korean": "kobbq_templates.tsv", "english": "bbq_templates.csv"}
DEFAULT_SAMPLE = "korean"
# KoBBQ's own names of its whole set, and ours: its figures are means over templates.
WHOLE_SET = ("KoBBQ_all_samples.tsv", "KoBBQ_templates.tsv", "kobbq-all")


def is_whole_set(name: str) -> bool:
    """Whether a dataset of this name is KoBBQ's whole set."""
    return name in WHOLE_SET


def load_questions(data: str | None, orders: int = ORDERS, metadata: str | None = None) -> Questions:
    """The samples by name, a dataset that was fetched, or files of KoBBQ or BBQ. Every bad row is named."""
    name, paths = _files(data)
    parsed: list[Question] = []
    content = hashlib.sha256()
    for path, raw in paths:
        content.update(raw)
        parsed += _parse(raw, path, metadata)
    ids = Counter(question.sample_id for question in parsed)
    twice = [sample_id for sample_id, times in ids.items() if times > 1]
    if twice:
        raise UserError(f"{name} has {len(twice)} ids more than once, among them {twice[0]}.")
    untold = sum(1 for question in parsed if not question.biased)
    if untold:
        say(
            f"{untold:,} of {len(parsed):,} questions of {name} do not say which of the two the stereotype is about: "
            "they count for accuracy, and not for bias. BBQ's additional_metadata.csv (--metadata) may say more."
        )
    language = "korean" if parsed and parsed[0].unknown == UNKNOWN else "english"
    by_template = any(is_whole_set(Path(path).name) for path, _ in paths)
    return Questions(name, content.hexdigest(), parsed, orders, language, by_template=by_template)


def _files(data: str | None) -> tuple[str, list[tuple[str, bytes]]]:
    if data is None or data in SAMPLES:
        name = data or DEFAULT_SAMPLE
        return name, [(SAMPLES[name], (resources.files("counterfoil.bias") / "samples" / SAMPLES[name]).read_bytes())]
    try:
        paths = [Path(data)]
        if is_registered(data):
            from counterfoil.datasets.fetch import dataset_paths  # loads aiohttp

            paths = dataset_paths(data)
        elif paths[0].is_dir():
            paths = sorted(paths[0].glob("*.jsonl"))
        if not paths:
            raise UserError(f"--data {data}: there are no .jsonl files in this folder.")
        return Path(data).name, [(str(path), path.read_bytes()) for path in paths]
    except OSError as error:
        known = ", ".join([*SAMPLES, "kobbq", "kobbq-all", "bbq"])
        raise UserError(f"--data {data}: there is no such dataset ({known}), nor a file that can be read.") from error


def _parse(raw: bytes, where: str, metadata: str | None) -> list[Question]:
    from counterfoil.bias.sources import bbq as questions_bbq
    from counterfoil.bias.sources import kobbq as questions_kobbq
    from counterfoil.bias.sources import own as questions_own
    from counterfoil.bias.sources import templates, templates_bbq

    text = text_of(raw, where)
    suffix = Path(where).suffix.lower()
    header = text.partition("\n")[0]
    if suffix == ".csv" or (suffix == ".tsv" and "Ambiguous_context" in header):
        cells = cells_of(text, where, delimiter="\t" if suffix == ".tsv" else ",")
        rows = ((f"{where}, {place}", row) for place, row in cells)
        return list(templates.expand(rows) if suffix == ".tsv" else templates_bbq.expand(rows))
    if suffix == ".tsv":
        return questions_kobbq.read_samples(text, where)
    if suffix == ".jsonl" and questions_own.MARK in header:
        return questions_own.read_lines(raw, where)
    if suffix == ".jsonl":
        return questions_bbq.read_lines(text, where, _targets(where, metadata))
    raise UserError(f"{where}: a dataset is KoBBQ's .tsv, BBQ's .jsonl, their templates, or held-out questions.")


def _targets(where: str, metadata: str | None) -> Targets:
    """Whom the stereotypes are about, from the file that was named or the one that lies beside the questions."""
    from counterfoil.bias.sources.bbq import METADATA, read_targets

    path = Path(metadata) if metadata else Path(where).parent / METADATA
    if not metadata and not path.is_file():
        return {}
    return read_targets(text_of(read_bytes(path), str(path)), str(path))
