"""What a paper says of a run: a paragraph on methods, and BibTeX, to copy."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from counterfoil.figures.numbers import listed, plural
from counterfoil.report.html import Html, details, tag
from counterfoil.report.sentences import data_sentence
from counterfoil.running.folder import Run

USUAL = ("temperature", "max_tokens", "max_completion_tokens", "seed", "top_p", "reasoning_effort")


def cite_part(run: Run) -> Html:
    """Both, folded."""
    paragraph = tag("p", methods_paragraph(run), class_="methods")
    entries = tag("pre", tag("code", bibtex(run)), tabindex="0")
    return details("A methods paragraph, and BibTeX", paragraph, entries)


def methods_paragraph(run: Run) -> str:
    """What was asked of whom, how it was read, how intervals and tests are made."""
    manifest, summary = run.manifest, run.whole_summary
    version = manifest["versions"].get("counterfoil", "")
    models = list(dict.fromkeys(str(row["model"]) for row in run.outcomes))
    prompts = list(dict.fromkeys(str(row["variant"]) for row in run.outcomes))
    clusters = max((one.clusters for one in summary.estimates), default=0)
    levels = sorted({one.confidence for one in summary.estimates})
    level = " and ".join(f"{level:.0%}" for level in levels) or "95%"
    methods = list(dict.fromkeys(one.method.partition(",")[0] for one in summary.estimates if not one.group))
    asked = "We asked" if manifest["models"] else "We scored replies of"
    finished = str(manifest["finished_at"])[:10]
    parts = [
        f"{asked} {plural(len(models), 'model')} ({listed(models)}) with counterfoil {version}, suite {summary.suite}, "
        f"in {plural(len(prompts), 'prompt')} ({listed(prompts)}); {data_sentence(manifest)} "
        f"(SHA-256 {manifest['data']['sha256'][:12]}).",
        _settings(manifest),
        f"The run was finished on {finished}." if finished[:2] == "20" else "",
        "Replies were read by rules" + (f" and judged by {_judges(manifest)}." if manifest["judges"] else "."),
        f"Intervals are at {level} confidence and robust to clusters of questions (up to {clusters:,}; "
        f"{listed(methods)}).",
        "Models and prompts were compared on the same questions by tests that exchange whole clusters, corrected for "
        "many comparisons."
        if len(run.outcomes) > 1
        else "",
    ]
    return " ".join(filter(None, parts))


def _settings(manifest: Mapping[str, Any]) -> str:
    """Parameters that all models were asked with."""
    every = [model["params"] for model in manifest["models"]]
    if not every:
        return ""
    same = {
        name: every[0][name] for name in USUAL if name in every[0] and all(p.get(name) == every[0][name] for p in every)
    }
    repeats = manifest["options"].get("repeats") or manifest.get("repeats") or 1
    words = [f"{name.replace('_', ' ')} {value}" for name, value in same.items()]
    words += [f"{repeats} repeats"] if isinstance(repeats, int) and repeats > 1 else []
    return f"Settings: {', '.join(words)}." if words else ""


def _judges(manifest: Mapping[str, Any]) -> str:
    return listed(str(judge["name"]) for judge in manifest["judges"])


def bibtex(run: Run) -> str:
    """An entry for the software, and one for the data with its hash."""
    manifest = run.manifest
    version = manifest["versions"].get("counterfoil", "")
    year = str(manifest["finished_at"])[:4]
    data = manifest["data"]
    key = re.sub(r"[^A-Za-z0-9]+", "-", str(data["name"])).strip("-").lower() or "data"
    return (
        "@software{counterfoil,\n"
        "  title = {counterfoil: tests of language models' question answering against counterfactuals},\n"
        f"  version = {{{_plain(version)}}},\n"
        f"  year = {{{_plain(year)}}}\n"
        "}\n\n"
        f"@misc{{{key},\n"
        f"  title = {{{_plain(data['name'])}}},\n"
        f"  note = {{{data['questions']} questions, SHA-256 {data['sha256'][:16]}}}\n"
        "}"
    )


def _plain(text: Any) -> str:
    """What BibTeX does not read as its own."""
    return re.sub(r"[{}\\%&#$_]", lambda match: "" if match[0] in "{}\\" else f"\\{match[0]}", str(text))
