"""Fine-tune a model with TRL on what `counterfoil export --to sft` or `--to dpo` wrote.

    pip install trl gguf
    python examples/finetune.py MODEL DATA OUT

MODEL is a folder or a name that transformers knows, or a .gguf file, whose weights are taken out of their quantisation
first. OUT is a folder that `counterfoil run … --model hf/OUT` evaluates.
"""

from __future__ import annotations

import argparse
import copy
import json
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer
from trl import DPOConfig, DPOTrainer, SFTConfig, SFTTrainer

from datasets import load_dataset


def main() -> None:
    parser = argparse.ArgumentParser(description="Fine-tune a model with TRL on an export of counterfoil.")
    parser.add_argument("model", metavar="MODEL")
    parser.add_argument("data", type=Path, metavar="DATA")
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--epochs", type=float, default=3)
    parser.add_argument("--max-steps", type=int, default=-1)
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--learning-rate", type=float, help="default: 5e-5 for sft, 5e-6 for dpo")
    parser.add_argument("--beta", type=float, default=0.1, help="dpo: how closely the old model is kept to")
    parser.add_argument("--seed", type=int, default=0)
    parsed = parser.parse_args()

    # Single precision for the weights: at half of it small steps are rounded away.
    model, tokenizer = load(parsed.model)
    data = load_dataset("json", data_files={"train": str(parsed.data / "train.jsonl")}, split="train")
    pairs = "chosen" in data.column_names
    settings: dict[str, Any] = {
        "output_dir": str(parsed.out / "trainer"),
        "num_train_epochs": parsed.epochs,
        "max_steps": parsed.max_steps,
        "per_device_train_batch_size": parsed.batch_size,
        "learning_rate": parsed.learning_rate or (5e-6 if pairs else 5e-5),
        "lr_scheduler_type": "cosine",
        "warmup_steps": 10,
        "bf16": torch.cuda.is_available(),
        "use_cpu": not torch.cuda.is_available(),
        "gradient_checkpointing": False,
        "logging_steps": 10,
        "save_strategy": "no",
        "report_to": "none",
        "seed": parsed.seed,
    }
    about: dict[str, Any] = {"model": model, "train_dataset": data, "processing_class": tokenizer}
    if pairs:
        old = copy.deepcopy(model)
        trainer = DPOTrainer(ref_model=old, args=DPOConfig(beta=parsed.beta, **settings), **about)
    else:
        # The loss is over completions alone: prompts are no part of what is learnt.
        trainer = SFTTrainer(args=SFTConfig(**settings), **about)
    trainer.train()
    (parsed.out / "trainer").mkdir(parents=True, exist_ok=True)
    trainer.save_model(str(parsed.out))
    tokenizer.save_pretrained(str(parsed.out))
    losses = [entry for entry in trainer.state.log_history if "loss" in entry]
    (parsed.out / "trainer" / "losses.json").write_text(json.dumps(losses, indent=2), encoding="utf-8")
    print(f"Trained on {len(data):,} examples. Evaluate with --model hf/{parsed.out}")


def load(name: str) -> tuple[Any, Any]:
    """The model and its tokenizer."""
    if not name.endswith(".gguf"):
        model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32)
        return model, AutoTokenizer.from_pretrained(name)
    path = Path(name)
    place = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    read = AutoModelForCausalLM.from_pretrained(**place, dtype=torch.float32)
    tokenizer = AutoTokenizer.from_pretrained(**place)
    # The same weights in a network that does not call itself quantised: those are not trained.
    read.config.__dict__.pop("quantization_config", None)
    model = type(read)(read.config)
    model.load_state_dict(read.state_dict())
    model.generation_config = read.generation_config
    # Read from GGUF, the tokenizer may name another token for the end than the model does.
    tokenizer.eos_token = tokenizer.convert_ids_to_tokens(model.generation_config.eos_token_id)
    return model, tokenizer


if __name__ == "__main__":
    main()
