"""Submission and stimulus to observation: servers, terminal, confinement, limits, codec. Here are
the package's public names; those that need a terminal only on systems that have terminals."""

from harness.execution.browser import MACHINE_BOOT, BrowserDriver, Machine, machine_modules
from harness.execution.confinement import tier_layers
from harness.execution.confinement.layers.namespaces import unused_uids
from harness.execution.confinement.probe import (
    TierTrial,
    choose_tier,
    remedies,
    try_tier,
    try_together,
)
from harness.execution.folder import remove_scratch_directories, scratch_directory
from harness.execution.inside.messages.exceptions import Sources
from harness.execution.interpreter import (
    Interpreter,
    find_interpreter,
    install,
    installed_here,
    is_installed,
)
from harness.execution.metering import CpuMeter, own_queued
from harness.execution.process_server import ProcessServer
from harness.execution.protocol.jobs import (
    extra_modules,
    main_file,
    program_files,
    proxy_names,
)
from harness.execution.runner import (
    PREPARING_SECONDS,
    AnyDriver,
    CallsOf,
    Runner,
    cores,
    create_driver,
    has_terminals,
    pick_cpu,
)
from harness.execution.sharing import (
    CPU_SHARE,
    SharedGroup,
    SharedOutcome,
    ShouldRetain,
    decoded,
    has_one_form,
    has_raised,
    in_one_process,
    may_share,
)
from harness.execution.speed import machine_slowness
from harness.execution.stand_in_process import LOADED_MACHINE
from harness.execution.trusted_function import TOOL_LIMITS, ToolFailed, TrustedFunction

if has_terminals():
    from harness.execution.linux.driver import Driver, SubmissionServer
    from harness.execution.linux.pexpect_terminal import attach_terminal
