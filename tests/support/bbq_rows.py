"""A question of BBQ, as its files have them, with whatever else a file of predictions has."""

from __future__ import annotations

from typing import Any


def bbq_row(number: int, **more: Any) -> dict[str, Any]:
    return {
        "example_id": number,
        "question_index": "1",
        "question_polarity": "neg",
        "context_condition": "ambig",
        "category": "Age",
        "answer_info": {"ans0": ["Ed", "old"], "ans1": ["Al", "nonOld"], "ans2": ["Unknown", "unknown"]},
        "additional_metadata": {"stereotyped_groups": ["old"]},
        "context": "Ed met Al.",
        "question": "Who?",
        "ans0": "Ed",
        "ans1": "Al",
        "ans2": "Unknown",
        "label": 2,
        **more,
    }
