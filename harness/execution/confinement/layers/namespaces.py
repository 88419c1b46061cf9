"""The base server in namespaces of its own, by bubblewrap."""

from __future__ import annotations

import shutil
from pathlib import Path

from harness.common.errors import HarnessError
from harness.execution.confinement.layers import READABLE, BaseSetup, Layer
from harness.execution.folder import folders_beside
from harness.model.observation import Tier

_DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")


class Namespaces(Layer):
    """Own processes, network, mounts, host name and IPC; for ordinary users also user ids."""

    name = "namespaces"
    tiers = frozenset({Tier.STRONG})
    order = 10

    def unavailable(self) -> str:
        """Empty when bubblewrap is installed; whether it may do its work here, only a try tells."""
        return "" if shutil.which("bwrap") else "bubblewrap (bwrap) is not installed"

    def wrap(self, command: list[str], directory: str, setup: BaseSetup) -> list[str]:
        """As `Layer.wrap`: nothing can be written there, and only the interpreter (the command's
        first word), its library, `READABLE` and `directory` are there. Descriptors that are open
        pass through.

        `setup.keeps_users`: the caller is root and stays so inside, able to change its user and to
        end what runs there, and nothing else: each submission becomes a user of its own. In a user
        namespace there would be only one. HarnessError when bubblewrap has gone.
        """
        program = shutil.which("bwrap")
        if program is None:
            raise HarnessError(self.unavailable())
        prefix = Path(command[0]).parent.parent
        libraries = [f"{prefix}/lib", f"{prefix}/lib64", *setup.more_modules]
        places = dict.fromkeys([*READABLE, *libraries, directory])
        words = [program, "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts"]
        words += ["--unshare-cgroup-try", "--hostname", "harness", "--new-session", "--as-pid-1"]
        if setup.dies_with_parent:
            words.append("--die-with-parent")
        words += ["--cap-drop", "ALL"]
        if setup.keeps_users:
            for capability in ("CAP_SETUID", "CAP_SETGID", "CAP_KILL"):
                words += ["--cap-add", capability]
        else:
            words.append("--unshare-user")
        above = {str(folder) for each in (*places, command[0]) for folder in Path(each).parents}
        for folder in sorted(above - {"/"}):  # made by --dir they are open to every user
            words += ["--dir", folder]
        for place in places:
            words += ["--dev-bind-try" if place in _DEVICES else "--ro-bind-try", place, place]
        folders = str(folders_beside(Path(directory)))
        words += ["--bind-try", folders, folders]
        words += ["--ro-bind", command[0], command[0], "--proc", "/proc", "--remount-ro", "/"]
        return [*words, "--chdir", "/", "--", *command]
