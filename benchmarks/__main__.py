"""All benchmarks: `python -m benchmarks`, or one of them by name."""

from __future__ import annotations

import sys

from benchmarks import agreement, asking, coverage, mentions

BENCHMARKS = {
    "asking": asking.main,
    "mentions": mentions.main,
    "coverage": coverage.main,
    "agreement": agreement.main,
}


def main(names: list[str]) -> int:
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        print(
            f"There is no benchmark {', '.join(sorted(unknown))}: there are {', '.join(BENCHMARKS)}.", file=sys.stderr
        )
        return 2
    worst = 0
    for name in names or BENCHMARKS:
        print(f"== {name}", flush=True)
        worst = max(worst, BENCHMARKS[name]())
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
