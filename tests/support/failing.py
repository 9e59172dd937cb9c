"""A process in which one call that writes fails: the n-th write or fsync of files whose paths hold a word."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static int calls = 0;

static int fails(int fd) {
    char link[64], path[PATH_MAX];
    const char *word = getenv("FAIL_WORD"), *at = getenv("FAIL_AT"), *log = getenv("FAIL_LOG");
    if (word == NULL || at == NULL) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (strstr(path, word) == NULL) return 0;
    if (__sync_add_and_fetch(&calls, 1) != atoi(at)) return 0;
    FILE *file = fopen(log, "w");
    if (file) { fprintf(file, "%s", path); fclose(file); }
    errno = ENOSPC;
    return 1;
}

#define WRAP(type, name, parameters, arguments) \
    type name parameters { \
        static type (*real) parameters = NULL; \
        if (real == NULL) real = dlsym(RTLD_NEXT, #name); \
        return fails(fd) ? -1 : real arguments; \
    }

WRAP(ssize_t, write, (int fd, const void *data, size_t size), (fd, data, size))
WRAP(ssize_t, pwrite, (int fd, const void *data, size_t size, off_t at), (fd, data, size, at))
WRAP(ssize_t, pwrite64, (int fd, const void *data, size_t size, off64_t at), (fd, data, size, at))
WRAP(int, fsync, (int fd), (fd))
WRAP(int, fdatasync, (int fd), (fd))
WRAP(int, ftruncate, (int fd, off_t size), (fd, size))
WRAP(int, ftruncate64, (int fd, off64_t size), (fd, size))
"""


class FailingWrites:
    """Gives the environment of a process whose n-th writing call fails; `has_failed` says whether it came to that."""

    def __init__(self, folder: Path) -> None:
        self.log = folder / "failed.txt"
        self._library = folder / "failing.so"
        source = folder / "failing.c"
        source.write_text(SOURCE)
        compiler = shutil.which("cc")
        assert compiler is not None
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-w", "-o", self._library, source, "-ldl"], check=True)

    def environment(self, word: str, at: int) -> dict[str, str]:
        self.log.unlink(missing_ok=True)
        return {"LD_PRELOAD": str(self._library), "FAIL_WORD": word, "FAIL_AT": str(at), "FAIL_LOG": str(self.log)}

    @property
    def has_failed(self) -> bool:
        return self.log.exists()
