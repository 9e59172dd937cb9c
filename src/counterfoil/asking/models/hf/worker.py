"""The thread in which a network runs: takes asks in, batches them, writes their replies token by token."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from collections.abc import Sequence
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.models.base import Hopeless, ModelUnusable
from counterfoil.asking.models.hf.batches import choose
from counterfoil.asking.models.hf.cache import SPARE, Rows, gathered
from counterfoil.asking.models.hf.choices import choose_texts
from counterfoil.asking.models.hf.intake import Intake, as_refusal
from counterfoil.asking.models.hf.job import Job, deliver
from counterfoil.asking.models.hf.prompts import compute, pass_sizes
from counterfoil.asking.models.hf.tokens import next_tokens, token_choices
from counterfoil.asking.models.hf.weights import Network

if TYPE_CHECKING:
    from torch import Tensor

# The share of free memory that keys and values may take: they are moved by copying, and passes need some, too.
CACHE_SHARE = {"cpu": 0.2, "cuda": 0.25}
# Asks come in a burst: with none for so long, the burst is over.
QUIET, LONGEST_BURST = 0.005, 0.2
# Who waits joins those under way when rows have been free for so long: in steps, of the share of rows that is free.
# A pass that computes prompts costs about as much as a step, and is best made when as much has been lost without it.
IDLE_STEPS = 1.5
# Rows that are done stay until others come, or until no more than this share is left.
KEPT_SHARE = 0.9


class Worker:
    """Runs until `stop`. All rows under way write one token at a time; each leaves as soon as it is done."""

    def __init__(self, network: Network, most_rows: int) -> None:
        self._network = network
        self._most_rows = most_rows
        self._most_tokens = _memory(network.device) // network.bytes_per_token
        self._pass_sizes = pass_sizes(network)
        self._inbox: SimpleQueue[Job | None] = SimpleQueue()
        self._waiting: list[Job] = []
        # Those under way, row by row; who is over is still among them for a while.
        self._live: list[Job] = []
        self._rows: Rows | None = None
        self._idle_steps = 0.0
        self._stopped = False
        self._intake = Intake(network, self._inbox.put)
        self._thread = threading.Thread(target=self._run, name="hf", daemon=True)
        self._thread.start()

    def submit(self, ask: Ask) -> asyncio.Future[Reply]:
        """The reply to come. Cancelling it frees its row.

        The template is filled in here, in the caller's thread, which has time while the network computes.
        """
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        try:
            self._intake.put(Job(ask, future, self._network))
        except Exception as error:
            future.set_exception(as_refusal(error))
        return future

    def stop(self) -> None:
        """Ends after the pass that is running; what is not answered is cancelled."""
        self._intake.stop()
        self._stopped = True
        self._inbox.put(None)
        self._thread.join()

    def _run(self) -> None:
        import torch

        with torch.inference_mode():
            while not self._stopped:
                self._take_in()
                entering: list[Job] = []
                try:
                    entering = self._entering()
                    self._enter(entering)
                    self._step()
                except Exception as error:  # one broken pass must not leave everybody waiting
                    jobs = list(dict.fromkeys([*self._live, *entering]))
                    deliver([job for job in jobs if job.over])  # it may have ended before the pass broke
                    under_way = [job for job in jobs if not job.over]
                    self._live, self._rows = [], None
                    trouble = error.with_traceback(None)
                    if _is_memory(trouble):
                        self._begin_again(under_way)
                    else:
                        self._fail(under_way, trouble)
        left = [job for job in (*self._live, *self._waiting) if not job.over]
        while not self._inbox.empty():
            if came := self._inbox.get():
                left.append(came)
        deliver(left)

    def _take_in(self) -> None:
        """Those that have come; with nothing under way, wait for them, and for the rest of the burst."""
        until = time.monotonic() + LONGEST_BURST
        while True:
            enough = bool(self._live) or len(self._waiting) >= self._most_rows
            try:
                if not enough and not self._waiting:
                    one = self._inbox.get()
                    until = time.monotonic() + LONGEST_BURST
                elif enough or time.monotonic() > until:
                    one = self._inbox.get_nowait()
                else:
                    one = self._inbox.get(timeout=QUIET)
            except Empty:
                if enough or time.monotonic() > until or not self._intake.busy:
                    break
                continue
            if one is None:
                break
            self._waiting.append(one)

    def _entering(self) -> list[Job]:
        """Who of those that wait goes next: not one by one, while others are under way."""
        self._waiting = [job for job in self._waiting if not job.over]
        live = [job.room for job in self._live if not job.over]
        if not self._waiting or len(live) >= self._most_rows:
            return []
        places = set(choose([job.room for job in self._waiting], live, self._most_rows, self._most_tokens))
        self._idle_steps += len(places) / min(self._most_rows, len(self._waiting))
        if live and self._idle_steps < IDLE_STEPS:
            return []
        entering = [job for place, job in enumerate(self._waiting) if place in places]
        self._waiting = [job for place, job in enumerate(self._waiting) if place not in places]
        self._idle_steps = 0.0
        return entering

    def _enter(self, entering: Sequence[Job]) -> None:
        """Compute the prompts. Those with choices are done then; the others go on where one token is not enough."""
        if not entering:
            return
        keep = not all(job.is_one_token for job in entering)
        prompts = [job.prompt for job in entering]
        rows, places, logits = compute(self._network, prompts, self._pass_sizes, keep=keep)
        held = [number for number, job in enumerate(entering) if job.choices]
        if held:
            self._choose([entering[number] for number in held], rows, [places[number] for number in held], logits)
        free = [number for number, job in enumerate(entering) if not job.choices]
        if logits is not None and free:
            self._write([entering[number] for number in free], logits[[places[number] for number in free]])
        left = [number for number in free if not entering[number].over]
        if left and rows is not None:
            self._rebuild([(rows, [places[number] for number in left])], [entering[number] for number in left])

    def _choose(self, jobs: Sequence[Job], rows: Rows | None, at: Sequence[int], logits: Tensor | None) -> None:
        """End those that are held to given texts."""
        if logits is not None:
            first = logits[at]
        else:
            assert rows is not None, "without logits there are rows"
            rows, at = rows.copies(at, 1), range(len(jobs))
            first = rows.go_on(self._network.model, [[job.last] for job in jobs]).logits[:, -1]
        choose_texts(self._network, rows, at, first, jobs, self._most_tokens)
        deliver(jobs)

    def _rebuild(self, more: Sequence[tuple[Rows, Sequence[int]]], jobs: Sequence[Job]) -> None:
        """The rows under way without those that are over, and with these."""
        staying = [row for row, job in enumerate(self._live) if not job.over]
        old = [(self._rows, staying)] if self._rows is not None and staying else []
        self._rows = gathered([*old, *more], SPARE) if old or more else None
        self._live = [*(self._live[row] for row in staying), *jobs]

    def _step(self) -> None:
        """One token for each row under way."""
        if self._rows is None:
            return
        for row, job in enumerate(self._live):
            if job.over:
                self._rows.lengths[row] = 0  # it sees and costs as little as can be
        logits = self._rows.go_on(self._network.model, [[job.last] for job in self._live]).logits[:, -1]
        self._write(self._live, logits)
        staying = sum(not job.over for job in self._live)
        if staying <= KEPT_SHARE * len(self._live):
            self._rebuild([], [])

    def _write(self, jobs: Sequence[Job], logits: Tensor) -> None:
        """The next token of each."""
        tokens = next_tokens(logits, [job.settings for job in jobs], [job.draw() for job in jobs])
        wanted = [row for row, job in enumerate(jobs) if job.settings.logprobs and not job.over]
        if wanted:
            tops = [jobs[row].settings.logprobs for row in wanted]
            made = token_choices(logits[wanted], [tokens[row] for row in wanted], tops, self._network.token_text)
            for row, one in zip(wanted, made, strict=True):
                jobs[row].logprobs.append(one)
        writing = [(job, token) for job, token in zip(jobs, tokens, strict=True) if not job.over]
        for job, token in writing:
            job.write(token)
        deliver([job for job, _ in writing if job.over])

    def _begin_again(self, jobs: Sequence[Job]) -> None:
        """Memory ran out: half as many at a time from now on. A reply is the same the second time."""
        gc.collect()
        if self._network.device == "cuda":
            import torch

            torch.cuda.empty_cache()
        if not jobs:
            return
        if len(jobs) == 1:
            jobs[0].fail(Hopeless(f"{jobs[0].room} tokens of prompt and reply do not fit in memory"))
            deliver(jobs)
            return
        self._most_rows = max(1, len(jobs) // 2)
        for job in jobs:
            job.start()
        self._waiting = [*jobs, *self._waiting]

    def _fail(self, jobs: Sequence[Job], error: Exception) -> None:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        for job in jobs:
            job.fail(ModelUnusable(f"the model broke down: {said}"))
        deliver(jobs)


def _is_memory(error: Exception) -> bool:
    import torch

    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "can't allocate memory" in str(error)


def _memory(device: str) -> int:
    """Bytes that keys and values may take."""
    if device == "cuda":
        import torch

        free, _ = torch.cuda.mem_get_info()
        return int(free * CACHE_SHARE[device])
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # not on this system
        free = 4 * 2**30
    return int(free * CACHE_SHARE[device])
