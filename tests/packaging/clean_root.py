"""A root with a Debian of its own, a package in it as the platform unpacks it, half a processor."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.packaging.autograder_tree import METADATA, checked, unpack
from tests.tiny_course import ran

SUITE = "bookworm"  # its own Python is 3.11
_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_CGROUPS = Path("/sys/fs/cgroup")

Done = subprocess.CompletedProcess[str]


def bootstrap(base: Path, mirror: str, suite: str = SUITE) -> None:
    """Make the root, once; the next check takes it as it is."""
    if (base / "etc" / "os-release").exists():
        return
    made = base.with_name(f".{base.name}.{os.getpid()}")
    command = ["debootstrap", "--variant=minbase", "--include=python3,ca-certificates", suite]
    try:
        subprocess.run([*command, str(made), *([mirror] if mirror else [])], check=True)
        made.rename(base)
    finally:
        shutil.rmtree(made, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Image:
    """A copy of the root with one package in it, and a Python's folder, where it lies here: a build
    seldom bears to be moved."""

    root: Path
    python: Path | None = None

    @classmethod
    def made(cls, base: Path, root: Path, package: Path, python: Path | None = None) -> Image:
        subprocess.run(["cp", "-a", "--reflink=auto", str(base), str(root)], check=True)
        image = cls(root, python)
        unpack(package, image.autograder / "source")
        for name in ("submission", "results"):
            (image.autograder / name).mkdir()
        shutil.copy(image.autograder / "source" / "run_autograder", image.autograder)
        return image

    @property
    def autograder(self) -> Path:
        return self.root / "autograder"

    def setup(self, **variables: str) -> Done:
        """setup.sh, with the network."""
        return self._start(["/autograder/source/setup.sh"], network=True, **variables)

    def run(self, hand_in: Path | dict[str, str], *before: str) -> dict[str, Any]:
        """The results of one submission: as root, without the network, on half a processor.
        `before` is what starts run_autograder."""
        for name in ("submission", "results"):
            shutil.rmtree(self.autograder / name)
            (self.autograder / name).mkdir()
        if isinstance(hand_in, Path):
            shutil.copytree(hand_in, self.autograder / "submission", dirs_exist_ok=True)
        else:
            for name, text in hand_in.items():
                (self.autograder / "submission" / name).write_text(text, "utf-8")
        (self.autograder / "submission_metadata.json").write_text(json.dumps(METADATA), "utf-8")
        with half_a_processor() as group:
            command = [*before, "/autograder/run_autograder"]
            done = self._start(command, network=False, group=group)
        if done.returncode:
            raise SystemExit(f"run_autograder ended with {done.returncode}: {done.stderr}")
        return checked(self.autograder / "results" / "results.json")

    def _start(
        self, command: Sequence[str], *, network: bool, group: Path | None = None, **variables: str
    ) -> Done:
        words = ["bwrap", "--bind", str(self.root), "/", "--dev", "/dev", "--proc", "/proc"]
        words += ["--perms", "1777", "--tmpfs", "/tmp", "--unshare-pid", "--unshare-ipc"]
        words += ["--cap-add", "ALL", "--die-with-parent", "--new-session", "--clearenv"]
        kept = {"PATH": _PATH, "HOME": "/root"}
        if network:
            for path in ("/etc/resolv.conf", "/etc/ssl/certs"):
                words += ["--ro-bind-try", path, path]
            ours = ("PIP_CERT", "PIP_INDEX_URL", "http_proxy", "https_proxy")
            kept |= {name: os.environ[name] for name in ours if name in os.environ}
        else:
            words.append("--unshare-net")
        if self.python is not None:
            words += ["--ro-bind", str(self.python), str(self.python)]
        for name, value in {**kept, **variables}.items():
            words += ["--setenv", name, value]
        joining = ["sh", "-c", 'echo $$ > "$0/cgroup.procs" && exec "$@"', str(group)]
        return ran([*(joining if group else ()), *words, "--chdir", "/autograder", *command])


@contextmanager
def half_a_processor() -> Iterator[Path | None]:
    """A control group with half a processor; None where none can be made."""
    name = f"half-{os.getpid()}-{time.monotonic_ns()}"
    for place, file, text in (
        (_CGROUPS / "cpu", "cpu.cfs_quota_us", "50000"),
        (_CGROUPS, "cpu.max", "50000 100000"),
    ):
        group = place / name
        try:
            group.mkdir()
        except OSError:
            continue
        try:
            if (group / file).exists():
                (group / file).write_text(text)
                yield group
                return
        finally:
            _remove(group)
    yield None


def _remove(group: Path) -> None:
    """The kernel may still be clearing away what was in it."""
    for _ in range(200):
        try:
            group.rmdir()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit(f"{group} is still in use: {(group / 'cgroup.procs').read_text()}")
