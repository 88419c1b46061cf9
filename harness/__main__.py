"""Run the command line as `python -m harness`."""

import harness.cli

if __name__ == "__main__":
    harness.cli.main()
