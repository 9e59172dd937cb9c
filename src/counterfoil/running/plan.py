"""What a run will ask: models, dataset, facts, the sample, the variants. Nothing is sent or written yet."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import Model, ModelSpec
from counterfoil.asking.models.planted import PlantedModel, Respondent
from counterfoil.asking.models.providers import provider_of
from counterfoil.asking.prices import Price, Prices, load_prices
from counterfoil.errors import UserError
from counterfoil.inputs import Inputs, telling_of_inputs
from counterfoil.running.looks.design import Design, check
from counterfoil.running.request import RunRequest
from counterfoil.running.sampling import Order, Sample, chosen_units
from counterfoil.suite.finding import load_suite
from counterfoil.suite.second_reader import SECOND_COLUMNS
from counterfoil.suite.suite import AnySuite, Dataset, Variant


@dataclass
class Plan:
    """All that is known before the first ask. `questions` can be iterated many times."""

    suite: AnySuite
    request: RunRequest
    dataset: Dataset[Any]
    facts: Any
    questions: Iterable[Any]
    # The unit of each question of the dataset, and of each that is asked, as a number.
    dataset_units: array[int]
    units: array[int]
    variants: Sequence[Variant]
    models: Sequence[Model]
    judges: Sequence[Model]
    # None or one.
    second_reader: Sequence[Model]
    prices: Prices
    # How the user's files were read, with the rows that were left out.
    inputs: Inputs

    @property
    def columns(self) -> dict[str, Any]:
        """The columns of records beside those of every run."""
        return {**self.suite.columns, **(SECOND_COLUMNS if self.second_reader else {})}

    @property
    def asked(self) -> list[Model]:
        """All who are asked something."""
        return [*self.models, *self.judges, *self.second_reader]

    @property
    def dataset_size(self) -> int:
        """Questions of the dataset, each in each order and draw."""
        return len(self.dataset_units)

    @property
    def question_count(self) -> int:
        """Questions that are asked, each in each order and draw."""
        return len(self.units)

    @property
    def asks_per_model(self) -> int:
        return self.question_count * len(self.variants) * self.request.repeats

    @cached_property
    def order(self) -> Order:
        """The questions in the order in which they are asked, the same for all models."""
        return Order(self.questions, self.request.seed)

    @cached_property
    def until(self) -> Design | None:
        """What is to be decided, with the looks that so many clusters allow."""
        return None if self.request.until is None else self.request.until.over(self.order.clusters)

    def price(self, spec: ModelSpec) -> Price | None:
        """The model's price; None where it is not known. A batch costs half of it."""
        price = self.prices.of(spec)
        in_batches = self.request.batch and provider_of(spec.name).has_batches
        return price.halved if price is not None and in_batches else price


def make_plan(suite: AnySuite, request: RunRequest) -> Plan:
    """The plan of a run. Bad input is refused here, before anything is asked or written."""
    inputs = Inputs(strict=request.strict, encoding=request.encoding)
    with telling_of_inputs(inputs):
        return _planned(suite, request, inputs)


def _planned(suite: AnySuite, request: RunRequest, inputs: Inputs) -> Plan:
    prices = load_prices(request.prices)
    suite = suite.configured(request.settings, request.context)
    if request.judges and not suite.asks_judges:
        raise UserError(f"{suite.name} asks no judges: leave --judge out.")
    suite.check()
    if request.second_reader and not suite.can_be_reread:
        raise UserError(f"A second reader can't be asked about these replies of {suite.name}: leave it out.")
    dataset = suite.load(request.data)
    suite = suite.configured(request.settings, msgspec.structs.replace(request.context, data=dataset.name))
    if request.until is not None:
        check(request.until, suite.metrics, len(request.models))
    variants = suite.variants(request.context.variants, dataset)
    facts = suite.prepare(dataset)  # always of the whole dataset, whatever the limit
    dataset_units = units_of(dataset)
    if not dataset_units:
        raise UserError(f"The dataset {dataset.name} holds no questions.")
    questions: Iterable[Any] = dataset
    units = dataset_units
    if request.limit is not None:
        questions = Sample(dataset, chosen_units(dataset, request.limit, request.seed))
        units = units_of(questions)
    models = [_open(spec, suite, questions, variants) for spec in request.models]
    judges = [_open(spec, suite, questions, variants) for spec in request.judges]
    second_reader = [_open(spec, suite, questions, variants) for spec in request.second_reader]
    if request.max_cost is not None:
        for spec in request.asked:
            if prices.of(spec) is None:
                raise UserError(
                    f"The price of {spec.name} is not known, so --max-cost can't hold: "
                    "give it with --prices FILE, or limit tokens with --max-tokens-total."
                )
    return Plan(
        suite=suite,
        request=request,
        dataset=dataset,
        facts=facts,
        questions=questions,
        dataset_units=dataset_units,
        units=units,
        variants=variants,
        models=models,
        judges=judges,
        second_reader=second_reader,
        prices=prices,
        inputs=inputs,
    )


def units_of(questions: Iterable[Any]) -> array[int]:
    """The unit of each question, as a number: a dataset may be too large for its units as texts."""
    return array("q", (hash(question.unit) for question in questions))


def _open(spec: ModelSpec, of_run: AnySuite, questions: Iterable[Any], variants: Sequence[Variant]) -> Model:
    def respondent_of(name: str, settings: Mapping[str, str]) -> Respondent:
        suite = load_suite(name)
        if "placebo" in settings and suite.name == of_run.name:
            from counterfoil.suite.habits import placebo_respondent

            return placebo_respondent(of_run, settings, questions, variants)
        try:
            return suite.planted(settings, questions if suite.name == of_run.name else None)
        except ValueError as error:
            raise UserError(f"{spec.name} can't be simulated: {error}.") from error

    return open_model(spec, {"planted": lambda spec: PlantedModel(spec, respondent_of)})
