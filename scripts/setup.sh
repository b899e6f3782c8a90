#!/bin/sh
# Makes .venv, brings Anvil and the Python for WASI: everything a make target needs, from nothing.
#
#   setup.sh           every step, each one skipping what is already there; offline when all is there
#   setup.sh --quick   returns at once when the last full set-up still fits (what make replay and make test use)
#
# Exit codes: 0 ready, 2 something a person must put right (one line says what).
set -eu

ANVIL_VERSION=1.7.1
cd "$(dirname "$0")/.."
ROOT=$(pwd -P)
STAMP=.venv/.setup-stamp
# Stands while packages are being written: a killed pip leaves packages that look installed and are not.
UNFINISHED=.venv/.unfinished

say() { printf 'setup: %s\n' "$*"; }

fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 2
}

# What the environment was made from: this folder, its interpreter, and every file that pins a version.
fingerprint() {
    printf '%s\n' "$ROOT"
    cat .venv/pyvenv.cfg 2>/dev/null || true
    cksum pyproject.toml caia_worldgen/pyproject.toml requirements.lock requirements-node.lock package.json package-lock.json scripts/setup.sh
}

# The same question, answered in the same words, as caia_replay/chain/anvil_binary.py asks.
is_anvil() { [ -x "$1" ] && "$1" --version 2>/dev/null | grep -Eq "^anvil Version: $ANVIL_VERSION( |\$)"; }

# The Anvil to use, or nothing: a named one, PATH, then the platform package, whose binary needs no node to run.
find_anvil() {
    for candidate in "${CAIA_REPLAY_ANVIL:-}" "$(command -v anvil || true)" node_modules/@foundry-rs/anvil-*/bin/anvil*; do
        if [ -n "$candidate" ] && is_anvil "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
}

# The pinned Python for WASI, proven by its digest, or nothing: the package itself is asked.
find_python_wasm() {
    .venv/bin/python -c 'from caia_replay.sandbox.module import find_python; print(find_python())' 2>/dev/null || true
}

# Where the two lie, with their sizes: a copy that was cut short is brought again.
found() { printf '%s %s\n' "$(wc -c <"$1")" "$1" "$(wc -c <"$2")" "$2"; }

# The stamp's first lines are the Anvil and the Python for WASI that were found, the rest the fingerprint.
is_current() {
    [ -f "$STAMP" ] && [ ! -e "$UNFINISHED" ] && [ -x .venv/bin/python ] || return 1
    { read -r _ anvil && [ -x "$anvil" ] && read -r _ python_wasm && [ -r "$python_wasm" ]; } <"$STAMP" || return 1
    { found "$anvil" "$python_wasm" && fingerprint; } | cmp -s - "$STAMP"
}

find_python() {
    for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11; do
        if [ -n "$candidate" ] && "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    fail "no Python 3.11 or newer found (python3 is $(python3 --version 2>/dev/null || echo missing)); install one, or name it: PYTHON=/path/to/python make setup"
}

# A usable environment: finished, made for this folder, and its interpreter still runs and is new enough.
is_environment() {
    [ ! -e "$UNFINISHED" ] && [ -x .venv/bin/pip ] && [ -x .venv/bin/python ] &&
        [ "$(.venv/bin/python -c 'import sys; print(sys.prefix if sys.version_info >= (3, 11) else "")' 2>/dev/null)" = "$ROOT/.venv" ] &&
        sed -n 1,3p .venv/bin/pip | grep -qF "$ROOT/.venv/"
}

make_environment() {
    if is_environment; then
        say "using .venv ($(.venv/bin/python --version))"
        return
    fi
    python=$(find_python)
    say "making .venv with $("$python" --version)"
    rm -rf .venv
    mkdir .venv
    : >"$UNFINISHED"
    "$python" -m venv .venv || fail "$python cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv"
}

# Errors only: pip warns about every configured package folder that happens to be missing.
pip_install() { .venv/bin/python -m pip install -qq --disable-pip-version-check "$@"; }

install_packages() {
    say "installing the packages pinned in requirements.lock"
    : >"$UNFINISHED"
    pip_install --no-deps --require-hashes -r requirements.lock || fail "pip could not install requirements.lock; its own message is above"
    say "installing caia_replay and caia_worldgen from this folder"
    pip_install --no-deps --no-build-isolation -e . -e ./caia_worldgen || fail "pip could not install this folder; its own message is above"
    rm "$UNFINISHED"
}

# npm skips the binary without a word when node is older than the 20 its package asks for.
npm_is_usable() {
    command -v npm >/dev/null && command -v node >/dev/null || return 1
    node_major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p')
    [ "${node_major:-0}" -ge 20 ]
}

bring_node_packages() {
    anvil=$(find_anvil)
    python_wasm=$(find_python_wasm)
    if [ -n "$anvil" ] && [ -n "$python_wasm" ]; then
        say "using Anvil $ANVIL_VERSION at $anvil"
        say "using Python for WASI at $python_wasm"
        return
    fi
    what="Anvil $ANVIL_VERSION and Python for WASI"
    path=$PATH
    if npm_is_usable; then
        say "installing $what with npm $(npm --version 2>/dev/null)"
    else
        say "no npm with node 20 or newer here: installing node from PyPI (requirements-node.lock)"
        : >"$UNFINISHED"
        pip_install --no-deps --require-hashes -r requirements-node.lock || fail "pip could not install requirements-node.lock; its own message is above"
        rm "$UNFINISHED"
        path=$ROOT/.venv/bin:$PATH
        say "installing $what with that node"
    fi
    # npm takes a package that a killed run left half-written for an installed one.
    rm -rf node_modules/@foundry-rs node_modules/@antonz node_modules/.package-lock.json
    # Not npm ci: see docs/decisions/0001-one-lock-and-npm-install.md.
    PATH=$path npm install --no-save --include=optional --loglevel=error >/dev/null ||
        fail "npm could not install $what; its own message is above"
    anvil=$(find_anvil)
    [ -n "$anvil" ] || fail "npm finished and left no Anvil $ANVIL_VERSION that runs on this machine; put one on PATH and run make setup"
    python_wasm=$(find_python_wasm)
    [ -n "$python_wasm" ] || fail "npm finished and left no Python for WASI with the pinned digest; put that file somewhere and name it: CAIA_REPLAY_PYTHON_WASM=/path/to/python.wasm make setup"
}

main() {
    if [ "${1:-}" = --quick ] && is_current; then
        return
    fi
    # Two targets started at once must not write one .venv; where flock is missing, run them one after the other.
    mkdir -p .cache
    if command -v flock >/dev/null; then
        exec 9>.cache/setup.lock
        flock 9
        if [ "${1:-}" = --quick ] && is_current; then
            return
        fi
    fi
    rm -f "$STAMP"
    make_environment
    install_packages
    bring_node_packages
    { found "$anvil" "$python_wasm" && fingerprint; } >"$STAMP.new"
    mv "$STAMP.new" "$STAMP"
    say "ready"
}

main "$@"
