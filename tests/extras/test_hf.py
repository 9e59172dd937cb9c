"""Weights in process by transformers: the same replies as one by one, whatever shares a batch with them."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import metadata
from pathlib import Path
from string import ascii_uppercase
from typing import Any

import pytest

from commands import counterfoil
from counterfoil.asking.ask import Ask, Message, Reply, TokenChoice
from counterfoil.asking.models import open_model
from counterfoil.asking.models.base import Hopeless, ModelSpec, ModelUnusable, TimedOut
from counterfoil.asking.models.weights import SMOLLM2_SHA256, smollm2_is_here, smollm2_path
from counterfoil.errors import UserError

torch = pytest.importorskip("torch", reason="torch is not installed: pip install 'counterfoil[hf]'")
transformers = pytest.importorskip(
    "transformers", reason="transformers is not installed: pip install 'counterfoil[hf]'"
)

from counterfoil.asking.models import hf, hf_prompts  # noqa: E402
from counterfoil.asking.models.hf import HfModel  # noqa: E402
from counterfoil.asking.models.hf_tokens import next_tokens, read_settings  # noqa: E402
from tiny_model import CONTEXT, TEMPLATE, make_model  # noqa: E402

GREEDY = {"temperature": 0, "max_tokens": 12}


@pytest.fixture(scope="module", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "real" not in request.node.name:
        monkeypatch.setenv("COUNTERFOIL_CACHE", str(tmp_path / "cache"))


Asked = tuple[Sequence[Message], Mapping[str, Any], int]


def user(text: str) -> tuple[Message, ...]:
    return (Message("user", text),)


def send(
    path: Path, asks: Sequence[Asked], *, together: bool = True, concurrency: int | None = None, **spec: Any
) -> list[Reply | BaseException]:
    """What the model gives to these asks, in one burst or one after the other."""

    async def sending() -> list[Reply | BaseException]:
        model = HfModel(ModelSpec(name=f"hf/{path}", concurrency=concurrency, **spec))
        made = [model.ask(messages, params, sample) for messages, params, sample in asks]
        try:
            if together:
                sent = await asyncio.gather(*(model.send(ask, 120) for ask in made), return_exceptions=True)
            else:
                sent = [(await asyncio.gather(model.send(ask, 120), return_exceptions=True))[0] for ask in made]
        finally:
            await model.close()
        return [one if isinstance(one, BaseException) else one.reply for one in sent]

    return asyncio.run(sending())


def replies(path: Path, asks: Sequence[Asked], **how: Any) -> list[Reply]:
    got = send(path, asks, **how)
    assert all(isinstance(one, Reply) for one in got), got
    return [one for one in got if isinstance(one, Reply)]


def many(params: Mapping[str, Any]) -> list[Asked]:
    """Prompts with a common instruction, of which some share a context, too; one that shares nothing; one twice."""
    asks: list[Asked] = []
    for question in range(4):
        context = f"In town number {question} there are two people, and a third one who is {'very ' * question}late."
        for order in ("A B C", "B C A", "C A B"):
            messages = (
                Message("system", "Answer with one letter, and nothing else."),
                Message("user", context + order),
            )
            asks.append((messages, params, 0))
    return [*asks, (user("Hm."), params, 0), (user("x" * 150), params, 0), (user("Hm."), params, 1)]


def plainly(path: Path, asks: Sequence[Asked]) -> list[str]:
    """The same by transformers' own generate, one by one."""
    tokenizer, model = loaded(path)
    texts = []
    for messages, params, _ in asks:
        turns = [{"role": message.role, "content": message.content} for message in messages]
        text = tokenizer.apply_chat_template(turns, tokenize=False, add_generation_prompt=True)
        ids = tokenizer(text, add_special_tokens=False, return_tensors="pt")
        made = model.generate(**ids, max_new_tokens=params["max_tokens"], do_sample=False, pad_token_id=1)
        texts.append(tokenizer.decode(made[0, ids.input_ids.shape[1] :], skip_special_tokens=True))
    return texts


