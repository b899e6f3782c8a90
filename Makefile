# make replay and make test are each enough on a fresh machine; "make -n TARGET" shows the command behind a target.

MODEL     ?= policy/credulous
SUITE_GIVEN := $(SUITE)
ARM_GIVEN := $(ARM)
SUITE     ?= synthetic-178
TASKS     ?= $(TASK)
DRAW      ?=
ARM       ?= clean,attacked
CONDITION ?=
TOOLS     ?=
AGENT     ?=
RUNS      ?= $(if $(filter human/%,$(MODEL)),1,5)
WORKERS   ?=
CONCURRENCY ?=
SEED      ?=
CAMPAIGN  ?=
DOSE      ?=
RESUME    ?=
ORIGIN    ?= live
REFRESH   ?=
HARDFORK  ?=
MAX_TURNS  ?=
MAX_CALLS  ?=
MAX_TOKENS ?=
MAX_USD    ?=
RECORD_MODEL ?=
OUT       ?=
RUN       ?=
SIZE      ?= full
COVERAGE  ?=

comma := ,
CAIA_REPLAY := .venv/bin/caia-replay
PYTHON_HERE := .venv/bin/python

.PHONY: setup ready everything replay report record test check lint verify soak bench world wheels docs

# Every step of the set-up, each one skipping what is already there.
setup:
	@sh scripts/setup.sh

# What the other targets need: nothing at all when the last set-up still fits.
ready:
	@sh scripts/setup.sh --quick

# Besides, the optional extras, and the linters and judges of the tests.
everything:
	@sh scripts/setup.sh --quick --tests

# Without OUT the command itself chooses runs/<model> and replaces a finished run there as a whole;
# a folder the user names is never replaced, so --out is passed on only when OUT is given.
replay: ready
	@$(CAIA_REPLAY) replay --model '$(MODEL)' --suite '$(SUITE)'$(foreach task,$(subst $(comma), ,$(TASKS)), --task '$(task)')$(if $(DRAW), --draw '$(DRAW)') --arm '$(ARM)'$(if $(CONDITION), --condition '$(CONDITION)')$(if $(TOOLS), --tools '$(TOOLS)')$(if $(AGENT), --agent '$(AGENT)') --runs '$(RUNS)'$(if $(WORKERS), --workers '$(WORKERS)')$(if $(CONCURRENCY), --concurrency '$(CONCURRENCY)')$(if $(SEED), --seed '$(SEED)')$(if $(CAMPAIGN), --campaign '$(CAMPAIGN)')$(if $(DOSE), --dose '$(DOSE)')$(if $(MAX_TURNS), --max-turns '$(MAX_TURNS)')$(if $(MAX_CALLS), --max-calls '$(MAX_CALLS)')$(if $(MAX_TOKENS), --max-tokens '$(MAX_TOKENS)')$(if $(MAX_USD), --max-usd '$(MAX_USD)')$(if $(RECORD_MODEL), --record-model '$(RECORD_MODEL)')$(if $(RESUME), --resume)$(if $(OUT), --out '$(OUT)')

# One HTML file about RUN, or about every finished run in runs/.
report: ready
	@$(CAIA_REPLAY) report $(or $(RUN),$(patsubst %/index.json,%,$(wildcard runs/*/index.json)),runs) --out '$(or $(OUT),report.html)'

# The node's address is handed on in the environment, unexpanded: process lists show arguments to everyone.
# Named as make's own argument it shows there; export CAIA_REPLAY_RPC_URL instead where that matters.
ifneq ($(value RPC_URL),)
export CAIA_REPLAY_RPC_URL := $(value RPC_URL)
endif
record: ready
	@$(CAIA_REPLAY) record --task '$(TASK)' --origin '$(ORIGIN)'$(if $(SUITE_GIVEN), --suite '$(SUITE_GIVEN)')$(if $(HARDFORK), --hardfork '$(HARDFORK)')$(if $(REFRESH), --refresh)

# Before a commit: every room's central behaviours, laws with few draws.
test: everything
	@HYPOTHESIS_PROFILE=quick $(PYTHON_HERE) -m pytest -n 2 -m "not soak and not check"

# Before a merge: everything that is neither soak nor bench, by three workers, since its tests often wait for nodes.
# COVERAGE=1, as CI has it, also holds each room to its share of lines that the tests of "make test" run.
check: everything
	@$(PYTHON_HERE) -m pytest -n 3 -m "not soak"$(if $(COVERAGE), --cov --cov-report=)
	@$(if $(COVERAGE),$(PYTHON_HERE) scripts/room_coverage.py,true)

lint: everything
	$(PYTHON_HERE) -m ruff check .
	$(PYTHON_HERE) -m ruff format --check .
	$(PYTHON_HERE) -m mypy
	$(CAIA_REPLAY) lint
	python=$$(sh scripts/peers.sh docs) && $$python scripts/prose.py

verify: ready
	@$(CAIA_REPLAY) verify --suite '$(SUITE)'$(if $(ARM_GIVEN), --arm '$(ARM_GIVEN)')$(if $(CAMPAIGN), --campaign '$(CAMPAIGN)')

# A twin of the shipped suite: the same proportions, other projects, prices and answers.
world: ready
	@$(CAIA_REPLAY) world build --seed '$(SEED)' --size '$(SIZE)' --out '$(or $(OUT),twins/$(SEED))'

soak: everything
	@$(PYTHON_HERE) scripts/soak.py

bench: everything
	@$(PYTHON_HERE) -m benchmarks

# The package (wheel and sdist), the world generator, and the suite of 178 tasks as a data wheel, into dist/.
wheels: ready
	@$(PYTHON_HERE) -m hatchling build -t sdist -t wheel -d dist
	@cd caia_worldgen && ../$(PYTHON_HERE) -m hatchling build -t wheel -d ../dist
	@cd scripts/data_wheel && ../../$(PYTHON_HERE) -m hatchling build -t wheel -d ../../dist

# The docs as a site in site/, offline once its environment is there; site/index.html opens without a server.
# The variable keeps an advertisement of the theme's authors out of the output.
docs: ready
	@python=$$(sh scripts/peers.sh docs) && NO_MKDOCS_2_WARNING=1 $$python -m mkdocs build
