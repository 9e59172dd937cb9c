"""The two threads of a network: one turns asks into tokens, one batches them and writes their replies."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue

import torch
from torch import Tensor

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.models.base import Hopeless, ModelError, ModelUnusable
from counterfoil.asking.models.hf.batches import choose
from counterfoil.asking.models.hf.cache import SPARE, Rows, gathered
from counterfoil.asking.models.hf.job import Job, deliver
from counterfoil.asking.models.hf.model import first_line
from counterfoil.asking.models.hf.network import Network
from counterfoil.asking.models.hf.passes import choose_texts, compute, next_tokens, pass_sizes, token_choices
from counterfoil.asking.models.hf.steps import Steps

# The share of free memory for keys and values: they are moved by copying, and passes need memory, too.
CACHE_SHARE = {"cpu": 0.2, "cuda": 0.25}
# Asks come in a burst. It is over after so many seconds without one.
QUIET, LONGEST_BURST = 0.005, 0.2
# Waiting asks join those under way when free rows have lost so many steps. A step loses the share of rows that is free.
# A pass for prompts costs about as much as a step, and is best made when as much has been lost without it.
IDLE_STEPS = 1.5
# Rows that are done stay until others come, or until no more than this share of rows is under way.
KEPT_SHARE = 0.9


class Intake:
    """A thread that turns texts into tokens while the network computes others.

    Jobs are handed on in the order they came. Those that can't be done end here.
    """

    def __init__(self, network: Network, hand_on: Callable[[Job], None]) -> None:
        self._network = network
        self._hand_on = hand_on
        self._inbox: SimpleQueue[Job | None] = SimpleQueue()
        # Each is counted in one thread only.
        self._came = self._went = 0
        self._thread = threading.Thread(target=self._run, name="hf-tokens", daemon=True)
        self._thread.start()

    @property
    def busy(self) -> bool:
        """Whether jobs are still to be handed on."""
        return self._came > self._went

    def put(self, job: Job) -> None:
        self._came += 1
        self._inbox.put(job)

    def stop(self) -> None:
        """All that came before is handed on."""
        self._inbox.put(None)
        self._thread.join()

    def _run(self) -> None:
        job = self._inbox.get()
        while job is not None:
            jobs = [job]
            while not self._inbox.empty() and (job := self._inbox.get()) is not None:
                jobs.append(job)
            self._tokenize(jobs)
            self._went += len(jobs)
            if job is not None:
                job = self._inbox.get()

    def _tokenize(self, jobs: Sequence[Job]) -> None:
        try:
            prompts = self._network.prompts([job.text for job in jobs])
        except Exception as error:
            for job in jobs:
                job.fail(_refusal(error))
            deliver(jobs)
            return
        refused = []
        for job, prompt in zip(jobs, prompts, strict=True):
            try:
                job.take(prompt)
            except Exception as error:
                job.fail(_refusal(error))
                refused.append(job)
            else:
                self._hand_on(job)
        deliver(refused)


def _refusal(error: Exception) -> ModelError:
    return error if isinstance(error, ModelError) else Hopeless(f"the ask can't be done: {error}")


class Worker:
    """The thread in which a network runs until `stop`. All rows under way write one token at a time."""

    def __init__(self, network: Network, most_rows: int) -> None:
        self._network = network
        self._most_rows = most_rows
        self._most_tokens = _memory(network.device) // network.bytes_per_token
        self._pass_sizes = pass_sizes(network)
        self._inbox: SimpleQueue[Job | None] = SimpleQueue()
        self._waiting: list[Job] = []
        # The jobs under way, row by row. Those that are over stay for a while.
        self._live: list[Job] = []
        self._rows: Rows | None = None
        # Whether the rows are held by a pass of fixed shape.
        self._held = False
        self._steps = Steps(network)
        self._idle_steps = 0.0
        self._stopped = False
        self._intake = Intake(network, self._inbox.put)
        self._thread = threading.Thread(target=self._run, name="hf", daemon=True)
        self._thread.start()

    def submit(self, ask: Ask) -> asyncio.Future[Reply]:
        """The reply to come. To cancel it frees its row.

        The template is filled in here, in the caller's thread, which has time while the network computes.
        """
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        try:
            self._intake.put(Job(ask, future, self._network))
        except Exception as error:
            future.set_exception(_refusal(error))
        return future

    def stop(self) -> None:
        """End after the running pass, and cancel what is not answered."""
        self._intake.stop()
        self._stopped = True
        self._inbox.put(None)
        self._thread.join()

    def _run(self) -> None:
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
                    self._live, self._rows = [], None
                    self._recover(jobs, error.with_traceback(None))
        left = [job for job in (*self._live, *self._waiting) if not job.over]
        while not self._inbox.empty():
            if (job := self._inbox.get()) is not None:
                left.append(job)
        deliver(left)

    def _take_in(self) -> None:
        """Take what has come. With nothing under way, wait for it, and for the rest of the burst."""
        until = time.monotonic() + LONGEST_BURST
        while True:
            enough = bool(self._live) or len(self._waiting) >= self._most_rows
            try:
                if not enough and not self._waiting:
                    job = self._inbox.get()
                    until = time.monotonic() + LONGEST_BURST
                elif enough or time.monotonic() > until:
                    job = self._inbox.get_nowait()
                else:
                    job = self._inbox.get(timeout=QUIET)
            except Empty:
                if enough or time.monotonic() > until or not self._intake.busy:
                    break
                continue
            if job is None:
                break
            self._waiting.append(job)

    def _entering(self) -> list[Job]:
        """The waiting jobs that go next: not one by one while others are under way."""
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
        """Compute the prompts. This ends jobs with choices and, as a rule, those of one token."""
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
        """End jobs that have choices."""
        if logits is not None:
            first = logits[at]
        else:
            assert rows is not None, "without logits there are rows"
            rows, at = rows.copies(at, 1), range(len(jobs))
            first = rows.go_on(self._network.model, [[job.last] for job in jobs]).logits[:, -1]
        choose_texts(self._network, rows, at, first, jobs, self._most_tokens)
        deliver(jobs)

    def _rebuild(self, more: Sequence[tuple[Rows, Sequence[int]]], jobs: Sequence[Job]) -> None:
        """Drop the rows that are over, and add these."""
        staying = [row for row, job in enumerate(self._live) if not job.over]
        old = [(self._rows, staying)] if self._rows is not None and staying else []
        self._rows = gathered([*old, *more], SPARE) if old or more else None
        self._live = [*(self._live[row] for row in staying), *jobs]
        if self._rows is not None:
            room = max(job.room - length for job, length in zip(self._live, self._rows.lengths, strict=True))
            held = self._steps.hold(self._rows, room)
            self._rows, self._held = held or self._rows, held is not None

    def _step(self) -> None:
        """One token for each row under way."""
        if self._rows is not None and self._held and self._rows.width == self._rows.stores[0].shape[3]:
            self._rebuild([], [])  # the columns are full
        if self._rows is None:
            return
        for row, job in enumerate(self._live):
            if job.over:
                self._rows.lengths[row] = 0  # the row then sees and costs least
        if self._held:
            logits = self._steps.step(self._rows, [job.last for job in self._live])
        else:
            logits = self._rows.go_on(self._network.model, [[job.last] for job in self._live]).logits[:, -1]
        self._write(self._live, logits)
        if sum(not job.over for job in self._live) <= KEPT_SHARE * len(self._live):
            self._rebuild([], [])

    def _write(self, jobs: Sequence[Job], logits: Tensor) -> None:
        """The next token of each."""
        tokens = next_tokens(logits, [job.settings for job in jobs], [job.draw() for job in jobs])
        wanted = [row for row, job in enumerate(jobs) if job.settings.logprobs and not job.over]
        if wanted:
            tops = [jobs[row].settings.logprobs for row in wanted]
            choices = token_choices(logits[wanted], [tokens[row] for row in wanted], tops, self._network.token_text)
            for row, choice in zip(wanted, choices, strict=True):
                jobs[row].logprobs.append(choice)
        writing = [(job, token) for job, token in zip(jobs, tokens, strict=True) if not job.over]
        for job, token in writing:
            job.write(token)
        deliver([job for job, _ in writing if job.over])

    def _recover(self, jobs: Sequence[Job], error: Exception) -> None:
        """After a broken pass. Where memory ran out, half as many begin again: a reply is the same the second time."""
        under_way = [job for job in jobs if not job.over]  # others ended before the pass broke
        if not (isinstance(error, MemoryError | torch.OutOfMemoryError) or "can't allocate memory" in str(error)):
            for job in under_way:
                job.fail(ModelUnusable(f"the model broke down: {first_line(error)}"))
            deliver(jobs)
            return
        self._steps.forget()
        gc.collect()
        if self._network.device == "cuda":
            torch.cuda.empty_cache()
        if len(under_way) == 1:
            under_way[0].fail(Hopeless(f"{under_way[0].room} tokens of prompt and reply do not fit in memory"))
        deliver([job for job in jobs if job.over])
        if len(under_way) > 1:
            self._most_rows = len(under_way) // 2
            for job in under_way:
                job.start()
            self._waiting = [*under_way, *self._waiting]


def _memory(device: str) -> int:
    """Bytes for keys and values."""
    free = 4 * 2**30  # where the system does not say
    if device == "cuda":
        free = torch.cuda.mem_get_info()[0]
    else:
        with suppress(AttributeError, ValueError, OSError):
            free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return int(free * CACHE_SHARE[device])
