"""How fast hf/ asks, beside plain `transformers.generate` with the same weights and prompts, in one go on one machine.

    python -m benchmarks.hf --model PATH --asks 2000 --alone 64 --rows 128

Three kinds of asks from the questions that ship with the package: bias by text, bias by log probability (one token),
explain. Three ways: one by one; in batches as they come, padded to the longest; through the asker, every reply durable.
All replies are the likeliest tokens. "same": the share of texts that are those of one by one, of the asks that both
did; in float32 that is all, in shorter floats a sum in another order can tip a close choice. With `--passes` each line
has the passes through the layers that were made and the seconds outside of them; each pass is waited for then, which
costs some time. With `--times N` all is done so often, in turns, and the quickest counts: a process is slow at first,
and with short work that is most of what shows. With `--shape 0.5b`, say, the weights are random ones of that size,
with the tokenizer of `--model`: replies mean nothing, and nearly all of them have the full length. With `--continuous`
transformers' own continuous batching is measured as well. Without arguments it is small enough for two cores, and takes
SmolLM2.
Says what is missing, and exits with 0, where there is no torch.
"""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from counterfoil.asking.ask import Message, Reply
from counterfoil.asking.asker import Halt, Sender
from counterfoil.asking.budget import Account, Budget
from counterfoil.asking.ledger import Ledger
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.weights import smollm2_path
from counterfoil.asking.pace import Pace
from counterfoil.running.run import WINDOW

Prompts = list[tuple[Message, ...]]


class Work(NamedTuple):
    """Asks of one kind, in the order of their dataset."""

    name: str
    prompts: Prompts
    max_tokens: int
    by_logprob: bool = False


class Done(NamedTuple):
    seconds: float
    texts: list[str]
    tokens: int


# Sizes of SmolLM2's smallest network and of Qwen2.5's: hidden, layers, heads, heads of keys, feed-forward.
SHAPES = {"135m": (576, 30, 9, 3, 1536), "0.5b": (896, 24, 14, 2, 4864), "7b": (3584, 28, 28, 4, 18944)}


def random_weights(shape: str, tokenizer_from: Path, folder: Path, device: str) -> Path:
    """A folder with random weights of this shape and the tokenizer of another model."""
    import torch
    import transformers

    hidden, layers, heads, key_heads, feed = SHAPES[shape]
    one_file = {"gguf_file": tokenizer_from.name} if tokenizer_from.is_file() else {}
    source = tokenizer_from.parent if tokenizer_from.is_file() else tokenizer_from
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(source), **one_file)
    config = transformers.Qwen2Config(
        vocab_size=len(tokenizer),
        hidden_size=hidden,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=key_heads,
        intermediate_size=feed,
        eos_token_id=tokenizer.eos_token_id,
        bos_token_id=tokenizer.bos_token_id,
        tie_word_embeddings=shape != "7b",
    )
    torch.manual_seed(1)
    with torch.device(device):
        model = transformers.Qwen2ForCausalLM(config).to(torch.bfloat16)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    del model
    return folder


class Passes:
    """How many passes there were through the layers of a network's class, and how long they took."""

    def __init__(self, layers: Any) -> None:
        import torch

        self.count, self.seconds = 0, 0.0
        forward = type(layers).forward

        def counted(*arguments: Any, **more: Any) -> Any:
            started_at = time.perf_counter()
            said = forward(*arguments, **more)
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            self.count += 1
            self.seconds += time.perf_counter() - started_at
            return said

        type(layers).forward = counted


def works(asks: int, max_tokens: int) -> list[Work]:
    from counterfoil.bias.suite import Bias
    from counterfoil.explain.suite import Explain

    def prompts(suite: Any, data: str, names: Sequence[str]) -> Prompts:
        dataset = suite.load(data)
        variants = suite.variants(names, dataset)
        return [tuple(suite.messages(question, variant)) for variant in variants for question in dataset][:asks]

    bias = prompts(Bias(), "english", ["en", "en-debiased"])
    return [
        Work("bias, text", bias, min(64, max_tokens)),
        Work("bias, logprob", bias, 1, by_logprob=True),
        Work("explain", prompts(Explain(), "english", ["baseline", "cfe"]), max_tokens),
    ]


