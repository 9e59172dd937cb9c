"""The suite `bias`: what the modules beside it do, as one suite."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil import targets
from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.planted import Respondent
from counterfoil.bias.habits import HABITS, PLACEBOS, Places, places_of
from counterfoil.bias.importers import import_bbq, import_kobbq
from counterfoil.bias.metrics import ACCURACY_AMBIGUOUS, ACCURACY_DISAMBIGUATED, DIFF_BIAS_AMBIGUOUS, KEEP, metrics
from counterfoil.bias.options import OPTIONS
from counterfoil.bias.planted import BiasPlanting, respondent
from counterfoil.bias.prompts import load_variants, opening, prompt_for, query, shipped_variants, shown_choices
from counterfoil.bias.questions import LETTERS, WHOLE_SET, Question, Questions
from counterfoil.bias.reading import Reading, likeliest_letter, marks, read_by_rule
from counterfoil.bias.relatives.languages import KOREAN
from counterfoil.bias.sources.loading import encode_questions, load_questions, sample_predictions
from counterfoil.errors import UserError
from counterfoil.files import check_target
from counterfoil.judging.second_reader import ReadingTask, choice_task
from counterfoil.reading.ways import Read, ReadBy
from counterfoil.stats.estimate import Estimate
from counterfoil.stats.metric import Items, Metric
from counterfoil.suite.form import NONE, Task, TaskContent, choice_form
from counterfoil.suite.imports import Importer
from counterfoil.suite.suite import Record, Row, Suite, Training, Variant

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.figures.plots import Plot
    from counterfoil.figures.tables import Table
    from counterfoil.running.folder import Run
    from counterfoil.suite.planting import Planting

# The likeliest tokens that models tell of at the most.
TOP_TOKENS = 20


class Bias(Suite[Question, Reading, None, None]):
    """Does the answer lean on a stereotype?"""

    name = "bias"
    asked_in = "orders"
    takes_several_files = True
    options = OPTIONS
    identity = ("question_id", "order")
    alike = ("role", "correct")
    form = choice_form("bias", LETTERS)
    rating_strata = ("correct", "category", "ambiguous")
    columns: Mapping[str, Any] = {
        "order": int,
        "category": str,
        "label": str,
        "ambiguous": bool,
        "biased_context": bool,
        "pair": str,
        "dataset": str,
        "language": str,
        "control": bool,
        "parallel": str,
        "surveyed": float,
        "choice": str,
        "content": int,
        "role": str,
        "correct": bool,
        # Where the person stands whom the answer names; null where it names none.
        **dict.fromkeys(Places._fields, bool),
    }
    categorical = (
        "model",
        "variant",
        "cluster",
        "outcome",
        "category",
        "label",
        "choice",
        "role",
        "dataset",
        "language",
    )
    habits = HABITS
    placebos = PLACEBOS
    group_names: Mapping[str, str] = {"control": "{}", "policy": "out-of-choice {}"}
    beside_overall = ("control",)
    headline_figures = tuple(
        (metric.name, {}) for metric in (DIFF_BIAS_AMBIGUOUS, ACCURACY_AMBIGUOUS, ACCURACY_DISAMBIGUATED)
    )

    def params(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        if settings.get("by") == "logprob":
            return {"max_tokens": 1, "logprobs": TOP_TOKENS}
        return {"max_tokens": 64}

    @property
    def importers(self) -> Mapping[str, Importer]:
        named, model = self.context.variants, self.context.imported_model
        variants = self.variants(named, None) if named or self.context.format != "bbq" else []
        return {
            "kobbq": partial(import_kobbq, column="raw", variants=variants, model=model),
            "kobbq-processed": partial(import_kobbq, column="prediction", variants=variants, model=model),
            "bbq": partial(import_bbq, columns=self.settings["column"] or (), model=model),
        }

    def sample_replies(self, format: str) -> Sequence[Path]:
        return sample_predictions() if format == "kobbq" else ()

    def check(self) -> None:
        settings, format = self.settings, self.context.format
        if settings["by"] == "logprob" and format:
            raise UserError("--by logprob is for models that are asked: imported replies have no log probabilities.")
        if settings["column"] and format != "bbq":
            raise UserError("--column is for `counterfoil score bias --from bbq`: leave it out.")
        if settings["write_official"]:
            self._check_official(Path(settings["write_official"]))

    def _check_official(self, path: Path) -> None:
        """Which variants imported replies are to is not known yet: the others' tables are looked at before."""
        from counterfoil.bias.official import table_paths

        check_target(path)
        if not self.context.format:
            names = [variant.name for variant in self.variants(self.context.variants, None)]
            targets.refuse(*table_paths(path, names).values())

    def load(self, data: str | None) -> Questions:
        orders = self.settings["orders"]
        if self.context.format == "bbq":
            # BBQ's result files hold the questions, too, and were answered in one order.
            if not data and len(self.context.files) > 1:
                raise UserError("Several files of BBQ: name the folder of its questions with --data.")
            data, orders = data or self.context.files[0], 1
        questions = load_questions(data, orders, self.settings["metadata"])
        if self.settings["write_official"] and questions.language != KOREAN:
            raise UserError(f"The official table is KoBBQ's, and {questions.name} is not: leave --write-official out.")
        if self.settings["write_official"]:
            self._check_official(Path(self.settings["write_official"]))  # it may be one of the files that were read
        return questions

    def variants(self, names: Sequence[str], dataset: Questions | None) -> list[Variant]:
        """Replies from elsewhere may be to any of the shipped prompts, the debiased ones, too. KoBBQ's preprocessed
        files are for one prompt.
        """
        places = dataset.languages if dataset is not None else [(None, KOREAN)]
        if not names and not self.context.format and dataset is not None and dataset.prompt:
            names = [dataset.prompt]
        variants = load_variants(names, places)
        if self.context.format and not names:
            debiased = [f"{variant.name}-debiased" for variant in variants]
            variants += load_variants([name for name in debiased if name in shipped_variants()], places)
        return variants

    @property
    def variant_names(self) -> Sequence[str]:
        return list(shipped_variants())

    def planted(self, settings: Mapping[str, str], questions: Iterable[Question] | None) -> Respondent:
        return respondent(settings, questions)

    def messages(self, question: Question, variant: Variant) -> list[Message]:
        """The whole prompt, as one message."""
        prompt = prompt_for(question, variant)
        assert prompt is not None, "nothing is asked in words that nobody knows"
        return [Message("user", opening(prompt) + query(question, prompt))]

    def read(self, question: Question, variant: Variant, reply: Reply) -> Reading | None:
        if self.settings["by"] == "logprob":
            if reply.logprobs is None and reply.text:
                raise UserError(
                    "The replies come without log probabilities, so --by logprob can't be done with this model: "
                    "leave it out, or take a local model."
                )
            place = likeliest_letter(reply.logprobs)
            read = None if place is None else Read(place, ReadBy.LIKELIEST)
        else:
            shown = shown_choices(question, prompt_for(question, variant))
            unknown = question.shown.index(question.unknown)
            rule, language = self.settings["reading"], question.language
            read = read_by_rule(reply.text, shown, rule=rule, unknown=unknown, language=language)
        return None if read is None else Reading(question.turned(read.said), read_by=read.by)

    @property
    def can_be_reread(self) -> bool:
        """Log probabilities are no text that somebody could read."""
        return bool(self.settings["by"] != "logprob")

    def reading_task(self, question: Question, variant: Variant, reply: Reply) -> ReadingTask[Reading]:
        def made(place: int | None) -> Reading | None:
            return None if place is None else Reading(question.turned(place))

        shown = list(zip(LETTERS, shown_choices(question, prompt_for(question, variant)), strict=True))
        return choice_task(f"{question.context}\n{question.text}", shown, reply.text, made)

    def score(self, question: Question, facts: None, reading: Reading | None, verdicts: None) -> Row:
        if reading is None:
            return {"correct": False}
        content = question.choices[reading.content]
        return {
            "choice": LETTERS[question.turned(reading.content)],
            "content": reading.content,
            "role": question.role(content),
            "correct": content == question.right,
            **places_of(question, reading.content)._asdict(),
        }

    def summarize(self, rows: pl.DataFrame, facts: None) -> list[Estimate]:
        from counterfoil.bias.items import items, summarize

        return summarize(self.metrics, items(rows, by_template=self._by_template(), named=False), rows)

    @property
    def metrics(self) -> Sequence[Metric]:
        return metrics(
            keep=self.settings["out_of_choice"] == KEEP,
            # The official figures are given whatever is left, so that they can be compared.
            withhold=self.settings["reading"] != "kobbq",
            by_template=self._by_template(),
        )

    def items(self, records: pl.DataFrame) -> Items:
        from counterfoil.bias.items import items

        return items(records, by_template=self._by_template())

    def tables(self, run: Run) -> list[Table]:
        from counterfoil.bias.sensitivity import sensitivity

        return [one for one in [sensitivity(run)] if one.rows]

    def of_group(self, records: pl.DataFrame, column: str, value: str) -> pl.DataFrame:
        from counterfoil.bias.items import with_parallel_names

        mine = super().of_group(records, column, value)
        return with_parallel_names(mine) if column == "language" and "parallel" in mine else mine

    def published_comparison(
        self, a: Sequence[Estimate], b: Sequence[Estimate], label_a: str, label_b: str
    ) -> list[dict[str, Any]]:
        from counterfoil.bias.official import score_comparison

        return score_comparison(a, b, label_a, label_b)

    def finished(self, run: Run, facts: None) -> None:
        if self.settings["write_official"]:
            from counterfoil.bias.official import write_results

            write_results(run, Path(self.settings["write_official"]))

    def headline(self, run: Run) -> list[str]:
        from counterfoil.bias.plots import headline

        return headline(run)

    def plots(self, run: Run) -> list[Plot]:
        from counterfoil.bias.plots import plots

        return plots(run)

    def shown(self, question: Question) -> Mapping[str, str]:
        choices = dict(zip(LETTERS, question.shown, strict=True))
        return {"context": question.context, "question": question.text, **choices, "right answer": question.right}

    def versions(self, family: Sequence[Question]) -> list[tuple[Question, str]]:
        """Both people in their places, and swapped; each in its orders of the choices."""
        samples = list(dict.fromkeys(question.sample_id for question in family))
        people = {sample: "as it stands" if place == 0 else "people swapped" for place, sample in enumerate(samples)}
        several = any(question.order for question in family)
        return [
            (question, people[question.sample_id] + (f", order {question.order + 1}" if several else ""))
            for question in sorted(family, key=lambda each: (samples.index(each.sample_id), each.order))
        ]

    def marks(self, record: Record, shown: Mapping[str, str]) -> list[tuple[int, int, str]]:
        return marks(record, shown)

    def task(self, run: Run, question: Question, record: Record) -> TaskContent:
        task = Task(
            context=question.context,
            question=question.text,
            options=question.shown,
            right=f"{question.right_letter}: {question.right}",
            reply=record["reply"],
        )
        return TaskContent(task=task, algorithm={"reading": record["choice"] or NONE})

    def heard(self, question: Question, record: Record, said: Mapping[str, Any]) -> tuple[Reading | None, None]:
        letter = said["answer"]
        return (None if letter == NONE else Reading(question.turned(LETTERS.index(letter)))), None

    def planting(self) -> Planting:
        return BiasPlanting(self)

    def training(self, run: Run) -> Training:
        if self.settings["by"] == "logprob":
            raise UserError(
                f"{run.folder} was read from log probabilities (--by logprob), and the texts of its replies were not: "
                "run it without that first."
            )
        return Training(
            scores=("correct",),
            score=lambda record, name: None if record[name] is None else float(record[name]),
            encode=encode_questions,
        )

    def _by_template(self) -> bool:
        """Whether figures are means over templates: as the user says, else as KoBBQ has them for its whole set."""
        aggregate = self.settings["aggregate"]
        return bool(aggregate == "templates") if aggregate else self.context.data in WHOLE_SET


suite = Bias()
