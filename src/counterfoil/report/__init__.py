"""What a run found, for people to read. It can be called, too: `counterfoil.report(run)` writes the page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from counterfoil.running.folder import Run


class _Report(ModuleType):
    """Once this package is loaded, Python puts it in the place of the function of the same name."""

    def __call__(
        self,
        runs: Run | str | Path | Sequence[Run | str | Path],
        *,
        out: str | Path | None = None,
        overwrite: bool = False,
        title: str | None = None,
        anonymous: bool = False,
    ) -> Path:
        from counterfoil.api import report

        return report(runs, out=out, overwrite=overwrite, title=title, anonymous=anonymous)


sys.modules[__name__].__class__ = _Report
