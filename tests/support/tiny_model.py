"""Weights for transformers that fit into a test: a small network that nobody has trained."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers

TEMPLATE = (
    "{% for m in messages %}<s>{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"
    "{% if add_generation_prompt %}<s>assistant: {% endif %}"
)
CONTEXT = 400


def make_tokenizer(template: str | None) -> Any:
    """One token for each letter, sign, space and line break of ASCII, and two that mean something."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = [*map(chr, range(33, 127)), "Ġ", "Ċ"]
    vocabulary = {"<s>": 0, "</s>": 1} | {letter: number + 2 for number, letter in enumerate(letters)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    made = transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>")
    made.chat_template = template
    return made


def make_model(folder: Path, template: str | None = TEMPLATE, kind: str = "llama", context: int = CONTEXT) -> Path:
    """A small network of random weights, large enough that its likeliest tokens are clearly so."""
    torch.manual_seed(3)
    sizes = {
        "vocab_size": 98,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "max_position_embeddings": context,
        "initializer_range": 0.4,
        "eos_token_id": 1,
        "bos_token_id": 0,
        "pad_token_id": 1,
    }
    if kind == "llama":
        model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**sizes))
    elif kind == "sliding":
        model = transformers.MistralForCausalLM(transformers.MistralConfig(**sizes, sliding_window=24))
    else:
        config = transformers.GPT2Config(
            vocab_size=98,
            n_positions=context,
            n_embd=32,
            n_layer=2,
            n_head=4,
            initializer_range=0.4,
            eos_token_id=1,
            bos_token_id=0,
        )
        model = transformers.GPT2LMHeadModel(config)
    model.save_pretrained(folder)
    make_tokenizer(template).save_pretrained(folder)
    return folder
