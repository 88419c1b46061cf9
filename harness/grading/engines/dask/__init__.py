"""The engine for several machines: dask's scheduler and workers (the extra `cluster`).

`distributed` is imported only if a cluster is used.
"""

import importlib.util
import logging
import ssl
import sys
import warnings
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import harness
from harness.common.errors import UserError
from harness.common.extras import install_command
from harness.common.files import source_digest

RESOURCE = "harness"  # distinguishes our workers from others of the same scheduler
CONNECT_SECONDS = 10.0
_SCHEMES = ("tcp://", "tls://")
_SOURCES = (
    *("common", "model", "matchers", "policy", "execution", "judging", "marking", "results"),
    *("grading", "stimuli"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The scheduler's address, `tcp://host:port` or `tls://host:port`, and for TLS the files (PEM)
    of the authority, of this side's certificate and of its key."""

    address: str
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    def __post_init__(self) -> None:
        """Raise UserError for an invalid address, or for TLS without its three files."""
        scheme = next((scheme for scheme in _SCHEMES if self.address.startswith(scheme)), None)
        port = self.address.rpartition(":")[2]
        files = (self.ca, self.cert, self.key)
        what = ""
        if scheme is None or not port.isdigit():
            what = "this is not an address of a scheduler"
            hint = "write tcp://HOST:8786, or tls://HOST:8786 with certificates"
        elif scheme == "tls://" and None in files:
            what = "TLS needs the authority's certificate, an own certificate and its key"
            hint = "give --tls-ca, --tls-cert and --tls-key"
        elif scheme == "tcp://" and any(files):
            what = "tcp:// uses no certificates"
            hint = "write tls://, or remove the certificates"
        if what:
            raise UserError(what, place=self.address, hint=hint)


def security(cluster: Cluster, role: str) -> Any:
    """Return dask's `Security` for this side, `role` "client" or "worker"; None without TLS.

    Raise UserError if the files cannot be used.
    """
    if cluster.ca is None:
        return None
    from distributed.security import Security  # noqa: PLC0415  (only where a cluster is used)

    files = {
        "tls_ca_file": str(cluster.ca),
        f"tls_{role}_cert": str(cluster.cert),
        f"tls_{role}_key": str(cluster.key),
    }
    found = Security(require_encryption=True, **files)
    try:
        found.get_connection_args(role)
    except (OSError, ssl.SSLError) as error:
        raise UserError(
            f"these certificates cannot be used ({error})",
            place=f"{cluster.ca}, {cluster.cert}, {cluster.key}",
            hint="use files in PEM form, and the key that belongs to the certificate",
        ) from None
    return found


def require_distributed() -> None:
    """Raise UserError if dask's `distributed` is not installed. Silence its own messages, because
    we report errors ourselves in one line."""
    if importlib.util.find_spec("distributed") is None:
        what = "a cluster needs dask's distributed, which is not installed"
        raise UserError(what, hint=install_command("cluster"))
    import distributed  # noqa: F401, PLC0415  (sets its loggers up as it is imported)

    for name in ("distributed", "tornado", "asyncio"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def connect(cluster: Cluster) -> Any:
    """Return dask's client for the scheduler. Raise UserError if no scheduler answers."""
    from distributed import Client  # noqa: PLC0415  (only where a cluster is used)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of versions that differ: workers are asked
            return Client(
                cluster.address,
                timeout=CONNECT_SECONDS,
                security=security(cluster, "client"),
                set_as_default=False,
                name="harness-grade",
            )
    except (OSError, ValueError) as error:
        raise unreachable(cluster, error) from None


def unreachable(cluster: Cluster, error: BaseException) -> UserError:
    """Return the error for a scheduler that does not answer."""
    cause = str(error).splitlines()[0][:160] if str(error) else type(error).__name__
    hint = "start it with: dask scheduler"
    if cluster.ca is not None:
        hint += "; its certificate must be valid and from the same authority"
    return UserError(f"no scheduler answers ({cause})", place=cluster.address, hint=hint)


def described() -> str:
    """Return the harness, its sources, and the versions that results and messages depend on.

    Workers with another description do not take part.
    """
    import distributed  # noqa: PLC0415  (only where a cluster is used)

    digest = sha256(source_digest(*_SOURCES).encode()).hexdigest()[:12]
    python = ".".join(map(str, sys.version_info[:2]))
    ours = f"harness {harness.__version__} ({digest}) under Python {python}"
    return f"{ours} with distributed {distributed.__version__}"
