"""The same asks by counterfoil, the openai package, Inspect and lm-eval, in turns against one server.

    python -m benchmarks.peers [--asks N] [--times N]

Runs in the environment of the extras (`make .venv-extras/.ready`), and puts its table into docs/performance.md, with
date and commit. Each tool is a process from its start to its end: questions with a known answer, 64 in flight, no
latency, every answer scored where the tool scores. Of each tool the run with the least processor time counts. Without
options: `python -m benchmarks peers`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from benchmarks.asking import CONCURRENCY, HERE, Cost, measured, run_command, script, server

ASKS, TIMES = 1_000, 2
PAGE = HERE.parent / "docs" / "performance.md"
BEGIN, END = "<!-- peers -->\n", "<!-- /peers -->\n"

INSPECT_TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset
from inspect_ai.scorer import match
from inspect_ai.solver import generate


@task
def largest():
    return Task(dataset=json_dataset("asks.jsonl"), solver=generate(), scorer=match())
"""
LM_EVAL_TASK = """
task: largest
dataset_path: json
dataset_kwargs: {data_files: {test: asks.jsonl}}
test_split: test
output_type: generate_until
doc_to_text: "{{input}}"
doc_to_target: "{{target}}"
generation_kwargs: {max_gen_toks: 16, temperature: 0, do_sample: false, until: []}
metric_list: [{metric: exact_match}]
"""


def write_asks(folder: Path, asks: int) -> None:
    """The questions of the bare loop, and the tasks that ask them."""
    texts = (
        f"Which number is the largest? Answer with one letter.\nA: {i}\nB: {i * 57}\nC: {2 * i + 1}"
        for i in range(asks)
    )
    lines = [json.dumps({"input": text, "target": "B"}) for text in texts]
    (folder / "asks.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "largest.py").write_text(INSPECT_TASK, encoding="utf-8")
    (folder / "largest.yaml").write_text(LM_EVAL_TASK, encoding="utf-8")


def commands(url: str, asks: int) -> dict[str, list[str]]:
    """Each tool's command, by its name and version."""
    python = [sys.executable, "-m"]
    inspect = [*python, "inspect_ai", "eval", "largest.py", "--model", "openai-api/mock/m", "--model-base-url", url]
    inspect += ["--max-connections", str(CONCURRENCY), "--max-samples", str(CONCURRENCY), "--max-tokens", "16"]
    inspect += ["--temperature", "0", "--display", "none", "--log-dir", "logs"]
    endpoint = f"model=m,base_url={url}/chat/completions,num_concurrent={CONCURRENCY}"
    lm_eval = [*python, "lm_eval", "--include_path", ".", "--tasks", "largest", "--model", "local-chat-completions"]
    lm_eval += ["--model_args", endpoint, "--apply_chat_template", "--output_path", "results", "--log_samples"]
    return {
        "counterfoil, every reply durable": run_command(url, asks),
        f"openai {version('openai')}, keeping nothing": script("openai_sdk.py", url, asks),
        f"Inspect {version('inspect_ai')}": inspect,
        f"lm-eval {version('lm_eval')}": lm_eval,
    }


def take_turns(asks: int, times: int) -> dict[str, Cost]:
    """The quickest of the runs of each tool."""
    best: dict[str, Cost] = {}
    os.environ.update({"MOCK_API_KEY": "none", "OPENAI_API_KEY": "none", "HF_HUB_OFFLINE": "1"})
    with server() as url:
        for _ in range(times):
            for name, command in commands(url, asks).items():
                with tempfile.TemporaryDirectory() as folder:
                    write_asks(Path(folder), asks)
                    cost = measured(command, Path(folder))
                if name not in best or cost.processor < best[name].processor:
                    best[name] = cost
    return best


def table_of(best: dict[str, Cost], asks: int) -> str:
    """The table for the page, with ratios to the first row."""
    ours = next(iter(best.values()))
    described = ["git", "describe", "--always", "--dirty"]
    commit = subprocess.run(described, cwd=HERE, capture_output=True, text=True, check=True).stdout.strip()
    lines = [
        f"{asks:,} asks, {CONCURRENCY} in flight, on {datetime.now(UTC):%Y-%m-%d} at commit {commit}:",
        "",
        "| what | processor time | against counterfoil | wall clock, against counterfoil |",
        "|---|---|---|---|",
    ]
    for name, cost in best.items():
        times = f"{cost.processor / ours.processor:.1f} times | {cost.seconds / ours.seconds:.1f} times"
        lines.append(f"| {name} | {cost.processor:.1f} s | {times} |")
    return "\n".join(lines) + "\n"


def main(given: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.peers")
    parser.add_argument("--asks", type=int, default=ASKS)
    parser.add_argument("--times", type=int, default=TIMES)
    arguments = parser.parse_args(given)
    if missing := [name for name in ("openai", "inspect_ai", "lm_eval") if find_spec(name) is None]:
        print(f"peers: nothing measured, {', '.join(missing)} not here: make .venv-extras/.ready")
        return 0
    table = table_of(take_turns(arguments.asks, arguments.times), arguments.asks)
    print(table)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}{table}{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
