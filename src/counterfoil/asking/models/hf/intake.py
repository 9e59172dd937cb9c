"""Where asks come in: a thread that turns their texts into tokens while the network computes others."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Empty, SimpleQueue

from counterfoil.asking.models.base import Hopeless, ModelError
from counterfoil.asking.models.hf.job import Job, deliver
from counterfoil.asking.models.hf.weights import Network


class Intake:
    """Hands on each job with its tokens, in the order they came; those that can't be done end here."""

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
        """Whether there are jobs that it has not handed on."""
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
            jobs = []
            while job is not None:
                jobs.append(job)
                try:
                    job = self._inbox.get_nowait()
                except Empty:
                    break
            self._tokenize(jobs)
            self._went += len(jobs)
            if job is not None:
                job = self._inbox.get()

    def _tokenize(self, jobs: Sequence[Job]) -> None:
        try:
            prompts = self._network.prompts([job.text for job in jobs])
        except Exception as error:
            for job in jobs:
                job.fail(as_refusal(error))
            deliver(jobs)
            return
        refused = []
        for job, prompt in zip(jobs, prompts, strict=True):
            try:
                job.take(prompt)
            except Exception as error:
                job.fail(as_refusal(error))
                refused.append(job)
            else:
                self._hand_on(job)
        deliver(refused)


def as_refusal(error: Exception) -> ModelError:
    return error if isinstance(error, ModelError) else Hopeless(f"the ask can't be done: {error}")
