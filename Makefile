# Two commands do everything: `make run` and `make test`. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
SOURCES := $(shell find native -type f) CMakeLists.txt pyproject.toml
KERNELS := $(shell find native -name '*.[ch]pp')
PAGE := $(shell find web -type f -not -path '*/node_modules/*')
CLIENT := src/kinegen/studio/client/stamp.txt

.PHONY: run test test-fast setup check browser tables bench bench-peers wheel attack fuzz docs gallery screenshots clean

run: $(VENV)/.installed $(CLIENT)
	$(BIN)/kinegen studio

# Everything a change must pass; the order is fast things first.
test: $(VENV)/.tools $(CLIENT) check browser
	cd web && npm test
	$(BIN)/python -m pytest -n auto -q tests --ignore=tests/browser
	# apart: a browser's event loop lives as long as its process
	# and pictures are slow at times: what failed beside others is tried once more alone
	$(BIN)/python -m pytest -n 2 -q tests/browser || $(BIN)/python -m pytest -q --last-failed tests/browser

# What to run while working: two minutes, most of what can break.
test-fast: $(VENV)/.tools
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n auto -q -m "not slow" tests

check: $(VENV)/.tools $(CLIENT)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(KERNELS)
	$(BIN)/mypy
	$(BIN)/lint-imports
	cd web && npm run check

# The browser that the tests of the page drive.
browser:
	@sh tests/browser/find_browser.sh

# What kernels and page share with Python, written again: joint types, tolerances, layouts, messages.
# An old build is good enough for this: kernels that wait for a new table cannot be compiled before.
tables:
	@test -f $(VENV)/.installed || $(MAKE) $(VENV)/.installed
	$(BIN)/python -m kinegen.studio.wire.tables .

setup: $(VENV)/.tools

bench: $(VENV)/.tools
	for bench in bench/bench_*.py; do $(BIN)/python $$bench || exit 1; done

# in an environment of its own: PlaCo wants a Pinocchio of its own version
bench-peers:
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install --quiet --disable-pip-version-check '.[bench]'
	for bench in drag solve workspace; do .venv-bench/bin/python bench/bench_$$bench.py || exit 1; done

# Hostile input, crashes and floods, for much longer than `make test` does.
attack: $(VENV)/.tools $(CLIENT)
	KINEGEN_ATTACK=long $(BIN)/python -m pytest -q tests/attack

fuzz: $(VENV)/.tools
	$(BIN)/python bench/fuzz_raff.py

wheel: $(VENV)/.tools
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	ls -l dist

# The documentation as a site, in build/site; it needs no server: open build/site/index.html.
docs: $(VENV)/.installed $(CLIENT)
	$(PIP) --no-build-isolation --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "Open build/site/index.html in a browser."

gallery: $(VENV)/.installed
	$(BIN)/python docs/make_gallery.py

screenshots: $(VENV)/.tools $(CLIENT) browser
	$(BIN)/python docs/make_screenshots.py

clean:
	rm -rf $(VENV) build dist web/node_modules src/kinegen/studio/client

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Kinegen needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	$(PYTHON) -m venv $(VENV)

# What the build needs stays in the environment: a second build then compiles only what changed.
$(VENV)/.building: $(BIN)/python pyproject.toml
	@echo "Installing Kinegen and building its kernels: a few minutes the first time …"
	$(BIN)/python -c 'import tomllib; needs = tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"]; print(*needs, "cmake>=3.20", "ninja", sep="\n")' > $@.txt
	$(PIP) --requirement $@.txt
	touch $@

$(VENV)/.installed: $(VENV)/.building $(SOURCES)
	@echo "Building the kernels …"
	# MuJoCo has no wheel for some systems: then without it
	$(PIP) --no-build-isolation --editable '.[dynamics]' || $(PIP) --no-build-isolation --editable .
	touch $@

$(CLIENT): $(BIN)/python $(PAGE)
	@echo "Building the studio's page …"
	$(BIN)/python web/build_client.py
	touch $@

$(VENV)/.tools: $(VENV)/.building $(SOURCES)
	@echo "Building the kernels and installing what the checks need …"
	$(PIP) --no-build-isolation --editable '.[test,lint,peers]'
	touch $(VENV)/.installed $@
