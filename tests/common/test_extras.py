"""The command that installs an extra."""

import sys

from harness.common.extras import install_command


def test_the_command_names_the_packages_of_the_extra_and_this_python() -> None:
    python, dash_m, pip, install, *packages = install_command("review").split()
    assert [python, dash_m, pip, install] == [sys.executable, "-m", "pip", "install"]
    assert packages == ["'flask>=3.1'", "'waitress>=3.0.1'"]


def test_packages_of_other_extras_are_not_named() -> None:
    assert install_command("style").endswith(" install 'ruff>=0.6'")
