"""Work for a `grade` that runs on another machine."""

from pathlib import Path

import click

from harness.cli import options
from harness.common.escaping import visible
from harness.grading.engines.dask import Cluster
from harness.grading.engines.dask.host import run_worker
from harness.model.observation import Tier

WANTED = "3.12"


@options.click_command(
    "worker",
    "harness worker --scheduler tcp://grading.example.edu:8786",
    "harness worker --scheduler tcp://127.0.0.1:8786 --jobs 4 --require-tier strong",
)
@options.cluster_options("The dask scheduler, tcp://HOST:8786 or tls://HOST:8786.", required=True)
@options.jobs("Submissions to grade at a time (default: one per core).")
@options.require_tier("Take no work if confinement is weaker than this.")
@click.option("--name", help="This worker's name in messages (default: host and process).")
@options.python
def command(
    cluster: Cluster, jobs: int | None, require_tier: str, name: str | None, python: Path | None
) -> int:
    """Grade submissions for `harness grade --scheduler ADDRESS`, until interrupted.

    The worker tries its confinement and interpreter first. It takes part in runs that use the same
    harness, the same interpreter and a tier that this machine has. If the scheduler stops, the
    worker waits for it.

    Exit status: 2 cannot work, 130 interrupted.
    """
    run_worker(
        cluster,
        jobs=jobs,
        require=Tier(require_tier),
        python=python,
        wanted=WANTED,
        name=name,
        tell=lambda line: click.echo(visible(line), err=True),
    )
    return 0
