"""A web server on this machine that answers as it is told to."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from file_server import FileServer


@pytest.fixture
def server() -> Iterator[FileServer]:
    server = FileServer()
    yield server
    server.close()
