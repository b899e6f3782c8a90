"""Whose account on the social network speaks for which project."""

from __future__ import annotations

from collections.abc import Mapping

from caia_worldgen.web.truth import Subject, Truth


def owners(truth: Truth) -> Mapping[str, Subject]:
    """The projects that have an account of their own, by its handle."""
    return {one.handle: truth.subjects[one.of] for one in truth.cast.accounts
            if one.manner == "project" and one.of in truth.subjects}  # fmt: skip
