"""What each kind of stimulus does in a scenario's process: `perform`, in a file by the kind's key.
It is given the compiled stimulus, the context with its names bound, the answer to fill in, and what
is called with the outcome of each step, as JSON; of a kind with a program the library that has it,
the program's module and the answer. What is not of this package is not there."""
