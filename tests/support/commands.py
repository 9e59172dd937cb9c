"""The command line as a user calls it, in a folder of its own: in this process, or in one of its own."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest.mock import patch

from counterfoil.cli.main import main
from waiting import SECONDS

SUPPORT = Path(__file__).parent
SUITE = "three_choice:suite"


def environment(**more: str) -> dict[str, str]:
    """The environment of a command, without keys that the machine may have."""
    kept = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_ORG_ID", "_URL"))}
    return kept | {"PYTHONPATH": str(SUPPORT), "NO_COLOR": "1", "COLUMNS": "120"} | more


def counterfoil(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end, in this process; `more` goes into its environment.

    Where the process itself is what is tested, or something that Python does only when it starts, take `start` or
    `counterfoil_process`.
    """
    return command_here(arguments, cwd, environment(**more))


def command_here(arguments: tuple[str, ...], cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """A command in this process, with this environment and no other."""
    out, err = _pipe(), _pipe()
    with (
        patch.dict(os.environ, env, clear=True),
        chdir(cwd),
        _modules_forgotten(cwd),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            code = main(list(arguments))
        except SystemExit as end:  # by --help and --version
            code = int(end.code or 0)
    return subprocess.CompletedProcess(arguments, code, _written(out), _written(err))


def start(*arguments: str, cwd: Path, **more: str) -> subprocess.Popen[str]:
    """Start a command in a process of its own and go on."""
    return subprocess.Popen(
        [sys.executable, "-m", "counterfoil", *arguments],
        cwd=cwd,
        env=environment(**more),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def counterfoil_process(*arguments: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end in a process of its own; `more` goes into its environment."""
    return ended(start(*arguments, cwd=cwd, **more))


def wait_for_line(process: subprocess.Popen[str], part: str) -> None:
    """Until it has said this on standard error."""
    assert process.stderr is not None
    said = ""
    while part not in said:
        line = process.stderr.readline()
        assert line, f"it ended without saying {part!r}: {said}"
        said += line


def ended(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """A process that was started, when it has ended; one that hangs is killed."""
    try:
        out, err = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def on_a_terminal(*arguments: str, cwd: Path, watch: Callable[[str], object], **more: str) -> tuple[int, str]:
    """Run a command with a terminal as standard error: its exit code and what was shown.

    `watch` is called with all that was shown, whenever more is.
    """
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "counterfoil", *arguments],
        cwd=cwd,
        env=environment(TERM="xterm", **more),
        stdout=subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    try:
        while chunk := os.read(ours, 4096):
            shown += chunk
            watch(shown.decode(errors="replace"))
    except OSError:  # the other end was closed
        pass
    os.close(ours)
    return process.wait(SECONDS), shown.decode()


def _pipe() -> io.TextIOWrapper:
    """As standard output is where it goes into a pipe."""
    return io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="", write_through=True)


def _written(pipe: io.TextIOWrapper) -> str:
    assert isinstance(pipe.buffer, io.BytesIO)
    return pipe.buffer.getvalue().decode().replace("\r\n", "\n")


@contextmanager
def _modules_forgotten(folder: Path) -> Iterator[None]:
    """Modules of a test's folder are gone after it: another test's have the same names."""
    path, modules = list(sys.path), set(sys.modules)
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            file = getattr(sys.modules[name], "__file__", None)
            if file and Path(file).is_relative_to(folder.resolve()):
                del sys.modules[name]
