"""The suite `bias`: ties the others together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.models.planted import Respondent
from counterfoil.bias.importers import importers
from counterfoil.bias.options import OPTIONS
from counterfoil.bias.planted import respondent
from counterfoil.bias.prompts import load_variants, messages, shown_choices
from counterfoil.bias.questions import LETTERS, Question, Questions, is_whole_set, load_questions
from counterfoil.bias.reading import likeliest_letter, read_choice
from counterfoil.bias.results import Reading
from counterfoil.errors import UserError
from counterfoil.files import check_target
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.imports import Importer
from counterfoil.suite.metric import Measure
from counterfoil.suite.options import Option, with_defaults
from counterfoil.suite.suite import JudgeAsk, Row, Variant

if TYPE_CHECKING:
    import polars as pl

    from counterfoil.running.folder import Run

# The likeliest tokens that models tell of at the most.
TOP_TOKENS = 20


class Bias:
    """Does the answer lean on a stereotype?"""

    name = "bias"
    options: Sequence[Option] = OPTIONS
    columns: Mapping[str, Any] = {
        "order": int,
        "category": str,
        "label": str,
        "ambiguous": bool,
        "biased_context": bool,
        "pair": str,
        "choice": str,
        "content": int,
        "role": str,
        "correct": bool,
    }

    metrics: Sequence[str] = (
        *("out_of_choice", "accuracy_ambiguous", "accuracy_disambiguated", "flip_rate", "position_bias"),
        *("diff_bias_ambiguous", "diff_bias_disambiguated", "bbq_bias_ambiguous", "bbq_bias_disambiguated"),
    )

    def __init__(self, settings: Mapping[str, Any] | None = None) -> None:
        self._settings = with_defaults(OPTIONS, settings or {})
        self._named: Sequence[str] = (settings or {}).get("variants") or ()
        self._imported_model = (settings or {}).get("imported_model")
        self._files: Sequence[str] = (settings or {}).get("files") or ()
        self._format = (settings or {}).get("format")
        self._by_template = self._settings["aggregate"] == "templates"

    def params(self, settings: Mapping[str, Any]) -> Mapping[str, Any]:
        if settings.get("by") == "logprob":
            return {"max_tokens": 1, "logprobs": TOP_TOKENS}
        return {"max_tokens": 64}

    @property
    def importers(self) -> Mapping[str, Importer]:
        variants = self._variants(self._named, "korean") if self._named or self._format != "bbq" else []
        return importers(variants, self._imported_model, self._settings["column"])

    def configured(self, settings: Mapping[str, Any]) -> Bias:
        if settings["judges"]:
            raise UserError("bias asks no judges: leave --judge out.")
        if settings["by"] == "logprob" and settings["format"]:
            raise UserError("--by logprob is for models that are asked: imported replies have no log probabilities.")
        if settings["column"] and settings["format"] != "bbq":
            raise UserError("--column is for `counterfoil score bias --from bbq`: leave it out.")
        if settings["write_official"]:
            check_target(Path(settings["write_official"]))
        return Bias(settings)

    def dataset(self, data: str | None) -> Questions:
        orders = self._settings["orders"]
        if self._format == "bbq":
            # BBQ's result files hold the questions, too, and were answered in one order.
            data, orders = data or self._bbq_file(), 1
        questions = load_questions(data, orders, self._settings["metadata"])
        if self._settings["write_official"] and questions.language != "korean":
            raise UserError(f"The official table is KoBBQ's, and {questions.name} is not: leave --write-official out.")
        self._by_template = (self._settings["aggregate"] or ("templates" if questions.by_template else "pooled")) == (
            "templates"
        )
        return questions

    def variants(self, names: Sequence[str], dataset: Questions) -> list[Variant]:
        return self._variants(names, dataset.language)

    def planted(self, settings: Mapping[str, str], questions: Iterable[Question] | None) -> Respondent:
        return respondent(settings, questions)

    def prepare(self, questions: Iterable[Question]) -> None:
        """Nothing needs to be known of the whole dataset."""

    def messages(self, question: Question, variant: Variant) -> list[Message]:
        return messages(question, variant)

    def read(self, question: Question, variant: Variant, reply: Reply) -> Reading | None:
        if self._settings["by"] == "logprob":
            if reply.logprobs is None and reply.text:
                raise UserError(
                    "The replies come without log probabilities, so --by logprob can't be done with this model: "
                    "leave it out, or take a local model."
                )
            place = likeliest_letter(reply.logprobs)
        else:
            shown = shown_choices(question, variant.prompt)
            place = read_choice(
                reply.text,
                shown,
                rule=self._settings["reading"],
                unknown=(question.order - question.choices.index(question.unknown)) % 3,
            )
        return None if place is None else Reading((question.order - place) % 3)

    async def judge(self, question: Question, reading: Reading, ask: JudgeAsk) -> None:
        raise NotImplementedError("bias asks no judges")

    def score(self, question: Question, facts: None, reading: Reading | None, verdicts: None) -> Row:
        if reading is None:
            return {"correct": False}
        content = question.choices[reading.content]
        return {
            "choice": LETTERS[(question.order - reading.content) % 3],
            "content": reading.content,
            "role": question.role(content),
            "correct": content == question.right,
        }

    def summarize(self, rows: pl.DataFrame, facts: None) -> list[Estimate]:
        from counterfoil.bias.summary import summarize

        return summarize(
            rows,
            keep=self._settings["out_of_choice"] == "keep",
            by_template=self._by_template,
            # The official figures are given whatever is left, so that they can be compared.
            withhold=self._settings["reading"] != "kobbq",
        )

    def measures(self, rows: pl.DataFrame, settings: Mapping[str, Any]) -> tuple[pl.DataFrame, list[Measure]]:
        from counterfoil.bias.measures import measures

        by_template = settings.get("aggregate") == "templates"
        if settings.get("aggregate") is None:
            by_template = is_whole_set(str(settings.get("data")))
        return measures(
            rows,
            keep=settings.get("out_of_choice") == "keep",
            withhold=settings.get("reading") != "kobbq",
            by_template=by_template,
        )

    def seed_comparison(
        self, a: Sequence[Estimate], b: Sequence[Estimate], label_a: str, label_b: str
    ) -> list[dict[str, Any]]:
        from counterfoil.bias.official import score_comparison

        return score_comparison(a, b, label_a, label_b)

    def finished(self, run: Run) -> None:
        if self._settings["write_official"]:
            from counterfoil.bias.official import write_results

            write_results(run, Path(self._settings["write_official"]))

    def _variants(self, names: Sequence[str], language: str) -> list[Variant]:
        """Replies from elsewhere may be to any of the shipped prompts, the debiased ones, too."""
        variants = load_variants(names, language)
        if self._format and not names:
            variants += load_variants([f"{variant.name}-debiased" for variant in variants], language)
        return variants

    def _bbq_file(self) -> str:
        if len(self._files) > 1:
            raise UserError("Several files of BBQ: name the folder of its questions with --data.")
        return self._files[0]


suite = Bias()
