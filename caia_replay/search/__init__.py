"""The recorded corpus and its local ranking: what web_search and twitter_search answer from.

document    one page as the index reads it: text, bigrams, sites, snippets
query       what a person or a model typed, read leniently: words, "phrases", -not, site:
index       a deterministic ranking of pages; finding nothing is a fact about the corpus, told as an empty result
"""
