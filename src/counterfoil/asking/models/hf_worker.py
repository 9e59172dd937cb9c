"""The thread in which a network runs: takes asks in, batches them, writes their replies token by token."""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue

from counterfoil.asking.ask import Ask, Reply
from counterfoil.asking.models.base import Hopeless, ModelError, ModelUnusable
from counterfoil.asking.models.hf_batches import Edge, choose, passes, plan_prefixes
from counterfoil.asking.models.hf_cache import Rows, joined
from counterfoil.asking.models.hf_choices import choose_texts
from counterfoil.asking.models.hf_job import Job
from counterfoil.asking.models.hf_tokens import next_tokens, token_choices
from counterfoil.asking.models.hf_weights import Network

# Tokens computed in one pass at the most, and how many of them a pass costs before its first: a GPU waits for its
# next command longer than it computes.
PASS_TOKENS = {"cpu": 2_048, "cuda": 16_384}
PASS_COST = {"cpu": 32, "cuda": 1_024}
# The share of free memory that keys and values may take; passes and moves need some, too.
CACHE_SHARE = {"cpu": 0.25, "cuda": 0.4}
# Asks come in a burst: with none for so long, the burst is over.
QUIET, LONGEST_BURST = 0.005, 0.05
# Who waits while others are under way joins them with some company, or after so many tokens of theirs.
COMPANY, LONGEST_WAIT = 4, 16


