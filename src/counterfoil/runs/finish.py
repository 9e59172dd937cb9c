"""The end of a run: join the records, estimate, write the run folder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from counterfoil.runs.askers import Askers
from counterfoil.runs.files import noting_files, write_json
from counterfoil.runs.folder import MANIFEST, RECORDS, SUMMARY, Run, Summary, Unanswered
from counterfoil.runs.manifest import manifest
from counterfoil.runs.ours import files_of, remove_files, remove_page
from counterfoil.runs.outcome import LEFT_OUT, OUTCOMES, Outcome
from counterfoil.runs.plan import Plan
from counterfoil.runs.records import Parts, read_left_out, read_scores
from counterfoil.runs.rows import Standing

UNANSWERED_NAMED = 20


def finish(plan: Plan, parts: Parts, standings: Sequence[Standing], askers: Askers, started_at: datetime) -> Run:
    """Write records, summary and manifest, in this order; each replaces the old file whole. What the suite writes
    beside them is named in the manifest, and goes when another run takes its place.
    """
    folder = plan.request.out
    earlier = files_of(folder)
    remove_page(folder)
    parts.join(folder / RECORDS)
    outcomes: Counter[tuple[str, str, Outcome]] = Counter()
    for standing in standings:
        outcomes.update(standing.outcomes)
    write_json(folder / SUMMARY, _summary(plan, outcomes, sum(standing.unjudged for standing in standings)))
    content = manifest(plan, askers, outcomes, started_at)
    write_json(folder / MANIFEST, content | ({"files": sorted(earlier)} if earlier else {}))
    run = Run(folder)
    with noting_files() as written:
        plan.suite.finished(run)
    files = {path.name for path in written if path.parent == folder}
    read = {Path(name).resolve() for name in (*plan.request.files, plan.request.data) if name}
    remove_files(folder, {name for name in earlier - files if (folder / name).resolve() not in read})
    if files != earlier:
        write_json(folder / MANIFEST, content | ({"files": sorted(files)} if files else {}))
    return run


def _summary(plan: Plan, outcomes: Counter[tuple[str, str, Outcome]], unjudged: int) -> Summary:
    records = plan.request.out / RECORDS
    asked = [(model.name, variant.name) for model in plan.models for variant in plan.variants]
    found = [(model, variant) for model, variant, _ in outcomes]
    unanswered: list[Unanswered] = []
    if any(outcome in LEFT_OUT for *_, outcome in outcomes):
        unanswered = [Unanswered(**row) for row in read_left_out(records, UNANSWERED_NAMED)]
    return Summary(
        suite=plan.suite.name,
        estimates=plan.suite.summarize(read_scores(records), plan.facts),
        outcomes=[
            {"model": model, "variant": variant} | {name: outcomes[model, variant, name] for name in OUTCOMES}
            for model, variant in dict.fromkeys([*asked, *found])
        ],
        unanswered=unanswered,
        unjudged=unjudged,
    )
