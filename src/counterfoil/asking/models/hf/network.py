"""A network with its tokenizer, loaded by transformers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
import torch
import transformers
from jinja2 import TemplateError
from transformers import modeling_gguf_pytorch_utils as gguf
from transformers.utils import logging
from transformers.utils.chat_template_utils import render_jinja_template

from counterfoil.asking.ask import Message
from counterfoil.asking.models.base import Hopeless, ModelUnusable
from counterfoil.asking.models.hf.cache import Rows, empty_row, first_tokens
from counterfoil.asking.models.hf.model import first_line

# The date in templates that write today's: with another one each day, an ask would be another one tomorrow.
DAY_OF_TEMPLATES = date(2024, 7, 26)
_TODAY = re.compile(r"""strftime_now\((['"])(.*?)\1\)""")
_TAKEN_LAYERS = {"full_attention", "sliding_attention"}


class Network(msgspec.Struct, kw_only=True):
    """A loaded model. `root` is the row without tokens that all others continue."""

    model: Any
    tokenizer: Any
    device: str
    root: Rows
    bytes_per_token: int
    context: int | None
    ends: frozenset[int]
    token_texts: dict[int, str] = {}
    # What the template may call by name: begin, end, padding.
    marks: dict[str, str] = {}

    def prompt_text(self, messages: Sequence[Message], settings: Mapping[str, Any]) -> str:
        """The messages in the template of the weights; without one, as plain text."""
        if not self.tokenizer.chat_template:
            return "\n\n".join(message.content for message in messages)
        turns = [{"role": message.role, "content": message.content} for message in messages]
        return _templated(self.tokenizer.chat_template, turns, {**self.marks, **settings})

    def prompts(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text. In one call, the tokenizer uses all cores. A template has its own marks."""
        special = not self.tokenizer.chat_template
        return list(self.tokenizer(list(texts), add_special_tokens=special, return_attention_mask=False).input_ids)

    def text(self, tokens: Sequence[int]) -> str:
        return str(self.tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def token_text(self, token: int) -> str:
        if token not in self.token_texts:
            self.token_texts[token] = str(self.tokenizer.decode([token], clean_up_tokenization_spaces=False))
        return self.token_texts[token]


def _templated(template: str, turns: list[dict[str, str]], settings: Mapping[str, Any]) -> str:
    """The template with these turns. Some take no system prompt: it then goes before the user's first words.

    As the tokenizer's `apply_chat_template` does it, which collects the marks anew for each prompt.
    """
    try:
        rendered, _ = render_jinja_template([turns], chat_template=template, add_generation_prompt=True, **settings)
        return str(rendered[0])
    except TemplateError as error:
        if len(turns) > 1 and turns[0]["role"] == "system" and turns[1]["role"] == "user":
            both = {"role": "user", "content": f"{turns[0]['content']}\n\n{turns[1]['content']}"}
            return _templated(template, [both, *turns[2:]], settings)
        raise Hopeless(f"the model's chat template does not take these messages: {error}") from error


def load(path: Path, device: str, dtype: str) -> Network:
    """The network, ready; ModelUnusable where it can't be."""
    if device == "cuda" and not torch.cuda.is_available():
        raise ModelUnusable("there is no GPU here that torch can use: leave --param device out")
    folder, one_file = (path, None) if path.is_dir() else (path.parent, path.name)
    common = {"gguf_file": one_file, "local_files_only": True, "trust_remote_code": False}
    try:
        with _quietly():
            tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **common)
            kind = getattr(torch, dtype)
            model = transformers.AutoModelForCausalLM.from_pretrained(str(folder), dtype=kind, **common)
        model = model.to(device).eval()
        root, bytes_per_token = _root(model)
        if tokenizer.chat_template:
            tokenizer.chat_template = _TODAY.sub(
                lambda call: json.dumps(DAY_OF_TEMPLATES.strftime(call[2])), tokenizer.get_chat_template()
            )
    except ModelUnusable:
        raise
    except Exception as error:  # a broken file has errors of many kinds
        raise ModelUnusable(f"{path} can't be loaded: {first_line(error)}") from error
    config = model.config.get_text_config()
    ends = [model.generation_config.eos_token_id, config.eos_token_id, tokenizer.eos_token_id]
    flat = [one for end in ends for one in (end if isinstance(end, list) else [end]) if one is not None]
    return Network(
        model=model,
        tokenizer=tokenizer,
        device=device,
        root=root,
        bytes_per_token=bytes_per_token,
        context=getattr(config, "max_position_embeddings", None),
        ends=frozenset(flat),
        marks=dict(tokenizer.special_tokens_map),
    )


def _root(model: Any) -> tuple[Rows, int]:
    """The row without tokens, and the bytes of a token in the cache.

    One computed token shows whether the model keeps its past as keys and values, token by token. Any other past can't
    be shared and joined row by row.
    """
    kinds = set(getattr(model.config.get_text_config(), "layer_types", None) or ())
    cache = transformers.DynamicCache()
    if kinds <= _TAKEN_LAYERS:
        with torch.inference_mode():
            model.base_model(**first_tokens([[0]], model.device), past_key_values=cache, use_cache=True)
    sides = [side for layer in cache.layers for side in (layer.keys, layer.values)]
    if not sides or any(side is None or side.dim() != 4 or side.shape[2] != 1 for side in sides):
        raise ModelUnusable(
            f"models of the type {model.config.model_type} keep a state that can't be batched here: "
            "serve it with vLLM and ask vllm/NAME"
        )
    return empty_row(sides), sum(side.numel() * side.element_size() for side in sides)


@contextmanager
def _quietly() -> Iterator[None]:
    """No progress bars and remarks of transformers: errors come as exceptions."""
    level, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    its_bar = getattr(gguf, "tqdm", None)
    gguf.tqdm = lambda tensors, **_: tensors  # no setting turns this one off
    try:
        yield
    finally:
        gguf.tqdm = its_bar
        logging.set_verbosity(level)
        if bars:
            logging.enable_progress_bar()
