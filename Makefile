# Two commands do everything: `make run` and `make test`. Both set up what they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip install --quiet --disable-pip-version-check
SOURCES := $(shell find native -type f) CMakeLists.txt pyproject.toml
KERNELS := $(shell find native -name '*.[ch]pp')
PAGE := $(shell find web -type f -not -path '*/node_modules/*')
CLIENT := src/kinegen/studio/client/stamp.txt
# Test processes at a time: some tests wait, for other processes or for a clock.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
BROWSERS ?= 2
READY := $(VENV)/.installed $(VENV)/.tools $(CLIENT)

.PHONY: run installed test test-fast test-page tests setup check check-code check-style check-types check-page browser tables coverage bench bench-peers wheel attack test-robots test-step test-platforms test-bridges fuzz tidy sanitize docs gallery worlds screenshots plugins test-plugins test-notebook clean

run: installed
	$(BIN)/kinegen studio

# The page is built, and what only running needs is installed, while the kernels compile.
installed:
	@$(MAKE) --no-print-directory -j 3 $(VENV)/.installed $(CLIENT) $(VENV)/.extras

# Everything a change must pass. Each check begins as soon as what it needs is there; the slow ones
# run beside the tests. Tests that fail are tried again alone, twice at the most; those that pass then
# are listed as flaky. The browser's tests are processes of their own, beside the others.
test:
	@$(MAKE) --no-print-directory -j 3 $(READY) browser check-style
	@$(MAKE) --no-print-directory -j 2 tests check-page check-types test-page

tests:
	$(BIN)/python .ci/run_tests.py -n $(WORKERS) --dist worksteal tests --ignore=tests/browser \
		-- -n $(BROWSERS) --dist worksteal tests/browser

# What to run while working: two minutes, most of what can break.
test-fast: setup
	$(BIN)/ruff check .
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal -q -m "not slow" tests

# The page's checks run beside those of Python and C++.
check:
	@$(MAKE) --no-print-directory -j 3 $(READY) check-page check-code

check-code: check-style check-types

check-style: $(VENV)/.tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(KERNELS)

check-types: $(VENV)/.tools $(VENV)/.installed
	$(BIN)/lint-imports
	$(BIN)/mypy

check-page: $(CLIENT)
	cd web && npm run check

test-page: $(CLIENT) $(VENV)/.installed
	cd web && npm test

# The browser that the tests of the page drive.
browser:
	@sh tests/browser/find_browser.sh

# What kernels and page share with Python, written again: joint types, tolerances, layouts, messages.
# An old build is good enough for this: kernels that wait for a new table cannot be compiled before.
tables:
	@test -f $(VENV)/.installed || $(MAKE) $(VENV)/.installed
	$(BIN)/python -m kinegen.studio.wire.tables .

# The tools are installed while the kernels compile.
setup:
	@$(MAKE) --no-print-directory -j 3 $(READY)

# To compare two states: BENCH="--save before.json", then BENCH="--compare before.json".
bench: setup
	$(BIN)/python -m bench $(BENCH)

# What the tests run of Python and of the page, as HTML in build/coverage.
coverage: setup
	$(PIP) 'kinegen[coverage]'
	$(BIN)/python -m pytest -n auto -q --cov=kinegen --cov-report= tests --ignore=tests/browser
	$(BIN)/coverage html --quiet
	@echo "Python: $$($(BIN)/coverage report --format=total) % of lines and branches"
	cd web && npm run coverage
	@echo "Open build/coverage/python/index.html and build/coverage/page/index.html in a browser."

# in an environment of its own: PlaCo wants a Pinocchio of its own version
bench-peers:
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install --quiet --disable-pip-version-check '.[bench]'
	.venv-bench/bin/python -m bench drag solve workspace

# Hostile input, crashes and floods, and random files, for much longer than `make test` does.
attack: setup
	KINEGEN_ATTACK=long $(BIN)/python -m pytest -q tests/attack tests/laws

