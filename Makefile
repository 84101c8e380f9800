# Every verb sets up what it needs first, in this folder (uv keeps what it downloads in its cache). That takes Python
# 3.11 or later and make, nothing else. `make` alone lists the verbs.

PYTHON ?= python3
JOBS ?= 2

bin := .venv/bin
environment := $(PYTHON) scripts/environment.py
pytest-options = -n $(JOBS) --dist loadfile $(ARGS)

define need
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
		echo 'M4A needs Python 3.11 or later, and "$(PYTHON)" is not that. Name one: make $@ PYTHON=python3.13' >&2; exit 1; }
	$(if $(1),@$(environment) prepare $(1))
endef

.PHONY: help
help: ## list the verbs
	@echo 'usage: make VERB'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: serve
serve: ## run the server on this machine (PORT=, DB= the file that holds the memories, ARGS= more of m4a serve)
	$(call need,serve)
	@exec $(bin)/m4a serve $(if $(PORT),--port '$(PORT)') $(if $(DB),--db '$(DB)') $(ARGS)

.PHONY: stack
stack: ## run the AWS profile whole on this machine (PORT=, HEAP= of OpenSearch, ARGS= more of m4a stack)
	$(call need,stack)
	@exec $(bin)/m4a stack $(if $(PORT),--port '$(PORT)') $(if $(HEAP),--heap '$(HEAP)') $(ARGS)

.PHONY: test
test: test-here test-on-3.13 ## run the tests, on Python 3.13 too where it is installed (JOBS=2, ARGS= more of pytest)

.PHONY: test-here
test-here:
	$(call need,dev)
	$(bin)/python -m pytest $(pytest-options)

.PHONY: test-on-3.13
test-on-3.13: test-here
	@if $(bin)/python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 13))'; then \
		echo 'The tests above ran on Python 3.13.'; \
	elif python=$$($(environment) find 3.13); then \
		"$$python" scripts/environment.py prepare dev .venv-3.13 && \
		echo '.venv-3.13/bin/python -m pytest $(pytest-options)' && \
		.venv-3.13/bin/python -m pytest $(pytest-options); \
	else \
		echo 'Left out: the tests on Python 3.13, which was not found here.'; \
	fi

.PHONY: check
check: check-templates ## lint, formatting, types, import rules, templates, generated files and the lock file
	$(call need,dev)
	$(bin)/ruff check
	$(bin)/ruff format --check
	$(bin)/pyright --pythonpath $(bin)/python
	$(bin)/lint-imports
	$(bin)/python -m m4a.local.configuration --check
	$(bin)/python -m benchmarks.cost_page --check
	@$(environment) uv lock --check
	@$(PYTHON) -m scripts.requirements --check

.PHONY: package
package: ## build the functions for Lambda into .aws-sam with SAM, and show their sizes (ARCHITECTURE=x86_64)
	$(call need)
	@$(PYTHON) -m scripts.package $(if $(ARCHITECTURE),--architecture '$(ARCHITECTURE)') $(ARGS)

.PHONY: deploy
deploy: ## deploy what make package built (ENV=dev or prod, PARAMETERS="A=b C=d", STACK= of another name, PRINT=1 only prints)
	@$(if $(ENV),,echo 'Where to? make deploy ENV=dev' >&2; exit 2)
	$(call need)
	@$(PYTHON) -m scripts.deploy '$(ENV)' $(PARAMETERS) $(if $(STACK),--stack '$(STACK)') $(if $(PRINT),--print)

.PHONY: check-templates
check-templates: ## validate the templates with sam, cfn-lint and checkov (installed into .tools/ at first)
	$(call need,dev)
	$(bin)/python -m scripts.check_templates

.PHONY: cases
cases: ## run the cases of a JSON Lines file against the server (FILE=, PROFILE=stack on the services' stand-ins)
	@$(if $(FILE),,echo 'Which cases? make cases FILE=cases.jsonl' >&2; exit 2)
	$(call need,dev)
	$(bin)/python -m tests.cases '$(FILE)' $(if $(PROFILE),--profile '$(PROFILE)') $(ARGS)

.PHONY: bench-retrieval
bench-retrieval: ## measure how well recall finds the evidence for questions (DATA= the file locomo10.json)
	@$(if $(DATA),,echo 'Which data? make bench-retrieval DATA=locomo10.json' >&2; exit 2)
	$(call need,dev)
	$(bin)/python -m benchmarks.retrieval '$(DATA)' $(ARGS)

.PHONY: bench-latency
bench-latency: ## measure how long the tools take
	$(call need,dev)
	$(bin)/python -m benchmarks.latency $(ARGS)

.PHONY: bench-scale
bench-scale: ## measure how a recall grows with the search index (SIZES=10000,100000 HEAP=2g LARGEST=1000000)
	$(call need,dev)
	$(bin)/python -m benchmarks.scale $(SIZES) $(if $(HEAP),--heap '$(HEAP)') $(if $(LARGEST),--largest $(LARGEST)) $(ARGS)

.PHONY: bench-cold
bench-cold: ## measure what a function takes to start, beside what boto3 takes (needs Python 3.13)
	$(call need,dev)
	$(bin)/python -m benchmarks.cold $(ARGS)

.PHONY: cost
cost: ## count what a call of each tool uses on AWS, and write docs/cost.md from that and benchmarks/prices.json
	$(call need,dev)
	$(bin)/python -m benchmarks.cost $(ARGS)

.PHONY: bench-durability
bench-durability: ## measure that no answered write is lost when the server is killed
	$(call need,dev)
	$(bin)/python -m benchmarks.durability $(ARGS)

.PHONY: bench-consistency
bench-consistency: ## check on the services' stand-ins that every recall reflects what was answered before (OPERATIONS=100000)
	$(call need,dev)
	$(bin)/python -m benchmarks.read_your_writes $(if $(OPERATIONS),--operations '$(OPERATIONS)') $(ARGS)

.PHONY: format
format: ## format the code and repair what the linter can
	$(call need,dev)
	$(bin)/ruff check --fix
	$(bin)/ruff format

.PHONY: schemas
schemas: ## write the tools' schemas of every format to infra/schemas, and into the templates
	$(call need,dev)
	$(bin)/python -m m4a.local.schemas
	$(bin)/python -m scripts.inline_schemas

.PHONY: docs
docs: ## write docs/configuration.md from the settings
	$(call need,dev)
	$(bin)/python -m m4a.local.configuration

.PHONY: lock
lock: ## bring uv.lock up to date with pyproject.toml, and the functions' requirements with it
	$(call need)
	@$(environment) uv lock $(ARGS)
	@$(PYTHON) -m scripts.requirements

.PHONY: wheel
wheel: ## build the wheel into dist/
	$(call need)
	@$(environment) uv build --wheel --out-dir dist

.PHONY: clean
clean: ## remove what the verbs made: environments, caches, dist/; never a file with memories
	rm -rf .venv .venv-3.13 .uv .tools .aws-sam dist .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find functions tests benchmarks scripts -type d -name __pycache__ -prune -exec rm -rf {} +
