"""Verdicts without a judge: reading answers, voting over runs, and numbers over many.

answer      submitted text, cleaned; which parts of it are rejected or introductory
unit        units, their families, and scale words
quantity    the numbers a text states, exactly, with their units
verifiers   one rule per kind of answer
vote        the majority over equivalent answers
metrics     fractions over scored runs
statistics  intervals
"""
