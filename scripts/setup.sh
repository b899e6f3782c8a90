#!/bin/sh
# Makes .venv, brings Anvil and the Python for WASI: everything a make target needs, from nothing.
#
#   setup.sh           what make replay needs; every step skips what is already there; offline when all is there
#   setup.sh --tests   besides, what make test needs: linters, judges and the optional extras
#   --quick            before either: returns at once when the last full set-up still fits (what the targets use)
#
# Says what it does, a line for each step, and at least every five seconds how far it is.
# Exit codes: 0 ready, 2 something a person must put right (one line says what).
set -eu

cd "$(dirname "$0")/.."
ROOT=$(pwd -P)
STAMP=.venv/.setup-stamp
TEST_STAMP=.venv/.test-stamp
# Stands while packages are being written: a killed pip leaves packages that look installed and are not.
UNFINISHED=.venv/.unfinished
PINS=caia_replay/installation
# Compiled when they are first imported: compiling all at once takes a third more time and room.
export PYTHONDONTWRITEBYTECODE=1

say() { printf 'setup: %s\n' "$*"; }

fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 2
}

# Runs a command; every four seconds a line tells how long and how much. It ends with this script, however that ends.
watched() {
    (
        passed=0
        while sleep 4 >/dev/null 2>&1 9>&- && kill -0 $$ 2>/dev/null; do
            passed=$((passed + 4))
            say "  $passed s, .venv has $(du -sm .venv 2>/dev/null | cut -f 1) MB"
        done
    ) &
    ticker=$!
    code=0
    "$@" || code=$?
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    return "$code"
}

# What the environment was made from: this folder, its interpreter, and every file that pins a version.
fingerprint() {
    printf '%s\n' "$ROOT"
    cat .venv/pyvenv.cfg 2>/dev/null || true
    cksum pyproject.toml caia_worldgen/pyproject.toml requirements.lock $PINS/requirements-node.lock $PINS/package.json $PINS/package-lock.json scripts/setup.sh
}

# Where the two lie, with their sizes: a copy that was cut short is brought again.
found() { printf '%s %s\n' "$(wc -c <"$1")" "$1" "$(wc -c <"$2")" "$2"; }

tested() { fingerprint && cksum requirements-test.lock; }

# The stamp's first lines are the Anvil and the Python for WASI that were found, the rest the fingerprint.
is_current() {
    [ -f "$STAMP" ] && [ ! -e "$UNFINISHED" ] && [ -x .venv/bin/python ] || return 1
    [ -z "$tests" ] || { [ -f "$TEST_STAMP" ] && tested | cmp -s - "$TEST_STAMP"; } || return 1
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
    watched "$python" -m venv .venv || fail "$python cannot make a virtual environment; on Debian and Ubuntu: apt install python3-venv"
}

# Errors only: pip warns about every configured package folder that happens to be missing.
pip_install() {
    watched .venv/bin/python -m pip install -qq --disable-pip-version-check --no-compile "$@"
}

install_lock() {
    say "installing $(grep -c '^[a-z0-9-]*==' "$1") packages pinned in $1: $2"
    : >"$UNFINISHED"
    pip_install --no-deps --require-hashes -r "$1" || fail "pip could not install $1; its own message is above"
    drop_unread
    rm "$UNFINISHED"
}

# What nothing here loads: pyarrow's servers, cloud storage and test data, and what only a C compiler reads.
drop_unread() {
    for folder in .venv/lib/python3*/site-packages; do
        rm -rf "$folder"/pyarrow/include "$folder"/pyarrow/src "$folder"/pyarrow/tests "$folder"/pyarrow/lib*_flight* \
            "$folder"/pyarrow/_flight* "$folder"/pyarrow/libarrow_s3* "$folder"/pyarrow/_s3fs*
        find "$folder" \( -name '*.pyx' -o -name '*.c' -o -name '*.h' \) -size +16k -exec rm -f {} +
        find "$folder/pip" -name __pycache__ -prune -exec rm -rf {} +
    done
}

install_packages() {
    # Python 3.11's venv brings it, and nothing here builds with it.
    .venv/bin/python -m pip uninstall -qq --yes --disable-pip-version-check setuptools 2>/dev/null || true
    install_lock requirements.lock "what a replay needs"
    say "installing caia_replay and caia_worldgen from this folder"
    : >"$UNFINISHED"
    pip_install --no-deps --no-build-isolation -e . -e ./caia_worldgen || fail "pip could not install this folder; its own message is above"
    rm "$UNFINISHED"
}

bring_programs() {
    say "looking for Anvil and the Python for WASI"
    brought=$(.venv/bin/caia-replay setup) || exit 2
    anvil=$(printf '%s\n' "$brought" | sed -n 's/^Anvil: //p')
    python_wasm=$(printf '%s\n' "$brought" | sed -n 's/^Python for WASI: //p')
    say "Anvil: $anvil"
    say "Python for WASI: $python_wasm"
}

main() {
    quick="" tests=""
    for option in "$@"; do
        case $option in
        --quick) quick=yes ;;
        --tests) tests=yes ;;
        *) fail "no option $option; there are --quick and --tests" ;;
        esac
    done
    if [ -n "$quick" ] && is_current; then
        return
    fi
    # Two targets started at once must not write one .venv; where flock is missing, run them one after the other.
    mkdir -p .cache
    if command -v flock >/dev/null; then
        exec 9>.cache/setup.lock
        flock 9
        if [ -n "$quick" ] && is_current; then
            return
        fi
    fi
    if [ -z "$quick" ] || ! (tests="" && is_current); then
        rm -f "$STAMP"
        make_environment
        install_packages
        bring_programs
        { found "$anvil" "$python_wasm" && fingerprint; } >"$STAMP.new"
        mv "$STAMP.new" "$STAMP"
    fi
    if [ -n "$tests" ]; then
        rm -f "$TEST_STAMP"
        install_lock requirements-test.lock "linters, judges, optional extras"
        tested >"$TEST_STAMP.new"
        mv "$TEST_STAMP.new" "$TEST_STAMP"
    fi
    say "ready: .venv has $(du -sm .venv | cut -f 1) MB, node_modules $(du -sm node_modules 2>/dev/null | cut -f 1) MB"
}

main "$@"
