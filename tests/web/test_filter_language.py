"""The language of filters: what it says, row by row; and what it can't be made to say."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.errors import UserError

pytest.importorskip("starlette", reason="the site is not installed: pip install 'counterfoil[web]'")
from counterfoil.web.records.language import expression, parsed

Row = dict[str, Any]
ROWS: list[Row] = [
    {"category": "age", "correct": True, "level": 1, "share": 0.5, "names": ["Oslo", "Bergen"]},
    {"category": "age", "correct": False, "level": 2, "share": 1.0, "names": []},
    {"category": "religion", "correct": False, "level": None, "share": None, "names": None},
    {"category": None, "correct": None, "level": 1, "share": float("nan"), "names": ["oslo"]},
    {"category": 'a "quoted" one', "correct": True, "level": 3, "share": 0.0, "names": ["Turku"]},
]
FRAME = pl.DataFrame(
    {name: [row[name] for row in ROWS] for name in ROWS[0]},
    schema={
        "category": pl.String,
        "correct": pl.Boolean,
        "level": pl.Int64,
        "share": pl.Float64,
        "names": pl.List(pl.String),
    },
)


def fits(text: str) -> list[int]:
    """The places of the rows that the filter takes."""
    mask = FRAME.select(expression(parsed(text), FRAME.schema).alias("fits"))["fits"]
    assert mask.null_count() == 0
    return [place for place, one in enumerate(mask) if one]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('correct == false and category == "age"', [1]),
        ("correct", [0, 4]),
        ("not correct", [1, 2, 3]),
        ("correct = none", [3]),
        ("correct != true", [1, 2, 3]),
        ("level >= 2", [1, 4]),
        ("level < 2 or share == 1", [0, 1, 3]),
        # nan is no number: nothing is more than it, and it is none.
        ("share > 0.1", [0, 1]),
        ("share == none", [2, 3]),
        ('category in ("religion", "none", none)', [2, 3]),
        ("category contains 'QUOTED'", [4]),
        ('category == "a \\"quoted\\" one"', [4]),
        ('names contains "osl"', [0, 3]),
        # and binds more than or, not more than and.
        ("level == 1 or level == 2 and correct", [0, 3]),
        ("(level == 1 or level == 2) and correct", [0]),
        ("not level == 1 and not correct", [1, 2]),
        ("level == -1.5e3", []),
    ],
)
def test_what_fits(text: str, rows: list[int]) -> None:
    assert fits(text) == rows


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("categry == 'age'", "did you mean category?"),
        ("category == age", "a text stands in quotes"),
        ("category == 1", "write its value in quotes"),
        ("level == 'x'", "holds numbers"),
        ("correct == 'yes'", "true, false or none"),
        ("names == 'Oslo'", "ask what is in it"),
        ("level contains 'x'", "holds no texts"),
        ("category contains 1", "a text in quotes"),
        ("share > none", "take == or !="),
        ("(correct", "closing bracket"),
        ("correct correct", "where it should end"),
        ("correct ==", "ends where a value"),
        ("", "ends where a column"),
        ("category in 'age'", "values in brackets"),
        ("category in ('age' 'b')", "closing bracket"),
        ("__import__('os')", "should end"),
        ("correct; 1", "can't be read at"),
        ("(" * 60 + "correct" + ")" * 60, "within each other"),
        ("not " * 60 + "correct", "within each other"),
        ("correct or " * 200 + "correct", "at most 2,000"),
        ("and", "a column should stand"),
    ],
)
def test_what_can_not_be_read_is_said(text: str, said: str) -> None:
    with pytest.raises(UserError, match=said.replace("?", r"\?")):
        fits(text)


LEAVES: list[tuple[str, Callable[[Row], bool]]] = [
    ("correct == true", lambda row: row["correct"] is True),
    ("level >= 2", lambda row: row["level"] is not None and row["level"] >= 2),
    ('category == "age"', lambda row: row["category"] == "age"),
    ("share == none", lambda row: row["share"] is None or row["share"] != row["share"]),
]
Both = tuple[str, Callable[[Row], bool]]
FILTERS: st.SearchStrategy[Both] = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        inner.map(lambda one: (f"not ({one[0]})", lambda row: not one[1](row))),
        st.tuples(inner, inner).map(
            lambda two: (f"({two[0][0]}) and ({two[1][0]})", lambda row: two[0][1](row) and two[1][1](row))
        ),
        st.tuples(inner, inner).map(
            lambda two: (f"({two[0][0]} or {two[1][0]})", lambda row: two[0][1](row) or two[1][1](row))
        ),
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=80)
@given(FILTERS)
def test_it_means_what_the_same_in_python_means(both: Both) -> None:
    text, meaning = both
    assert fits(text) == [place for place, row in enumerate(ROWS) if meaning(row)]


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet="correctlevel ()\"'=<>!,and1.not in\\", max_size=60))
def test_any_text_is_a_filter_or_one_sentence(text: str) -> None:
    with suppress(UserError):
        fits(text)
