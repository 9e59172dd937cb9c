"""Weights that transformers reads: where they are, the hash that names them, the network and its tokenizer."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import msgspec

from counterfoil.asking.ask import Message
from counterfoil.asking.models.base import Hopeless, ModelUnusable
from counterfoil.asking.models.hf.cache import Rows, empty_row
from counterfoil.asking.models.weights import weights_hash
from counterfoil.errors import UserError

# What of a folder can change an answer; of two kinds of weights, the first is read.
WEIGHTS = (".safetensors", ".bin")
OTHERS = (".json", ".jinja", ".model", ".tiktoken", "merges.txt", "vocab.txt")
_HUB_NAME = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?")
# Templates that write today's date would make an ask another one tomorrow. It is always this day.
DAY_OF_TEMPLATES = date(2024, 7, 26)
_TODAY = re.compile(r"""strftime_now\((['"])(.*?)\1\)""")
_TAKEN_LAYERS = {"full_attention", "sliding_attention"}


class Network(msgspec.Struct):
    """A loaded model. `root` is the row without tokens that all others continue."""

    model: Any
    tokenizer: Any
    device: str
    root: Rows
    bytes_per_token: int
    context: int | None
    ends: frozenset[int]
    token_texts: dict[int, str] = {}

    def prompt_text(self, messages: Sequence[Message], settings: Mapping[str, Any]) -> str:
        """The messages in the template of the weights; without one, as plain text."""
        if not self.tokenizer.chat_template:
            return "\n\n".join(message.content for message in messages)
        turns = [{"role": message.role, "content": message.content} for message in messages]
        return _templated(self.tokenizer, turns, settings)

    def prompts(self, texts: Sequence[str]) -> list[list[int]]:
        """The tokens of each text, all in one go: the tokenizer uses all cores then. A template has its own marks."""
        special = not self.tokenizer.chat_template
        return list(self.tokenizer(list(texts), add_special_tokens=special, return_attention_mask=False).input_ids)

    def text(self, tokens: Sequence[int]) -> str:
        return str(self.tokenizer.decode(tokens, skip_special_tokens=True, clean_up_tokenization_spaces=False))

    def token_text(self, token: int) -> str:
        text = self.token_texts.get(token)
        if text is None:
            text = str(self.tokenizer.decode([token], clean_up_tokenization_spaces=False))
            self.token_texts[token] = text
        return text


def _templated(tokenizer: Any, turns: list[dict[str, str]], settings: Mapping[str, Any]) -> str:
    """Some templates have no place for a system prompt: it goes before the first thing the user says."""
    from jinja2 import TemplateError

    try:
        return str(tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True, **settings))
    except TemplateError as error:
        if len(turns) > 1 and turns[0]["role"] == "system" and turns[1]["role"] == "user":
            both = {"role": "user", "content": f"{turns[0]['content']}\n\n{turns[1]['content']}"}
            return _templated(tokenizer, [both, *turns[2:]], settings)
        raise Hopeless(f"the model's chat template does not take these messages: {error}") from error


def find_weights(name: str, rest: str) -> Path:
    """A folder or a .gguf file; else the name of a model on the hub, fetched if it is not in the hub's cache."""
    path = Path(rest).expanduser()
    if path.is_file():
        if path.suffix != ".gguf":
            raise UserError(f"{name}: {path} is neither a folder nor a .gguf file.")
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise UserError(f"{name}: {path} is not a GGUF file.")
        return path
    if path.is_dir():
        if not _is_complete(path):
            raise UserError(f"{name}: {path} is not a model: it must hold config.json and weights ({WEIGHTS[0]}).")
        return path
    if path.is_absolute() or path.suffix == ".gguf" or not _HUB_NAME.fullmatch(rest):
        raise UserError(f"{name}: there is no folder and no file {path}.")
    return _from_hub(name, rest)


def _from_hub(name: str, rest: str) -> Path:
    import huggingface_hub
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    wanted = [f"*{end}" for end in (WEIGHTS[0], *OTHERS)]
    try:
        found = Path(huggingface_hub.snapshot_download(rest, allow_patterns=wanted, local_files_only=True))
        if _is_complete(found):
            return found
    except (LocalEntryNotFoundError, HFValidationError):
        pass
    try:
        found = Path(huggingface_hub.snapshot_download(rest, allow_patterns=wanted))
    except Exception as error:  # of several kinds, of several packages; all of them are told
        raise UserError(
            f"{name}: there is no folder {rest} here, and it can't be fetched from the hub "
            f"({_first_line(error).rstrip('.')}): correct the path or the name, or fetch it where there is a network."
        ) from error
    if not _is_complete(found):
        raise UserError(f"{name}: the hub has no weights of it in {WEIGHTS[0]} files, so it can't be used.")
    return found


def _is_complete(folder: Path) -> bool:
    """Whether everything is there: perhaps only the tokenizer was ever fetched, or some of the weights."""
    if not (folder / "config.json").is_file():
        return False
    for index in folder.glob("*.index.json"):
        try:
            files = set(json.loads(index.read_text(encoding="utf-8"))["weight_map"].values())
        except (ValueError, KeyError, AttributeError, TypeError):
            return False
        if all((folder / str(file)).is_file() for file in files):
            return True
    return any((folder / file).is_file() for file in ("model.safetensors", "pytorch_model.bin"))


def hash_of(path: Path) -> str:
    """SHA-256 that names the weights: of the file, or of the names and hashes of a folder's files that matter."""
    if path.is_file():
        return weights_hash(path)
    files = sorted(file for file in path.iterdir() if file.is_file() and not file.name.startswith("."))
    kind = next((end for end in WEIGHTS if any(file.name.endswith(end) for file in files)), WEIGHTS[0])
    lines = [f"{weights_hash(file)} {file.name}\n" for file in files if file.name.endswith((kind, *OTHERS))]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def load(path: Path, device: str, dtype: str) -> Network:
    """The network, ready; ModelUnusable where it can't be."""
    import torch
    import transformers

    if device == "cuda" and not torch.cuda.is_available():
        raise ModelUnusable("there is no GPU here that torch can use: leave --param device out")
    folder, one_file = (path, None) if path.is_dir() else (path.parent, path.name)
    common = {"gguf_file": one_file, "local_files_only": True, "trust_remote_code": False}
    try:
        with _quietly():
            tokenizer = transformers.AutoTokenizer.from_pretrained(str(folder), **common)
            model = transformers.AutoModelForCausalLM.from_pretrained(
                str(folder), dtype=getattr(torch, dtype), **common
            )
        model = model.to(device).eval()
        root, bytes_per_token = _root(model)
    except ModelUnusable:
        raise
    except Exception as error:  # whatever a file can break, in words
        raise ModelUnusable(f"{path} can't be loaded: {_first_line(error)}") from error
    if isinstance(tokenizer.chat_template, str):
        tokenizer.chat_template = _TODAY.sub(_on_that_day, tokenizer.chat_template)
    config = model.config.get_text_config()
    ends = [model.generation_config.eos_token_id, config.eos_token_id, tokenizer.eos_token_id]
    flat = [one for end in ends for one in (end if isinstance(end, list) else [end]) if one is not None]
    context = getattr(config, "max_position_embeddings", None)
    return Network(model, tokenizer, device, root, bytes_per_token, context, frozenset(flat))


def _on_that_day(call: re.Match[str]) -> str:
    return json.dumps(DAY_OF_TEMPLATES.strftime(call.group(2)))


def _root(model: Any) -> tuple[Rows, int]:
    """The row without tokens, and how many bytes a token takes in the cache.

    One token is computed to find out whether the model keeps its past as keys and values, token by token: others can't
    be shared and joined row by row.
    """
    import torch
    from transformers import DynamicCache

    kinds = set(getattr(model.config.get_text_config(), "layer_types", None) or ())
    cache = DynamicCache()
    if kinds <= _TAKEN_LAYERS:
        with torch.inference_mode():
            model.base_model(
                input_ids=torch.zeros((1, 1), dtype=torch.long, device=model.device),
                attention_mask=torch.ones((1, 1), dtype=torch.long, device=model.device),
                position_ids=torch.zeros((1, 1), dtype=torch.long, device=model.device),
                past_key_values=cache,
                use_cache=True,
            )
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
    from transformers import modeling_gguf_pytorch_utils as gguf
    from transformers.utils import logging

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


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]
