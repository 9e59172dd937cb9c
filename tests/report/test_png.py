"""Drawings as PNG."""

from __future__ import annotations

import struct
import sys

import pytest

from counterfoil.errors import UserError
from counterfoil.figures.plots import Axis, Dot, Dots
from counterfoil.report.plots import svg as module
from counterfoil.report.plots.svg import draw, png

PLOT = Dots(title="Title", description="d", x=Axis("score"), rows=(Dot("한국어", "m", 0.5, 0.4, 0.6),))


@pytest.fixture(autouse=True)
def _asked_anew() -> None:
    module._has_letters.cache_clear()


def test_a_png_is_twice_as_large_as_the_drawing() -> None:
    pytest.importorskip("resvg_py", reason="resvg-py is not installed: pip install 'counterfoil[plots]'")
    if not module._has_letters():
        pytest.skip("this machine has no sans serif font")
    svg = draw(PLOT, "fixed")
    data = png(svg)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", data[16:24])
    assert width == 1440
    assert f'height="{height // 2}"' in svg


def test_without_resvg_the_user_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    with pytest.raises(UserError, match=r"pip install 'counterfoil\[plots\]'"):
        png(draw(PLOT, "fixed"))


def test_without_any_font_no_picture_without_words_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_render", lambda svg, zoom: b"blank")
    with pytest.raises(UserError, match="no sans serif font"):
        png(draw(PLOT, "fixed"))
