"""Replies that were cut off, or are empty: where there are many, figures tell of the limit and not of the model."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from counterfoil.asking.models.thinking import RAISED, ROOM

# Up to this share of the replies, nothing is said.
MOST = 0.05


def cut_off_sentences(manifest: Mapping[str, Any], without: Collection[str] = ()) -> list[str]:
    """For each model and judge of whose replies more than that were cut off or are empty: how many, and what helps.
    Models `without` of which more is said elsewhere.
    """
    asked = [(about, role) for role in ("model", "judge") for about in manifest[f"{role}s"]]
    asked += [(about, "second reader") for about in [manifest.get("second_reader")] if about]
    told = [(about, role) for about, role in asked if role != "model" or about["name"] not in without]
    return [sentence for about, role in told if (sentence := _sentence(about, role))]


def _sentence(about: Mapping[str, Any], role: str) -> str | None:
    replies = about["asked"] + about["in_ledger"]
    truncated, empty = about.get("truncated", 0), about.get("empty", 0)  # older manifests don't count them
    if truncated + empty <= MOST * replies:
        return None
    how = {"were cut off": truncated, "are empty": empty}
    there = [f"{words} ({number:,})" if truncated and empty else words for words, number in how.items() if number]
    share = (truncated + empty) / replies
    name = about["name"] if role == "model" else f"{about['name']} ({role})"
    what = f"{name}: {truncated + empty:,} of {replies:,} replies ({share:.0%}) {' or '.join(there)}."
    return f"{what} {advice(about, role, truncated)}"


def advice(about: Mapping[str, Any], role: str, truncated: int) -> str:
    """What may help."""
    thought, out = about.get("reasoning_tokens", 0), about["output_tokens"]
    thinking = f"Thinking took {thought / out:.0%} of the tokens out. " if thought and out else ""
    if not truncated and not thinking:
        return "Look at the server: at its log, and at the model's chat template."
    table = "" if role == "model" else f" in the {role}'s table of an experiment file"
    limit = about["params"].get("max_completion_tokens") or about["params"].get("max_tokens")
    if limit is not None and RAISED in about["adjustments"]:
        limit = max(limit, ROOM)
    was = f" (it was {limit:,})" if limit is not None else ""
    less = " or lower --reasoning-effort" if thinking else ""
    return f"{thinking}Raise --max-tokens{was}{less}{table}."
