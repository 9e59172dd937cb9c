"""How many workers a cluster has room for, and what each of them takes of its node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

# Who waits for a server most of the time takes this part of a core.
CORES_OF_A_WAITING_WORKER = 0.1


class ClusterSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Which cluster asks, with how many workers of which size, and where replies are kept on their way."""

    address: str | None = None
    workers: int | None = None
    worker_cores: int | None = None
    shards: str | None = None


class Node(NamedTuple):
    """A machine of the cluster that is alive."""

    name: str
    cores: float
    gpus: float


class Seats(NamedTuple):
    """So many workers, with so many cores and GPUs each."""

    workers: int
    cores: float
    gpus: float

    def __str__(self) -> str:
        if self.gpus:
            return "a GPU"
        return "a core" if self.cores <= 1 else f"{self.cores:g} cores"


def seats(nodes: Sequence[Node], *, in_process: bool, workers: int | None, worker_cores: int | None) -> Seats:
    """The workers that one model gets; 0 workers where no node has what one of them needs.

    Remote models: one worker per node, for it has many asks in flight. Models that run in the worker: one for every
    `worker_cores` cores of a node where that is given, else one per GPU where there are any, else one per node with as
    many cores as the smallest has. `workers` is the user's own number.
    """
    with_cores = [node for node in nodes if node.cores > 0]
    gpus = sum(int(node.gpus) for node in nodes)
    if not in_process:
        found = Seats(len(with_cores), CORES_OF_A_WAITING_WORKER, 0)
    elif worker_cores is None and gpus:
        found = Seats(gpus, 1, 1)
    else:
        cores = worker_cores or min((node.cores for node in with_cores), default=1)
        found = Seats(sum(int(node.cores // cores) for node in with_cores), cores, 0)
    return found._replace(workers=workers) if workers and found.workers else found
