"""How many workers a model gets on a cluster."""

from __future__ import annotations

import pytest

from counterfoil.asking.cluster.seats import CORES_OF_A_WAITING_WORKER, ClusterSettings, Node, Seats, seats

HEAD, SMALL, LARGE, WITH_GPUS = Node(0, 0), Node(4, 0), Node(10, 0), Node(16, 2)


@pytest.mark.parametrize(
    ("nodes", "in_process", "workers", "worker_cores", "expected"),
    [
        # Remote: one per node that takes work; a head that was started with no cores takes none.
        ([HEAD, SMALL, LARGE], False, None, None, Seats(2, CORES_OF_A_WAITING_WORKER, 0)),
        ([SMALL, WITH_GPUS], False, 7, None, Seats(7, CORES_OF_A_WAITING_WORKER, 0)),
        # In process: 4 cores each, as the smallest node has: one on it and 10 // 4 = 2 on the other.
        ([HEAD, SMALL, LARGE], True, None, None, Seats(3, 4, 0)),
        # 4 // 3 = 1 and 10 // 3 = 3.
        ([SMALL, LARGE], True, None, 3, Seats(4, 3, 0)),
        ([SMALL, LARGE], True, 2, 3, Seats(2, 3, 0)),
        # GPUs go before cores, unless cores are asked for.
        ([SMALL, WITH_GPUS], True, None, None, Seats(2, 1, 1)),
        ([SMALL, WITH_GPUS], True, None, 8, Seats(2, 8, 0)),
        # No node has twelve cores, whatever number of workers is wished for.
        ([SMALL, LARGE], True, 5, 12, Seats(0, 12, 0)),
        ([HEAD], False, None, None, Seats(0, CORES_OF_A_WAITING_WORKER, 0)),
        ([], True, None, None, Seats(0, 1, 0)),
    ],
)
def test_seats(
    nodes: list[Node], in_process: bool, workers: int | None, worker_cores: int | None, expected: Seats
) -> None:
    settings = ClusterSettings(workers=workers, worker_cores=worker_cores)
    assert seats(nodes, settings, in_process=in_process) == expected


def test_what_a_worker_takes_can_be_told() -> None:
    assert [str(Seats(1, *it)) for it in ((0.1, 0), (1, 0), (4, 0), (1, 1))] == ["a core", "a core", "4 cores", "a GPU"]
