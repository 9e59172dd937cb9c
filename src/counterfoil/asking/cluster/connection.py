"""The Ray cluster: joined, or started on this machine where there is none."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from counterfoil.asking.cluster.seats import ClusterSettings, Node, Seats, seats
from counterfoil.asking.cluster.shards import check_place
from counterfoil.errors import UserError

# Asks and replies travel in messages; the store for large objects, a third of the memory by default, stays empty.
OBJECT_STORE_BYTES = 128_000_000
REACH_SECONDS = 10.0
# No telemetry, and no advice on Ray's future settings.
ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


@dataclass(frozen=True)
class Cluster:
    """A cluster that this process is connected to. `ray` is the package."""

    ray: Any
    settings: ClusterSettings

    def nodes(self) -> list[Node]:
        """The living nodes, as far as the cluster knows: it notices a crash after some seconds."""
        try:
            alive = [node["Resources"] for node in self.ray.nodes() if node["Alive"]]
        except Exception as error:  # Ray has several for a head that is gone
            raise UserError(
                f"The Ray cluster can't be reached any more: {first_line(error)}. What has come is kept."
            ) from error
        return [Node(resources.get("CPU", 0), resources.get("GPU", 0)) for resources in alive]

    def seats(self, *, in_process: bool) -> Seats:
        """The workers that one model gets now."""
        return seats(self.nodes(), self.settings, in_process=in_process)

    def start(self, kind: type, argument: Any, taking: Seats) -> Any:
        """A new actor of that kind, on the node that has least to do. Ray does not restart it if it dies."""
        share = {"num_cpus": taking.cores, "num_gpus": taking.gpus}
        actor = self.ray.remote(kind).options(**share, max_restarts=0, scheduling_strategy="SPREAD")
        return actor.remote(argument)


@asynccontextmanager
async def open_cluster(settings: ClusterSettings, say: Callable[[str], None]) -> AsyncIterator[Cluster]:
    """The cluster at the address, or of this machine, or a new one on this machine that ends with the context."""
    address = settings.address or os.environ.get("RAY_ADDRESS") or "auto"
    if address.startswith("ray://"):
        raise UserError(
            f"{address} is an address of Ray Client: run this on a node of the cluster, "
            "and name the cluster as HOST:6379, or leave --address out."
        )
    os.environ.update(ENVIRONMENT)
    if settings.shards is not None:
        check_place(settings.shards)
    try:
        import ray
    except ModuleNotFoundError as error:
        raise UserError("--engine ray needs Ray: pip install 'counterfoil[ray]', then run again.") from error
    if ray.is_initialized():  # by the program that called us, which ends it, too
        yield Cluster(ray, settings)
        return
    _connect(ray, address)
    try:
        cluster = Cluster(ray, settings)
        nodes = cluster.nodes()
        cores, gpus = sum(node.cores for node in nodes), sum(node.gpus for node in nodes)
        number = "1 node" if len(nodes) == 1 else f"{len(nodes)} nodes"
        say(f"Ray: {number} with {cores:g} cores and {gpus:g} GPUs.")
        yield cluster
    finally:
        ray.shutdown()


def _check_that_it_answers(address: str) -> None:
    """UserError where nothing answers at the address. Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65_535:
        raise UserError(f"{address} is no address of a Ray cluster: write it as HOST:6379.")
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACH_SECONDS).close()
    except OSError as error:
        raise UserError(f"There is no Ray cluster at {address}: {error.strerror or error}.") from error


def _connect(ray: Any, address: str) -> None:
    # Ray prints complaints of its daemons to our standard output, where results go. Its own logs keep them.
    ray._private.worker.print_to_stdstream = lambda *_, **__: None
    if address == "auto":
        try:
            address = ray._private.services.get_ray_address_from_environment("auto", None)
            _check_that_it_answers(address)
        except (ConnectionError, UserError):  # no cluster, or one that has died and left its address behind
            address = "local"
    elif address != "local":
        _check_that_it_answers(address)
    new = {"include_dashboard": False, "object_store_memory": OBJECT_STORE_BYTES} if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **new)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        where = "on this machine" if address == "local" else f"at {address}"
        raise UserError(f"There is no Ray cluster {where}: {first_line(error)}.") from error


def first_line(error: BaseException) -> str:
    """The message of an error without the traces that Ray puts below."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__).rstrip(".")[:300]
