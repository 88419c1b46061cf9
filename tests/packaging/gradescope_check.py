"""The package as the platform would use it, in a clean root: `make gradescope-check`.

Two assignments are unpacked there as the platform does it; setup.sh is run with the network, then
run_autograder as root. For one the root's own Python (3.11) serves, for the other another has to
be obtained. Needs root, debootstrap and bubblewrap, and half an hour on a slow machine.

SECOND=SUITE:VERSION (a suite of Debian that has another Python beside its own) has this one graded
with as well: setup.sh must take it from the distribution.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from harness.assignment.files.small_files import load_expectation
from harness.execution import find_interpreter
from tests.packaging.autograder_tree import Autograder, gives_no_mark
from tests.packaging.clean_root import Image, bootstrap, half_a_processor

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "gradescope-check"
PLATFORM_SECONDS = 600
HOSTILE = {
    "leaves at import": {"a1.py": "import os\nos._exit(0)\n"},
    "loops at import": {"a1.py": "while True:\n    pass\n"},
    "sleeps at import": {"a1.py": "import time\ntime.sleep(100000)\n"},
    "nothing handed in": {},
    "wrong file name": {"assignment.py": "print(1)\n"},
    "crashes": {"a1.py": "import ctypes\nctypes.string_at(0)\n"},
}

# What a correct program tries first; a thing that succeeds ends it, and costs it all marks.
PROWLER = """\
import os
if os.getuid() == 0:
    os._exit(0)
for _path, _mode in (
    ("source/specification.json", "r"),
    ("source/interpreter", "r"),
    ("submission_metadata.json", "r"),
    ("results/results.json", "w"),
    ("submission/a1.py", "a"),
):
    try:
        open("/autograder/" + _path, _mode).close()
    except OSError:
        continue
    os._exit(0)
"""


def main() -> None:
    """Everything in turn; the first thing that is not as it should be ends it."""
    must(os.geteuid() == 0, "root is needed")
    for program in ("debootstrap", "bwrap"):
        must(shutil.which(program), f"{program} is not installed")
    with half_a_processor() as group:
        print("half a processor" if group else "the whole processor: no control group", flush=True)
    BUILD.mkdir(parents=True, exist_ok=True)
    bootstrap(BUILD / "base", os.environ.get("DEBIAN_MIRROR", ""))
    own = image("naughts-crosses")
    must("from the image: /usr/bin/python3.11" in installed(own), "not the image's own Python")
    grades(own, "naughts-crosses", "3.11.", ["perfect_from_the_sheet", "splits_at_white_space"])
    refuses_or_obtains(image("connect4ish"))
    python = find_interpreter("3.12").path
    other = image("connect4ish", python.parent.parent)
    said = installed(other, PYTHON_FOR_GRADING=str(python))
    must(f"from PYTHON_FOR_GRADING: {python}" in said, "not the Python that was named")
    grades(other, "connect4ish", "3.12.", ["perfect", "hard_coded_8", "syntax_error"])
    for example, right in (("bank", "right-short"), ("csv-report", "right-collections")):
        course = ROOT / "examples" / example
        made = image(example, python.parent.parent, course=course)
        installed(made, PYTHON_FOR_GRADING=str(python))
        score_is(tell(example, made.run(course / "submissions" / right)), 10)
    for name, files in HOSTILE.items():
        score_is(tell(name, other.run(files)), 0)
    perfect = (ROOT / "submissions" / "connect4ish" / "perfect" / "a1.py").read_text("utf-8")
    score_is(tell("looks for the answers", other.run({"a1.py": PROWLER + perfect})), 6)
    withholds(other, {"a1.py": perfect})
    if second := os.environ.get("SECOND"):
        from_the_distribution(*second.split(":"))
    for made in BUILD.iterdir():
        if not made.name.startswith("base"):
            shutil.rmtree(made) if made.is_dir() else made.unlink()
    print("all as it should be")


def image(
    assignment: str, python: Path | None = None, *, base: Path = BUILD / "base", course: Path = ROOT
) -> Image:
    package = BUILD / f"{assignment}.zip"
    harness = Path(sys.executable).with_name("harness")
    subprocess.run([harness, "gradescope", assignment, "-o", package], check=True, cwd=course)
    root = BUILD / f"{assignment}{'-named' if python else ''}"
    shutil.rmtree(root, ignore_errors=True)
    return Image.made(base, root, package, python)


def installed(made: Image, **variables: str) -> str:
    """What setup.sh says when it ends well."""
    done = made.setup(**variables)
    must(done.returncode == 0, f"setup.sh failed:\n{done.stdout}{done.stderr}")
    return done.stderr


def refuses_or_obtains(made: Image) -> None:
    """Without a Python that is named, uv's is obtained, or setup.sh says that there is none."""
    done = made.setup()
    if done.returncode == 0:
        must("from uv" in done.stderr, done.stderr)
        print("another Python: obtained by uv", flush=True)
        grades(made, "connect4ish", "3.12.", ["perfect"])
    else:
        must("STOP: no Python 3.12: not on the image" in done.stderr, done.stderr)
        must(not (made.autograder / "source" / "interpreter").exists(), "an interpreter is named")
        print("another Python: could not be obtained, and setup.sh failed saying so", flush=True)
        must(gives_no_mark(made.run({})), "an image without its Python gave a mark")


