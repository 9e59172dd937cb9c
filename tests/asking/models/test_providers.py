"""The names that models can have, what each still needs, and the way that each name leads to."""

from __future__ import annotations

from pathlib import Path

import pytest

from counterfoil.asking.models import open_model, providers, weights
from counterfoil.asking.models.anthropic import AnthropicModel
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.models.openai import OpenAIModel
from counterfoil.asking.models.providers import model_names
from counterfoil.errors import UserError


def needs() -> dict[str, str | None]:
    return {name.name: name.needs for name in model_names()}


@pytest.fixture
def _nothing_local(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine without weights and without what runs them."""
    monkeypatch.setenv("COUNTERFOIL_CACHE", str(tmp_path / "empty"))
    monkeypatch.setattr(providers, "find_spec", lambda package: None)


@pytest.mark.usefixtures("_nothing_local")
def test_what_each_still_needs_where_nothing_is_there() -> None:
    assert needs() == {
        "openai/NAME": "set OPENAI_API_KEY",
        "anthropic/NAME": "set ANTHROPIC_API_KEY",
        "azure/DEPLOYMENT": "set AZURE_OPENAI_API_KEY and AZURE_OPENAI_ENDPOINT and OPENAI_API_VERSION",
        "openrouter/NAME": "set OPENROUTER_API_KEY",
        "together/NAME": "set TOGETHER_API_KEY",
        "clova/NAME": "set CLOVA_API_KEY and CLOVA_URL",
        "ollama/NAME": None,
        "vllm/NAME": None,
        "smollm2": "pip install 'counterfoil[local]', then counterfoil models get smollm2",
        "gguf/PATH": "pip install 'counterfoil[local]'",
        "hf/PATH-OR-NAME": "pip install 'counterfoil[hf]'",
        "inspect/PROVIDER/NAME": "pip install 'counterfoil[inspect]'",
        "planted/SUITE?…": None,
        "replay/FILE": None,
    }


def test_nothing_is_needed_where_all_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in (
        "OPENAI_API_KEY",
        "ANTHROPIC_API_KEY",
        "AZURE_OPENAI_API_KEY",
        "AZURE_OPENAI_ENDPOINT",
        "OPENAI_API_VERSION",
        "OPENROUTER_API_KEY",
        "TOGETHER_API_KEY",
        "CLOVA_API_KEY",
        "CLOVA_URL",
    ):
        monkeypatch.setenv(variable, "x")
    monkeypatch.setattr(weights, "smollm2_is_here", lambda: True)
    there = ("xllamacpp", "transformers", "inspect_ai")
    monkeypatch.setattr(providers, "find_spec", lambda package: package if package in there else None)
    assert set(needs().values()) == {None}


@pytest.mark.usefixtures("_nothing_local")
def test_what_is_there_is_not_needed_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "")
    monkeypatch.setenv("CLOVA_URL", "https://clova.example/v1")
    monkeypatch.setattr(providers, "find_spec", lambda package: package)
    found = needs()
    assert found["openai/NAME"] == "set OPENAI_API_KEY"  # empty is not set
    assert found["clova/NAME"] == "set CLOVA_API_KEY"
    assert found["smollm2"] == "counterfoil models get smollm2"
    assert found["gguf/PATH"] is None


def test_what_is_needed_never_shows_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLOVA_API_KEY", "sk-0123456789")
    assert "sk-0123456789" not in repr(model_names())


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *(
            (f"{provider}/m", OpenAIModel)
            for provider in ("openai", "openrouter", "together", "clova", "ollama", "vllm")
        ),
        ("anthropic/m", AnthropicModel),
    ],
)
def test_the_names_first_part_chooses_the_way(name: str, kind: type) -> None:
    model = open_model(ModelSpec(name=name, base_url="http://localhost:1/v1"))
    assert type(model) is kind
    assert model.name == name


@pytest.mark.parametrize("name", ["gpt-4o", "opneai/gpt-4o", "/x"])
def test_an_unknown_name_is_said_with_where_the_names_are(name: str) -> None:
    with pytest.raises(UserError, match=r"There is no model .*`counterfoil models` lists how names begin"):
        open_model(ModelSpec(name=name))


@pytest.mark.parametrize("name", ["smollm2", "gguf/x.gguf", "planted/x", "unheard/of"])
def test_what_is_not_behind_an_address_takes_none(name: str) -> None:
    with pytest.raises(UserError, match="is not behind an address: leave --base-url out"):
        open_model(ModelSpec(name=name, base_url="http://localhost:1/v1"))


class Mine:
    """A model of another package."""

    def __init__(self, spec: ModelSpec) -> None:
        self.name = spec.name


def test_an_opener_that_is_handed_in_goes_first() -> None:
    assert isinstance(open_model(ModelSpec(name="planted/x"), {"planted": Mine}), Mine)  # type: ignore[dict-item]


def test_another_package_adds_a_way_with_an_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "their_models.py").write_text(
        "class Theirs:\n    def __init__(self, spec):\n        self.name = f'theirs: {spec.rest}'\n"
    )
    package = tmp_path / "their_models-1.0.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: their-models\nVersion: 1.0\n")
    (package / "entry_points.txt").write_text("[counterfoil.models]\ntheirs = their_models:Theirs\n")
    monkeypatch.syspath_prepend(tmp_path)
    (added,) = [name for name in model_names() if name.name == "theirs/…"]
    assert (added.what, added.needs) == ("from their_models", None)
    assert open_model(ModelSpec(name="theirs/big")).name == "theirs: big"
