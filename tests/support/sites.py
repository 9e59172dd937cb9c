"""The site as a process of its own, and a client that sends exactly what it is told to."""

from __future__ import annotations

import http.client
import re
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode, urlsplit

from commands import start
from waiting import SECONDS


class Site(NamedTuple):
    """A server that is up. `said`: what it told when it was started."""

    address: str
    process: subprocess.Popen[str]
    said: str

    @property
    def port(self) -> int:
        port = urlsplit(self.address).port
        assert port is not None
        return port


def start_site(folder: Path, *arguments: str, port: int = 0, **more: str) -> Site:
    """Start it and wait until it has said where it is."""
    return up(start("serve", str(folder), "--port", str(port), *arguments, cwd=folder, **more))


def up(process: subprocess.Popen[str]) -> Site:
    """A site that was started, as soon as it has said where it is; it listens by then."""
    assert process.stderr is not None
    said = ""
    while "Ctrl-C" not in said:
        line = process.stderr.readline()
        assert line, f"the site did not start: {said}"
        said += line
    found = re.search(r"http://[^/\s]+:(\d+)/", said)
    assert found is not None
    return Site(f"http://127.0.0.1:{found.group(1)}", process, said)


def stop(site: Site) -> None:
    site.process.kill()
    site.process.communicate()


@contextmanager
def serving(folder: Path, *arguments: str, **more: str) -> Iterator[Site]:
    site = start_site(folder, *arguments, port=0, **more)
    try:
        yield site
    finally:
        stop(site)


class Answer(NamedTuple):
    status: int
    text: str
    headers: Mapping[str, str]


class Client:
    """Keeps cookies, follows nothing, mends nothing."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.host = f"127.0.0.1:{site.port}"
        self.cookies: dict[str, str] = {}

    def get(self, path: str, **headers: str) -> Answer:
        return self._ask("GET", path, None, headers)

    def post(self, path: str, form: Mapping[str, str], **headers: str) -> Answer:
        """As a browser sends a form of this site, unless a header says otherwise; an empty one is left out."""
        usual = {"Origin": f"http://{self.host}", "Content-Type": "application/x-www-form-urlencoded"}
        return self._ask("POST", path, urlencode(form), usual | headers)

    def csrf(self, path: str) -> str:
        """The token in the forms of a page."""
        found = re.search(r'name="csrf" value="([^"]+)"', self.get(path).text)
        assert found is not None, f"{path} has no form"
        return found.group(1)

    def _ask(self, method: str, path: str, body: str | None, headers: Mapping[str, str]) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", self.site.port, timeout=SECONDS)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        sent = {"Host": self.host, "Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())} | named
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            for name, value in sent.items():
                if value:
                    connection.putheader(name, value)
            raw = (body or "").encode()
            if body is not None:
                connection.putheader("Content-Length", str(len(raw)))
            connection.endheaders(raw)
            response = connection.getresponse()
            text = response.read().decode()
            for cookie in response.headers.get_all("Set-Cookie") or []:
                name, _, value = cookie.partition(";")[0].partition("=")
                self.cookies[name] = value
            return Answer(response.status, text, dict(response.headers.items()))
        finally:
            connection.close()
