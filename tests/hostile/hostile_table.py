"""Runs the whole corpus in every tier of this machine, shows every layer needed, prints both.

Usage: hostile_table.py [--write]: with it, this user's part of docs/hostile.md is written anew,
which has no row for each entry.
"""

import os
import re
import sys
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from harness.model.observation import Tier
from tests.hostile.hostile_attempt import HERE
from tests.hostile.hostile_entries import ROWS, Entry, corpus
from tests.hostile.hostile_machine import tiers_here
from tests.hostile.hostile_proofs import Proof, proofs_here
from tests.hostile.hostile_stage import Stage, faults, staged

PAGE = HERE.parents[1] / "docs" / "hostile.md"
PASSED = "✓"


@dataclass(slots=True)
class Findings:
    """What the runs gave: faults by tier and entry, the greatest costs, the proofs' outcomes."""

    cells: dict[tuple[Tier, str], list[str]] = field(default_factory=dict)
    memory: tuple[float, str] = (0.0, "")
    cpu: tuple[float, str] = (0.0, "")
    proofs: list[tuple[Proof, bool, bool]] = field(default_factory=list)

    @property
    def bad(self) -> list[str]:
        entries = [
            f"{name} ({tier}): {fault}"
            for (tier, name), found in self.cells.items()
            for fault in found
        ]
        return entries + [
            f"{proof.layer}: on {on}, off {off}" for proof, on, off in self.proofs if on or not off
        ]


def run() -> Findings:
    """Everything that this machine can show."""
    findings = Findings()
    for tier in tiers_here():
        with TemporaryDirectory() as folder, staged(tier, Path(folder) / "course") as stage:
            for entry in corpus():
                if entry.runs_in(tier):
                    _run_one(stage, tier, entry, findings)
    with TemporaryDirectory() as folder, staged(Tier.PORTABLE, Path(folder) / "course") as stage:
        for proof in proofs_here():
            outcome = (proof, proof.succeeds(stage, True), proof.succeeds(stage, False))
            findings.proofs.append(outcome)
    return findings


def _run_one(stage: Stage, tier: Tier, entry: Entry, findings: Findings) -> None:
    outcome = stage.run(entry)
    found = findings.cells[tier, entry.name] = faults(entry, outcome)
    findings.memory = max(findings.memory, (outcome.memory_mib, entry.name))
    findings.cpu = max(findings.cpu, (outcome.cpu_seconds, entry.name))
    print(f"{tier:9}{entry.name:28}{'; '.join(found) or 'passed'}", flush=True)


def corpus_table(findings: Findings) -> list[str]:
    """The entries, by their first row."""
    tiers = tiers_here()
    lines = [
        "| row | entry | what is handed in | stopped by | " + " | ".join(tiers) + " |",
        "|---|---|---|---|" + "---|" * len(tiers),
    ]
    for entry in sorted(corpus(), key=lambda each: (each.expect.rows, each.name)):
        cells = [_cell(findings.cells.get((tier, entry.name))) for tier in tiers]
        expect = entry.expect
        rows = ", ".join(str(row) for row in expect.rows)
        lines.append(
            f"| {rows} | `{entry.name}` | {_quoted(expect.what)} | {expect.layer} "
            f"| {' | '.join(cells)} |"
        )
    return lines


def layer_counts(findings: Findings) -> list[str]:
    """By what stops them, how many entries are as expected in each tier."""
    tiers = tiers_here()
    heads = " | ".join(tiers)
    lines = [f"| stopped by | entries | {heads} |", "|---|---|" + "---|" * len(tiers)]
    for layer in sorted({entry.expect.layer for entry in corpus()}):
        names = [entry.name for entry in corpus() if entry.expect.layer == layer]
        cells = [[findings.cells.get((tier, name)) for name in names] for tier in tiers]
        counts = " | ".join(str(sum(found == [] for found in row) or "") for row in cells)
        lines.append(f"| {layer} | {len(names)} | {counts} |")
    return lines


def _quoted(text: str) -> str:
    """Names of Python's between underscores as code, which a page would show in bold."""
    return re.sub(r"(__\w+__)", r"`\1`", text)


def _cell(found: list[str] | None) -> str:
    return "" if found is None else "; ".join(found) or PASSED


def layer_table(findings: Findings) -> list[str]:
    """Each layer alone, and its attack without it."""
    words = {False: "stopped", True: "succeeds"}
    lines = ["| layer | entry | the attack | with it | in its place | then |", "|" + "---|" * 6]
    for proof, on, off in findings.proofs:
        lines.append(
            f"| {proof.layer} | `{proof.entry}` | {proof.attack} | {words[on]} "
            f"| {proof.off} | {words[off]} |"
        )
    return lines


def summary(findings: Findings) -> list[str]:
    """Counts and the greatest costs, as measured."""
    lines: list[str] = []
    for tier in tiers_here():
        found = [faults for (where, _), faults in findings.cells.items() if where is tier]
        passed = sum(not faults for faults in found)
        lines.append(f"- {tier}: {passed} of {len(found)} entries as expected")
    shown = sum(off and not on for _, on, off in findings.proofs)
    memory, cpu = findings.memory, findings.cpu
    return [
        f"{len(corpus())} entries for {len(ROWS)} rows.",
        "",
        *lines,
        f"- {len(findings.proofs)} attacks are stopped by only one layer; {shown} of them succeed "
        "if that layer is removed",
        f"- the parent's memory grew by {memory[0]:.0f} MiB at most (`{memory[1]}`)",
        f"- the parent computed for {cpu[0]:.1f} s at most (`{cpu[1]}`)",
    ]


def write(findings: Findings) -> None:
    """This kind of user's part of the page; root's has the tables, which differ in one layer."""
    kind = "root" if os.geteuid() == 0 else "user"
    parts = summary(findings)
    if kind == "root":
        parts += ["", "### The corpus by layers", "", *layer_counts(findings)]
        parts += ["", "### Each layer on its own", "", *layer_table(findings)]
    text = "\n".join(parts)
    begin, finish = f"<!-- {kind}: written by make hostile WRITE=1 -->", f"<!-- end of {kind} -->"
    page = PAGE.read_text("utf-8")
    pattern = re.compile(f"(?<={re.escape(begin)}\n).*(?={re.escape(finish)})", re.DOTALL)
    new, count = pattern.subn(lambda _: f"\n{text}\n\n", page)
    assert count == 1, f"{PAGE} has no part for {kind}"
    temporary = PAGE.with_suffix(".new")
    temporary.write_text(new, "utf-8")
    temporary.replace(PAGE)


def main() -> int:
    findings = run()
    print("", *summary(findings), "", *layer_table(findings), "", *corpus_table(findings), sep="\n")
    if "--write" in sys.argv[1:]:
        write(findings)
    print("", *findings.bad, sep="\n")
    return 1 if findings.bad else 0


if __name__ == "__main__":
    sys.exit(main())
