"""Doors to other people's programs: here pytest, for a protocol team that tests on forks without a node."""
