"""Drawings: XML for any text, one mark for each value, in the right place, legible for everybody."""

from __future__ import annotations

import itertools
import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.figures.plots import Axis, Counts, Dot, Dots, Histogram, Lines, Plot, Point, Scatter, known
from counterfoil.report.plots.element import clean, width, wrap
from counterfoil.report.plots.marks import DARK, LIGHT, SERIES
from counterfoil.report.plots.svg import draw

SVG = "{http://www.w3.org/2000/svg}"
WIDE = 720

# Every code point, also those that XML forbids and lone surrogates.
TEXT = st.text(st.characters(exclude_categories=()), max_size=40)
VALUE = st.none() | st.floats()
DOTS = st.lists(st.builds(Dot, TEXT, TEXT, VALUE, VALUE, VALUE, TEXT, TEXT), max_size=12).map(tuple)
POINTS = st.lists(st.builds(Point, TEXT, TEXT, *[VALUE] * 6, TEXT), max_size=12).map(tuple)
COUNTS = st.lists(st.builds(Counts, TEXT, st.tuples(st.integers(0, 10**9), st.integers(0, 5))), max_size=10).map(tuple)
AXIS = st.builds(Axis, TEXT)
ANY_PLOT: st.SearchStrategy[Plot] = st.one_of(
    st.builds(Dots, title=TEXT, description=TEXT, x=AXIS, rows=DOTS, reference=st.none() | st.just(0.0)),
    st.builds(Lines, title=TEXT, description=TEXT, x=TEXT, y=AXIS, rows=DOTS, reference=st.none() | st.just(0.0)),
    st.builds(Scatter, title=TEXT, description=TEXT, x=AXIS, y=AXIS, points=POINTS, diagonal=st.booleans()),
    st.builds(Histogram, title=TEXT, description=TEXT, x=TEXT, y=TEXT, edges=st.just((0.0, 0.5, 1.0)), series=COUNTS),
)


def parsed(plot: Plot) -> ElementTree.Element:
    return ElementTree.fromstring(draw(plot, "fixed").encode())


def of_class(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [it for it in root.iter() if it.get("class") == name]


def corners(shape: ElementTree.Element) -> list[tuple[float, float]]:
    found = re.findall(r"(-?[\d.]+) (-?[\d.]+)", shape.get("d", ""))
    return [(float(x), float(y)) for x, y in found]


def centre(shape: ElementTree.Element) -> tuple[float, float]:
    places = corners(shape)
    return sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places)


def texts(root: ElementTree.Element) -> list[str]:
    return [it.text or "" for it in root.iter(f"{SVG}text")]


def dots(*rows: Dot, reference: float | None = None) -> Dots:
    return Dots(title="Title", description="What it shows.", x=Axis("score", 0, 1), rows=rows, reference=reference)


def outline(shape: ElementTree.Element) -> tuple[tuple[float, float], ...]:
    x, y = centre(shape)
    return tuple((round(a - x, 1), round(b - y, 1)) for a, b in corners(shape))


def defined(plot: Plot) -> int:
    match plot:
        case Scatter():
            return sum(known(it.x) is not None and known(it.y) is not None for it in plot.points)
        case Histogram():
            return sum(len(it.counts) for it in plot.series)
        case _:
            return sum(known(it.value) is not None for it in plot.rows)


@settings(deadline=None)
@given(ANY_PLOT, st.sampled_from(["css", "fixed"]))
def test_any_text_and_any_number_gives_xml_with_one_mark_for_each_value(plot: Plot, palette: str) -> None:
    drawn = draw(plot, "css" if palette == "css" else "fixed")
    root = ElementTree.fromstring(drawn.encode())
    assert len(of_class(root, "mark")) == defined(plot)
    wide, height = (float(it) for it in root.get("viewBox", "").split()[2:])
    assert wide == WIDE
    for shape in root.iter(f"{SVG}path"):
        assert all(0 <= x <= wide and 0 <= y <= height for x, y in corners(shape))
    for text in root.iter(f"{SVG}text"):
        assert 0 <= float(text.get("x", "")) <= wide
        assert 0 < float(text.get("y", "")) <= height


def test_the_drawing_names_and_describes_itself() -> None:
    root = parsed(dots(Dot("a", "m", 0.5)))
    title, description = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert description is not None
    assert (title.text, description.text) == ("Title", "What it shows.")
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {description.get('id')}"


def test_plots_on_one_page_have_ids_of_their_own() -> None:
    plots = [dots(Dot("a", "m", 0.5)), dots(Dot("a", "m", 0.6))]
    ids = [it.get("id") for plot in plots for it in parsed(plot).iter() if it.get("id")]
    assert len(ids) == len(set(ids)) == 4