# Every robot file of four packages, which are fetched, beside Pinocchio, MuJoCo and Drake.
test-robots: setup
	KINEGEN_ROBOTS=all $(BIN)/python -m pytest -q -n auto tests/twins/robots/test_files.py

# Units for all platforms, compiled; ours runs.
test-platforms: setup
	KINEGEN_PLATFORMS=1 $(BIN)/python -m pytest -q tests/unit/formats/fmi/test_platforms.py

# STEP files, written and read again with build123d, which is installed into an environment of its own
# beside the usual one.
test-step: setup build/step/.installed
	build/step/bin/python -m pytest -q -n 2 tests/unit/formats/workshop/test_step.py

build/step/.installed: pyproject.toml $(VENV)/.packages
	$(PYTHON) -m venv build/step
	$(BIN)/python .ci/requirements.py step | grep build123d > build/step/packages.txt
	build/step/bin/pip install --quiet --disable-pip-version-check --requirement build/step/packages.txt
	@echo "import site; site.addsitedir('$$($(BIN)/python -c 'import site; print(site.getsitepackages()[0])')')" \
	  > $$(build/step/bin/python -c 'import site; print(site.getsitepackages()[0])')/kinegen.pth
	@touch $@

# Bridges with LeRobot too, which brings torch and is installed into an environment of its own.
test-bridges: setup build/bridges/.installed
	sh tests/support/clients/find_ros.sh
	build/bridges/bin/python -m pytest -q tests/unit/bridges tests/attack/test_bridges.py

build/bridges/.installed: pyproject.toml $(VENV)/.packages
	$(PYTHON) -m venv build/bridges
	build/bridges/bin/pip install --quiet --disable-pip-version-check 'lerobot[feetech]>=0.4'
	@echo "import site; site.addsitedir('$$($(BIN)/python -c 'import site; print(site.getsitepackages()[0])')')" \
	  > $$(build/bridges/bin/python -c 'import site; print(site.getsitepackages()[0])')/kinegen.pth
	@touch $@

fuzz: setup
	$(BIN)/python -m bench.fuzz.raff
	$(BIN)/python -m bench.fuzz.bindings
	$(BIN)/python -m bench.fuzz.urdf

# The kernels under clang-tidy: mistakes, not taste. Too slow for `make check`.
tidy: setup
	$(PIP) 'kinegen[tidy]'
	$(CMAKE) -B build/tidy -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
	@echo $(filter native/python/%.cpp native/reduced/%.cpp native/fmu/%.cpp native/batch/dispatch.cpp \
		native/batch/plain.cpp,$(KERNELS)) | xargs -n 1 -P 2 $(BIN)/clang-tidy -p build/tidy --quiet

# The kernels with checks for reads and writes out of bounds and for undefined behaviour (GCC or
# Clang on Linux), and with warnings as errors. Python itself leaks on purpose.
sanitize: setup
	$(CMAKE) -B build/sanitize -DKINEGEN_SANITIZE=ON -DKINEGEN_WERROR=ON
	$(BIN)/cmake --build build/sanitize
	$(SANITIZED) $(BIN)/python -m pytest -q -n auto $(KERNEL_TESTS)
	$(SANITIZED) $(BIN)/python -m bench.fuzz.bindings 5000
	$(SANITIZED) $(BIN)/python -m bench.fuzz.urdf 20000
CMAKE = @KINEGEN_STUDIO=none PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cmake -S . -G Ninja \
	-DKINEGEN_WASM=OFF -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python --log-level=WARNING
SANITIZED = KINEGEN_SANITIZED=$(CURDIR)/build/sanitize PYTHONPATH=$(CURDIR)/tests/support/sanitized \
	LD_PRELOAD="$$($(CXX) -print-file-name=libasan.so) $$($(CXX) -print-file-name=libstdc++.so)" \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1
