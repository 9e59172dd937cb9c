"""Fetching a dataset: streamed to a temporary file, its hash checked, then moved into place."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import aiohttp
from yarl import URL

from counterfoil.asking.models.http import refuse_proxy
from counterfoil.asking.models.weights import hash_file
from counterfoil.console import Say
from counterfoil.datasets.registry import DataFile, Dataset, is_registered, registered
from counterfoil.errors import UserError
from counterfoil.log import log_request
from counterfoil.progress import Progress

_LOG = logging.getLogger(__name__)

HUB = "https://huggingface.co"
MOST_REDIRECTS = 10
REDIRECTS = (301, 302, 303, 307, 308)
CHUNK = 1 << 18
# The whole may take its hours on a slow line; silence may not.
SILENT_SECONDS = 60.0
CONNECT_SECONDS = 30.0


@dataclass
class Download:
    """Bytes that have come, of how many; the total is None where the server does not say."""

    name: str
    done: int = 0
    total: int | None = None

    def describe(self, seconds: float) -> str:
        of = "" if self.total is None else f" of {self.total / 1e6:,.1f}"
        return f"{self.done / 1e6:,.1f}{of} MB"


def dataset_path(name: str, file: str | None = None) -> Path:
    """The cached file of a dataset (its first, or the one of that name), unchanged since it was fetched."""
    dataset = registered(name)
    entry = next(entry for entry in dataset.files if file in (None, entry.name))
    path = dataset.folder / entry.name
    if not path.is_file():
        raise UserError(f"The dataset {name} is not here: fetch it with `counterfoil data get {name}`.")
    with _kept_in(dataset):
        if hash_file(path) != _expected(entry, path):
            raise UserError(f"{path} is not what was fetched: get it again with `counterfoil data get {name}`.")
    return path


def dataset_paths(name: str) -> list[Path]:
    """The cached files that a dataset's name stands for."""
    dataset = registered(name)
    if dataset.by_hand:
        raise UserError(f"{name} is not here: its authors hand it out, see {dataset.by_hand}. Name its files.")
    return [dataset_path(name, file.name) for file in (dataset.files[:1] if dataset.beside else dataset.files)]


def resolved(data: str) -> str:
    """A dataset's name becomes its cached file; everything else stays what it is."""
    return str(dataset_path(data)) if is_registered(data) else data


def get_dataset(name: str, say: Say) -> None:
    """Fetch those files of a dataset that are not here yet."""
    dataset = registered(name)
    if dataset.by_hand:
        raise UserError(f"{name} can't be fetched: its authors hand it out, see {dataset.by_hand}. Name its files.")
    with _kept_in(dataset):
        for file in dataset.files:
            _get_file(dataset, file, say)


def _get_file(dataset: Dataset, file: DataFile, say: Say) -> None:
    path = dataset.folder / file.name
    expected = _expected(file, path)
    if path.is_file():
        if hash_file(path) == expected:
            say(f"{dataset.name} is here: {path}")
            return
        say(f"{path} is not what was fetched: fetching it again.")
    url = _address(file)
    refuse_proxy(str(url))
    say(f"Fetching {url} ({dataset.licence}) ...")
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".") as folder:
        temporary = Path(folder) / "data"
        found = asyncio.run(_download(url, temporary, Download(file.name), say))
        if expected is None:
            record = Path(folder) / "hash"
            record.write_text(f"{found}  {file.name}\n", encoding="utf-8")
            record.replace(_record(path))
        elif found != expected:
            changed = f" It has changed since the first fetch: remove {_record(path)} to take it as it is now."
            remedy = "" if file.sha256 is not None else changed
            raise UserError(f"{url} is not the known file (SHA-256 {found}): it was not kept.{remedy}")
        temporary.replace(path)
        _LOG.debug("wrote %s", path)
    say(f"{dataset.name} is here: {path} ({path.stat().st_size / 1e6:,.1f} MB, SHA-256 {found})")


