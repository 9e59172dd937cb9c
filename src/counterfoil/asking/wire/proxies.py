"""Which proxy the environment names for an address. Nothing is sent."""

from __future__ import annotations

import os
from typing import NamedTuple
from urllib.parse import urlsplit


class Proxy(NamedTuple):
    """A proxy: what it is for (http, https or all), and how it is spoken to."""

    kind: str
    scheme: str


def proxy_for(url: str) -> Proxy | None:
    """The proxy for an address; None where it is asked without one."""
    if not any(variable.lower().endswith("_proxy") for variable in os.environ):
        return None
    from urllib.request import getproxies, proxy_bypass  # takes as long to load as all else that a request needs

    named = getproxies()
    parts = urlsplit(url)
    kind = parts.scheme if parts.scheme in named else "all"
    if kind not in named or proxy_bypass(parts.hostname or ""):
        return None
    return Proxy(kind, named[kind].partition("://")[0].lower() if "://" in named[kind] else "http")
