"""The driver on terminals: a base server and the submissions that are observed through it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cache
from typing import Any, Self

from harness.common.errors import HarnessError
from harness.execution.confinement import Confinement, tier_layers
from harness.execution.driver import AnyDriver
from harness.execution.folder import ScenarioFolder, prepare, scratch_directory
from harness.execution.interpreter import Interpreter
from harness.execution.linux.processes import BaseProcess, StimulusCompiler
from harness.execution.linux.server import ServerLink, SubmissionServer, ToolServer
from harness.execution.protocol.bootstrap import tool_modules
from harness.execution.protocol.jobs import server_setup, stand_in_setup
from harness.execution.replies import ENTRY, SOURCES, RememberedAnswers
from harness.model.assignment import Assignment, SourceFile
from harness.model.observation import Tier


class Driver(AnyDriver):
    """`cpu` pins the thread that uses it, and all below it, to one core. `layers` names the
    confinement's, by default all of the tier. `hash_seed` is the interpreter's. `notify` False: do
    without the kernel's word of reads. `clock_offset` shifts, in seconds, what programs read of
    the time of day."""

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
        super().__init__(interpreter, tier)
        self._confinement = Confinement(tier_layers(tier) if layers is None else layers)
        self._cpu = cpu
        self._hash_seed = hash_seed
        self._clock_offset = clock_offset
        self._notify = notify and self._confinement.notifies
        self._answers = RememberedAnswers()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            if self._cpu is not None:
                stack.callback(os.sched_setaffinity, 0, os.sched_getaffinity(0))
                os.sched_setaffinity(0, {self._cpu})
            self._confinement.protect_driver()
            self._directory = str(prepare(stack.enter_context(scratch_directory())))
            self._base = BaseProcess(
                self.interpreter,
                self._confinement,
                self._directory,
                hash_seed=self._hash_seed,
                clock_offset=self._clock_offset,
            )
            stack.callback(self._base.close)
            self._compiler = StimulusCompiler(self._base)
            stack.callback(self._compiler.close)
            self._held = stack.pop_all()
        return self

    @contextmanager
    def submission(
        self,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        reference: tuple[SourceFile, ...] = (),
    ) -> Iterator[SubmissionServer]:
        folders = self.folders
        setup = self._setup(writes=assignment.writes_files) | server_setup(assignment, files)
        owner = setup["confinement"]["uid"]
        with ExitStack() as stack:
            link = stack.enter_context(ServerLink(self._base, setup))

            @cache
            def stand_in_server() -> ServerLink:
                own = self._setup(notify=False) | stand_in_setup(assignment, reference)
                return stack.enter_context(ServerLink(self._base, own))

            @cache
            def replies_tool() -> ToolServer:
                return stack.enter_context(self.tool(SOURCES, ENTRY))

            yield SubmissionServer(
                link,
                assignment,
                self._compiler,
                stand_in_server,
                make_folder=lambda given: ScenarioFolder(folders, given, owner),
                ask=self._answers.asking(replies_tool),
            )

    @contextmanager
    def tool(self, sources: Mapping[str, str], entry: str) -> Iterator[ToolServer]:
        modules = tool_modules(self.interpreter, sources, entry)
        setup = self._setup() | {"tool": modules, "entry": entry}
        with ServerLink(self._base, setup) as link:
            if link.failed_to_prepare is not None:
                raise HarnessError(f"{entry} did not load: {self._base.complaint()}")
            yield ToolServer(link)

    def _setup(self, *, notify: bool = True, writes: bool = False) -> dict[str, Any]:
        confinement = self._confinement.for_server(
            self.directory,
            notify=notify and self._notify,
            writable=str(self.folders) if writes else "",
        )
        return {"confinement": confinement, "directory": self.directory}
