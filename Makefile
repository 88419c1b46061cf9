# make help lists what there is. What a target needs is installed into .venv on first use: grading
# needs little; tests, type checks and measurements need more.
# A run starts dozens of processes: each would compile all of the harness anew.
unexport PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN := $(VENV)/.ready-run
DEV := $(VENV)/.ready-dev
# Most of what is installed is never imported: what is, is compiled then.
PIP := $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt
ALL = $(notdir $(wildcard specs/*))
QUICK = $(addprefix tests/,assignment common intake judging marking matchers model policy reporting results)
# One more than there are cores: some tests wait for a limit, and use no core meanwhile.
WORKERS = $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
SIDE_BY_SIDE = -n $(WORKERS) --dist loadfile --no-loadscope-reorder
ALONE = $(shell grep -rl --include='*.py' mark[.]alone tests)
IDS = $(if $(filter all,$(ID)),$(ALL),$(or $(ID),connect4ish))

.PHONY: help grade quick test test-times test-all validate lint docs pictures hostile bench soak peers large size prose gradescope-check wheel system clean likeness slow

help:  ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 18

$(RUN): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or later is needed: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv $(VENV)
	$(PIP) -e '.$(EXTRA)'
	@touch $@ $(and $(EXTRA),$(DEV))

# What this needs first is installed with it: one installation is quicker than two.
$(DEV): EXTRA = [dev]
$(DEV): $(RUN)
	@if [ ! -e $@ ] || [ $@ -ot $< ]; then set -x; $(PIP) -e '.[dev]' && touch $@; fi

grade: $(RUN)  ## grade the sample submissions of connect4ish (ID=… for others, ID=all for all)
	@status=0; for id in $(IDS); do \
	  echo "$$id"; \
	  $(BIN)/harness grade submissions/$$id || { status=$$?; [ $$status != 130 ] || exit $$status; }; \
	done; \
	echo; for id in $(IDS); do echo "Open reports/$$id/index.html in a browser."; done; \
	[ -n "$(ID)" ] || echo "make grade ID=all grades the samples of all assignments: $(ALL)."; \
	exit $$status

quick: $(DEV)  ## while writing: what needs neither a process nor a browser
	$(BIN)/python -m pytest -p tests.no_processes $(SIDE_BY_SIDE) $(PYTEST) $(QUICK)

test: $(DEV) system  ## what a change can break: the tests, side by side but for those that need the machine alone
	@status=0; \
	$(BIN)/python -m pytest -rs -m 'not alone and not release' $(SIDE_BY_SIDE) $(PYTEST) || status=$$?; \
	$(BIN)/python -m pytest -rs -m 'alone and not release' $(PYTEST) $(ALONE) || status=$$?; \
	exit $$status

test-times:  ## the same, then the 20 slowest tests and the CPU time by folder
	@$(MAKE) --no-print-directory test PYTEST='-p tests.times $(PYTEST)'

test-all: test  ## before a release: also what takes long, and all samples both ways
	@status=0; \
	$(BIN)/python -m pytest -m release --durations=20 || status=$$?; \
	$(BIN)/harness validate --isolation || status=$$?; \
	$(BIN)/python -m benchmarks.soak || status=$$?; \
	$(BIN)/python -m benchmarks.large_class || status=$$?; \
	if [ "$$(id -u)" = 0 ]; then $(BIN)/python -m tests.packaging.gradescope_check || status=$$?; \
	else echo "Not run: make gradescope-check needs root."; status=1; fi; \
	exit $$status

validate: $(RUN)  ## prove that reference, scenarios, mutants and samples agree (ID=… for one)
	$(BIN)/harness validate $(ID) $(OPTIONS)

lint: $(DEV)  ## formatting, types, and which package may import which
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

docs: $(DEV)  ## the docs as a site in build/site: every page, every link
	$(BIN)/python -m docs_site

pictures: $(DEV) system  ## take the pictures of the docs anew, of the class of harness demo
	$(BIN)/python -m docs_site.pictures

hostile: $(DEV)  ## run the corpus of hostile programs in every tier, and show each layer needed
	$(BIN)/python -m tests.hostile.hostile_table $(if $(WRITE),--write)

bench: $(DEV)  ## measure against the floor and against pexpect.spawn
	$(BIN)/python -m benchmarks.assignments
	$(BIN)/python -m benchmarks.run
	$(BIN)/python -m benchmarks.workers
	$(BIN)/python -m benchmarks.suites

slow: $(DEV)  ## slow programs: what each costs, and a class with some of them (ARGS="--size 200")
	$(BIN)/python -m benchmarks.slow_programs
	$(BIN)/python -m benchmarks.slow_class $(ARGS)

likeness: $(DEV)  ## measure how well copies are found, beside copydetect, installed for it
	$(BIN)/python -m benchmarks.likeness

peers: $(DEV)  ## measure beside check50, otter, gradescope-utils and pytest, installed for it
	$(BIN)/python -m benchmarks.peers

size: $(DEV)  ## size and density of harness/ by package, against the aims (ARGS="--files judging" for files)
	@$(BIN)/python -m benchmarks.size $(ARGS)

prose: $(DEV)  ## count phrases that are hard to read, in docs, docstrings and comments (ARGS=--list)
	@$(BIN)/python -m benchmarks.prose $(ARGS)

soak: $(DEV)  ## a thousand submissions, busy machines, kills, endless loops (PART=batch, load, kill, loop or cluster)
	$(BIN)/python -m benchmarks.soak $(PART)

large: $(DEV)  ## the reports of a class of 5,000: memory, time, sizes (SIZES=… for others)
	$(BIN)/python -m benchmarks.large_class $(SIZES)

gradescope-check: $(DEV)  ## the Gradescope package in a bootstrapped root, as root (DEBIAN_MIRROR=… for another mirror)
	$(BIN)/python -m tests.packaging.gradescope_check

wheel: $(DEV)  ## build the wheel, install it alone, and use it in an empty folder
	.ci/wheel $(BIN)/python

system:  # the page tests look at the report in a real Chromium, the strong tier is bubblewrap's
	@missing=; command -v bwrap >/dev/null || missing=bubblewrap; \
	command -v chromium >/dev/null || command -v google-chrome >/dev/null || missing="$$missing chromium"; \
	[ -z "$$missing" ] || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing >/dev/null; } || \
	  echo "Not installed here: $$missing. Tests of pages need chromium; the strong tier needs bubblewrap."

clean:  ## remove what was generated
	rm -rf $(VENV) .harness-cache .pytest_cache .mypy_cache .ruff_cache build *.egg-info
	find reports -mindepth 1 ! -name .gitkeep -delete
