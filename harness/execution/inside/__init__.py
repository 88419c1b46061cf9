"""What runs in the confined interpreter: standard library only, nothing else of ours. It is sent as
code (`harness.execution.protocol.jobs`), so that it needs no readable path. Everything here runs on
Python 3.11 and newer, with a private copy of the built-ins, and keeps references to the functions
it uses: a submission that patches them patches only itself."""