@pytest.mark.parametrize("kind", ["llama", "sliding", "gpt2"])
def test_replies_are_those_of_plain_generate(kind: str, tmp_path: Path) -> None:
    path = make_model(tmp_path / "model", kind=kind)
    asks = many(GREEDY)
    expected = plainly(path, asks)
    assert len(set(expected)) > 10  # a network that says the same to everything would show nothing
    assert [reply.text for reply in replies(path, asks)] == expected
    assert [reply.text for reply in replies(path, asks, together=False)] == expected


def test_replies_do_not_depend_on_order_batch_size_or_shared_beginnings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asks = [
        (messages, {**params, "max_tokens": 3 + place}, n) for place, (messages, params, n) in enumerate(many(GREEDY))
    ]
    expected = [reply.text for reply in replies(folder, asks)]
    assert [reply.text for reply in replies(folder, asks[::-1])][::-1] == expected
    for rows in (1, 3):  # rows leave one by one, and others take their places
        assert [reply.text for reply in replies(folder, asks, concurrency=rows)] == expected
    monkeypatch.setitem(hf_prompts.PASS_TOKENS, "cpu", 64)
    assert [reply.text for reply in replies(folder, asks)] == expected
    monkeypatch.setitem(hf_prompts.PASS_COST, "cpu", 10**9)
    assert [reply.text for reply in replies(folder, asks)] == expected


def test_common_beginnings_are_computed_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    computed: list[int] = []
    forward = transformers.LlamaModel.forward

    def counting(self: Any, input_ids: Any = None, **more: Any) -> Any:
        computed.append(input_ids.numel())
        return forward(self, input_ids=input_ids, **more)

    monkeypatch.setattr(transformers.LlamaModel, "forward", counting)
    common = "The same long beginning of every ask, word for word. " * 3
    asks = [(user(common + str(number)), {"max_tokens": 1}, 0) for number in range(10)]
    got = replies(folder, asks)
    # One token for the row to begin with; the beginning with its template once; ten times the rest, of
    # "0\n", "<s>" and 11 more, whose last is the step's; and padding where the burst came in two.
    beginning = len("<s>user: " + common) - 2
    assert got[0].input_tokens is not None
    rest = got[0].input_tokens - beginning
    assert rest == 14
    assert sum(computed) <= 1 + 2 * beginning + 10 * rest
    assert sum(computed) < 10 * beginning / 2


def test_drawn_replies_depend_on_the_ask_alone(folder: Path) -> None:
    params = {"temperature": 1.0, "max_tokens": 12, "seed": 7, "top_p": 0.95}
    asks = many(params) + [(user("Hm."), params, sample) for sample in range(2, 5)]
    expected = [reply.text for reply in replies(folder, asks, together=False)]
    assert [reply.text for reply in replies(folder, asks)] == expected
    assert [reply.text for reply in replies(folder, asks[::-1], concurrency=4)][::-1] == expected
    of_one_prompt = [expected[12], *expected[14:]]  # five samples
    assert len(set(of_one_prompt)) == 5
    (other_seed,) = replies(folder, [(user("Hm."), {**params, "seed": 8}, 0)])
    assert other_seed.text != expected[12]


def test_draws_follow_the_probabilities() -> None:
    # Shares 0.5, 0.3, 0.2 at temperature 1; the number falls into one of them.
    logits = torch.tensor([[0.5, 0.3, 0.2]]).log()
    for draw, token in ((0.0, 0), (0.49, 0), (0.51, 1), (0.79, 1), (0.81, 2), (0.999999, 2)):
        assert next_tokens(logits, [read_settings({"temperature": 1})], [draw]) == [token]
    # At temperature 0.5 the squares: 0.25, 0.09, 0.04 of 0.38, so the second ends at 0.8947.
    assert next_tokens(logits, [read_settings({"temperature": 0.5})], [0.89]) == [1]
    assert next_tokens(logits, [read_settings({"temperature": 0.5})], [0.9]) == [2]
    # 0.5 and 0.3 reach 0.7: of these two, the first has five eighths.
    for params in ({"top_p": 0.7}, {"top_k": 2}):
        settings = [read_settings({"temperature": 1, **params})]
        assert [next_tokens(logits, settings, [draw])[0] for draw in (0.62, 0.63, 0.999999)] == [0, 1, 1]
    both = [read_settings({"temperature": 1, "top_k": 1}), read_settings({})]
    assert next_tokens(torch.cat([logits, logits.flip(-1)]), both, [0.99, 0.5]) == [0, 2]


