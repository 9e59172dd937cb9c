"""Responses of HTTP/1.x, read from bytes in parts of any size."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from counterfoil.asking.wire.errors import BrokenOff, TooLarge, WireError
from counterfoil.asking.wire.response import LARGEST_BODY, LONGEST_HEAD, Response, ResponseReader

BODY = b'{"choices":[]}'
PACKED = gzip.compress(BODY, mtime=0)


def read(parts: Iterable[bytes], *, closed: bool = False) -> Response | None:
    """What a reader makes of these parts; `closed`: the connection ends behind them."""
    reader = ResponseReader()
    for part in parts:
        if (response := reader.feed(part)) is not None:
            return response
    return reader.end() if closed else None


def whole(raw: bytes, *, closed: bool = False) -> Response:
    response = read([raw], closed=closed)
    assert response is not None
    return response


def answer(head: bytes, body: bytes = b"", status: bytes = b"HTTP/1.1 200 OK") -> bytes:
    return b"%b\r\n%b\r\n%b" % (status, head, body)


GOOD = {
    "length": answer(b"Content-Length: 14\r\n", BODY),
    "chunks": answer(b"Transfer-Encoding: chunked\r\n", b'5\r\n{"cho\r\n9\r\nices":[]}\r\n0\r\n\r\n'),
    "chunks with extensions": answer(b"Transfer-Encoding: Chunked\r\n", b"e;a=b\r\n" + BODY + b"\r\n00\r\n\r\n"),
    "trailers": answer(b"Transfer-Encoding: chunked\r\n", b"E \r\n" + BODY + b"\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\n"),
    "words in between": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"
    + answer(b"Content-Length: 14\r\n", BODY),
    "gzip": answer(b"Content-Encoding: gzip\r\nContent-Length: %d\r\n" % len(PACKED), PACKED),
    "gzip twice": answer(
        b"Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
        b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in map(gzip.compress, (BODY[:5], BODY[5:])))
        + b"0\r\n\r\n",
    ),
    "lines without a return": b"HTTP/1.1 200 OK\nContent-Length: 14\n\n" + BODY,
    "the same length twice": answer(b"Content-Length: 14\r\nContent-Length: 14\r\n", BODY),
    "a header over two lines": answer(b"X: a\r\n b\r\nContent-Length: 14\r\n", BODY),
}


@pytest.mark.parametrize("raw", GOOD.values(), ids=GOOD)
def test_a_response_is_read_however_it_comes(raw: bytes) -> None:
    response = whole(raw)
    assert (response.status, response.body, response.keeps) == (200, BODY, True)
    one_by_one = read(raw[i : i + 1] for i in range(len(raw)))
    assert one_by_one == response
    assert read([raw[:-1]]) is None


@settings(deadline=None)
@given(st.sampled_from(sorted(GOOD)), st.lists(st.integers(0, 400), max_size=6))
def test_where_the_parts_are_cut_makes_no_difference(name: str, cuts: list[int]) -> None:
    raw = GOOD[name]
    ends = [0, *sorted(cuts), len(raw)]
    assert read([raw[a:b] for a, b in pairwise(ends)]) == whole(raw)


@pytest.mark.parametrize("bits", [zlib.MAX_WBITS, -zlib.MAX_WBITS], ids=["with a head", "without"])
def test_deflate_comes_in_two_ways(bits: int) -> None:
    packer = zlib.compressobj(wbits=bits)
    packed = packer.compress(BODY) + packer.flush()
    raw = answer(b"Content-Encoding: deflate\r\nContent-Length: %d\r\n" % len(packed), packed)
    assert whole(raw).body == BODY


def test_headers_are_found_by_small_letters_and_the_first_of_equal_ones_counts() -> None:
    raw = answer(b"Retry-After:  7 \r\nRETRY-AFTER: 9\r\nno header\r\nX: ein \xc3\xa4\xff\r\nContent-Length: 0\r\n")
    headers = whole(raw).headers
    assert headers["retry-after"] == "7"
    assert headers["x"] == "ein ä\ufffd"


@pytest.mark.parametrize("status", [b"204 No Content", b"304 Not Modified"])
def test_some_responses_have_no_body_whatever_they_announce(status: bytes) -> None:
    assert whole(answer(b"Content-Length: 14\r\n", status=b"HTTP/1.1 " + status)).body == b""


def test_a_body_without_a_length_ends_with_the_connection() -> None:
    response = whole(answer(b"", BODY), closed=True)
    assert (response.body, response.keeps) == (BODY, False)
    assert read([answer(b"", BODY)]) is None


@pytest.mark.parametrize(
    ("version", "connection", "keeps"),
    [
        (b"HTTP/1.1", b"", True),
        (b"HTTP/1.1", b"Connection: Close\r\n", False),
        (b"HTTP/1.0", b"", False),
        (b"HTTP/1.0", b"Connection: keep-alive\r\n", True),
    ],
)
def test_a_connection_is_kept_where_the_server_keeps_it(version: bytes, connection: bytes, keeps: bool) -> None:
    raw = answer(b"Content-Length: 14\r\n" + connection, BODY, version + b" 200 OK")
    assert whole(raw).keeps is keeps


@pytest.mark.parametrize(
    "raw",
    [
        answer(b"Content-Length: 14\r\n", BODY + b"HTTP/1.1 200 OK\r\n\r\n"),
        answer(b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", b"e\r\n" + BODY + b"\r\n0\r\n\r\n"),
    ],
    ids=["more than its length", "two lengths"],
)
def test_a_connection_on_which_the_end_is_in_doubt_is_not_used_again(raw: bytes) -> None:
    response = whole(raw)
    assert (response.body, response.keeps) == (BODY, False)


@pytest.mark.parametrize(
    "raw",
    [
        b"this is not HTTP\r\n\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 20\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n",
        b"HTTP/1.1 101 Switching Protocols\r\n\r\n",
        answer(b"Content-Length: 14\r\nContent-Length: 15\r\n", BODY),
        answer(b"Content-Length: -1\r\n", BODY),
        answer(b"Content-Length: 1_4\r\n", BODY),
        answer("Content-Length: ١٤\r\n".encode(), BODY),
        answer(b"Transfer-Encoding: gzip, chunked\r\n", b"0\r\n\r\n"),
        answer(b"Transfer-Encoding: chunked\r\n", b"zz\r\n"),
        answer(b"Transfer-Encoding: chunked\r\n", b"-1\r\n"),
        answer(b"Transfer-Encoding: chunked\r\n", b"2\r\n{}}\r\n0\r\n\r\n"),
        answer(b"Transfer-Encoding: chunked\r\n", b"1" * 5_000),
        answer(b"Transfer-Encoding: chunked\r\n", b"0\r\n" + b"X: y\r\n" * 20_000),
        answer(b"Content-Encoding: gzip\r\nContent-Length: 14\r\n", BODY),
        answer(b"Content-Encoding: gzip\r\nContent-Length: 20\r\n", PACKED[:20]),
        answer(b"Content-Encoding: br\r\nContent-Length: 14\r\n", BODY),
        answer(b"X: " + b"y" * LONGEST_HEAD + b"\r\n"),
        b"HTTP/1.1 100 Continue\r\n\r\n" * 5_000,
    ],
)
def test_what_is_no_response_breaks_off_and_does_not_wait(raw: bytes) -> None:
    with pytest.raises(BrokenOff):
        read([raw])
    with pytest.raises(BrokenOff):
        read(raw[i : i + 7] for i in range(0, len(raw), 7))


@pytest.mark.parametrize(
    "raw",
    [
        answer(b"Content-Length: 14\r\n", BODY[:-1]),
        answer(b"Transfer-Encoding: chunked\r\n", b"e\r\n" + BODY + b"\r\n"),
        answer(b"Transfer-Encoding: chunked\r\n", b"e\r\n" + BODY + b"\r\n0\r\n"),
        b"HTTP/1.1 200 OK\r\nContent-Le",
        b"",
    ],
)
def test_a_response_that_its_connection_cuts_off_is_none(raw: bytes) -> None:
    with pytest.raises(BrokenOff):
        read([raw], closed=True)


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: %d\r\n" % (LARGEST_BODY + 1),
        b"Content-Length: " + b"9" * 5_000 + b"\r\n",
        b"",
        b"Transfer-Encoding: chunked\r\n",
    ],
)
def test_what_is_too_large_is_not_read_to_its_end(head: bytes) -> None:
    chunk = bytes(1_000_000)
    parts = (b"f4240\r\n%b\r\n" % chunk if b"chunked" in head else chunk for _ in range(1_000))
    with pytest.raises(TooLarge):
        read([answer(head), *()] if b"Length" in head else (part for part in [answer(head), *parts]))


def test_the_largest_body_is_read() -> None:
    assert len(whole(answer(b"Content-Length: %d\r\n" % LARGEST_BODY, bytes(LARGEST_BODY))).body) == LARGEST_BODY


def test_packed_bodies_are_unpacked_no_further_than_is_read() -> None:
    packed = gzip.compress(bytes(LARGEST_BODY + 1), mtime=0)
    with pytest.raises(TooLarge):
        whole(answer(b"Content-Encoding: gzip\r\nContent-Length: %d\r\n" % len(packed), packed))


@settings(deadline=None)
@given(
    st.sampled_from([b"", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"]),
    st.lists(st.binary(max_size=40), max_size=8),
)
def test_any_bytes_are_a_response_or_break_off(head: bytes, parts: list[bytes]) -> None:
    try:
        read([head, *parts], closed=True)
    except WireError:
        return
