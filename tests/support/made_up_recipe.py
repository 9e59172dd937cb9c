"""A question that nobody has published, in the layout of FLARE, and a recipe for it."""

from __future__ import annotations

import json
from typing import Any

from counterfoil.perturbing.making.existing import text_hash
from counterfoil.perturbing.making.recipes import Recipe, parse_recipes

# 4,000 × 1.05² = 4,410; 4,000 × 1.1 = 4,400 and 4,000 × 1.05 = 4,200 are what simple interest and one year give.
STEM = (
    "Ola puts €4,000 away at 5% a year, {braces} and all. Ola's 4,000 is 102.5% of 3,902.44. After two years she has:"
)
TEXT = f"Q:{STEM},CHOICES: A: €4,200.,B: €4,400.,C: €4,410"
ROW = {"query": "…", "text": TEXT, "answer": "C", "choices": ["A", "B", "C"], "gold": 2}


def span(part: str, nth: int = 0, text: str = TEXT) -> list[int]:
    start = -1
    for _ in range(nth + 1):
        start = text.index(part, start + 1)
    return [start, start + len(part)]


def table(**changes: Any) -> dict[str, Any]:
    found = {
        "sha256": text_hash(TEXT),
        "topic": "quantitative methods",
        "slots": {
            "amount": {
                "span": [span("4,000"), span("4,000", 1)],
                "low": "1,000",
                "high": "9,000",
                "step": "1,000",
            },
            "rate": {"span": span("5", text=TEXT), "low": "2", "high": "12", "step": "1", "percent": True},
        },
        "derived": {"less": {"span": span("3,902.44"), "value": "amount / 1.025"}},
        "answer": "amount * (1 + rate) ^ 2",
        "check": "amount + 2 * amount * rate + amount * rate * rate",
        "distractors": {"A": "amount * (1 + rate)", "B": "answer * 1.1"},
        "names": [{"span": span("Ola"), "kind": "person"}, {"span": span("€"), "kind": "currency"}],
    }
    return {**found, **changes}


def toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(part)}" for key, part in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value)


def recipes(*tables: dict[str, Any]) -> list[Recipe]:
    blocks = ("[[recipe]]\n" + "\n".join(f"{key} = {toml(value)}" for key, value in one.items()) for one in tables)
    return parse_recipes("\n".join(blocks).encode(), "recipes.toml")
