"""Dune: SQL over the decoded tables of many chains, executed by its API and answered as rows."""