def test_what_looks_like_markup_is_text() -> None:
    label = '</text><script>alert("1")</script>&amp;'
    drawn = draw(dots(Dot(label, label, 0.5), Dot("b", "n\x00\x1b\ud800", None, note="<b>")))
    root = ElementTree.fromstring(drawn.encode())
    assert "<script" not in drawn
    (mark,) = of_class(root, "mark")
    assert [it.text for it in mark] == [f"{label}, {label}: 0.500"]
    assert "n: undefined (<b>)" in texts(root)


def test_marks_are_links_only_where_somebody_knows_their_address() -> None:
    of = (("model", 'a"><script>'), ("category", None))
    plot = dots(Dot("row", "m", 0.5, of=of), Dot("other", "m", 0.5))
    assert "<a " not in draw(plot)
    root = ElementTree.fromstring(draw(plot, address=lambda it: f"/?{it[0][1]}"))
    [link] = root.iter(f"{SVG}a")
    assert (link.get("href"), link.get("aria-label")) == ('/?a"><script>', "row, m: 0.500")
    assert [it.get("class") for it in link] == ["mark"]
    # A picture would hide its links from who can't see it.
    assert root.get("role") == "group"
    assert ElementTree.fromstring(draw(plot, address=lambda _: None)).get("role") == "img"


def test_nothing_is_loaded_or_run() -> None:
    drawn = draw(dots(Dot("a", "m", 0.5)))
    assert re.findall(r"https?://[^\"]*", drawn) == ["http://www.w3.org/2000/svg"]
    names = {it.tag.removeprefix(SVG) for it in ElementTree.fromstring(drawn).iter()}
    assert names <= {"svg", "title", "desc", "g", "line", "path", "text", "rect"}


def test_dots_are_where_their_values_are() -> None:
    rows = (Dot("a", "m", 0.25, 0.0, 0.5), Dot("b", "m", 1.0))
    root = parsed(dots(*rows))
    marks = [centre(it) for it in of_class(root, "mark")]
    (bar,) = of_class(root, "interval")
    left, right = min(x for x, _ in corners(bar)), max(x for x, _ in corners(bar))
    # The axis is from 0 (the interval's left end) to 1 (the second mark): 0.25 is a quarter of the way, 0.5 half.
    start, end = left, marks[1][0]
    assert end == WIDE - 16 - 12
    assert marks[0][0] == pytest.approx(start + 0.25 * (end - start), abs=0.02)
    assert right == pytest.approx(start + 0.5 * (end - start), abs=0.02)
    assert marks[0][1] < marks[1][1]


def test_lines_are_linked_within_ordered_groups_only() -> None:
    rows = [Dot(label, "m", 0.5, group=group) for group in ("levels", "controls") for label in ("a", "b", "c")]
    plot = Lines(title="t", description="d", x="x", y=Axis("y", 0, 1), rows=tuple(rows), unlinked=("controls",))
    root = parsed(plot)
    assert len(of_class(root, "link")) == 2
    # 280 high from 0 to 1, and all marks at one half.
    heights = {round(centre(it)[1], 2) for it in of_class(root, "mark")}
    assert len(heights) == 1
    ticks = {it.text: float(it.get("y", "")) for it in root.iter(f"{SVG}text")}
    assert ticks["0.0"] - ticks["1.0"] == 280
    assert heights.pop() == pytest.approx((ticks["0.0"] + ticks["1.0"]) / 2 - 4, abs=0.01)


def test_bars_are_as_tall_as_their_counts() -> None:
    plot = Histogram(
        title="t", description="d", x="x", y="n", edges=(0, 1, 3), series=(Counts("m", (5, 20)),), threshold=2
    )
    root = parsed(plot)
    first, second = of_class(root, "mark")
    assert float(second.get("height", "")) == pytest.approx(4 * float(first.get("height", "")), abs=0.05)
    assert float(second.get("width", "")) == pytest.approx(2 * float(first.get("width", "")), abs=0.05)
    (line,) = of_class(root, "reference")
    middle = float(second.get("x", "")) + float(second.get("width", "")) / 2
    assert float(line.get("x1", "")) == pytest.approx(middle, abs=0.02)


def test_a_diagonal_goes_through_points_with_equal_coordinates() -> None:
    points = (Point("p", "m", 0.2, 0.2), Point("q", "m", 0.6, 0.9))
    root = parsed(Scatter(title="t", description="d", x=Axis("x"), y=Axis("y"), points=points, diagonal=True))
    (line,) = of_class(root, "reference")
    x1, y1, x2, y2 = (float(line.get(name, "")) for name in ("x1", "y1", "x2", "y2"))
    x, y = centre(of_class(root, "mark")[0])
    assert (x - x1) / (x2 - x1) == pytest.approx((y - y1) / (y2 - y1), abs=1e-3)
    assert x2 - x1 == y1 - y2


