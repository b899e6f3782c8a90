from hypothesis import given, settings
from hypothesis import strategies as st

from caia_replay.search.site import site_place, site_terms


def test_site_terms_are_hosts_parents_and_path_prefixes():
    """site: may name a host, a parent domain, or a host with the beginning of a path."""
    terms = site_terms("https://www.docs.Aave.com:443/v3/risk?x=1#y")
    assert terms == ["docs.aave.com", "aave.com", "com", "docs.aave.com/v3", "docs.aave.com/v3/risk"]
    assert site_terms("") == site_terms("https://[broken") == []


def test_a_site_reads_the_same_with_and_without_scheme():
    """What stands after site: is a host, a host and path, or a whole URL."""
    assert site_place("https://WWW.aave.com/docs/") == site_place("aave.com/docs") == "aave.com/docs"
    assert site_place("http://[broken") == ""


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=60))
def test_any_text_names_a_site_or_none(text):
    """Nothing raises, and what can be read is one of the terms of its own address."""
    place = site_place(text)
    assert not place or place.partition("/")[0] in site_terms(text)
