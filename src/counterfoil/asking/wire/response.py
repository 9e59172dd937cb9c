"""Responses of HTTP/1.x, read from bytes as they come, in parts of any size. Nothing is sent or waited for here."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from typing import NamedTuple, Protocol

from counterfoil.asking.wire.errors import BrokenOff, TooLarge

# More than any model writes: 20 log probabilities for each of 8,000 tokens; texts of 200,000 tokens.
LARGEST_BODY = 16_000_000
# The longest heads of all responses to one request, the longest line before a chunk, and the longest trailers.
LONGEST_HEAD, LONGEST_CHUNK_LINE = 65_536, 4_096
# How the bodies may be packed that are asked for.
ACCEPTED = "gzip, deflate"

_END_OF_HEAD = re.compile(rb"\r?\n\r?\n")
_STATUS = re.compile(r"HTTP/1\.([0-9]) +([1-5][0-9][0-9])(?![0-9])")
_HEADER = re.compile(r"^([^\s:]+)[ \t]*:[ \t]*([^\r\n]*)", re.MULTILINE)
_FOLD = re.compile(r"\r?\n[ \t]+")
_SIZE = re.compile(rb"[ \t]*([0-9a-fA-F]{1,16})[ \t]*(?:;[^\n]*)?")
_SWITCHING = 101
_WITHOUT_BODY = (204, 304)


class Response(NamedTuple):
    """A whole response, unpacked. The names of its headers are in small letters; of equal ones, the first counts.

    `keeps`: whether its connection can carry another.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    keeps: bool


class _Body(Protocol):
    """A body as its bytes come. `rest` is what came behind its end."""

    rest: bytes

    def feed(self, data: bytes) -> bool:
        """Take bytes in; whether that was the last of them."""
        ...

    def content(self, *, closed: bool) -> bytes:
        """The bytes; BrokenOff where some are missing though the connection is `closed`."""
        ...


class ResponseReader:
    """Reads the response to one request. `feed` and `end` give it once it is whole."""

    def __init__(self) -> None:
        self._heads = 0
        self._head = b""
        self._status = 0
        self._minor = 1
        self._headers: dict[str, str] = {}
        self._body: _Body | None = None

    def feed(self, data: bytes) -> Response | None:
        """Take in what came; BrokenOff where it is no response, TooLarge where it is more than is read."""
        while self._body is None:
            seen = max(0, len(self._head) - 3)
            data = self._head + data if self._head else data
            end = _END_OF_HEAD.search(data, seen)
            if self._heads + (end.end() if end else len(data)) > LONGEST_HEAD:
                raise BrokenOff("the headers are too long")
            if end is None:
                self._head = data
                return None
            self._heads += end.end()
            self._read_head(data[: end.start()].decode("utf-8", "replace"))
            self._head, data = b"", data[end.end() :]
        return self._whole(closed=False) if self._body.feed(data) else None

    def end(self) -> Response:
        """The response that ends with its connection."""
        if self._body is None:
            raise BrokenOff("the server closed it without a response")
        return self._whole(closed=True)

    def _read_head(self, head: str) -> None:
        first, _, lines = head.lstrip("\r\n").partition("\n")
        status = _STATUS.match(first)
        if status is None:
            raise BrokenOff("what came is no HTTP")
        self._minor, self._status = int(status[1]), int(status[2])
        if self._status < 200:
            if self._status == _SWITCHING:
                raise BrokenOff("the server wants another protocol")
            return  # a word in between: the response follows
        if "\n " in lines or "\n\t" in lines:
            lines = _FOLD.sub(" ", lines)
        pairs = _HEADER.findall(lines)
        self._headers = headers = {name.lower(): value.rstrip() for name, value in reversed(pairs)}
        if self._status in _WITHOUT_BODY:
            self._body = _Sized(0)
        elif (coding := headers.get("transfer-encoding", "identity").lower()) != "identity":
            if coding != "chunked":
                raise BrokenOff(f"the body is sent as {coding[:40]}")
            self._body = _Chunked()
        elif "content-length" in headers:
            self._body = _Sized(_length(pairs) if len(pairs) > len(headers) else _number(headers["content-length"]))
        else:
            self._body = _UntilClosed()

    def _whole(self, *, closed: bool) -> Response:
        assert self._body is not None
        content = self._body.content(closed=closed)
        if packed := self._headers.get("content-encoding"):
            content = unpacked(content, packed)
        return Response(self._status, self._headers, content, not closed and self._keeps() and not self._body.rest)

    def _keeps(self) -> bool:
        said = self._headers.get("connection", "").lower()
        both = "transfer-encoding" in self._headers and "content-length" in self._headers
        return not both and ("close" not in said if self._minor else "keep-alive" in said)


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise BrokenOff("the length of the body is no number")
    if len(text) > 18 or int(text) > LARGEST_BODY:
        raise TooLarge
    return int(text)


