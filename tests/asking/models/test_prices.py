"""What replies cost, by hand; and the user's own price file."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.asking.ask import Reply
from counterfoil.asking.models.base import ModelSpec
from counterfoil.asking.prices import FREE, Price, Prices, load_prices
from counterfoil.errors import UserError


def used(input_tokens: int | None, output_tokens: int | None, cached_tokens: int | None = None) -> Reply:
    return Reply(status="ok", input_tokens=input_tokens, output_tokens=output_tokens, cached_tokens=cached_tokens)


def spec(name: str, base_url: str | None = None) -> ModelSpec:
    return ModelSpec(name=name, base_url=base_url)


@pytest.mark.parametrize(
    ("price", "reply", "dollars"),
    [
        # 1000 x 2.50 + 200 x 10.00 = 4500 millionths
        (Price(input=2.5, output=10.0, cached=1.25), used(1000, 200), 0.0045),
        # 400 fresh x 2.50 + 600 cached x 1.25 + 200 x 10.00 = 1000 + 750 + 2000 = 3750 millionths
        (Price(input=2.5, output=10.0, cached=1.25), used(1000, 200, 600), 0.00375),
        # without a price of their own, cached tokens cost what others do: 4500 millionths again
        (Price(input=2.5, output=10.0), used(1000, 200, 600), 0.0045),
        # cached tokens for nothing: 400 x 2.50 + 200 x 10.00 = 3000 millionths
        (Price(input=2.5, output=10.0, cached=0.0), used(1000, 200, 600), 0.003),
        # what the server did not count costs nothing that is known of
        (Price(input=2.5, output=10.0), used(None, None), 0.0),
        (Price(input=2.5, output=10.0), used(None, 100), 0.001),
        # more tokens cached than there were: all 1000 of them were, 1000 x 1.25 = 1250 millionths
        (Price(input=2.5, output=10.0, cached=1.25), used(1000, 0, 5000), 0.00125),
        (Price(input=2.5, output=10.0, cached=1.25), used(None, 0, 5000), 0.0),
    ],
)
def test_what_a_reply_costs(price: Price, reply: Reply, dollars: float) -> None:
    assert price.of(reply) == pytest.approx(dollars, rel=1e-12)


def test_what_tokens_cost() -> None:
    # a million tokens in and half a million out: 3 + 15 / 2 = 10.50
    assert Price(input=3.0, output=15.0).of_tokens(1_000_000, 500_000) == pytest.approx(10.5)


counts = st.none() | st.integers(0, 10**9)
prices = st.builds(Price, input=st.floats(0, 100), output=st.floats(0, 100), cached=st.none() | st.floats(0, 100))


@given(prices, st.builds(used, counts, st.just(0), counts))
def test_no_reply_earns_money(price: Price, reply: Reply) -> None:
    assert price.of(reply) >= 0


def test_the_prices_that_ship() -> None:
    shipped = load_prices().shipped
    # As published: 2.50 and 10.00 dollars for a million tokens of gpt-4o, half of it for cached input.
    assert shipped["openai/gpt-4o"] == Price(input=2.5, output=10.0, cached=1.25)
    for name, price in shipped.items():
        assert "/" in name
        assert 0 < price.input <= price.output
        assert price.cached is None or price.cached < price.input


def test_the_users_file_goes_over_those_that_ship(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('["openai/gpt-4o"]\ninput = 1\noutput = 2.5\n["my/model"]\ninput = 0\noutput = 0\n')
    prices = load_prices(file)
    assert prices.of(spec("openai/gpt-4o")) == Price(input=1.0, output=2.5)  # the cached price that ships is gone
    assert prices.of(spec("my/model")) == FREE
    assert prices.of(spec("openai/gpt-4o-mini")) == Price(input=0.15, output=0.6, cached=0.075)
    # A snapshot's family as the user has it goes before the family as it ships.
    assert prices.of(spec("openai/gpt-4o-2024-08-06")) == Price(input=1.0, output=2.5)


@pytest.mark.parametrize(
    "content",
    [
        b"openai/gpt-4o = 1",
        b'["m/x"]\ninput = 1',
        b'["m/x"]\ninput = 1\noutput = "2"',
        b'["m/x"]\ninput = 1\noutput = 2\nprize = 3',
        b'["m/x"]\ninput = -1\noutput = 2',
        b'["m/x"]\ninput = nan\noutput = 2',
        b'["m/x"]\ninput = 1\noutput = inf',
        b'["m/x"]\ninput = 1\noutput = 2\ncached = -1',
        b"[m.x]\ninput = 1\noutput = 2",
        b"m = 3",
    ],
)
def test_a_wrong_file_is_said_with_what_it_wants(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "prices.toml"
    file.write_bytes(content)
    with pytest.raises(UserError) as raised:
        load_prices(file)
    assert str(raised.value).startswith(f"The price file {file} is wrong: ")
    assert "dollars for a million tokens" in str(raised.value)


def test_a_file_that_can_not_be_read_is_said(tmp_path: Path) -> None:
    not_text = tmp_path / "prices.toml"
    not_text.write_bytes(b"\xff\xfe")
    for path in (tmp_path / "none.toml", tmp_path, not_text):
        with pytest.raises(UserError) as raised:
            load_prices(path)
        assert str(raised.value).startswith(f"The price file {path} can't be read: ")


def test_an_unknown_price_is_none_and_what_runs_at_home_is_free() -> None:
    own = {"openai/a": Price(input=1.0, output=2.0), "vllm/rented": Price(input=3.0, output=4.0)}
    prices = Prices(own, {})
    assert prices.of(spec("openai/a")) == Price(input=1.0, output=2.0)
    for name in ("openai/a-mini", "openai/a-2", "openrouter/openai/a"):
        assert prices.of(spec(name)) is None  # never guessed from a name that is alike
    for name in ("smollm2", "gguf/x.gguf", "ollama/x", "vllm/x", "replay/x", "planted/bias?a=1"):
        assert prices.of(spec(name)) == FREE
    assert prices.of(spec("vllm/rented")) == Price(input=3.0, output=4.0)  # unless the file says otherwise


@pytest.mark.parametrize(
    ("snapshot", "family"),
    [
        ("openai/gpt-5-2025-08-07", "openai/gpt-5"),  # the judge of the CFE study
        ("openai/gpt-5-mini-2025-08-07", "openai/gpt-5-mini"),
        ("openai/o3-2025-04-16", "openai/o3"),
        ("anthropic/claude-sonnet-4-5-20250929", "anthropic/claude-sonnet-4-5"),
        ("anthropic/claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5"),
    ],
)
def test_a_dated_snapshot_costs_what_its_family_does(snapshot: str, family: str) -> None:
    prices = load_prices()
    assert prices.of(spec(snapshot)) == prices.shipped[family]


def test_a_snapshot_with_a_price_of_its_own_keeps_it() -> None:
    # As published: gpt-4o of May 2024 costs 5 and 15 dollars, twice and one and a half times what gpt-4o does.
    assert load_prices().of(spec("openai/gpt-4o-2024-05-13")) == Price(input=5.0, output=15.0)


@pytest.mark.parametrize(
    ("address", "is_here"),
    [
        ("http://localhost:8000/v1", True),
        ("http://127.0.0.1:8000/v1", True),
        ("http://127.9.9.9/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://0.0.0.0:8000/v1", True),
        ("https://api.provider.example/v1", False),
        ("http://gpu-1:8000/v1", False),
        ("http://10.0.0.7:8000/v1", False),
        ("http://localhost.example/v1", False),
        ("http://127.0.0.1.example/v1", False),
    ],
)
def test_an_address_that_is_not_this_machine_has_no_price_but_the_users(address: str, is_here: bool) -> None:
    prices = Prices({"vllm/rented": Price(input=3.0, output=4.0)}, {"openai/a": Price(input=1.0, output=2.0)})
    assert prices.of(spec("vllm/x", address)) == (FREE if is_here else None)
    assert prices.of(spec("ollama/x", address)) == (FREE if is_here else None)
    # A price that ships is the provider's, not that of whoever else answers to the model's name.
    assert prices.of(spec("openai/a", address)) == (Price(input=1.0, output=2.0) if is_here else None)
    assert prices.of(spec("vllm/rented", address)) == Price(input=3.0, output=4.0)
