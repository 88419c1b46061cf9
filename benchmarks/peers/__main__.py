"""`make peers`: the same twenty unit tests and five games under other graders, in one run.

First every grader's verdicts: the right submission must pass and an empty file must fail all 25
tests everywhere; what each says of the wrong ones is shown. Then the whole commands are timed in
interleaved rounds. Exits 1 when a verdict is not as asserted, 2 when a peer cannot be installed
or a machine lacks what ours needs.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.peers.environments import InstallError, environment
from benchmarks.peers.shop import UnexpectedError, open_shop
from benchmarks.peers.timing import show_times
from benchmarks.peers.tools import ROOT, all_tools
from benchmarks.peers.verdicts import show_verdicts
from benchmarks.soak.machine import adopt_orphans
from harness.common.errors import UserError
from harness.execution import choose_tier, find_interpreter
from harness.model.observation import Tier

WORK = ROOT / "build" / "peers"


def main() -> None:
    parser = argparse.ArgumentParser(prog="make peers", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    try:
        interpreter = find_interpreter("3.12")
        tier = choose_tier(interpreter, Tier.STANDARD)
        bins = {"ours": Path(sys.executable).parent}
        for peer in ("check50", "otter", "gradescope", "pytest"):
            bins[peer] = environment(interpreter.path, peer, WORK / "environments")
        tools = all_tools(bins)
        shop = open_shop(WORK / "runs", interpreter.path)
        adopt_orphans()
        print(f"Python {interpreter.version}; ours in the {tier.tier} tier")
        show_verdicts(shop, tools)
        show_times(shop, tools, options.rounds)
    except InstallError as problem:
        print(f"CANNOT INSTALL A PEER: {problem}", file=sys.stderr)
        sys.exit(2)
    except UserError as problem:
        print(f"CANNOT RUN OURS: {problem}", file=sys.stderr)
        sys.exit(2)
    except UnexpectedError as problem:
        print(f"NOT AS ASSERTED: {problem}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
