"""Packs the shipped assignments into the wheel, for `harness new --from`."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

PARTS = ("specs", "reference", "submissions")


class WithAssignments(build_py):
    """Copies what lies beside the package into it as `harness/shipped`."""

    def run(self) -> None:
        """Build as always, then copy."""
        super().run()
        if self.editable_mode:
            return  # the clone itself is used
        for part in PARTS:
            target = Path(self.build_lib) / "harness" / "shipped" / part
            shutil.rmtree(target, ignore_errors=True)
            ignored = shutil.ignore_patterns("__pycache__", ".*")
            shutil.copytree(part, target, ignore=ignored)


setup(cmdclass={"build_py": WithAssignments})