class Worker:
    """Runs until `stop`. All rows under way write one token at a time; each leaves as soon as it is done."""

    def __init__(self, network: Network, most_rows: int) -> None:
        self._network = network
        self._most_rows = most_rows
        self._most_tokens = _memory(network.device) // network.bytes_per_token
        self._inbox: SimpleQueue[tuple[Ask, Future[Reply]] | None] = SimpleQueue()
        self._waiting: list[Job] = []
        self._live: list[Job] = []
        self._rows: Rows | None = None
        self._steps_waited = 0
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="hf", daemon=True)
        self._thread.start()

    def submit(self, ask: Ask) -> Future[Reply]:
        """The reply to come. Cancelling it frees its row."""
        future: Future[Reply] = Future()
        self._inbox.put((ask, future))
        return future

    def stop(self) -> None:
        """Ends after the pass that is running; what is not answered is cancelled."""
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
                    under_way = [job for job in dict.fromkeys([*self._live, *entering]) if not job.over]
                    self._live, self._rows = [], None
                    trouble = error.with_traceback(None)
                    if _is_memory(trouble):
                        self._begin_again(under_way)
                    else:
                        self._fail(under_way, trouble)
        left = [job.future for job in (*self._live, *self._waiting)]
        while not self._inbox.empty():
            if came := self._inbox.get():
                left.append(came[1])
        for future in left:
            future.cancel()

    def _take_in(self) -> None:
        """Those that have come; with nothing under way, wait for them, and for the rest of the burst."""
        idle = not self._live
        until = time.monotonic() + LONGEST_BURST
        block = idle and not self._waiting
        while True:
            try:
                timeout = None if block else QUIET if time.monotonic() < until else 0.0
                came = self._inbox.get(timeout=timeout) if idle else self._inbox.get_nowait()
            except Empty:
                return
            if came is None:
                return
            if block:
                block, until = False, time.monotonic() + LONGEST_BURST
            ask, future = came
            try:
                self._waiting.append(Job(ask, future, self._network))
            except Exception as error:
                _refuse(future, error)

    def _entering(self) -> list[Job]:
        """Who of those that wait goes next: not one by one, while others are under way."""
        self._waiting = [job for job in self._waiting if not job.over]
        if not self._waiting:
            return []
        rooms, live = [job.room for job in self._waiting], [job.room for job in self._live]
        places = set(choose(rooms, live, self._most_rows, self._most_tokens))
        self._steps_waited += 1
        if len(places) * COMPANY < len(live) and (not places or self._steps_waited < LONGEST_WAIT):
            return []
        entering = [job for place, job in enumerate(self._waiting) if place in places]
        self._waiting = [job for place, job in enumerate(self._waiting) if place not in places]
        self._steps_waited = 0
        return entering

    def _enter(self, entering: Sequence[Job]) -> None:
        """Compute the prompts, all but their last tokens; those with choices are done then, the others go on."""
        if not entering:
            return
        rows = self._computed([job.prompt[:-1] for job in entering])
        held = [place for place, job in enumerate(entering) if job.choices]
        if held:
            jobs = [entering[place] for place in held]
            choose_texts(self._network, rows.copies(held), jobs, self._most_tokens)
        free = [place for place, job in enumerate(entering) if not job.choices]
        if free:
            if held:
                rows.keep(free)
            self._rows = joined([rows] if self._rows is None else [self._rows, rows])
            self._live += [entering[place] for place in free]

    def _computed(self, prompts: Sequence[Sequence[int]]) -> Rows:
        """One row for each prompt; what several begin with is computed once."""
        plan = plan_prefixes(prompts, PASS_COST[self._network.device])
        levels, above = {-1: self._network.root}, self._network.root
        for number, edges in enumerate(plan.levels):
            levels[number] = above = self._continued(above, edges)
        parts, order = [], []
        for number, rows in levels.items():
            here = [prompt for prompt, (level, _) in enumerate(plan.places) if level == number]
            if here:
                parts.append(rows.copies([plan.places[prompt][1] for prompt in here]))
                order += here
        made = joined(parts)
        if order != sorted(order):
            made.keep([order.index(prompt) for prompt in range(len(prompts))])
        return made

    def _continued(self, above: Rows, edges: Sequence[Edge]) -> Rows:
        """A row for each edge, in passes of edges of about the same length."""
        order = sorted(range(len(edges)), key=lambda place: len(edges[place].tokens))
        parts = []
        for places in passes(order, [len(edge.tokens) for edge in edges], PASS_TOKENS[self._network.device]):
            rows = above.copies([edges[place].parent for place in places])
            tokens = [edges[place].tokens for place in places]
            rows.go_on(self._network.model.base_model, tokens)
            longest = max(map(len, tokens))
            rows.settle([longest - len(one) for one in tokens])
            parts.append(rows)
        made = joined(parts)
        if order != sorted(order):
            made.keep([order.index(place) for place in range(len(edges))])
        return made

    def _step(self) -> None:
        """One token for each row under way."""
        if self._rows is None:
            return
        last = [[job.written[-1] if job.written else job.prompt[-1]] for job in self._live]
        logits = self._rows.go_on(self._network.model, last).logits[:, -1]
        tokens = next_tokens(logits, [job.settings for job in self._live], [job.draw() for job in self._live])
        wanted = [row for row, job in enumerate(self._live) if job.settings.logprobs]
        if wanted:
            tops = [self._live[row].settings.logprobs for row in wanted]
            made = token_choices(logits[wanted], [tokens[row] for row in wanted], tops, self._network.token_text)
            for row, one in zip(wanted, made, strict=True):
                self._live[row].logprobs.append(one)
        for job, token in zip(self._live, tokens, strict=True):
            if not job.over:
                job.write(token)
        staying = [row for row, job in enumerate(self._live) if not job.over]
        if not staying:
            self._live, self._rows = [], None
        elif len(staying) < len(self._live):
            self._live = [self._live[row] for row in staying]
            self._rows.keep(staying)

    def _begin_again(self, jobs: Sequence[Job]) -> None:
        """Memory ran out: half as many at a time from now on. A reply is the same the second time."""
        gc.collect()
        if self._network.device == "cuda":
            import torch

            torch.cuda.empty_cache()
        if len(jobs) == 1:
            jobs[0].fail(Hopeless(f"{jobs[0].room} tokens of prompt and reply do not fit in memory"))
            return
        self._most_rows = max(1, len(jobs) // 2)
        for job in jobs:
            job.start()
        self._waiting = [*jobs, *self._waiting]

    def _fail(self, jobs: Sequence[Job], error: Exception) -> None:
        said = (str(error).strip().splitlines() or [type(error).__name__])[0]
        for job in jobs:
            job.fail(ModelUnusable(f"the model broke down: {said}"))


def _refuse(future: Future[Reply], error: Exception) -> None:
    if not future.cancelled():
        future.set_exception(error if isinstance(error, ModelError) else Hopeless(f"the ask can't be done: {error}"))


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