async def _download(url: URL, target: Path, download: Download, say: Say) -> str:
    """Stream it to a file; gives its SHA-256. Whatever goes wrong on the way is one sentence."""
    columns = ("DownloadColumn", "TransferSpeedColumn", "TimeRemainingColumn")
    limits = aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS, sock_read=SILENT_SECONDS)
    try:
        async with (
            Progress([download], columns=columns, say=say).watched(),
            aiohttp.ClientSession(timeout=limits, trust_env=True) as session,
        ):
            return await _stream(session, url, target, download)
    except TimeoutError as error:
        raise UserError(f"{url.host} is silent: {url} was not fetched. Run the same command again later.") from error
    except aiohttp.ClientConnectorError as error:
        raise UserError(
            f"No connection to {error.host} can be made, so {url} was not fetched: check the network "
            f"({error.os_error.strerror or error.os_error})."
        ) from error
    except (aiohttp.ClientError, ConnectionError) as error:
        raise UserError(
            f"The download of {url} broke off after {download.done:,} bytes, and nothing was kept: "
            f"run the same command again ({type(error).__name__})."
        ) from error


async def _stream(session: aiohttp.ClientSession, url: URL, target: Path, download: Download) -> str:
    here = url
    for _ in range(MOST_REDIRECTS + 1):
        headers = {"Accept-Encoding": "identity"}  # packed on the way, its length would not be the file's
        log_answer = log_request(_LOG, "GET", here, headers)
        async with session.get(here, allow_redirects=False, headers=headers) as response:
            log_answer(response.status)
            if response.status in REDIRECTS:
                here = _redirected(url, here, response.headers.get("Location", ""))
                continue
            if response.status != 200:
                raise UserError(f"{url} was not fetched: {_meaning(response.status)}.")
            if response.content_type == "text/html":
                raise UserError(f"{url} was not fetched: {here.host} sent a web page in its place.")
            download.total = response.content_length
            return await _write(response, target, download)
    raise UserError(f"{url} was not fetched: {url.host} sends from one address to the next without an end.")


async def _write(response: aiohttp.ClientResponse, target: Path, download: Download) -> str:
    digest = hashlib.sha256()
    with target.open("wb") as file:
        async for chunk in response.content.iter_chunked(CHUNK):
            file.write(chunk)
            digest.update(chunk)
            download.done += len(chunk)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()


def _redirected(url: URL, here: URL, location: str) -> URL:
    """Where it goes on: never from a safe address to an unsafe one."""
    try:
        # Taken as it is: signed addresses must not be written otherwise.
        there = here.join(URL(location, encoded=location.isascii() and " " not in location))
    except ValueError:
        there = URL()
    if not location or not there.host or there.scheme not in ("http", "https"):
        raise UserError(f"{url} was not fetched: {here.host} sends on to {location!r}, which is no address.")
    if there.scheme == "http" and url.scheme == "https":
        raise UserError(f"{url} was not fetched: {here.host} sends on to {there}, which is not safe (no https).")
    return there


def _address(file: DataFile) -> URL:
    """The file's address, with $HF_ENDPOINT in the place of the Hugging Face hub where it is set."""
    endpoint = os.environ.get("HF_ENDPOINT", "").strip().rstrip("/")
    if not endpoint or not file.url.startswith(f"{HUB}/"):
        return URL(file.url)
    with suppress(ValueError):
        url = URL(endpoint + file.url.removeprefix(HUB))
        if url.scheme in ("http", "https") and url.host:
            return url
    raise UserError(f"HF_ENDPOINT {endpoint} is no address: it begins with https://, as in {HUB}.")


def _meaning(status: int) -> str:
    if status in (404, 410):
        return f"it is not there any more ({status})"
    if status in (401, 403):
        return f"the server does not give it to everybody ({status})"
    if status == 429 or status >= 500:
        return f"the server can't at the moment ({status}); run the same command again later"
    return f"the server said {status}"


def _record(path: Path) -> Path:
    """Where the hash of a file that is not pinned is kept, as `sha256sum --check` reads it."""
    return path.with_name(f"{path.name}.sha256")


def _expected(file: DataFile, path: Path) -> str | None:
    """The hash that it must have: the pinned one, or that of the first fetch; None before that."""
    if file.sha256 is not None:
        return file.sha256
    try:
        return _record(path).read_text(encoding="utf-8").split()[0]
    except (FileNotFoundError, IndexError, UnicodeDecodeError):
        return None


@contextmanager
def _kept_in(dataset: Dataset) -> Iterator[None]:
    """Turn what the file system says into one sentence."""
    try:
        yield
    except OSError as error:
        raise UserError(f"{dataset.name} can't be kept in {dataset.folder}: {error.strerror or error}.") from error
