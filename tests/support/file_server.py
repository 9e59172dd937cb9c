"""A web server on this machine that sends the files it is told to."""

from __future__ import annotations

import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class FileServer:
    """`pages` has what to do for each path; `paths` are those that were asked for."""

    def __init__(self) -> None:
        self.pages: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {}
        self.paths: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer.paths.append(self.path)
                outer.pages.get(self.path, lambda handler: handler.send_error(404))(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=lambda: self._server.serve_forever(0.01), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def serve(self, path: str, content: bytes, kind: str = "application/json", says: int | None = None) -> None:
        """Send this content; `says`: the length that is promised."""

        def send(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            handler.send_header("Content-Type", kind)
            handler.send_header("Content-Length", str(len(content) if says is None else says))
            handler.end_headers()
            handler.wfile.write(content)
            handler.close_connection = says is not None

        self.pages[path] = send

    def redirect(self, path: str, location: str) -> None:
        def send(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(302)
            handler.send_header("Location", location)
            handler.send_header("Content-Length", "0")
            handler.end_headers()

        self.pages[path] = send

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
