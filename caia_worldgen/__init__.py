"""Synthetic origins: economies that happened on a real node, and the local services that tell of them.

contracts  Solidity of the economy's contracts, their artifacts, and their arithmetic mirrored in Python
artifact   compiled contracts, built by scripts/compile_contracts.py
chain      the origin's own Anvil: signed transactions, blocks at stated times, nothing from the wall clock
rng, naming, people, calendar, venue, scale    what is drawn from a seed
stage      one chain in the making, with its ledger, deeds and views: the first of the two witnesses of every answer
scene      what the acts of a story share
act        the strands of the story, one a file; ``economy`` puts them in order
witness    the comparison of both witnesses
build      both chains of an economy, told, compared and captured
service    the search API and the page reader over written pages, on loopback
mini       the small world ``mini-6``: its cast, its story, its pages, its six questions

Nothing here is imported by anything but the command line and tests.
"""