@cache
def loaded(path: Path) -> tuple[Any, Any]:
    model = transformers.AutoModelForCausalLM.from_pretrained(path, dtype=torch.float32)
    return transformers.AutoTokenizer.from_pretrained(path), model.eval()


def forward_logprobs(path: Path, text: str) -> Any:
    """The tokens, and log probabilities of what follows each, by one plain pass."""
    tokenizer, model = loaded(path)
    with torch.no_grad():
        ids = tokenizer(text, add_special_tokens=False, return_tensors="pt").input_ids
        return ids[0].tolist(), model(ids).logits[0].log_softmax(-1)


def close_to(one: TokenChoice, logprobs: Any, token: int, text_of: Callable[[int], str], top: int) -> None:
    assert one.token == text_of(token)
    assert math.isclose(one.logprob, float(logprobs[token]), abs_tol=1e-4)
    values, ids = logprobs.topk(top)
    assert list(one.top) == [text_of(number) for number in ids.tolist()]
    assert all(math.isclose(a, b, abs_tol=1e-4) for a, b in zip(one.top.values(), values.tolist(), strict=True))


def test_log_probabilities_are_those_of_a_plain_pass(folder: Path) -> None:
    asks = many({**GREEDY, "max_tokens": 3, "logprobs": 4})
    got = replies(folder, asks)
    tokenizer, _ = loaded(folder)
    for (messages, _, _), reply in zip(asks, got, strict=True):
        assert reply.logprobs is not None
        assert len(reply.logprobs) == reply.output_tokens
        prompt = "".join(f"<s>{message.role}: {message.content}\n" for message in messages) + "<s>assistant: "
        ids, logprobs = forward_logprobs(folder, prompt)
        assert len(ids) == reply.input_tokens
        close_to(
            reply.logprobs[0], logprobs[-1], int(logprobs[-1].argmax()), lambda one: str(tokenizer.decode([one])), 4
        )
    assert replies(folder, [(user("Hm."), GREEDY, 0)])[0].logprobs is None


def test_choices_are_scored_by_their_tokens(folder: Path) -> None:
    choices = [*ascii_uppercase, "no", "not"]
    params = {"temperature": 0, "max_tokens": 2, "choices": choices, "logprobs": 2}
    asks = many(params)
    got = replies(folder, [*asks, *many(GREEDY)])
    assert [reply.text for reply in got[len(asks) :]] == [reply.text for reply in replies(folder, many(GREEDY))]
    for (messages, _, _), reply in zip(asks[:6], got[:6], strict=True):
        prompt = "".join(f"<s>{message.role}: {message.content}\n" for message in messages) + "<s>assistant: "
        scores = []
        for choice in choices:
            # "no" begins another choice: it is said only where the reply ends after it.
            ids, logprobs = forward_logprobs(folder, prompt + choice + ("</s>" if choice == "no" else ""))
            start = len(prompt.replace("<s>", "."))
            scores.append(sum(float(logprobs[place - 1, ids[place]]) for place in range(start, len(ids))))
        best = choices[scores.index(max(scores))]
        assert (reply.text, reply.status, reply.finish_reason) == (best, "ok", "stop")
        assert reply.logprobs is not None
        assert "".join(one.token for one in reply.logprobs) == best
        own = sum(one.logprob for one in reply.logprobs)
        assert best == "no" or math.isclose(own, max(scores), abs_tol=1e-3)
    assert len({reply.text for reply in got[: len(asks)]}) > 1


