"""The Ray cluster: joined where there is one, started on this machine where there is none."""

from __future__ import annotations

import logging
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from counterfoil.asking.cluster.seats import ClusterSettings, Node, Seats, seats
from counterfoil.asking.cluster.shards import check_place
from counterfoil.errors import UserError

# Asks and replies travel in messages; the store for large objects, a third of the memory by default, stays empty.
OBJECT_STORE_BYTES = 128_000_000
REACH_SECONDS = 10.0
# No telemetry; and of Ray's advice on its own future settings, none.
ENVIRONMENT = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


class Cluster:
    """A cluster that this process is connected to. `ray` is the package."""

    def __init__(self, ray: Any, settings: ClusterSettings) -> None:
        self.ray = ray
        self.settings = settings

    def nodes(self) -> list[Node]:
        """Those that are alive, as far as the cluster knows: a crash is noticed after some seconds."""
        try:
            alive = [node for node in self.ray.nodes() if node["Alive"]]
        except Exception as error:  # Ray has several for a head that is gone
            raise UserError(
                f"The Ray cluster can't be reached any more: {first_line(error)}. What has come is kept."
            ) from error
        return [
            Node(node["NodeManagerAddress"], node["Resources"].get("CPU", 0), node["Resources"].get("GPU", 0))
            for node in alive
        ]

    def seats(self, *, in_process: bool) -> Seats:
        """The workers that one model gets now."""
        settings = self.settings
        return seats(self.nodes(), in_process=in_process, workers=settings.workers, worker_cores=settings.worker_cores)

    def start(self, kind: type, argument: Any, taking: Seats) -> Any:
        """A new actor of that kind, on the node that has least to do. Nobody but us starts it again if it dies."""
        actor = self.ray.remote(kind)
        options = actor.options(
            num_cpus=taking.cores, num_gpus=taking.gpus, max_restarts=0, scheduling_strategy="SPREAD"
        )
        return options.remote(argument)


@asynccontextmanager
async def open_cluster(settings: ClusterSettings, say: Callable[[str], None]) -> AsyncIterator[Cluster]:
    """The cluster at the address, or the one this machine is part of, or a new one on it that ends with the context."""
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
    if ray.is_initialized():  # by the program that called us: it is its to end
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
    """Ray itself would try for minutes."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit() or int(port) > 65_535:
        raise UserError(f"{address} is no address of a Ray cluster: write it as HOST:6379.")
    try:
        socket.create_connection((host.strip("[]"), int(port)), REACH_SECONDS).close()
    except OSError as error:
        raise UserError(f"There is no Ray cluster at {address}: {error.strerror or error}.") from error


def _connect(ray: Any, address: str) -> None:
    # Ray prints what its daemons complain of to our standard output, where the results go; its own logs keep it.
    ray._private.worker.print_to_stdstream = lambda *_, **__: None
    if address == "auto":
        address = _this_machines(ray) or "local"
    elif address != "local":
        _check_that_it_answers(address)
    new = {"include_dashboard": False, "object_store_memory": OBJECT_STORE_BYTES} if address == "local" else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **new)
    except (ConnectionError, ValueError, RuntimeError, OSError) as error:
        where = "on this machine" if address == "local" else f"at {address}"
        raise UserError(f"There is no Ray cluster {where}: {first_line(error)}.") from error


def _this_machines(ray: Any) -> str | None:
    """The address of the cluster that this machine is part of. One that has died leaves its address behind."""
    try:
        address: str = ray._private.services.get_ray_address_from_environment("auto", None)
        _check_that_it_answers(address)
    except (ConnectionError, UserError):
        return None
    return address


def first_line(error: BaseException) -> str:
    """What an error says, without the traces that Ray puts below."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[0] if lines else type(error).__name__).rstrip(".")[:300]
