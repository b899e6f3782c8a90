"""Synthetic origins: economies that happened on a real node, and the local services that tell of them.

artifact   compiled contracts, built from ``contracts/*.sol`` by scripts/compile_contracts.py
chain      the origin's own Anvil: signed transactions, blocks at stated times, nothing from the wall clock
ledger     what the scenario meant: the first of the two witnesses of every answer
service    the search API and the page reader over written pages, on loopback
mini       the small world ``mini-6``: its cast, its story, its pages, its six questions

Nothing here is imported by anything but the command line and tests.
"""