@pytest.mark.parametrize(
    ("dot", "arrows"),
    [
        (Dot("a", "m", 0.5, 0.4, 0.6), 0),
        (Dot("a", "m", 0.5, -0.4, 0.6), 1),
        (Dot("a", "m", 0.5, -math.inf, math.inf), 2),
        (Dot("a", "m", 1.5), 1),
        (Dot("a", "m", 0.5, 0.0, 1.0), 0),
    ],
)
def test_what_goes_on_outside_of_the_range_has_an_arrow(dot: Dot, arrows: int) -> None:
    root = parsed(dots(dot))
    assert len(of_class(root, "clip")) == arrows
    (mark,) = of_class(root, "mark")
    inside = dot.value is not None and dot.value <= 1
    assert mark.get("fill") == (SERIES[0] if inside else LIGHT["paper"])


def test_undefined_is_said_not_drawn() -> None:
    root = parsed(dots(Dot("a", "m", None, note="nobody answered"), Dot("b", "m", math.nan)))
    assert [it.text for it in of_class(root, "undefined")] == ["undefined (nobody answered)", "undefined"]
    plot = Lines(title="t", description="d", x="x", y=Axis("y"), rows=(Dot("a", "m", None), Dot("b", "m", 1.0)))
    assert "Undefined, not shown: a, m" in texts(parsed(plot))


def test_what_is_undefined_for_all_of_a_row_is_said_once_and_else_of_whom() -> None:
    values = [Dot("first", "m", None, note="no values", prompt=prompt) for prompt in "ab"]
    mixed = [Dot("second", "m", None, note="no values", prompt="a"), Dot("second", "m", 0.5, prompt="b")]
    shown = [it for it in texts(parsed(dots(*values, *mixed))) if "undefined" in it]
    assert shown == ["undefined (no values)", "a: undefined (no values)"]


def test_a_legend_where_there_is_more_than_one_series() -> None:
    assert of_class(parsed(dots(Dot("a", "m", 0.5))), "key") == []
    root = parsed(dots(Dot("a", "m", 0.5), Dot("a", "n", 0.5)))
    assert len(of_class(root, "key")) == 2
    assert {"m", "n"} <= set(texts(root))


def test_eight_series_have_a_colour_and_a_shape_each() -> None:
    root = parsed(dots(*(Dot("a", f"m{i}", 0.5) for i in range(8))))
    marks, keys = of_class(root, "mark"), of_class(root, "key")
    assert [it.get("fill") for it in marks] == [it.get("fill") for it in keys]
    assert len({it.get("fill") for it in marks}) == len({outline(it) for it in marks}) == 8


@pytest.mark.parametrize("count", [9, 20])
def test_no_two_series_of_a_figure_share_a_colour(count: int) -> None:
    rows = tuple(Dot(label, f"m{i}", 0.5, 0.4, 0.6) for i in range(count) for label in "ab")
    whole = Lines(title="t", description="d", x="x", y=Axis("score"), rows=rows)
    points = tuple(Point("p", f"m{i}", i / count, i * 7 % count / count) for i in range(count))
    for plot in (dots(*rows), whole, Scatter(title="t", description="d", x=Axis("x"), y=Axis("y"), points=points)):
        root = parsed(plot)
        # There are not so many colours: each stands by its own name, and nothing is told by colour.
        assert of_class(root, "key") == []
        assert len({it.get("fill") for it in of_class(root, "mark")}) == 1
        assert {f"m{i}" for i in range(count)} <= set(texts(root))


def test_a_prompt_has_a_mark_of_its_own_in_the_colour_of_its_model() -> None:
    rows = [Dot("a", model, 0.5, 0.4, 0.6, prompt=prompt) for model in ("m", "n") for prompt in ("1", "2")]
    root = parsed(dots(*rows))
    marks = of_class(root, "mark")
    colours = [(it.get("fill"), it.get("stroke")) for it in marks]
    # Filled, hollow, for each model in its colour.
    paper = LIGHT["paper"]
    assert colours == [(SERIES[0], paper), (paper, SERIES[0]), (SERIES[1], paper), (paper, SERIES[1])]
    assert {"m", "n", "prompt 1", "prompt 2"} <= set(texts(root))


def test_what_has_no_interval_is_folded_with_its_n() -> None:
    few = "no interval: fewer than 5 clusters (2)"
    rows = [Dot("many", "m", 0.5, 0.4, 0.6), Dot("few", "m", 1.0, note=few, n=2), Dot("few", "o", 1.0, note=few, n=4)]
    root = parsed(dots(*rows))
    assert len(of_class(root, "mark")) == 1
    assert "Without an interval, not drawn: few (n = 2 to 4)" in texts(root)


