"""Attacks: what a campaign adds to a world, planned as pure data.

campaign, family      named sets of families with doses (campaigns/*.toml), planned whole; every family by its name
uniqueness_registry, wrong_answer, choice     what is taken in a world; wrong answers; choices by digest
seo_page, impersonated_docs, fake_news, fake_audit, stale_page, unit_twist     families of pages
coordinated_posts, poisoned_body                                              families of posts and API bodies
fake_ticker, address_poisoning, honeypot_safe, inscription                    families that promote what is on the chain
injection, tool_poisoning                                                     families that give orders
placebo               as much in the same style that says nothing false
article, wording, site, posting, promotion, decoy     how families write; words in synonyms.toml and filler.toml
"""
