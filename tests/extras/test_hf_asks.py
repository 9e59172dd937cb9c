"""What the model is asked with: templates, parameters, weights, and what of them names the ask."""

from __future__ import annotations

import asyncio
import math
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="torch is not installed: pip install 'counterfoil[hf]'")
pytest.importorskip("transformers", reason="transformers is not installed: pip install 'counterfoil[hf]'")

import torch

from counterfoil.asking.ask import Ask, Message, Reply
from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import Hopeless, ModelSpec
from counterfoil.asking.models.hf import model as hf
from counterfoil.asking.models.hf.model import HfModel
from counterfoil.errors import UserError
from hf_asks import GREEDY, forward_logprobs, replies, send, user
from tiny_model import TEMPLATE, make_model

pytestmark = pytest.mark.usefixtures("alone")


def test_without_a_template_messages_are_plain_text(tmp_path: Path) -> None:
    path = make_model(tmp_path / "model", template=None)

    async def sending() -> tuple[Reply, list[str]]:
        model = HfModel(ModelSpec(name=f"hf/{path}"))
        assert model.adjustments == []
        ask = model.ask((Message("system", "Be brief."), Message("user", "Hm.")), {"max_tokens": 1, "logprobs": 3}, 0)
        reply = (await model.send(ask, 60)).reply
        await model.close()
        return reply, model.adjustments

    reply, adjustments = asyncio.run(sending())
    assert adjustments == ["messages are sent as plain text: the model has no chat template"]
    ids, logprobs = forward_logprobs(path, "Be brief.\n\nHm.")
    assert reply.input_tokens == len(ids) == 14
    assert reply.logprobs is not None
    assert math.isclose(reply.logprobs[0].logprob, float(logprobs[-1].max()), abs_tol=1e-4)


def test_a_template_without_a_system_prompt_gets_it_in_the_first_message(tmp_path: Path) -> None:
    path = make_model(
        tmp_path / "model", "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no') }}{% endif %}" + TEMPLATE
    )
    apart = (Message("system", "Be brief."), Message("user", "Hm."))
    first, second = replies(path, [(apart, GREEDY, 0), (user("Be brief.\n\nHm."), GREEDY, 0)])
    assert first.text == second.text
    assert first.input_tokens == second.input_tokens


def test_todays_date_is_no_part_of_a_template(tmp_path: Path) -> None:
    path = make_model(tmp_path / "model", "{{ strftime_now('%d %b %Y') }}" + TEMPLATE)
    (reply,) = replies(path, [(user("Hm."), GREEDY, 0)])
    (same,) = replies(make_model(tmp_path / "other", "26 Jul 2024" + TEMPLATE), [(user("Hm."), GREEDY, 0)])
    assert reply.text == same.text


def test_what_can_change_an_answer_is_in_the_ask(folder: Path, tmp_path: Path) -> None:
    def ask(path: Path, **params: Any) -> Ask:
        return HfModel(ModelSpec(name=f"hf/{path}", params=params)).ask(user("Hm."), params, 2)

    one = ask(folder)
    versions = f"transformers {metadata.version('transformers')} torch {metadata.version('torch').partition('+')[0]}"
    device = "cuda bfloat16" if torch.cuda.is_available() else "cpu float32"
    assert (one.provider, one.runtime, one.sample) == ("hf", f"{versions} {device}", 2)
    assert one.model.startswith("sha256:")
    copy = tmp_path / "copy"
    copy.mkdir()
    for file in folder.iterdir():
        (copy / file.name).write_bytes(file.read_bytes())
    (copy / "README.md").write_text("Other words, the same model.")
    assert ask(copy).key == one.key
    assert ask(copy, dtype="bfloat16", device="cpu").runtime == f"{versions} cpu bfloat16"
    (copy / "chat_template.jinja").write_text("other")
    assert ask(copy).key != one.key
    assert str(folder) not in repr(one)


def test_wrong_parameters_are_said(folder: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"best_of": 3}, "there is no parameter best_of here"),
        ({"top_p": 0}, "top_p is 0.0, and must be above 0 and at most 1"),
        ({"max_tokens": 0}, "max_tokens is 0, which is too low"),
        ({"stop": ["a", ""]}, "stop has an empty text in it"),
    ]
    for params, said in wrong:
        with pytest.raises(UserError) as raised:
            HfModel(ModelSpec(name=f"hf/{folder}", params=params))
        assert said in str(raised.value)
        (got,) = send(folder, [(user("Hm."), params, 0)])
        assert type(got) is Hopeless
        assert said in str(got)
    with pytest.raises(UserError, match="max_tokens"):
        HfModel(ModelSpec(name=f"hf/{folder}", params={"max_tokens": "many"}))
    assert HfModel(ModelSpec(name=f"hf/{folder}", params={"max_tokens": 4.0})).slots == 2 * hf.ROWS[hf._device()]


def test_names_without_weights_are_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    (tmp_path / "empty").mkdir()
    (tmp_path / "other.gguf").write_bytes(b"PK")
    (tmp_path / "other.bin").write_bytes(b"PK")
    sentences = {
        "": "hf/ names no model: write hf/PATH, or hf/NAME for a model on the hub.",
        f"{tmp_path}/none": f"hf/{tmp_path}/none: there is no folder and no file {tmp_path}/none.",
        "./none": "hf/./none: there is no folder and no file none.",
        "none.gguf": "hf/none.gguf: there is no folder and no file none.gguf.",
        f"{tmp_path}/empty": f"hf/{tmp_path}/empty: {tmp_path}/empty is not a model: "
        "it must hold config.json and weights (.safetensors).",
        f"{tmp_path}/other.gguf": f"hf/{tmp_path}/other.gguf: {tmp_path}/other.gguf is not a GGUF file.",
        f"{tmp_path}/other.bin": f"hf/{tmp_path}/other.bin: {tmp_path}/other.bin is neither a folder nor a .gguf file.",
    }
    for rest, sentence in sentences.items():
        with pytest.raises(UserError) as raised:
            open_model(ModelSpec(name=f"hf/{rest}"))
        assert str(raised.value) == sentence


def test_a_name_in_the_hubs_cache_is_found_without_the_network(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub

    called: list[tuple[str, bool]] = []

    def snapshot(name: str, *, local_files_only: bool = False, **more: Any) -> str:
        called.append((name, local_files_only))
        return str(folder)

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    HfModel(ModelSpec(name="hf/someone/some-model"))
    assert called == [("someone/some-model", True)]


def test_a_name_that_can_not_be_fetched_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    def snapshot(name: str, *, local_files_only: bool = False, **more: Any) -> str:
        raise LocalEntryNotFoundError("not here") if local_files_only else OSError("no network\nat all")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", snapshot)
    with pytest.raises(UserError) as raised:
        HfModel(ModelSpec(name="hf/someone/some-model"))
    assert str(raised.value) == (
        "hf/someone/some-model: there is no folder someone/some-model here, "
        "and it can't be fetched from the hub (no network): correct the path or the name, "
        "or fetch it where there is a network."
    )


def test_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(UserError, match=r"pip install 'counterfoil\[hf\]', then run again"):
        HfModel(ModelSpec(name="hf/x.gguf"))
