"""What can go wrong between sending a request and having its response, whichever client sends it."""

from __future__ import annotations


class WireError(Exception):
    """There is no response."""


class BrokenOff(WireError):
    """The connection ended before the response did, or what came is no HTTP."""


class TooLarge(WireError):
    """The response is larger than any that is read."""


class NoConnection(WireError):
    """Nobody listens there, or what listens does not get as far as HTTP."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.error = error


class NotTrusted(NoConnection):
    """The server's certificate is not one to trust."""


class NoProxy(NoConnection):
    """The proxy that the environment names can't be reached."""
