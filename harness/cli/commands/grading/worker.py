"""Work for a `grade` that runs on another machine."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import click

from harness.cli import options
from harness.common.escaping import visible
from harness.grading.engines.dask import Cluster
from harness.grading.engines.dask.host import run_worker
from harness.model.observation import Tier

WANTED = "3.12"


@dataclass(frozen=True, slots=True, kw_only=True)
class _WorkerOptions:
    """The options: where work comes from, and how much of it to take."""

    cluster: Annotated[
        Cluster,
        options.cluster_options(
            "The dask scheduler, tcp://HOST:8786 or tls://HOST:8786.", required=True
        ),
    ]
    jobs: Annotated[
        int | None, options.jobs("How many submissions to grade at a time (default: one per core).")
    ]
    require_tier: Annotated[
        str, options.require_tier("Take no work if confinement is weaker than this.")
    ]
    name: Annotated[
        str | None,
        options.option("--name", "This worker's name in messages (default: host and process)."),
    ]
    python: Annotated[Path | None, options.python]


@options.click_command(
    "worker",
    "harness worker --scheduler tcp://grading.example.edu:8786",
    "harness worker --scheduler tcp://127.0.0.1:8786 --jobs 4 --require-tier strong",
)
@options.options_of("chosen", _WorkerOptions)
def command(chosen: _WorkerOptions) -> int:
    """Grade submissions for `harness grade --scheduler ADDRESS`, until interrupted.

    The worker first tests this machine's confinement and Python interpreter. It joins only runs
    with the same harness, the same interpreter and a tier that this machine supports. If the
    scheduler stops, the worker waits for it.

    Exit status: 2 cannot work, 130 interrupted.
    """
    run_worker(
        chosen.cluster,
        jobs=chosen.jobs,
        require=Tier(chosen.require_tier),
        python=chosen.python,
        wanted=WANTED,
        name=chosen.name,
        tell=lambda line: click.echo(visible(line), err=True),
    )
    return 0
