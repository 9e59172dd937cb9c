"""The contract of a suite: what it must say, and what it may say, each with a default. docs/suites.md shows how."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, Self, TypeVar

import msgspec

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.planted import Respondent
from counterfoil.errors import UserError
from counterfoil.judging.step import Foreseen, JudgeAsk
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import QUESTION, Items, Metric
from counterfoil.suite.imports import Importer
from counterfoil.suite.options import Option, nearest, with_defaults
from counterfoil.suite.outcome import LEFT_OUT
from counterfoil.suite.people import METRICS as PEOPLE

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.figures.plots import Plot
    from counterfoil.figures.tables import Table
    from counterfoil.judging.second_reader import ReadingTask
    from counterfoil.running.folder import Run
    from counterfoil.suite.form import Form, TaskContent
    from counterfoil.suite.habits import Habit, Placebo, PlaceboSets
    from counterfoil.suite.opinions import Judged, Opinions
    from counterfoil.suite.planting import Planting

# The suite's columns of one record.
Row = dict[str, Any]
# A row of records.parquet, read again.
Record = Mapping[str, Any]


class Question:
    """What a run must know of a question. Each suite has its own type with more; `id` is all that it must have."""

    @property
    def id(self) -> str:
        raise NotImplementedError

    @property
    def cluster(self) -> str:
        """Questions made from one template or about one thing share it: they are not independent."""
        return self.id

    @property
    def stratum(self) -> str:
        """A sample holds as much of each stratum as the dataset does."""
        return "all"

    @property
    def unit(self) -> str:
        """What `--limit` counts: a question before orders and draws. All with the same unit are asked, or none."""
        return self.id

    @property
    def family(self) -> str:
        """A sample takes the questions of a family together, as far as the shares of the strata allow."""
        return self.unit

    @property
    def asked_before(self) -> int:
        """How many other questions of the dataset have the same words: each is asked for itself."""
        return 0

    @property
    def columns(self) -> Mapping[str, Any]:
        """What its records say of it, whether it was answered or not."""
        return {}


Q = TypeVar("Q", bound=Question)
Q_co = TypeVar("Q_co", bound=Question, covariant=True)
# What a reading is, what must be known of the whole dataset, what judges say: each suite's own types.
R = TypeVar("R")
F = TypeVar("F")
V = TypeVar("V")


class Dataset(Protocol[Q_co]):
    """Questions that can be gone through again and again without holding them all in memory."""

    @property
    def name(self) -> str: ...

    @property
    def sha256(self) -> str: ...

    def __iter__(self) -> Iterator[Q_co]: ...


class ListedQuestions(Generic[Q]):
    """A dataset in memory: its name, the hash of the files it came from, its questions.

    `about`: what else the manifest says of it.
    """

    about: Mapping[str, Any] = {}

    def __init__(self, name: str, sha256: str, questions: Sequence[Q]) -> None:
        self.name = name
        self.sha256 = sha256
        self._questions = questions

    def __iter__(self) -> Iterator[Q]:
        return iter(self._questions)


class Variant(msgspec.Struct, frozen=True):
    """A wording by its name; `prompt` is whatever the suite makes of it."""

    name: str
    sha256: str
    prompt: Any


class Context(msgspec.Struct, frozen=True, kw_only=True):
    """What a suite may know of the command beside its own options.

    `format`, `imported_model` and `files` are those of replies from elsewhere. `data` is the dataset's name, where it
    is known.
    """

    judges: Sequence[str] = ()
    variants: Sequence[str] = ()
    format: str | None = None
    imported_model: str | None = None
    files: Sequence[str] = ()
    data: str | None = None


class Training(msgspec.Struct, frozen=True, kw_only=True):
    """Which replies are good to learn from, and how held-out questions are written.

    `scores`: names of the scores that a reply can be good by, the usual one first. `score` gives that score of a
    record, or None where there is none. A reply is usually called good from `good` on, and bad up to `bad`; both are
    shares of what a score can be, which is 1 unless `highest` says otherwise. `encode` makes a file of questions that
    `--data` reads. `of_people` are the names of the scores that people gave (`Suite.human_scores`). `corrected`: scores
    of judges as people's set them right, each with the names of the two.
    """

    scores: tuple[str, ...]
    score: Callable[[Record, str], float | None]
    encode: Callable[[Iterable[Any]], bytes]
    good: float = 1.0
    bad: float = 0.0
    highest: Mapping[str, float] = {}
    of_people: tuple[str, ...] = ()
    corrected: Mapping[str, tuple[str, str]] = {}


class Suite(Generic[Q, R, F, V]):
    """A suite with its options in force. It keeps no state between calls.

    A suite must have `name`, `columns`, `load`, `messages`, `read`, `score` and `metrics`. The rest has defaults.
    """

    name: str
    options: Sequence[Option] = ()
    # The suite's own columns of records.parquet: bool, int, float, str, list[str] or list[float].
    columns: Mapping[str, Any]
    # Columns, of these and of all suites', whose texts are few and come again and again. `summarize` gets them as
    # polars' Categorical, which takes a quarter of the memory: for suites with runs of a million records.
    categorical: Sequence[str] = ()
    # The files that `finished` writes into the run folder: a run is refused where somebody else's have their names.
    files: Sequence[str] = ()
    # Wordings by name, where a wording is one text: `variants` makes the usual variants of these.
    prompts: Mapping[str, str] = {}
    # Those that are asked where the user names none; empty: all of them.
    usual_prompts: Sequence[str] = ()
    # Whether `load` takes several datasets at once, each in a line.
    takes_several_files: bool = False
    # The columns that tell which question a record is of.
    identity: tuple[str, ...] = ("question_id",)
    # The column that holds a question's `unit`: what a question is before orders and draws.
    unit_column: str = "question_id"
    asks_judges: bool = False
    # The columns that hold what was read: two readings of a reply are the same where these are.
    read_columns: Sequence[str] = ("choice",)
    # Its figures are over all orders and draws of a question together: a second reader is given all of them, or none.
    reread_together: bool = False
    # What a question is asked in, where it is asked in several ways beside prompts and repeats.
    asked_in: str = "versions"
    # Columns that a model which is moved by what counts alone has the same in all versions of a question: where they
    # differ, people want to look.
    alike: Sequence[str] = ("correct",)
    # Columns by which a sample of replies for people is stratified, beside model, variant and outcome.
    rating_strata: Sequence[str] = ("correct",)
    # Columns in which a record must have a value if people are to rate it.
    rating_needs: Sequence[str] = ()
    # How the figures of a group are called where they stand beside the overall ones in texts: {} is the group's value,
    # and NAME=VALUE names one group alone. The figures of other groups are in summary.json.
    group_names: Mapping[str, str] = {}
    # The two or three figures of the headline table, by metric and group; empty: the first headline metrics, overall.
    headline_figures: Sequence[tuple[str, Mapping[str, str | int]]] = ()
    # Groups that `compare` shows beside the overall figures, and groups that other harnesses show without being asked.
    beside_overall: Sequence[str] = ()
    harness_groups: Sequence[str] = ()
    # What `human_metrics` and `human_agreement` measure.
    people_metrics: Sequence[Metric] = PEOPLE
    # Where the suite was loaded from, as MODULE:ATTRIBUTE.
    place: str = ""

    def __init__(self, settings: Mapping[str, Any] | None = None, context: Context | None = None) -> None:
        self.settings: Mapping[str, Any] = with_defaults(self.options, settings or {})
        self.context = context or Context()

    def configured(self, settings: Mapping[str, Any], context: Context) -> Self:
        """The suite with these values of its options."""
        made = type(self)(settings, context)
        made.place = self.place
        return made

    def files_for(self, models: Sequence[str], variants: Sequence[str]) -> Sequence[str]:
        """The same files, where their names depend on what is asked."""
        return self.files

    def sample_replies(self, format: str) -> Sequence[Path]:
        """Replies in this format that ship with the suite, so that `score` can be tried at once."""
        return ()

    def check(self) -> None:
        """Refuse options that can't go together, in a sentence, before anything is loaded."""

    @property
    def variant_names(self) -> Sequence[str]:
        """The variants that ship with the suite, for its help."""
        return list(self.prompts)

    def params(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        """Parameters of its asks, where the user sets none, under these values of its options."""
        return {"max_tokens": 512}

    # What is asked.

    def load(self, data: str | None) -> Dataset[Q]:
        """The dataset of that name, or in that file, or the one that ships with the suite."""
        raise NotImplementedError

    def variants(self, names: Sequence[str], dataset: Any) -> list[Variant]:
        """The variants of these names, or in these files; if there are none, the usual ones for this dataset."""
        for name in names:
            if name not in self.prompts:
                there = ", ".join(self.prompts)
                raise UserError(f"There is no variant {name}{nearest(name, self.prompts)}: there are {there}.")
        return [
            Variant(name, hashlib.sha256(self.prompts[name].encode()).hexdigest(), self.prompts[name])
            for name in names or self.usual_prompts or self.prompts
        ]

    def prepare(self, dataset: Any) -> F | None:
        """What must be known of the whole dataset, in one pass over it."""
        return None

    def counts(self, dataset: Any) -> dict[str, Any]:
        """What `counterfoil data check` counts beside questions and strata: tables of numbers, by name."""
        return {}

    def messages(self, question: Q, variant: Variant) -> list[Message]:
        """The words in which a question is asked."""
        raise NotImplementedError

    def follow_up(self, question: Q, variant: Variant, replies: Sequence[Reply]) -> list[Message] | None:
        """The whole conversation of the next turn, after these replies; None where it is over.

        The last reply is the one that is read. It holds the replies before it in `earlier`.
        """
        return None

    @property
    def has_turns(self) -> bool:
        """Whether a second turn can follow a first."""
        return type(self).follow_up is not Suite.follow_up

    # What came back.

    def read(self, question: Q, variant: Variant, reply: Reply) -> R | None:
        """What the reply says; None if nothing could be read."""
        raise NotImplementedError

    def reading_task(self, question: Q, variant: Variant, reply: Reply) -> ReadingTask[R] | None:
        """What a second reader is asked about a reply; None where it can't be asked."""
        return None

    @property
    def can_be_reread(self) -> bool:
        """Whether a second reader can be asked about its replies, under the options in force."""
        return type(self).reading_task is not Suite.reading_task

    async def judge(self, question: Q, reading: R, ask: JudgeAsk) -> V | None:
        """What the judges say of a reply that could be read. Called only where judges were named.

        Verdicts whose `failed` is true are counted as a reply that could not be judged. Verdicts that come with an
        imported reply are joined with `|`.
        """
        return None

    @property
    def judge_prompts(self) -> Mapping[str, str]:
        """What judges are told in each step, by its name: the manifest has the hashes."""
        return {}

    def judge_asks(self, question: Q, judge: str) -> Sequence[Foreseen]:
        """What `judge` will ask this judge about a reply to the question at the most, for the dry run."""
        return [Foreseen()]

    def score(self, question: Q, facts: F, reading: R | None, verdicts: V | None) -> Row:
        """The suite's columns for one reply. A reply in which nothing could be read has reading None."""
        raise NotImplementedError

    # What it says.

    @property
    def metrics(self) -> Sequence[Metric]:
        """What it measures, under the options in force."""
        raise NotImplementedError

    def items(self, records: pl.DataFrame) -> Items:
        """What the metrics are over, by the kind of the items: from records of any models and variants, without the
        texts of their replies. `Metric` says which columns the frames have.
        """
        return {QUESTION: self.question_items(records)}

    def of_group(self, records: pl.DataFrame, column: str, value: str) -> pl.DataFrame:
        """The records of one group of questions, with the names that parallel questions of other groups have, too."""
        import polars as pl

        return records.filter(pl.col(column) == value)

    def question_items(self, records: pl.DataFrame) -> pl.DataFrame:
        """The records as items of the usual kind: each question in each repeat is one."""
        import polars as pl

        return records.with_columns(
            item=pl.concat_str([*self.identity, "repeat"], separator=" ", ignore_nulls=True),
            left_out=pl.col("outcome").is_in(LEFT_OUT),
        )

    def summarize(self, rows: pl.DataFrame, facts: F) -> list[Estimate]:
        """The estimates, from all records of a run without the texts of their replies: those of the metrics, and what
        a suite has beside them.
        """
        from counterfoil.stats.summary import summarize

        return summarize(self.metrics, self.items(rows))

    def published_comparison(
        self, a: Sequence[Estimate], b: Sequence[Estimate], label_a: str, label_b: str
    ) -> list[dict[str, Any]]:
        """The comparison as the suite's source prints it, from the estimates of both sides; empty where it has none."""
        return []

    # What people see of it.

    def headline(self, run: Run) -> list[str]:
        """The main result, in sentences."""
        return []

    @property
    def habits(self) -> Sequence[Habit]:
        """What can be replied without reading, the plainest first: it is told before the headline."""
        return ()

    @property
    def placebos(self) -> Sequence[Placebo]:
        """Respondents that must score nothing, and what the headline must say of them."""
        return ()

    def placebo_sets(
        self, data: Sequence[str], sets: int | None, seed: int, tell: Callable[[str, int, int], None] | None
    ) -> PlaceboSets | None:
        """What placebos show on many sets of questions; None where the suite has the `placebos` above instead."""
        return None

    def plots(self, run: Run) -> list[Plot]:
        """The plots of the report."""
        return []

    def tables(self, run: Run) -> list[Table]:
        """Tables of the report beside those of the estimates."""
        return []

    def shown(self, question: Q) -> Mapping[str, str]:
        """What is shown of a question beside a reply to it, by name."""
        text = getattr(question, "text", None)
        return {"question": text} if isinstance(text, str) else {}

    def versions(self, family: Sequence[Q]) -> list[tuple[Q, str]]:
        """The questions of a family as people see them side by side, each with a name that tells it from the others.
        The first is the one that the others are set against.
        """
        return [(question, question.id) for question in family]

    def marks(self, record: Record, shown: Mapping[str, str]) -> list[tuple[int, int, str]]:
        """Spans of a record's reply with their class (mention, choice, answer): where what was read stands."""
        return []

    @property
    def form(self) -> Form | None:
        """What people are asked about its replies; None where people can't rate them."""
        return None

    def task(self, run: Run, question: Q, record: Record) -> TaskContent:
        """What a rater sees of a reply, and what raters must not see. Called only where there is a `form`."""
        raise NotImplementedError

    def human_metrics(self, opinions: Opinions) -> list[Estimate]:
        """What people say of the replies. By default, where the form asks what a reply says: whether it is what was
        read.
        """
        from counterfoil.suite.opinions import reading_metrics

        return reading_metrics(opinions)

    def human_agreement(self, opinions: Opinions) -> list[Estimate]:
        """How far people agree with what was read, and with judges."""
        from counterfoil.suite.opinions import reading_agreement

        return reading_agreement(opinions)

    def judged(self, opinions: Opinions) -> list[Judged]:
        """What judges and people both say of the replies of a study: whether a judge errs more on some is told from
        it.
        """
        return []

    def heard(self, question: Q, record: Record, said: Mapping[str, Any]) -> tuple[R | None, V | None]:
        """What one person says of a reply, by the items' keys, as what `read` and `judge` would give: so their labels
        correct the figures. Where a suite has it not, they don't.
        """
        raise NotImplementedError

    def placed(self, records: pl.DataFrame) -> pl.DataFrame:
        """All records of a run, with columns for what the others say of each, if `correctable` needs them of a part."""
        return records

    def correctable(self, records: pl.DataFrame) -> tuple[Sequence[Metric], Items]:
        """The metrics that labels may correct, and their items. Those are corrected whose items are single replies:
        the frame has the records in their order. It may have a `weight` for each.
        """
        return self.metrics, self.items(records)

    def human_scores(self, opinions: Opinions) -> list[Mapping[str, float | None]]:
        """The scores that people gave each reply of the study, in its order, by the names in `Training.of_people`."""
        return [{} for _ in opinions.tasks]

    # What else it can do.

    @property
    def importers(self) -> Mapping[str, Importer]:
        """Other people's formats that it can read replies from, by name."""
        return {}

    def questions_of(self, run: Run, data: str | None) -> Dataset[Q]:
        """The questions of a run again: those that `data` names, or those that the run was asked from."""
        return self.load(data or run.manifest["data"]["given"])

    def planted(self, settings: Mapping[str, str], questions: Iterable[Q] | None) -> Respondent:
        """The simulated respondent with these true values. It knows the questions of the run; None stands for the
        suite's own.
        """
        raise UserError(f"The suite {self.name} has no simulated respondent.")

    def planting(self) -> Planting | None:
        """What its self-test plants; None where it has none."""
        return None

    def training(self, run: Run) -> Training | None:
        """Which replies of a run are good to learn from; None where the suite does not say."""
        return None

    def finished(self, run: Run, facts: F) -> None:
        """Write what the suite has beside the run's own files, into `run.folder`."""


AnySuite = Suite[Any, Any, Any, Any]
