"""The synthetic web: pages and posts written from the same truth as chain and markets, and what they claim.

number    amounts and dates as people write them, in English and Chinese
page      a page, a post, and what either states (claims)
prose     sentences out of phrase books, varied by chance, filled with facts
cast      who writes, speaks and invests: outlets, authors, funds, accounts
truth     the facts of a told story, ready to be stated
"""
