"""The options of the commands that use a cluster."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from harness.cli.options import options
from harness.grading import Cluster

F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.Path(path_type=Path, exists=True, dir_okay=False)

_tls_ca = click.option("--tls-ca", type=_FILE, help="TLS: the authority's certificate (PEM).")
_tls_cert = click.option("--tls-cert", type=_FILE, help="TLS: this machine's certificate (PEM).")
_tls_key = click.option("--tls-key", type=_FILE, help="TLS: the key of --tls-cert (PEM).")


def cluster_options(function: F) -> F:
    """Add `--tls-ca`, `--tls-cert` and `--tls-key`."""
    return options(_tls_ca, _tls_cert, _tls_key)(function)


def the_cluster(address: str, ca: Path | None, cert: Path | None, key: Path | None) -> Cluster:
    """The cluster that the options name; UserError."""
    return Cluster(address=address, ca=ca, cert=cert, key=key)
