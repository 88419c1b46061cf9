"""One driver: a base server and the submissions that are observed through it."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from harness.common.errors import HarnessError
from harness.execution.confinement import Confinement, tier_layers
from harness.execution.folder import (
    ScenarioFolder,
    folders_beside,
    prepare,
    scratch_directory,
)
from harness.execution.interpreter import Interpreter
from harness.execution.linux.processes import BaseProcess, StimulusCompiler
from harness.execution.linux.server import ServerLink, SubmissionServer, ToolServer
from harness.execution.protocol.bootstrap import tool_modules
from harness.execution.protocol.jobs import server_setup, stand_in_setup
from harness.execution.replies import ENTRY, SOURCES, RememberedAnswers
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Tier


class Driver:
    """A context manager; used from one thread. `cpu` pins that thread, and all below it, to one
    core. `layers` names the confinement's, by default all of the tier. `hash_seed` is the
    interpreter's. `notify` False: do without the kernel's word of reads. `clock_offset` shifts,
    in seconds, what programs read of the time of day.
    """

    def __init__(
        self,
        interpreter: Interpreter,
        tier: Tier,
        cpu: int | None = None,
        *,
        layers: frozenset[str] | None = None,
        hash_seed: int = 0,
        notify: bool = True,
        clock_offset: int = 0,
    ) -> None:
        self.interpreter = interpreter
        self.tier = tier
        self._confinement = Confinement(tier_layers(tier) if layers is None else layers)
        self._cpu = cpu
        self._hash_seed = hash_seed
        self._clock_offset = clock_offset
        self._notify = notify and self._confinement.notifies
        self._running: tuple[BaseProcess, StimulusCompiler] | None = None
        self._held = ExitStack()
        self._directory = ""
        self._answers = RememberedAnswers()

    def __enter__(self) -> Driver:
        with ExitStack() as stack:
            if self._cpu is not None and sys.platform == "linux":
                stack.callback(os.sched_setaffinity, 0, os.sched_getaffinity(0))
                os.sched_setaffinity(0, {self._cpu})
            self._confinement.protect_driver()
            self._directory = str(prepare(stack.enter_context(scratch_directory())))
            base = BaseProcess(
                self.interpreter,
                self._confinement,
                self._directory,
                hash_seed=self._hash_seed,
                clock_offset=self._clock_offset,
            )
            stack.callback(base.close)
            compiler = StimulusCompiler(base)
            stack.callback(compiler.close)
            self._running = base, compiler
            self._held = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._running = None
        self._held.close()

    @contextmanager
    def submission(
        self,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        reference: tuple[SourceFile, ...] = (),
    ) -> Iterator[SubmissionServer]:
        """A server for one submission. Functions of `reference` can be substituted for its own:
        they answer from another process. HarnessError when our own machinery fails."""
        base, compiler = self._processes()
        setup = self._setup(writes=assignment.writes_files) | server_setup(assignment, files)
        folders, owner = folders_beside(Path(self._directory)), setup["confinement"]["uid"]
        with ExitStack() as stack:
            link = stack.enter_context(ServerLink(base, setup))

            @cache
            def stand_in_server() -> ServerLink:
                own = self._setup(notify=False) | stand_in_setup(assignment, reference)
                return stack.enter_context(ServerLink(base, own))

            @cache
            def replies_tool() -> ToolServer:
                return stack.enter_context(self.tool(SOURCES, ENTRY))

            yield SubmissionServer(
                link,
                assignment,
                compiler,
                stand_in_server,
                make_folder=lambda given: ScenarioFolder(folders, given, owner),
                ask=self._answers.asking(replies_tool),
            )

    @contextmanager
    def tool(self, sources: Mapping[str, str], entry: str) -> Iterator[ToolServer]:
        """A server for a trusted function of ours, `entry` ("package.module:function", str to
        str), out of sources by module name; each call in a confined process of its own."""
        modules = tool_modules(self.interpreter, sources, entry)
        setup = self._setup() | {"tool": modules, "entry": entry}
        base, _ = self._processes()
        with ServerLink(base, setup) as link:
            if link.failed_to_prepare is not None:
                raise HarnessError(f"{entry} did not load: {base.complaint()}")
            yield ToolServer(link)

    def _setup(self, *, notify: bool = True, writes: bool = False) -> dict[str, Any]:
        notify = notify and self._notify
        writable = str(folders_beside(Path(self._directory))) if writes else ""
        confinement = self._confinement.for_server(
            self._directory, notify=notify, writable=writable
        )
        return {"confinement": confinement, "directory": self._directory}

    def _processes(self) -> tuple[BaseProcess, StimulusCompiler]:
        if self._running is None:
            raise HarnessError("the driver is used outside its context")
        return self._running
