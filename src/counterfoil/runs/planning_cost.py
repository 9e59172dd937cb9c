"""What the asks of a plan cost: tokens in and out, and dollars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from counterfoil.asking.budget import estimate_tokens
from counterfoil.asking.prices import Price, price_of
from counterfoil.runs.folder import Run
from counterfoil.runs.plan import Plan
from counterfoil.runs.request import RunRequest


class Tokens(NamedTuple):
    """Tokens of an ask, by model those of a reply, and prices; `words` say where they come from."""

    input: float | None
    output: dict[str, float | None]
    prices: dict[str, Price | None]
    words: list[str]

    def of(self, asks: int, models: Sequence[str]) -> dict[str, Any]:
        if self.input is None:
            return {"input_tokens": None, "output_tokens": None, "cost": None}
        costs, outputs = [], []
        for model in models:
            each, price = self.output[model], self.prices[model]
            outputs.append(None if each is None else each * asks)
            costs.append(None if each is None or price is None else price.of_tokens(self.input * asks, each * asks))
        return {
            "input_tokens": round(self.input * asks * len(models)),
            "output_tokens": None if None in outputs else round(sum(it or 0 for it in outputs)),
            "cost": None if None in costs else sum(it or 0 for it in costs),
        }


def tokens_of(plan: Plan, request: RunRequest, run: Run | None) -> Tokens:
    """Prompts by their length; replies as long as in the earlier run, where it has this model, or at their limit."""
    lengths = [
        estimate_tokens("\n".join(message.content for message in plan.suite.messages(question, variant)))
        for question in plan.dataset
        for variant in plan.variants
    ]
    seen = {about["name"]: about for about in run.manifest["models"]} if run is not None else {}
    output: dict[str, float | None] = {}
    words = []
    for spec in request.models:
        about = seen.get(spec.name, {})
        replies = about.get("asked", 0) + about.get("in_ledger", 0)
        output[spec.name] = about["output_tokens"] / replies if replies else spec.params.get("max_tokens")
        if not replies:
            words.append(f"Replies of {spec.name} are counted at their limit.")
    prices = {spec.name: price_of(spec.name, plan.prices) for spec in request.models}
    words += [f"The price of {name} is not known: give it with --prices." for name, it in prices.items() if it is None]
    return Tokens(sum(lengths) / len(lengths), output, prices, words)
