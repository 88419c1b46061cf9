"""`python -m benchmarks.soak [batch] [corpus] [load] [kill] [loop] [cluster]`: parts, or all."""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.soak import batch, cluster, kill, load, loop

CLUSTER_KILLS = Counter({"worker": 20, "scheduler": 5, "client": 5})


def main() -> None:
    """Run the parts one after another, each in a folder of its own."""
    parser = argparse.ArgumentParser(prog="benchmarks.soak", description=__doc__)
    parser.add_argument("parts", nargs="*", help="default: all")
    parser.add_argument("--cluster", type=int, default=500, help="cluster: submissions")
    parser.add_argument("--count", type=int, default=1000, help="batch: submissions")
    parser.add_argument("--assignment", default=load.DEFAULT, help="load: whose samples")
    parser.add_argument("--rounds", type=int, default=20, help="load: how often under load")
    parser.add_argument("--every", type=int, default=18, help="load: one of how many samples")
    parser.add_argument("--busy", type=int, default=8, help="load: busy processes beside it")
    parser.add_argument("--kills", type=int, default=50, help="kill: how many")
    parser.add_argument("--students", type=int, default=24, help="kill: honest submissions")
    parser.add_argument("--seed", type=int, default=1, help="kill: of the random moments")
    options = parser.parse_args()
    parts = {
        "batch": lambda folder: batch.run(folder, options.count),
        "corpus": batch.run_corpus,
        "load": lambda folder: load.run(
            folder, options.assignment, options.rounds, busy=options.busy, every=options.every
        ),
        "kill": lambda folder: kill.run(folder, options.kills, options.seed, options.students),
        "loop": lambda folder: loop.run(),
        "cluster": lambda folder: cluster.run(folder, options.cluster, options.seed, CLUSTER_KILLS),
    }
    wanted = options.parts or list(parts)
    unknown = [name for name in wanted if name not in parts]
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(parts)}")
    for name in wanted:
        with tempfile.TemporaryDirectory(prefix=f"soak-{name}-") as folder:
            print(f"== {name}", flush=True)
            parts[name](Path(folder))


main()