KERNEL_TESTS := tests/unit/kernels tests/twins/engines/test_couplings.py $(addprefix tests/twins/, \
	$(addsuffix .py,analytic/test_analytic base/test_model batch/test_batch batch/test_follow \
	contact/test_clearance contact/test_find dyads/test_dyads dynamics/test_tasks \
	haptic/test_point hull/test_hull impulse/test_step linalg/test_linalg loops/test_mobility \
	reduced/test_engine robots/test_urdf singular/test_monitor solver/test_avoid \
	solver/test_solver))

wheel: setup
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	ls -l dist

# Zips that FreeCAD and Blender install.
plugins: installed
	$(BIN)/python plugins/make_zips.py dist

# Both plug-ins inside FreeCAD and Blender, which are installed where they are missing (Debian).
test-plugins: setup
	@sh plugins/tests/find_programs.sh
	$(BIN)/python -m pytest -q plugins/tests

# Views in JupyterLab itself, which is installed into an environment of its own.
test-notebook: setup browser
	@test -x build/jupyter/bin/jupyter-lab || { $(PYTHON) -m venv build/jupyter && \
	  build/jupyter/bin/pip install -q jupyterlab nbconvert 'anywidget>=0.9'; }
	@echo "import site; site.addsitedir('$$($(BIN)/python -c 'import site; print(site.getsitepackages()[0])')')" \
	  > $$(build/jupyter/bin/python -c 'import site; print(site.getsitepackages()[0])')/kinegen.pth
	KINEGEN_JUPYTER=$(CURDIR)/build/jupyter/bin/jupyter $(BIN)/python -m pytest -q tests/browser/test_jupyterlab.py

# The documentation as a site, in build/site; it needs no server: open build/site/index.html.
docs: installed
	$(PIP) 'kinegen[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "Open build/site/index.html in a browser."

gallery: $(VENV)/.installed
	$(BIN)/python docs/make/gallery.py

worlds: setup
	$(PIP) 'matplotlib>=3.8' 'mujoco>=3.2'
	$(BIN)/python docs/make/worlds.py

screenshots: setup browser
	$(BIN)/python docs/make/screenshots.py

clean:
	rm -rf $(VENV) build dist web/node_modules src/kinegen/studio/client

# One line per stage, with the time since the start.
ifndef STARTED
export STARTED := $(shell date +%s)
endif
stage = @echo "[$(1)] $(2) … ($$(($$(date +%s) - $(STARTED))) s)"

$(BIN)/python:
	$(call stage,1/4,Making the Python environment)
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Kinegen needs Python 3.11 or newer: make PYTHON=python3.12 …")'
	@$(PYTHON) -m venv $(VENV)

# What building and running need. It stays in the environment: a second build then compiles only
# what changed. MuJoCo has no wheel for some systems: then without it.
$(VENV)/.packages: $(BIN)/python pyproject.toml
	$(call stage,2/4,Installing the Python packages)
	@$(BIN)/python .ci/requirements.py studio dynamics workshop > $@.txt
	@$(PIP) --requirement $@.txt || { grep -v mujoco $@.txt > $@.less.txt && $(PIP) --requirement $@.less.txt; }
	@touch $@

# Time laws of paths, and logs.
$(VENV)/.extras: $(VENV)/.packages
	$(call stage,extras,Installing the packages for timing and logs)
	@$(BIN)/python .ci/requirements.py motion > $@.txt
	@$(PIP) --requirement $@.txt
	@touch $@

$(CLIENT): $(PAGE)
	$(call stage,3/4,Building the page of the studio)
	@$(PYTHON) web/build_client.py
	@touch $@

# KINEGEN_STUDIO=none: the page has a rule of its own, above.
$(VENV)/.installed: $(VENV)/.packages $(SOURCES)
	$(call stage,4/4,Compiling the kernels)
	@KINEGEN_STUDIO=none $(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

$(VENV)/.tools: $(VENV)/.packages
	$(call stage,tools,Installing what the checks and tests need)
	@$(BIN)/python .ci/requirements.py test lint peers > $@.txt
	@$(PIP) --requirement $@.txt
	@touch $@
