"""How far figures depend on reading, policy, mean and prompt: the rows of the table against runs made that way."""

from __future__ import annotations

from pathlib import Path

import pytest

import counterfoil as cf
from counterfoil.bias.sensitivity import sensitivity
from counterfoil.figures.numbers import cell

MODEL = "planted/bias?unread=0.2"


def test_each_row_is_what_a_run_with_these_options_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = cf.run("bias", model=MODEL, variant=["1", "2"], data="english", limit=24, out="run")
    table = sensitivity(run)
    rows = {row[0]: row[1:] for row in table.rows}
    # Two prompts, two policies, two means; all readings are sure. And from where to where they go.
    assert len(rows) == 2 * 2 * 2 + 1
    for policy in ("drop", "keep"):
        for mean in ("pooled", "templates"):
            other = cf.run(
                "bias",
                model=MODEL,
                variant=["1", "2"],
                data="english",
                limit=24,
                out="other",
                overwrite=True,
                out_of_choice=policy,
                aggregate=mean,
            )
            for variant in ("1", "2"):
                mine = rows[f"{MODEL}, en-{variant}, as read, {policy}, {mean}"]
                for name, shown in zip(table.head[1:], mine, strict=True):
                    [one] = [
                        one
                        for one in other.estimates
                        if (one.metric, one.variant, one.group) == (name, f"en-{variant}", {})
                    ]
                    assert shown == cell(one.value)
    low, high = rows[f"{MODEL}, over all of these"][0].split(" to ")
    assert float(low) <= float(high)
    assert "How far the figures depend" in cf.report(run, out="page.html").read_text()
