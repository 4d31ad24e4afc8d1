# Every command anyone needs; bare `make` lists them. Paths are relative, so the checkout can be anywhere.

.DEFAULT_GOAL := help
.NOTPARALLEL:
SHELL := /bin/sh
# The caller's Python settings must not leak into this environment.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE

PYTHON ?= python3
IN := .venv/bin/python
# One more than cores: many tests wait for leases, time-outs and other processes.
TEST_PROCESSES ?= 3
RULES := tests/test_architecture.py tests/test_transactions.py tests/test_lock_files.py tests/test_completeness.py tests/test_docs.py tests/test_recipes.py tests/test_requirements.py tests/test_repository.py tests/test_layout.py tests/test_vocabulary.py
BOOTSTRAP := command -v $(PYTHON) >/dev/null || { echo "Python 3.11 or newer is needed: apt-get install python3 python3-venv" >&2; exit 1; }; \
	$(PYTHON) scripts/bootstrap.py

.PHONY: help
help: ## List these targets.
	@awk 'BEGIN { FS = ":.*## " } /^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

.PHONY: run
run: env-run ## Start everything: private database, web and workers; Ctrl+C stops it.
	@.venv/bin/scrapersky up $(ARGS)

.PHONY: demo
demo: env-run ## From 200 invented businesses to contacts, with no key and no network.
	@.venv/bin/scrapersky demo $(ARGS)

.PHONY: test
test: lint ## All checks and all tests (browser tests too where there is a Chromium).
	@$(IN) scripts/browser.py
	@$(IN) scripts/pgbouncer.py
	@marks="not reliability"; $(IN) scripts/browser.py --quiet || marks="$$marks and not browser"; \
	$(IN) -m pytest -q -n $(TEST_PROCESSES) --dist worksteal -m "$$marks" $(ARGS)

.PHONY: check
check: lint ## Format, lint, types, import rules, architecture, documents.
	@$(IN) -m pytest -q $(RULES)

.PHONY: fix
fix: env-dev ## Format the code and fix what the linter can fix.
	@$(IN) -m ruff format .
	@$(IN) -m ruff check --fix .

.PHONY: bench
bench: env-dev ## Measure against the peers; ARGS="engine" runs one; results in docs/results.md.
	@[ ! -f requirements/bench.txt ] || $(PYTHON) scripts/bootstrap.py bench
	@$(IN) -m bench $(ARGS)

.PHONY: quality
quality: env-dev ## Precision, recall and F1 of extraction on labelled pages.
	@$(IN) -m quality $(ARGS)

.PHONY: reliability
reliability: env-dev ## The long proofs: kill storms, hostile hosts, bad inputs.
	@$(IN) -m pytest -q -m reliability $(ARGS)

.PHONY: docs
docs: env-dev ## Regenerate docs/reference, .env.example and docs/requirements.md.
	@$(IN) scripts/docs.py
	@$(IN) scripts/requirements.py

.PHONY: pictures
pictures: env-dev ## Take the pictures of the README again, from the demo data.
	@$(IN) scripts/pictures.py

.PHONY: vendor
vendor: env-dev ## Copy the console's libraries, font and icons from npm archives: ARGS=FOLDER.
	@$(IN) scripts/vendor.py $(ARGS)

.PHONY: schema
schema: env-dev ## Regenerate the first migration from the tables, until the first release.
	@$(IN) -m scrapersky.tables.migrations.render_first

.PHONY: setup
setup: env-dev ## Create .venv with everything for development.

.PHONY: clean
clean: ## Remove .venv and caches; data stays where it is.
	@rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: env-run env-dev lint
env-run:
	@$(BOOTSTRAP) run

env-dev:
	@$(BOOTSTRAP) dev

# All four run before it fails, so that one run shows everything that needs fixing.
lint: env-dev
	@bad=0; \
	$(IN) -m ruff format --check --quiet --output-format concise . || { bad=1; echo "make fix formats these files" >&2; }; \
	$(IN) -m ruff check --quiet --output-format concise . || bad=1; \
	$(IN) -m mypy --no-error-summary || bad=1; \
	.venv/bin/lint-imports --no-logo || bad=1; \
	exit $$bad