def in_batches(network: Any, work: Work, prompts: Prompts, rows: int) -> Done:
    """What a user would write: the tokenizer's padding and generate."""
    import torch

    tokenizer, texts, tokens = network.tokenizer, [], 0
    tokenizer.padding_side = "left"
    tokenizer.pad_token = tokenizer.pad_token or tokenizer.eos_token
    started_at = time.perf_counter()
    for start in range(0, len(prompts), rows):
        batch = network.prompts([network.prompt_text(messages, {}) for messages in prompts[start : start + rows]])
        padded = tokenizer.pad({"input_ids": batch}, padding=True, return_tensors="pt").to(network.device)
        with torch.inference_mode():
            made = network.model.generate(
                **padded, max_new_tokens=work.max_tokens, do_sample=False, pad_token_id=tokenizer.pad_token_id
            )
        for row in made[:, padded["input_ids"].shape[1] :].tolist():
            end = next((place for place, token in enumerate(row) if token in network.ends), len(row))
            tokens += min(end + 1, len(row))
            texts.append(network.text(row[:end]))
    return Done(time.perf_counter() - started_at, texts, tokens)


def continuously(network: Any, work: Work, rows: int) -> Done:
    """By transformers' own continuous batching."""
    import transformers

    prompts = network.prompts([network.prompt_text(messages, {}) for messages in work.prompts])
    settings = transformers.GenerationConfig(
        max_new_tokens=work.max_tokens,
        do_sample=False,
        eos_token_id=sorted(network.ends),
        pad_token_id=min(network.ends),
    )
    started_at = time.perf_counter()
    said = network.model.generate_batch(inputs=prompts, generation_config=settings)
    outputs = sorted(said.values(), key=lambda one: int(str(one.request_id).rsplit("_", 1)[-1]))
    written = [[token for token in one.generated_tokens if token not in network.ends] for one in outputs]
    texts = [network.text(tokens) for tokens in written]
    return Done(time.perf_counter() - started_at, texts, sum(len(one.generated_tokens) for one in outputs))


def through_asker(runner: asyncio.Runner, model: Any, work: Work) -> Done:
    """As a run does it: looked up together, neighbours in the order of their texts, at the model's pace."""
    params: dict[str, Any] = {"temperature": 0, "max_tokens": work.max_tokens}
    if work.by_logprob:
        params["logprobs"] = 20
    asks = [model.ask(messages, params, 0) for messages in work.prompts]
    order = sorted(range(len(asks)), key=lambda place: asks[place].prompt)

    async def asking() -> list[Reply]:
        with tempfile.TemporaryDirectory() as folder, Ledger(Path(folder) / "ledger.sqlite") as ledger:
            sender = Sender(
                model,
                ledger,
                pace=Pace(slots=model.slots),
                timeout=3600,
                account=Account(Budget(), None),
                halt=Halt(),
                say=print,
            )
            for start in range(0, len(asks), WINDOW):
                assert not ledger.get([ask.key for ask in asks[start : start + WINDOW]])
            return await asyncio.gather(*(sender.ask(asks[place], looked_up=True) for place in order))

    started_at = time.perf_counter()
    replies = runner.run(asking())
    seconds = time.perf_counter() - started_at
    by_place = dict(zip(order, replies, strict=True))
    failed = [reply.error for reply in replies if reply.status == "failed"]
    if failed:
        raise SystemExit(f"{len(failed)} asks failed: {failed[0]}")
    return Done(
        seconds,
        [by_place[place].text for place in range(len(asks))],
        sum(reply.output_tokens or 0 for reply in replies),
    )


