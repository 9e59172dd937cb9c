"""The headline table for a page: the interval of each cell as a bar on the axis of its column."""

from __future__ import annotations

from counterfoil.figures.numbers import between, cell, without_interval
from counterfoil.report.headline.table import IN_WORDS, Cell, Column, HeadlineTable, Row
from counterfoil.report.html import Html, joined, tag
from counterfoil.report.plots.element import line
from counterfoil.report.plots.marks import GRID, INK, Scale, interval, marker

WIDTH, HEIGHT, EDGE = 132.0, 16.0, 7.0


def headline_html(table: HeadlineTable) -> Html:
    """The table, and below it what the signs mean."""
    has_prompts = any(row.prompt for row in table.rows)
    head = [tag("th", "model", scope="col"), tag("th", "prompt", scope="col") if has_prompts else None]
    head += [
        tag(
            "th",
            ", ".join(column.title),
            tag("span", column.better, class_="better"),
            scope="col",
            title=column.says or None,
        )
        for column in table.columns
    ]
    caption = "The figures that count"
    body = [_row(table, row, has_prompts=has_prompts) for row in table.rows]
    content = tag(
        "table",
        tag("caption", caption),
        tag("thead", tag("tr", *head)),
        tag("tbody", *body),
    )
    box = tag("div", content, class_="scroll headline", role="region", aria_label=caption, tabindex="0")
    return joined(box, tag("p", table.note, class_="signs") if table.note else None)


def _row(table: HeadlineTable, row: Row, *, has_prompts: bool) -> Html:
    name = tag("th", row.name, scope="row", title=row.model if row.model != row.name else None)
    prompt = tag("td", row.prompt, class_="prompt") if has_prompts else None
    cells = (_cell(column, one) for column, one in zip(table.columns, row.cells, strict=True))
    return tag("tr", name, prompt, *cells)


def _cell(column: Column, one: Cell) -> Html:
    estimate = one.estimate
    if estimate is None:
        return tag("td", "–")
    if estimate.value is None:
        return tag("td", tag("span", f"not defined (n = {estimate.n:,})", class_="interval"), title=estimate.note)
    bounds = between(estimate.low, estimate.high).strip() or f"n = {estimate.n:,}: {without_interval(estimate)}"
    words = IN_WORDS[one.standing] if one.standing else None
    sign = tag("span", one.sign, class_="sign", role="img", aria_label=words, title=words) if one.sign else None
    number = tag("b" if one.standing == "best" else "span", cell(estimate.value), class_="value")
    text = tag("span", number, tag("span", bounds, class_="interval"), sign, class_="figure")
    return tag("td", text, bar(column, one), class_=(one.standing or "").replace(" ", "-") or None, title=estimate.note)


def bar(column: Column, one: Cell) -> Html | None:
    """Nothing without an interval: what can't be told is not plotted."""
    estimate = one.estimate
    if estimate is None or estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    scale = Scale(column.low, column.high, EDGE, WIDTH - EDGE)
    middle = HEIGHT / 2
    ends = [line(scale.start, middle, scale.end, middle, stroke=GRID)]
    if column.holds_0:
        ends.append(line(scale(0.0), 0, scale(0.0), HEIGHT, stroke=INK, stroke_dasharray="2 2"))
    parts = [
        *interval(0, scale, middle, estimate.value, estimate.low, estimate.high),
        marker(0, scale(estimate.value), middle),
    ]
    return tag(
        "svg",
        *ends,
        *parts,
        viewBox=f"0 0 {WIDTH:.0f} {HEIGHT:.0f}",
        width=WIDTH,
        height=HEIGHT,
        class_="bar",
        aria_hidden="true",
    )
