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
    FolderMaker,
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
        self._base: BaseProcess | None = None
        self._compiler: StimulusCompiler | None = None
        self._cpus_before: set[int] | None = None
        self._held = ExitStack()
        self._directory = ""
        self._answers = RememberedAnswers()

    def __enter__(self) -> Driver:
        if self._cpu is not None and sys.platform == "linux":
            self._cpus_before = os.sched_getaffinity(0)
            os.sched_setaffinity(0, {self._cpu})
        try:
            self._confinement.protect_driver()
            directory = self._held.enter_context(scratch_directory())
            self._directory = str(prepare(directory))
            self._base = BaseProcess(
                self.interpreter,
                self._confinement,
                self._directory,
                hash_seed=self._hash_seed,
                clock_offset=self._clock_offset,
            )
            self._compiler = StimulusCompiler(self._base)
        except BaseException:
            self._leave()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._leave()

    @contextmanager
    def submission(
        self,
        assignment: Assignment,
        files: tuple[SourceFile, ...],
        reference: tuple[SourceFile, ...] = (),
    ) -> Iterator[SubmissionServer]:
        """A server for one submission. Functions of `reference` can be substituted for its own:
        they answer from another process. HarnessError when our own machinery fails."""
        base, compiler = self._running()
        setup = self._setup(writes=assignment.writes_files) | server_setup(assignment, files)
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
                folder=self._folder(setup),
                ask=self._answers.asking(replies_tool),
            )

    @contextmanager
    def tool(self, sources: Mapping[str, str], entry: str) -> Iterator[ToolServer]:
        """A server for a trusted function of ours, `entry` ("package.module:function", str to
        str), out of sources by module name; each call in a confined process of its own."""
        modules = tool_modules(self.interpreter, sources, entry)
        setup = self._setup() | {"tool": modules, "entry": entry}
        base, _ = self._running()
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

    def _folder(self, setup: dict[str, Any]) -> FolderMaker:
        """Makes folders that the user of a server may write."""
        owner = setup["confinement"]["uid"]
        above = folders_beside(Path(self._directory))
        return lambda files: ScenarioFolder(above, files, owner)

    def _running(self) -> tuple[BaseProcess, StimulusCompiler]:
        if self._base is None or self._compiler is None:
            raise HarnessError("the driver is used outside its context")
        return self._base, self._compiler

    def _leave(self) -> None:
        if self._compiler is not None:
            self._compiler.close()
            self._compiler = None
        if self._base is not None:
            self._base.close()
            self._base = None
        self._held.close()
        if self._cpus_before is not None:
            os.sched_setaffinity(0, self._cpus_before)
            self._cpus_before = None
