"""The floor: one fork a scenario, the compiled code object executed, and out. Run by `run.py`
under the grading interpreter with `-I -S`; nothing confined, nothing limited, no terminal.

Reads one JSON line {"folder", "calls", "games"}; writes one {"call_seconds", "game_seconds",
"cpu_seconds", "call_answers", "game_answers"}.
"""

import gc
import json
import os
import resource
import sys
import time
import types


def main():
    request = json.loads(sys.stdin.readline())
    codes = {}
    for name in ("a1_support", "a1"):
        with open(os.path.join(request["folder"], name + ".py"), "rb") as file:
            codes[name] = compile(file.read(), name + ".py", "exec")
    import typing  # noqa: F401  (what every submission imports: loaded once, as a server would)

    gc.freeze()
    before = cpu()
    call_seconds, call_answers = timed(codes, request["calls"], run_call)
    game_seconds, game_answers = timed(codes, request["games"], run_game)
    cpu_seconds = cpu() - before
    json.dump(
        {
            "cpu_seconds": cpu_seconds,
            "call_seconds": call_seconds,
            "game_seconds": game_seconds,
            "call_answers": call_answers,
            "game_answers": game_answers,
        },
        sys.stdout,
    )


def cpu():
    below = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + below.ru_utime + below.ru_stime


def timed(codes, stimuli, run):
    files = [(os.memfd_create("answer"), os.memfd_create("typed")) for _ in stimuli]
    for (_, typed), stimulus in zip(files, stimuli):
        if not isinstance(stimulus, str):
            os.write(typed, "".join(line + "\n" for line in stimulus).encode())
            os.lseek(typed, 0, 0)
    started = time.perf_counter()
    for (answer, typed), stimulus in zip(files, stimuli):
        child = os.fork()
        if child == 0:
            os.dup2(answer, 1)
            os.dup2(typed, 0)
            run(codes, stimulus)
            sys.stdout.flush()
            os._exit(0)
        _, status = os.waitpid(child, 0)
        assert status == 0, stimulus
    seconds = time.perf_counter() - started
    answers = []
    for answer, typed in files:
        os.lseek(answer, 0, 0)
        with os.fdopen(answer, encoding="utf-8") as file:
            answers.append(file.read())
        os.close(typed)
    return seconds, answers


def load(codes, name):
    support = types.ModuleType("a1_support")
    sys.modules["a1_support"] = support
    exec(codes["a1_support"], support.__dict__)
    module = types.ModuleType(name)
    exec(codes["a1"], module.__dict__)
    return module


def run_call(codes, expression):
    module = load(codes, "a1")
    value = eval(expression, module.__dict__)
    print(repr(value), end="\0")


def run_game(codes, lines):
    load(codes, "__main__")


main()
