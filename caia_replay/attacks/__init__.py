"""Attacks: what a campaign adds to a world, planned as pure data.

campaign, family      named sets of families with doses (campaigns/*.toml), planned whole; every family by its name
uniqueness_registry, wrong_answer, choice     what is taken in a world; wrong answers; choices by digest
edit, edited_page, edited_post                edits: honest pages and posts with one claim changed, and their twins
edited_order, order_text                      edits that give orders; sentences in orders.toml
stale_page, poisoned_body                     an earlier answer in an edit; bodies of an API
fake_ticker, address_poisoning, honeypot_safe, inscription                    families that promote what is on the chain
tool_poisoning                                texts below tools that give orders
placebo               as much in the same style that says nothing false
site, posting, promotion, decoy               how promotions are written
name         names of outlets, people and brands, planted or honest, from one generator; words in names.toml
"""