def test_names_in_a_legend_are_never_equal() -> None:
    names = [f"{'x' * 90}{letter}{'y' * 90}" for letter in "ab"]
    root = parsed(dots(*(Dot("a", name, 0.5) for name in names)))
    assert len({text for text in texts(root) if "…" in text}) == 2


@pytest.mark.parametrize("count", [1, 60])
def test_rows_do_not_overlap(count: int) -> None:
    rows = [Dot(f"topic {i}", series, 0.5, 0.4, 0.6) for i in range(count) for series in ("m", "n")]
    root = parsed(dots(*rows))
    heights = sorted(centre(it)[1] for it in of_class(root, "mark"))
    assert all(b - a >= 12 for a, b in itertools.pairwise(heights))
    labels = sorted(float(it.get("y", "")) for it in root.iter(f"{SVG}text") if (it.text or "").startswith("topic"))
    assert len(labels) == count
    assert all(b - a >= 14 for a, b in itertools.pairwise(labels))


def test_long_labels_are_cut_and_kept_in_full_beside() -> None:
    long = "a model with a very long name indeed, " * 10
    root = parsed(dots(Dot(long, "m", 0.5)))
    cut = [it for it in root.iter(f"{SVG}text") if (it.text or "").endswith("…")]
    assert len(cut) == 1
    full = cut[0].find(f"{SVG}title")
    assert full is not None
    assert full.text == long.strip()


def test_colours_by_variables_for_a_page_and_as_such_for_a_file() -> None:
    plot = dots(Dot("a", "m", 0.5, 0.4, 0.6), reference=0.5)
    page, file = draw(plot), draw(plot, "fixed")
    assert set(re.findall(r"var\(--([a-z0-9-]+), ", page)) == {"ink", "grid", "paper", "series-1"}
    assert not re.search(r'="#', page)
    assert "var(" not in file
    assert re.sub(r"var\(--[a-z0-9-]+, (#[0-9a-f]+)\)", r"\1", page) == re.sub(r"<rect[^>]*/>", "", file)


@given(TEXT, st.floats(20, 400), st.integers(1, 4))
def test_wrapped_text_fits_and_loses_nothing_without_saying_so(text: str, room: float, lines: int) -> None:
    wrapped = wrap(text, 12, room, lines)
    assert len(wrapped) <= lines
    for line in wrapped:
        assert width(line, 12) <= room or len(line) <= 2
    if not (wrapped and wrapped[-1].endswith("…")):
        assert "".join("".join(wrapped).split()) == "".join(clean(text).split())


def test_lines_break_at_spaces_and_joints() -> None:
    # At size 10, "abc" takes 3 · 6.5 and a slash or space 4.2.
    assert wrap("abc abc abc", 10, 45, 3) == ["abc abc", "abc"]
    assert wrap("abc/abc", 10, 25, 3) == ["abc/", "abc"]
    assert wrap("한국어", 10, 20, 3) == ["한국", "어"]


def test_wide_letters_count_as_wide() -> None:
    assert width("한국", 10) == 20
    assert width("e\u0301", 10) == width("e", 10)
    assert width("W", 10) > width("i", 10)


def luminance(colour: str) -> list[float]:
    """The linear red, green and blue of a colour (sRGB)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


def contrast(a: str, b: str) -> float:
    """WCAG's contrast ratio."""
    low, high = sorted(0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def test_contrast_is_enough_on_light_and_dark_paper() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    for theme in (LIGHT, DARK):
        assert contrast(theme["ink"], theme["paper"]) >= 7
        for number in range(1, 9):
            assert contrast(theme[f"series-{number}"], theme["paper"]) >= 3


# Machado, Oliveira and Fernandes (2009), severity 1: how linear RGB is seen with one kind of cone missing.
EYES = {
    "normal": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protan": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deutan": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
    "tritan": ((1.255528, -0.076749, -0.178779), (-0.078411, 0.930809, 0.147602), (0.004733, 0.691367, 0.303900)),
}


def oklab(red: float, green: float, blue: float) -> tuple[float, ...]:
    """Ottosson's (2020) space, in which distances are about as large as they look."""
    long = math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
    middle = math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
    short = math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
    return (
        0.2104542553 * long + 0.7936177850 * middle - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * middle + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * middle - 0.8086757660 * short,
    )


@pytest.mark.parametrize("eyes", EYES)
def test_colours_can_be_told_apart_by_all_eyes(eyes: str) -> None:
    seen = [
        oklab(*(min(1, max(0, sum(a * b for a, b in zip(row, luminance(it), strict=True)))) for row in EYES[eyes]))
        for it in SERIES
    ]
    # Okabe and Ito's own eight come down to 0.076 in this measure; 0.02 is what one just notices.
    assert min(math.dist(a, b) for a, b in itertools.combinations(seen, 2)) >= 0.09
