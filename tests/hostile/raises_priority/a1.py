import os


def total(numbers):
    if len(numbers) == 3:
        os.nice(5)
    elif len(numbers) == 1:
        os.setpriority(os.PRIO_PROCESS, @DRIVER@, os.getpriority(os.PRIO_PROCESS, @DRIVER@))
    elif len(numbers) == 0:
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    else:
        os.sched_setaffinity(@DRIVER@, os.sched_getaffinity(@DRIVER@))
    return "done"
