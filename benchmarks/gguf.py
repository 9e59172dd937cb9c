"""`gguf/` beside the bare llama.cpp server in process, with the same prompts and weights, in turns.

    python -m benchmarks.gguf [--asks N] [--times N]

Both take asks of `bias`, 16 tokens each, four at a time, in a process of their own with a server of their own; what is
measured begins when the weights are loaded. Ours goes through the asker, with every reply durable. The bare server is
asked by four threads that keep nothing: as the library comes, and with OpenMP's threads giving way as ours do. The
quickest of each counts. It says what is not here, and exits with 0, where there is no llama.cpp or no smollm2.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.asking import Report
from benchmarks.hf import Work, through_asker, works

from counterfoil.asking.ask import Message
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.llamacpp import DEFAULT_SLOTS, TOKENS_PER_SLOT, LlamaModel
from counterfoil.asking.models.weights import smollm2_is_here, smollm2_path

ASKS, TIMES, TOKENS = 16, 3, 16
MOST = 1.05
# The ways, each with what OpenMP is told: ours tells it itself.
WAYS = {"gguf/": None, "bare": None, "bare, giving way": "passive"}
WARM = (Message("user", "Say hello."),)


class Taken(NamedTuple):
    """What the asks took: seconds by the clock, and of processors."""

    seconds: float
    processor: float


def ours(work: Work) -> Taken:
    """Through the asker."""
    with asyncio.Runner() as runner:
        model = LlamaModel(ModelSpec(name="smollm2"))
        runner.run(model.send(model.ask(WARM, {"max_tokens": 1}, 0), 600))
        used = time.process_time()
        done = through_asker(runner, model, work)
        taken = Taken(done.seconds, time.process_time() - used)
        runner.run(model.close())
    return taken


def bare(work: Work) -> Taken:
    """What a user would write."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(smollm2_path())
    params.n_parallel = DEFAULT_SLOTS
    params.n_ctx = TOKENS_PER_SLOT * DEFAULT_SLOTS
    params.warmup = False
    params.verbosity = 0
    server = xllamacpp.Server(params)

    def answer(messages: tuple[Message, ...], tokens: int = work.max_tokens) -> Any:
        said = [{"role": message.role, "content": message.content} for message in messages]
        return server.handle_chat_completions({"messages": said, "temperature": 0, "max_tokens": tokens, "seed": 0})

    answer(WARM, 1)
    started_at, used = time.perf_counter(), time.process_time()
    with ThreadPoolExecutor(DEFAULT_SLOTS) as threads:
        answers = list(threads.map(answer, work.prompts))
    taken = Taken(time.perf_counter() - started_at, time.process_time() - used)
    assert all("choices" in one for one in answers)
    return taken


def in_own_process(way: str, asks: int) -> Taken:
    """OpenMP is told how to wait before it is loaded, so once a process."""
    environment = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    environment |= {"OMP_WAIT_POLICY": told} if (told := WAYS[way]) else {}
    command = [sys.executable, "-m", "benchmarks.gguf", "--asks", str(asks), "--way", way]
    root = Path(__file__).parents[1]
    said = subprocess.run(command, cwd=root, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
    return Taken(*json.loads(said.splitlines()[-1]))


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gguf")
    parser.add_argument("--asks", type=int, default=ASKS)
    parser.add_argument("--times", type=int, default=TIMES, help="do all so often; the quickest counts")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if importlib.util.find_spec("xllamacpp") is None or not smollm2_is_here():
        print("gguf: nothing measured, it needs counterfoil[local], and `counterfoil models get smollm2`")
        return 0
    if options.way:
        work = works(options.asks, TOKENS)[0]
        print(json.dumps(ours(work) if options.way == "gguf/" else bare(work)))
        return 0
    rounds = [{way: in_own_process(way, options.asks) for way in WAYS} for _ in range(options.times)]
    best = {way: Taken(*map(min, zip(*(one[way] for one in rounds), strict=True))) for way in WAYS}
    report, mine = Report(), best.pop("gguf/")
    for way, theirs in best.items():
        note = f"{mine.seconds:.2f} s against {theirs.seconds:.2f} s for {options.asks} asks"
        report.line(f"gguf/ / {way}", mine.seconds / theirs.seconds, MOST, "x", note)
        note = f"{mine.processor:.2f} s against {theirs.processor:.2f} s"
        report.line("the same in processor time", mine.processor / theirs.processor, MOST, "x", note)
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