def _length(pairs: list[tuple[str, str]]) -> int:
    """The length where there may be several: they must agree."""
    given = {value.rstrip() for name, value in pairs if name.lower() == "content-length"}
    if len(given) > 1:
        raise BrokenOff("the body has several lengths")
    return _number(given.pop())


class _Sized:
    """A body of a known length."""

    def __init__(self, length: int) -> None:
        self._left = length
        # Most bodies come in one piece, which is kept as it is.
        self._content: bytes | bytearray = b""
        self.rest = b""

    def feed(self, data: bytes) -> bool:
        if len(data) > self._left:
            data, self.rest = data[: self._left], data[self._left :]
        self._left -= len(data)
        if not self._content:
            self._content = data
        else:
            if isinstance(self._content, bytes):
                self._content = bytearray(self._content)
            self._content += data
        return not self._left

    def content(self, *, closed: bool) -> bytes:
        if self._left:
            raise BrokenOff("the server closed it in the middle of a response")
        return bytes(self._content)


class _UntilClosed:
    """A body that ends with its connection."""

    rest = b""

    def __init__(self) -> None:
        self._content = bytearray()

    def feed(self, data: bytes) -> bool:
        self._content += data
        if len(self._content) > LARGEST_BODY:
            raise TooLarge
        return False

    def content(self, *, closed: bool) -> bytes:
        return bytes(self._content)


class _Chunked:
    """A body in chunks, each with its size before it; trailers behind them are passed over."""

    def __init__(self) -> None:
        self._content = bytearray()
        self._waiting = b""
        # What is left of the chunk that is coming; None between chunks.
        self._left: int | None = None
        self._in_trailers = False
        self._trailers = 0
        self._is_whole = False
        self.rest = b""

    def feed(self, data: bytes) -> bool:
        data = self._waiting + data if self._waiting else data
        at = 0
        while not self._is_whole:
            if self._left:
                part = data[at : at + self._left]
                self._content += part
                at += len(part)
                self._left -= len(part)
                if len(self._content) > LARGEST_BODY:
                    raise TooLarge
                if self._left:
                    break
            end = data.find(b"\n", at)
            if end < 0:
                break
            self._take_line(data[at:end].rstrip(b"\r"))
            at = end + 1
        if self._is_whole:
            self.rest = data[at:]
        else:
            self._waiting = data[at:]
            if len(self._waiting) > LONGEST_CHUNK_LINE:
                raise BrokenOff("a chunk has no size")
        return self._is_whole

    def _take_line(self, line: bytes) -> None:
        if self._in_trailers:
            self._trailers += len(line)
            if self._trailers > LONGEST_HEAD:
                raise BrokenOff("the trailers are too long")
            self._is_whole = not line
        elif self._left == 0:  # the end of the line of a chunk
            if line:
                raise BrokenOff("a chunk is longer than its size")
            self._left = None
        elif size := _SIZE.fullmatch(line):
            self._left = int(size[1], 16)
            if self._left == 0:
                self._in_trailers = True
        else:
            raise BrokenOff("a chunk has no size")

    def content(self, *, closed: bool) -> bytes:
        if not self._is_whole:
            raise BrokenOff("the server closed it in the middle of a response")
        return bytes(self._content)


def unpacked(content: bytes, packed: str) -> bytes:
    """The content of a packed body; never more than LARGEST_BODY of it is in memory."""
    way = packed.strip().lower()
    if way == "identity" or not content:
        return content
    if way in ("gzip", "x-gzip"):
        return _inflated(content, 16 + zlib.MAX_WBITS)
    if way != "deflate":
        raise BrokenOff(f"the body is packed as {way[:40]}")
    # By the standard it has zlib's head; some servers leave that out.
    has_head = content[0] & 0x0F == 8 and len(content) > 1 and int.from_bytes(content[:2], "big") % 31 == 0
    return _inflated(content, zlib.MAX_WBITS if has_head else -zlib.MAX_WBITS)


def _inflated(content: bytes, bits: int) -> bytes:
    """Unpacked, one after another where there are several."""
    parts, room = [], LARGEST_BODY
    try:
        while content:
            packer = zlib.decompressobj(bits)
            part = packer.decompress(content, room + 1)
            parts.append(part)
            room -= len(part)
            if room < 0:
                raise TooLarge
            if not packer.eof:
                raise BrokenOff("the packed body breaks off")
            content = packer.unused_data if packer.unused_data[:2] == b"\x1f\x8b" else b""
    except zlib.error as error:
        raise BrokenOff(f"the packed body is damaged: {error}") from error
    return b"".join(parts)
