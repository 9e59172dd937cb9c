"""The benchmarks: `python -m benchmarks` runs those that take minutes; the others are named."""

from __future__ import annotations

import sys

from benchmarks import (
    agreement,
    asking,
    bias,
    cluster,
    comparing,
    coverage,
    false_alarms,
    gguf,
    hf,
    memorization,
    mentions,
    pairing,
    peers,
    reading,
    site,
)

BENCHMARKS = {
    "asking": asking.main,
    "mentions": mentions.main,
    "reading": reading.main,
    "bias": bias.main,
    "memorization": memorization.main,
    "comparing": comparing.main,
    "coverage": coverage.main,
    "site": site.main,
    "agreement": agreement.main,
    "pairing": pairing.main,
    "false_alarms": false_alarms.main,
    "cluster": cluster.main,
    "gguf": gguf.main,
    "hf": hf.main,
    "peers": peers.main,
}
USUAL = ("asking", "gguf", "mentions", "bias", "memorization", "comparing", "coverage", "site")


def main(names: list[str]) -> int:
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        known = ", ".join(BENCHMARKS)
        print(f"There is no benchmark {', '.join(sorted(unknown))}: there are {known}.", file=sys.stderr)
        return 2
    worst = 0
    for name in names or USUAL:
        print(f"== {name}", flush=True)
        worst = max(worst, BENCHMARKS[name]())
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
