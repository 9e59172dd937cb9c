"""Templates to answers: every text is escaped, what the report's builder made is markup already."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from counterfoil.figures.numbers import plural
from counterfoil.report.html import Html, shown
from counterfoil.web.served import Served


def _finalized(value: Any) -> Any:
    """What a template prints: markup only from the builder, and no character that HTML may not hold."""
    if isinstance(value, Markup):
        return value
    if isinstance(value, Html):
        return Markup(value)  # noqa: S704
    return Markup(shown("" if value is None else str(value)))  # noqa: S704


def _path(name: str) -> str:
    """A served name as part of an address."""
    return quote(name, safe="/")


def _day(at: str) -> str:
    """A date and time as short as it can be told: without seconds, without the year where it is this one."""
    try:
        then = datetime.fromisoformat(at).astimezone()
    except ValueError:
        return at
    return f"{then:%d %b %H:%M}" if then.year == datetime.now(UTC).year else f"{then:%d %b %Y}"


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("counterfoil.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"path": _path, "plural": plural, "day": _day}
    return environment


def page(request: Request, template: str, status: int = 200, **values: Any) -> Response:
    """The template with these values, and what every page needs."""
    common = {"csrf": request.state.csrf, "here": request.url.path}
    return HTMLResponse(_environment().get_template(template).render(**common, **values), status)


def served(request: Request) -> Served:
    """The directory of this site."""
    found: Served = request.app.state.served
    return found


def form(request: Request) -> Mapping[str, str]:
    """What was sent; the guard has checked it."""
    sent: Mapping[str, str] = request.state.form
    return sent


def whole_number(text: str) -> int | None:
    """The number in an address or a form, if it is one; SQLite and polars have no larger ones."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None


def neighbours(order: Sequence[Any], item: Any) -> dict[str, Any]:
    """What comes before and after an item, None at the ends."""
    place = order.index(item)
    return {
        "before": order[place - 1] if place else None,
        "after": order[place + 1] if place + 1 < len(order) else None,
    }