def test_choices_are_drawn_at_a_temperature(folder: Path) -> None:
    params = {"temperature": 5.0, "choices": ["A", "B", "C"]}
    drawn = [reply.text for reply in replies(folder, [(user("Hm."), params, sample) for sample in range(40)])]
    assert set(drawn) <= {"A", "B", "C"}
    assert len(set(drawn)) > 1


def test_a_reply_ends_at_its_limit_at_a_stop_and_at_the_end(folder: Path) -> None:
    (whole,) = replies(folder, [(user("Hm."), {**GREEDY, "max_tokens": 200}, 0)])
    (cut,) = replies(folder, [(user("Hm."), {**GREEDY, "max_tokens": 5}, 0)])
    assert (cut.status, cut.finish_reason, cut.output_tokens) == ("truncated", "length", 5)
    assert whole.text.startswith(cut.text[:2])
    stop = whole.text[3:5]
    (stopped,) = replies(folder, [(user("Hm."), {**GREEDY, "max_tokens": 200, "stop": [stop, "not in it"]}, 0)])
    assert stopped.text == whole.text[: whole.text.index(stop)]
    assert (stopped.status, stopped.finish_reason) == ("ok", "stop")
    # Drawn almost evenly of 98 tokens, one of which is the end, many replies end in 300.
    drawn = {"temperature": 50.0, "max_tokens": 300}
    ended = [one for one in replies(folder, [(user("Hm."), drawn, n) for n in range(12)]) if one.status == "ok"]
    assert ended
    assert all(one.finish_reason == "stop" and "</s>" not in one.text for one in ended)


def test_the_context_ends_a_reply_and_refuses_a_prompt(folder: Path) -> None:
    # "<s>user: ", the text, a newline and "<s>assistant: " are 7 + n + 1 + 12 tokens.
    fits, full = send(folder, [(user("x" * (CONTEXT - 22)), GREEDY, 0), (user("x" * (CONTEXT - 20)), GREEDY, 0)])
    assert isinstance(fits, Reply)
    assert (fits.input_tokens, fits.output_tokens, fits.status) == (CONTEXT - 2, 2, "truncated")
    assert type(full) is Hopeless
    assert str(full) == f"the prompt has {CONTEXT} tokens, and the model's context is {CONTEXT} long"


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


def test_memory_that_runs_out_halves_the_batch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    forward = transformers.LlamaModel.forward
    params = {"temperature": 1.0, "max_tokens": 12}
    asks = [(user(f"Question {number}"), params, 0) for number in range(12)]
    expected = [reply.text for reply in replies(folder, asks)]
    rows: list[int] = []

    def small(self: Any, input_ids: Any = None, **more: Any) -> Any:
        # From some token on more than four rows are too much; so is any prompt of more than 100 tokens.
        if (len(input_ids) > 4 and len(rows) > 6) or more["attention_mask"].shape[1] > 100:
            raise torch.OutOfMemoryError("CUDA out of memory")
        rows.append(len(input_ids))
        return forward(self, input_ids=input_ids, **more)

    monkeypatch.setattr(transformers.LlamaModel, "forward", small)
    *got, too_long = send(folder, [*asks, (user("x" * 150), params, 0)])
    assert [one.text if isinstance(one, Reply) else str(one) for one in got] == expected
    assert max(rows) > 4  # it was tried
    assert type(too_long) is Hopeless
    # "<s>user: ", 150, a line break and "<s>assistant: " are 7 + 150 + 1 + 12, and 12 for the reply.
    assert str(too_long) == "182 tokens of prompt and reply do not fit in memory"


