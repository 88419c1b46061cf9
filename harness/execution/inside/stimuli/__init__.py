"""Holds each kind of stimulus's work in a scenario's process: `perform`, in a file named
by the kind's key.

It gets the compiled stimulus, the context with its names bound, the answer to fill in, and a
function that is called with each step's outcome as JSON. A kind with a program gets its library,
the program's module and the answer. Modules outside this package are not available there.
"""
