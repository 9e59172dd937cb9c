"""A real Ray cluster of several nodes on this machine, in a process of its own: `with RayNodes(3) as nodes:`.

As a process, `python ray_nodes.py 3` prints the cluster's address; each line that it reads kills a node as a machine
dies, without a goodbye, and the end of its input ends all.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

CORES_OF_A_NODE = 1
OBJECT_STORE_BYTES = 80_000_000


class RayNodes:
    """So many nodes, the first of them the head."""

    def __init__(self, count: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__, str(count)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._said, self._told = self._process.stdout, self._process.stdin
        self.address = ""

    def __enter__(self) -> RayNodes:
        self.address = self._said.readline().strip()
        assert self.address, "the cluster did not start"
        return self

    def __exit__(self, *_: object) -> None:
        self._told.close()
        self._process.wait(60)
        self._said.close()

    def kill_one(self) -> None:
        """Kill a node that is not the head; gives when it is dead."""
        self._told.write("kill\n")
        self._told.flush()
        self._said.readline()


def _serve(count: int) -> None:
    import psutil
    from ray.cluster_utils import Cluster

    settings = {"num_cpus": CORES_OF_A_NODE, "object_store_memory": OBJECT_STORE_BYTES}
    cluster = Cluster(initialize_head=True, head_node_args={**settings, "include_dashboard": False})
    others = [cluster.add_node(wait=False, **settings) for _ in range(count - 1)]
    cluster.wait_for_nodes(120)
    print(cluster.address, flush=True)
    for _ in sys.stdin:
        node = others.pop()
        processes = [psutil.Process(process.pid) for _, process in node.live_processes()]
        workers = [worker for process in processes for worker in process.children(recursive=True)]
        cluster.remove_node(node, allow_graceful=False)
        # Workers outlive their node by a moment, which those of a dead machine do not.
        for worker in workers:
            with contextlib.suppress(psutil.NoSuchProcess):
                worker.kill()
        psutil.wait_procs(workers)
        print("killed", flush=True)
    cluster.shutdown()


if __name__ == "__main__":
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    _serve(int(sys.argv[1]))
