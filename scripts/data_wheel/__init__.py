"""Two synthetic suites of caia-replay and the chains they stand on: data alone, found by an entry point."""