def test_a_network_that_breaks_makes_the_model_unusable(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(self: Any, **more: Any) -> Any:
        if more["input_ids"].numel() > 1:
            raise RuntimeError("CUDA error: an illegal memory access\nand much more")
        return forward(self, **more)

    forward = transformers.LlamaModel.forward
    monkeypatch.setattr(transformers.LlamaModel, "forward", broken)
    for error in send(folder, many(GREEDY)):
        assert type(error) is ModelUnusable
        assert str(error) == "the model broke down: CUDA error: an illegal memory access"


def test_who_took_too_long_makes_room(folder: Path) -> None:
    async def sending() -> Reply:
        model = HfModel(ModelSpec(name=f"hf/{folder}", concurrency=1))
        await model.send(model.ask(user("Hm."), GREEDY, 0), 60)
        long = model.ask(user("Hm."), {"temperature": 2.0, "max_tokens": 300, "stop": "not in it"}, 0)
        with pytest.raises(TimedOut, match=r"no reply within 0\.001 seconds"):
            await model.send(long, 0.001)
        reply = (await model.send(model.ask(user("Hm, again."), GREEDY, 0), 60)).reply
        await model.close()
        return reply

    assert asyncio.run(sending()).status == "truncated"


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


def test_broken_weights_make_the_model_unusable(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"nothing")
    (got,) = send(tmp_path, [(user("Hm."), GREEDY, 0)])
    assert type(got) is ModelUnusable
    assert str(got).startswith(f"{tmp_path} can't be loaded: ")
    assert "\n" not in str(got)


def test_without_the_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def version(package: str) -> str:
        raise metadata.PackageNotFoundError(package)

    monkeypatch.setattr(metadata, "version", version)
    with pytest.raises(UserError, match=r"pip install 'counterfoil\[hf\]', then run again"):
        HfModel(ModelSpec(name="hf/x.gguf"))


def test_a_run_asks_it_and_asks_nothing_twice(tmp_path: Path) -> None:
    folder = make_model(tmp_path / "model", context=4_000)
    command = ["run", "bias", "--model", f"hf/{folder}", "--data", "english", "--limit", "4", "--by", "logprob"]
    command += ["--param", 'choices=["A","B","C"]', "--variant", "en", "--out", "run"]
    first = counterfoil(*command, cwd=tmp_path, OMP_NUM_THREADS="1", COUNTERFOIL_CACHE=str(tmp_path / "cache"))
    assert first.returncode == 0, first.stderr
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert (
        manifest["outcomes"]["answered"] == sum(manifest["outcomes"].values()) == 12
    )  # four questions in three orders
    info = counterfoil("ledger", "info", "--json", cwd=tmp_path)
    assert [model["replies"] for model in json.loads(info.stdout)] == [12]
    again = counterfoil(*command, cwd=tmp_path, OMP_NUM_THREADS="1", COUNTERFOIL_CACHE=str(tmp_path / "cache"))
    assert again.returncode == 0
    assert counterfoil("ledger", "info", "--json", cwd=tmp_path).stdout == info.stdout


@pytest.mark.skipif(
    not smollm2_is_here(), reason="the weights of smollm2 are not here: `counterfoil models get smollm2`"
)
def test_the_real_small_model_answers() -> None:
    path = smollm2_path()
    question = "Which is a fruit?\nA: apple\nB: stone\nC: car\nAnswer with one letter."
    asks: list[Asked] = [
        (user("What is the capital of France?"), {"temperature": 0, "max_tokens": 12}, 0),
        (user(question), {"temperature": 0, "max_tokens": 1, "logprobs": 5}, 0),
        (user(question), {"temperature": 0, "choices": ["A", "stone"]}, 0),
    ]
    capital, letter, choice = replies(path, asks)
    assert "Paris" in capital.text
    assert letter.logprobs is not None
    assert {"A", "B", "C"} & letter.logprobs[0].top.keys()
    assert choice.text == "A"
    model = HfModel(ModelSpec(name=f"hf/{path}"))
    assert model.ask(user("Hm."), {}, 0).model == f"sha256:{SMOLLM2_SHA256}"
