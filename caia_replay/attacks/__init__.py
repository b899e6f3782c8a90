"""Attacks: what a campaign adds to a world, planned as pure data.

campaign, family      named sets of families with doses (campaigns/*.toml), planned whole; every family by its name
uniqueness_registry, wrong_answer, choice     what is taken in a world; wrong answers; choices by digest
edit, edited_page, edited_post                edits: honest pages and posts with one claim changed, and their twins
added_sentence, edited_order, decoy           an honest page with a sentence more: an order, or what is on the chain
order_text                                    such sentences, in orders.toml; and codes
stale_page, poisoned_body                     an earlier answer in an edit; bodies of an API
tool_poisoning                                texts below tools that give orders
placebo               the twins; of a world's own overlay, as much in the same style that says nothing false
site, posting, promotion                      sites, posts, and pages of no original
name         names of outlets, people and brands, planted or honest, from one generator; words in names.toml
"""
