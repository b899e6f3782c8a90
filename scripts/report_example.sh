#!/usr/bin/env bash
# Writes docs/report-example.html: what three policies did on the small suite, three times in each of three arms, and what
# the smallest real model said there once in two, from its tape. Then docs/report.png, its first screen, where Chromium is.
set -euo pipefail
cd "$(dirname "$0")/.."

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
caia_replay=${CAIA_REPLAY:-.venv/bin/caia-replay}
for policy in credulous sceptic oracle; do
    $caia_replay replay --model "policy/$policy" --suite mini-6 --arm clean,attacked,placebo --campaign edited-first --runs 3 --out "$place/$policy"
done
$caia_replay replay --model recorded/smollm2 --suite mini-6 --arm clean,attacked --campaign edited-first --runs 1 --out "$place/smollm2"
$caia_replay report "$place/credulous" "$place/sceptic" "$place/oracle" "$place/smollm2" --out docs/report-example.html
if command -v chromium >/dev/null; then
    chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1280,900 --user-data-dir="$place/profile" \
        --screenshot=docs/report.png "file://$PWD/docs/report-example.html"
fi
