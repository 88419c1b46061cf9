#!/usr/bin/env bash
# Runs once, when the image is built: the Python that the assignment names, the packages, the answer key.
# Fails loudly: an image without them would grade nobody.
set -euo pipefail
export AUTOGRADER_ROOT="${AUTOGRADER_ROOT:-/autograder}"
source="$AUTOGRADER_ROOT/source"
wanted="$(cat "$source/python-version")"
uv="uv==0.13.8"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
umask 022

say() { echo "setup.sh: $*" >&2; }
stop() { say "STOP: $*"; exit 1; }
install() { apt-get install -y -qq --no-install-recommends "$@"; }

# Whether $1 is a Python of the version wanted that can make an environment.
serves() {
  "$1" -I -c "import sys, ensurepip, venv; sys.exit('%d.%d' % sys.version_info[:2] != '$wanted')" 2>/dev/null
}

# The first of these that serves: the one that is named, the image's own, the distribution's, uv's.
find_python() {
  if [ -n "${PYTHON_FOR_GRADING:-}" ]; then
    serves "$PYTHON_FOR_GRADING" || stop "PYTHON_FOR_GRADING=$PYTHON_FOR_GRADING is no Python $wanted with venv"
    python="$PYTHON_FOR_GRADING"; from="PYTHON_FOR_GRADING"; return
  fi
  python="$(command -v "python$wanted" || true)"; from="the image"
  if [ -n "$python" ]; then
    serves "$python" && return
    install "python$wanted-venv" || say "there is no package python$wanted-venv for $python"
    serves "$python" && return
  fi
  if apt-cache show "python$wanted" >/dev/null 2>&1; then
    install "python$wanted" "python$wanted-venv" && python="/usr/bin/python$wanted" && from="the package python$wanted"
    serves "$python" && return
    say "the package python$wanted does not serve"
  else
    say "this distribution has no package python$wanted"
  fi
  from="uv"
  install python3 python3-venv || stop "python3 and python3-venv cannot be installed"
  python3 -m venv /opt/grading-tools || stop "python3 makes no environment"
  /opt/grading-tools/bin/python -m pip install -q "$uv" || stop "$uv cannot be installed"
  export UV_PYTHON_INSTALL_DIR=/opt/grading-python
  /opt/grading-tools/bin/uv python install --no-bin "$wanted" || say "uv has no Python $wanted, or its source cannot be reached"
  python="$(/opt/grading-tools/bin/uv python find --managed-python "$wanted" 2>/dev/null || true)"
  { [ -n "$python" ] && serves "$python"; } ||
    stop "no Python $wanted: not on the image, no package python$wanted, none by uv." \
      "Choose a base image that has it, or set PYTHON_FOR_GRADING to one in an image of your own."
}

apt-get update -qq || say "apt-get update failed; going on with what is there"
install ca-certificates libseccomp2 || stop "libseccomp2 cannot be installed"
find_python
say "Python $wanted from $from: $python"

rm -rf "$source/venv"
"$python" -m venv "$source/venv"
"$source/venv/bin/python" -m pip install -q --no-deps -r "$source/requirements.txt" ||
  stop "the packages of requirements.txt cannot be installed"
printf '%s\n' "$python" > "$source/interpreter"
"$source/venv/bin/python" -m compileall -q "$source/harness"

# The answer key is made here, for this interpreter, in a server that no submission shares.
cd /
PYTHONPATH="$source" "$source/venv/bin/python" -P -s -m harness.packaging.gradescope.run prepare ||
  stop "the assignment does not run under $python"
chmod -R go= "$source"
# Of all that lies here programs read these alone, through what is opened for them.
[ ! -d "$source/cache/packages" ] || chmod -R go=rX "$source/cache/packages"
say "ready"