def withholds(made: Image, files: dict[str, str]) -> None:
    """No mark where the container refuses confinement, or where the time is over."""
    shutil.copy(Path(__file__).with_name("refusing.py"), made.root / "opt")
    for layer in ("landlock", "seccomp"):
        refusing = ("/autograder/source/venv/bin/python", "/opt/refusing.py", layer)
        results = tell(f"{layer} refused", made.run(files, *refusing))
        no_mark(results, "not confined")
        shown = {test["visibility"] for test in results["tests"]}
        must(shown == {"visible"}, "a hidden scenario was run")
        must(len(results["tests"]) > 1, "no visible scenario was run")
    for stop_after, end_after in ((8, PLATFORM_SECONDS), (PLATFORM_SECONDS, 8)):
        Autograder(made.autograder).limit(stop_after=stop_after, end_after=end_after)
        no_mark(tell("out of time", made.run(files)), "out of time")


def from_the_distribution(suite: str, version: str) -> None:
    """In a root whose own Python is another one, the distribution's package serves."""
    base = BUILD / f"base-{suite}"
    bootstrap(base, os.environ.get("DEBIAN_MIRROR", ""), suite)
    must(not (base / "usr" / "bin" / f"python{version}").exists(), "it is the root's own Python")
    course = BUILD / "course"
    for part in ("specs", "reference"):
        shutil.copytree(ROOT / part, course / part, dirs_exist_ok=True)
    about = course / "specs" / "connect4ish" / "assignment.yaml"
    text = about.read_text("utf-8")
    must('python: "3.12"' in text, "connect4ish names another Python now")
    about.write_text(text.replace('python: "3.12"', f'python: "{version}"'), "utf-8")
    made = image("connect4ish", base=base, course=course)
    said = installed(made)
    must(f"Python {version} from the package python{version}" in said, said)
    grades(made, "connect4ish", f"{version}.", ["perfect", "hard_coded_8"])


def grades(made: Image, assignment: str, version: str, names: list[str]) -> None:
    for name in names:
        folder = ROOT / "submissions" / assignment / name
        results = tell(f"{assignment}, {name}", made.run(folder))
        low, high = load_expectation(folder / "expect.yaml").mark
        must(low <= results["score"] <= high, f"{name}: expected {low} to {high}")
        facts = results["extra_data"]
        must(facts["tier"] == "standard", f"{facts['tier']} confinement")
        must(facts["python"].startswith(version), f"graded with Python {facts['python']}")


def tell(name: str, results: dict[str, Any]) -> dict[str, Any]:
    """Print what one submission got, and after how long; it must be within the time."""
    seconds = results["execution_time"]
    print(f"{name}: {results.get('score')} after {seconds} s", flush=True)
    must(seconds < PLATFORM_SECONDS, "the platform would have ended it")
    return results


def score_is(results: dict[str, Any], score: float) -> None:
    must(results.get("score") == score, f"expected {score}")


def no_mark(results: dict[str, Any], why: str) -> None:
    """No score anywhere, for this reason."""
    must(gives_no_mark(results), "a mark, or no word that there is none")
    must(results["extra_data"]["no_mark"] == why, f"no mark, but for {results['extra_data']}")


def must(holds: object, otherwise: str) -> None:
    """End the check, unless this holds."""
    if not holds:
        sys.exit(f"gradescope-check: {otherwise}")


if __name__ == "__main__":
    main()
