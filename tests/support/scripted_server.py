"""A server that answers each request on each connection with raw bytes, as a script says: in parts, or with an end."""

from __future__ import annotations

import asyncio
import ssl
import threading
from collections.abc import Callable, Sequence

from waiting import SECONDS

# Bytes that are sent as they are. CLOSE ends the connection in order, RESET breaks it off, TURN lets what was sent
# arrive by itself.
CLOSE, RESET, TURN = "close", "reset", "turn"
Step = bytes | str
# What to do for the request of this number, from 0, on the connection of this number.
Script = Callable[[int, int], Sequence[Step]]


def whole(body: bytes = b"{}", head: bytes = b"", version: bytes = b"HTTP/1.1") -> bytes:
    """A response as it should be."""
    return b"%b 200 OK\r\nContent-Length: %d\r\n%b\r\n%b" % (version, len(body), head, body)


class ScriptedServer:
    """Serves in a thread of its own. `requests` are the bytes that came, by connection."""

    def __init__(self, script: Script, *, host: str = "127.0.0.1", tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[list[bytes]] = []
        self._script, self._host, self._tls = script, host, tls
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self.port = 0

    @property
    def url(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{'https' if self._tls else 'http'}://{host}:{self.port}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        assert self._ready.wait(SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join(SECONDS)

    async def _serve(self) -> None:
        self._loop, self._end = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._answer, self._host, 0, ssl=self._tls)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._end.wait()
        server.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = len(self.requests)
        came: list[bytes] = []
        self.requests.append(came)
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
                came.append(head + await reader.readexactly(length))
                for step in self._script(number, len(came) - 1):
                    if step == RESET:
                        writer.transport.abort()
                    elif step == CLOSE:
                        writer.close()
                    elif step == TURN:
                        await writer.drain()
                        await asyncio.sleep(0)
                    else:
                        assert isinstance(step, bytes)
                        writer.write(step)
        except (asyncio.IncompleteReadError, OSError):
            pass
        finally:
            writer.close()
