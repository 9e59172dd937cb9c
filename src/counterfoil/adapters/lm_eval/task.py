"""A suite in one variant as a task of lm-eval. lm-eval loads this module, the only one that needs lm-eval."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from lm_eval.api.task import ConfigurableTask

from counterfoil.adapters.bench import Bench, Place, open_bench
from counterfoil.adapters.lm_eval.settings import naming, settings_of
from counterfoil.asking.ask import Reply
from counterfoil.asking.models.openai import split_thinking
from counterfoil.errors import UserError
from counterfoil.running.records import TEXT_COLUMNS
from counterfoil.stats.estimate import Estimate
from counterfoil.suite.suite import Row

_log = logging.getLogger(__name__)

# Stands in records where a run of our own has the model's name.
MODEL = "lm-eval"
# The metric that carries the records; its value is their number.
RECORDS = "records"


class SuiteTask(ConfigurableTask):  # type: ignore[misc]
    """Asks what `counterfoil run` asks, word for word, reads replies by the same rules, and gives the same estimates.

    The file says `dataset_kwargs: {suite: …, variant: …}` and may set other options there. Metrics are the estimates
    of the suite over all questions, each with `_low` and `_high`, and those of the groups in the settings.
    """

    def __init__(self, config: Mapping[str, Any]) -> None:
        with naming(config["task"]):
            settings = settings_of(config.get("dataset_kwargs") or {}, config.get("metadata") or {})
            self._bench = _bench(settings.suite, settings.options)
        self._groups = settings.groups
        self._values: dict[str, float | None] = {}
        plan = self._bench.plan
        repeats = plan.request.repeats
        asked = {
            "dataset": plan.dataset.name,
            "dataset_sha256": plan.dataset.sha256,
            "variant_sha256": plan.variants[0].sha256,
        }
        own = {
            "output_type": "generate_until",
            "test_split": "test",
            "num_fewshot": 0,
            "repeats": repeats,
            "generation_kwargs": _generation(self._bench.params),
            "metric_list": [],
            "metadata": dict(config.get("metadata") or {}) | asked,
            "filter_list": [{"name": "none", "filter": [{"function": "take_first_k", "k": repeats}]}],
        }
        super().__init__(config={name: value for name, value in config.items() if name != "class"} | own)
        self._aggregation_list: dict[str, Callable[..., Any]] = {RECORDS: self._summarized}
        for name in self._expected():
            self._aggregation_list[name] = partial(self._value, name)
        # Where neither way is better (0 is best, or it depends), lm-eval shows no arrow.
        better = {metric.name: metric.better for metric in plan.suite.metrics}
        arrows = {"higher": True, "lower": False}
        self._higher_is_better = {name: arrows.get(better.get(name) or "") for name in self._aggregation_list}

    def download(self, dataset_kwargs: Any = None, **kwargs: Any) -> None:
        """The documents: what is asked, and the id of its place."""
        import datasets

        documents = [
            {
                "place": place.id,
                "messages": [{"role": message.role, "content": message.content} for message in place.messages],
            }
            for place in self._bench.places.values()
        ]
        self.dataset = {"test": datasets.Dataset.from_list(documents)}

    def doc_to_text(self, doc: Mapping[str, Any], doc_to_text: Any = None) -> str:
        return "\n\n".join(message["content"] for message in doc["messages"])

    def doc_to_target(self, doc: Mapping[str, Any], doc_to_target: Any = None) -> str:
        """No text: what is right may depend on more than one, and only the suite knows it."""
        return ""

    def build_all_requests(self, **settings: Any) -> None:
        """Without lm-eval's cache of requests: its key is the task's name alone, so it would give those of another
        sample or dataset.
        """
        super().build_all_requests(**settings | {"cache_requests": False})

    def fewshot_context(
        self,
        doc: Mapping[str, Any],
        num_fewshot: int,
        system_instruction: str | None = None,
        apply_chat_template: bool = False,
        fewshot_as_multiturn: bool = False,
        chat_template: Callable[..., Any] | None = None,
        gen_prefix: str | None = None,
    ) -> Any:
        """The suite's messages, and nothing else; for models without a chat template, their texts."""
        if system_instruction:
            with naming(self.config.task):
                raise UserError("it brings its own system prompt, if it has one: leave --system_instruction out.")
        if apply_chat_template and chat_template:
            return chat_template([dict(message) for message in doc["messages"]])
        return self.doc_to_text(doc)

    def process_results(self, doc: Mapping[str, Any], results: Sequence[Sequence[str]]) -> dict[str, Any]:
        """The records of one document. One metric carries them and the others nothing, since lm-eval writes what each
        metric carries into its file of samples.
        """
        place = self._bench.places[doc["place"]]
        rows = [self._row(place, text, repeat) for repeat, text in enumerate(results[0])]
        return dict.fromkeys(self._aggregation_list) | {next(iter(self._aggregation_list)): rows}

    def _expected(self) -> Iterable[str]:
        """The names of the metrics. lm-eval wants them before it has replies, and the same in all its processes. They
        are those of a simulated respondent and of empty replies.
        """
        plan = self._bench.plan
        asked = [(place, repeat) for place in self._bench.places.values() for repeat in range(plan.request.repeats)]
        replies = [""] * len(asked)
        names = self._names_of(asked, replies)
        with suppress(UserError):  # there may be none, or it can't find the question in a variant of the user's own
            respond = plan.suite.planted({}, plan.questions)
            replies = [respond(place.messages, repeat) for place, repeat in asked]
        return names | self._names_of(asked, replies)

    def _names_of(self, asked: Sequence[tuple[Place, int]], replies: Sequence[str]) -> dict[str, float | None]:
        rows = [self._row(place, text, repeat) for (place, repeat), text in zip(asked, replies, strict=True)]
        return self._named(self._bench.estimates(rows))

    def _row(self, place: Place, text: str, repeat: int) -> Row:
        """The record of a reply as estimates need it: without its texts, and without what is null."""
        said, reasoning = split_thinking(text)
        reply = Reply(status="ok", text=said, reasoning=reasoning)
        suite = self._bench.plan.suite
        if suite.follow_up(place.question, place.variant, [reply]):
            raise UserError(
                f"{place.variant.name} asks in several turns, and lm-eval in one: run it with `counterfoil run "
                f"{suite.place}`, or in Inspect."
            )
        row = self._bench.row(place, MODEL, reply, repeat)
        return {name: value for name, value in row.items() if value is not None and name not in TEXT_COLUMNS}

    def _summarized(self, documents: Sequence[Sequence[Row]]) -> int:
        """Makes all estimates, once. lm-eval asks for this metric first, and for the others after it."""
        rows = [row for rows in documents for row in rows]
        self._values = self._named(self._bench.estimates(rows))
        if lost := [name for name in self._values if name not in self._aggregation_list]:
            _log.warning("%s: there is more than lm-eval can show: %s", self.config.task, ", ".join(lost))
        return len(rows)

    def _value(self, name: str, documents: Sequence[None]) -> float | None:
        if not self._values:
            raise RuntimeError(f"lm-eval asked for {name} before {RECORDS}: this version of it can't be used.")
        return self._values.get(name)

    def _named(self, estimates: Sequence[Estimate]) -> dict[str, float | None]:
        """The values and bounds by the names of their metrics."""
        values: dict[str, float | None] = {}
        for estimate in estimates:
            if set(estimate.group).issubset(self._groups):
                # lm-eval has a comma between a metric's name and its filter's.
                group = ";".join(f"{name}={value}" for name, value in estimate.group.items())
                where = f"[{group}]" if group else ""
                values[f"{estimate.metric}{where}"] = estimate.value
                values[f"{estimate.metric}_low{where}"] = estimate.low
                values[f"{estimate.metric}_high{where}"] = estimate.high
        return values


def _bench(suite: str, options: Mapping[str, Any]) -> Bench:
    bench = open_bench(suite, options)
    if len(bench.plan.variants) != 1:
        names = ", ".join(variant.name for variant in bench.plan.variants)
        raise UserError(f"a task asks in one variant, and here are {names}: name one of them.")
    if "logprobs" in bench.params:
        raise UserError("lm-eval hands on no log probabilities of replies: leave by: logprob out.")
    return bench


def _generation(params: Mapping[str, Any]) -> dict[str, Any]:
    """A suite's parameters in lm-eval's names; nothing but the end of the reply stops it."""
    return {
        "max_gen_toks": params["max_tokens"],
        "temperature": params["temperature"],
        "do_sample": params["temperature"] > 0,
        "until": [],
    }
