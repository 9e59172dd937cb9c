"""The workers that a cluster has room for, and the share of its node that each takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

# The part of a core for a worker that waits for a server most of the time.
CORES_OF_A_WAITING_WORKER = 0.1


class ClusterSettings(msgspec.Struct, kw_only=True, frozen=True):
    """The address of a cluster, the number and size of its workers, the place of its shards."""

    address: str | None = None
    workers: int | None = None
    worker_cores: int | None = None
    shards: str | None = None


class Node(NamedTuple):
    """A living machine of the cluster."""

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


def seats(nodes: Sequence[Node], settings: ClusterSettings, *, in_process: bool) -> Seats:
    """The workers of one model; 0 where no node has enough for one.

    Remote models: one worker per node, with many asks in flight. Models that run in the worker: one for every
    `worker_cores` cores of a node where that is given, else one per GPU where there are any, else one per node with as
    many cores as the smallest has. `workers` is the user's own number.
    """
    workers, worker_cores = settings.workers, settings.worker_cores
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
