"""The recorded corpus and its local ranking: what web_search and twitter_search answer from.

index       the two faces: pages and posts, found by any text
ranking     one deterministic ranking for both kinds; finding nothing is a fact about the corpus, an empty result
document    pages and posts as the ranking reads them
query       what a person or a model typed, read leniently: words, "phrases", -not, site:, from:, since:, lang:
clause      a read query as clauses over the index's fields, at a bounded cost
window      stretches of time in the words of search engines, relative to the world's clock
snippet     the piece of a page that a result shows
language    which language a text is in, and the words that say nothing
site        which sites an address belongs to
text        one Unicode form, plain numbers, Latin words apart from CJK pairs
"""