def measure(
    network: Any, ask_all: Callable[[Work], Done], work: Work, options: argparse.Namespace, passes: Passes | None
) -> None:
    """The three ways, and their lines of the table."""
    alone, rows = options.alone, options.rows
    few = work.prompts[:: max(1, len(work.prompts) // alone)][:alone]
    places = [work.prompts.index(prompt) for prompt in few]
    ways: list[tuple[str, Callable[[], Done]]] = [
        ("generate, one by one", lambda: in_batches(network, work, few, 1)),
        (f"generate, batches of {rows}", lambda: in_batches(network, work, work.prompts, rows)),
        ("hf/ through the asker", lambda: ask_all(work)),
    ]
    if options.continuous:
        ways.append(("generate_batch", lambda: continuously(network, work, rows)))
    rounds: list[list[tuple[Done, int, float]]] = []
    for _ in range(options.times):
        rounds.append([])
        for _, way in ways:
            if passes:
                passes.count, passes.seconds = 0, 0.0
            done = way()
            rounds[-1].append((done, passes.count, passes.seconds) if passes else (done, 0, 0.0))
    best = [min(of_way, key=lambda one: one[0].seconds) for of_way in zip(*rounds, strict=True)]
    expected = best[0][0].texts
    base = len(expected) / best[0][0].seconds
    for (name, _), (done, count, seconds) in zip(ways, best, strict=True):
        rate = len(done.texts) / done.seconds
        texts = done.texts if len(done.texts) == len(expected) else [done.texts[place] for place in places]
        same = sum(a == b for a, b in zip(texts, expected, strict=True)) / len(expected)
        print(
            f"{work.name:<14} {name:<24} {len(done.texts):>6} {done.seconds:>8.1f} s {rate:>9.2f} "
            f"{done.tokens / done.seconds:>10.1f} {rate / base:>7.1f}x {same:>6.0%}"
            + (f" {count:>6} passes, {done.seconds - seconds:.1f} s outside" if passes else ""),
            flush=True,
        )


def main(arguments: Sequence[str] = ()) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hf")
    parser.add_argument("--model", default=str(smollm2_path()), help="a folder or a .gguf file")
    parser.add_argument("--asks", type=int, default=48, help="of each kind, at the most")
    parser.add_argument("--alone", type=int, default=6, help="asks that are done one by one")
    parser.add_argument("--rows", type=int, help="rows of a batch")
    parser.add_argument("--max-tokens", type=int, default=32, help="longest reply; of bias at most 64")
    parser.add_argument("--device", choices=["cpu", "cuda"])
    parser.add_argument("--dtype", choices=["float32", "bfloat16", "float16"])
    parser.add_argument("--only", default="", help="kinds, by a part of their names: text, logprob, explain")
    parser.add_argument("--times", type=int, default=1, help="do all so often; the quickest counts")
    parser.add_argument("--passes", action="store_true", help="count the passes and time them")
    parser.add_argument("--shape", choices=sorted(SHAPES), help="random weights of this size")
    parser.add_argument("--continuous", action="store_true", help="transformers' continuous batching as well")
    options = parser.parse_args(arguments)
    if not all(importlib.util.find_spec(name) for name in ("torch", "transformers")):
        print("hf: nothing measured, torch and transformers are not installed: pip install 'counterfoil[hf]'")
        return 0
    if not Path(options.model).exists():
        print(f"hf: nothing measured, there is no model {options.model}")
        return 0
    return compare(options)


def compare(options: argparse.Namespace) -> int:
    import torch

    from counterfoil.asking.models.hf.model import DTYPE, ROWS, HfModel
    from counterfoil.asking.models.hf.network import load

    device = options.device or ("cuda" if torch.cuda.is_available() else "cpu")
    dtype = options.dtype or DTYPE[device]
    options.rows = ROWS[device] = options.rows or ROWS[device]
    if options.shape:
        folder = tempfile.TemporaryDirectory()
        options.model = str(random_weights(options.shape, Path(options.model), Path(folder.name), device))
    network = load(Path(options.model), device, dtype)
    model = HfModel(ModelSpec(name=f"hf/{options.model}", params={"device": device, "dtype": dtype}))
    where = torch.cuda.get_device_name() if device == "cuda" else f"{torch.get_num_threads()} threads"
    print(f"{Path(options.model).name}, {model.ask([], {}, 0).runtime}, {where}")
    print(f"{'':<14} {'':<24} {'asks':>6} {'time':>10} {'asks/s':>9} {'tokens/s':>10} {'':>8} {'same':>6}", flush=True)
    kinds = options.only.split(",")
    all_works = [one for one in works(options.asks, options.max_tokens) if any(kind in one.name for kind in kinds)]
    passes = Passes(network.model.base_model) if options.passes else None
    with asyncio.Runner() as runner:
        # The first pass of a process is slow for reasons of its own.
        warm = Work("", all_works[0].prompts[:4], 4)
        in_batches(network, warm, warm.prompts, 2)
        through_asker(runner, model, warm)
        for work in all_works:
            measure(network, partial(through_asker, runner, model), work, options, passes)
        runner.run(model.close())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
