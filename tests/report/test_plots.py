"""Plots as data, the tables beside them, and the scales they are drawn on."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from counterfoil.figures.numbers import cell, table
from counterfoil.figures.plots import Axis, Counts, Dot, Dots, Histogram, Lines, Point, Scatter, known
from counterfoil.report.plots.marks import Scale, round_step, span, tick_texts, ticks

pytestmark = pytest.mark.heavy

FINITE = st.floats(-1e200, 1e200)
ANY_VALUE = st.none() | FINITE | st.sampled_from([math.nan, math.inf, -math.inf])
DOT = st.builds(Dot, st.text(max_size=9), st.text(max_size=9), ANY_VALUE, ANY_VALUE, ANY_VALUE, st.text(max_size=9))


def test_a_table_has_every_value_with_its_interval() -> None:
    rows = (Dot("age", "default", 0.1942, 0.121, 0.264), Dot("age", "debiased", None, note="no answers left"))
    plot = Dots(title="t", description="d", x=Axis("bias"), rows=rows, label_name="category", series_name="prompt")
    assert table(plot) == [
        ["category", "prompt", "bias", "low", "high", "note"],
        ["age", "default", "0.194", "0.121", "0.264", ""],
        ["age", "debiased", "undefined", "", "", "no answers left"],
    ]


def test_columns_that_nobody_fills_are_left_out() -> None:
    plot = Lines(title="t", description="d", x="level", y=Axis("accuracy"), rows=(Dot("1", "m", 1.0),))
    assert table(plot) == [["level", "series", "accuracy"], ["1", "m", "1.000"]]


def test_the_table_of_a_scatter_and_of_a_histogram() -> None:
    point = Point("age", "m", 0.5, 0.25, y_low=0.125, y_high=math.inf)
    scatter = Scatter(title="t", description="d", x=Axis("amb"), y=Axis("dis"), points=(point,))
    assert table(scatter) == [
        ["point", "series", "amb", "dis", "dis: low", "dis: high"],
        ["age", "m", "0.500", "0.250", "0.125", "inf"],
    ]
    counts = (Counts("a", (3, 1200)), Counts("b", (0, 1)))
    histogram = Histogram(title="t", description="d", x="score", y="n", edges=(0, 0.5, 1), series=counts)
    assert table(histogram) == [["score: from", "to", "a", "b"], ["0", "0.5", "3", "0"], ["0.5", "1", "1,200", "1"]]


@given(st.lists(DOT, max_size=8))
def test_a_table_equals_its_data(rows: list[Dot]) -> None:
    found = table(Dots(title="t", description="d", x=Axis("value"), rows=tuple(rows)))
    assert len(found) == len(rows) + 1
    column = found[0].index("value")
    for row, cells in zip(rows, found[1:], strict=True):
        assert len(cells) == len(found[0])
        assert row.label in cells
        value = known(row.value)
        if value is None:
            assert cells[column] == "undefined"
        else:
            # Three decimals below a million, four digits above and for what is smaller than 0.001.
            assert float(cells[column]) == pytest.approx(value, rel=5.1e-4, abs=5.1e-4)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.1942, "0.194"), (-0.0, "0.000"), (-0.00012, "-0.00012"), (2.5e7, "2.5e+07"), (math.nan, "undefined")],
)
def test_a_cell(value: float, shown: str) -> None:
    assert cell(value) == shown


def test_bounds_that_are_no_range_are_refused() -> None:
    for low, high in ((1.0, 1.0), (2.0, 1.0), (math.nan, None), (0.0, math.inf)):
        with pytest.raises(ValueError, match="no range"):
            Axis("x", low, high)


@pytest.mark.parametrize(
    ("edges", "counts"),
    [((0.0,), ()), ((0.0, 0.0), (1,)), ((0.0, math.inf), (1,)), ((0.0, 1.0), (1, 2)), ((0, 1), (-1,))],
)
def test_bins_that_do_not_fit_are_refused(edges: tuple[float, ...], counts: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="histogram 'h'"):
        Histogram(title="h", description="", x="x", y="y", edges=edges, series=(Counts("a", counts),))


def test_a_scale_is_linear_and_stops_at_its_edges() -> None:
    # A quarter of the way from 100 to 300 is 150; upside down, a quarter of the way from 300 to 100 is 250.
    assert Scale(0, 2, 100, 300)(0.5) == 150
    assert Scale(0, 2, 300, 100)(0.5) == 250
    assert Scale(0, 2, 100, 300)(-7) == 100
    assert Scale(0, 2, 100, 300)(math.inf) == 300


@pytest.mark.parametrize(
    ("low", "high", "at_most", "expected"),
    [
        (0, 1, 5, (0, 0.2, 0.4, 0.6, 0.8, 1.0)),
        (-0.3, 0.35, 6, (-0.2, 0.0, 0.2)),  # 0.65 / 6 is more than 0.1: steps of 0.2
        (3, 97, 4, (50,)),  # 94 / 4 = 23.5: steps of 50
    ],
)
def test_ticks(low: float, high: float, at_most: int, expected: tuple[float, ...]) -> None:
    assert ticks(low, high, at_most) == expected


@given(FINITE, FINITE, st.integers(1, 12))
def test_ticks_are_multiples_of_a_round_step_inside_the_range(a: float, b: float, at_most: int) -> None:
    low, high = span(Axis("x"), [a, b])
    places = ticks(low, high, at_most)
    step = round_step((high - low) / at_most)
    assert float(f"{step:.3e}"[0]) in (1, 2, 5)
    assert len(places) <= at_most + 1
    assert list(places) == sorted(set(places))
    for place in places:
        assert low - step * 1e-6 <= place <= high + step * 1e-6
        assert abs(place / step - round(place / step)) < 1e-3
    texts = tick_texts(places)
    assert len(set(texts)) == len(places)


def test_tick_texts_have_as_many_decimals_as_they_need() -> None:
    assert tick_texts((-0.5, 0.0, 0.5)) == ("−0.5", "0.0", "0.5")
    assert tick_texts((0, 1000, 2000)) == ("0", "1,000", "2,000")
    assert tick_texts((0.0, 0.25)) == ("0.00", "0.25")
    assert tick_texts(()) == ()


@given(st.lists(st.floats(), max_size=5))
def test_a_range_holds_all_finite_values_that_are_not_gigantic(values: list[float]) -> None:
    low, high = span(Axis("x"), values)
    assert low < high
    for value in values:
        if abs(value) < 1e140:
            assert low <= value <= high


def test_a_range_ends_at_ticks_unless_it_is_given() -> None:
    # 0.61 / 6 is just over 0.1: steps of 0.2, and the next multiples outside are 0 and 0.8.
    assert span(Axis("x"), [0.08, 0.69]) == (0.0, 0.8)
    assert span(Axis("x", -1, 1), [0.08, 4.0]) == (-1, 1)
    assert span(Axis("x", low=0), [0.69]) == (0, 0.8)
    assert span(Axis("x"), []) == (0.0, 1.0)
    # One value alone gets a tenth of itself on both sides: 0.45 to 0.55, in steps of 0.02.
    assert span(Axis("x"), [0.5]) == (0.44, 0.56)
    assert span(Axis("x", high=1), [3.0])[0] < 1
    assert span(Axis("x", low=1), [-3.0])[1] > 1
