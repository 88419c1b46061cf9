"""What Gradescope's `run_autograder` starts."""

import unittest
from pathlib import Path

from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner

if __name__ == "__main__":
    suite = unittest.defaultTestLoader.discover("tests")
    with Path("results.json").open("w") as results:
        JSONTestRunner(visibility="visible", stream=results).run(suite)
