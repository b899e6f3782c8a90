"""Attacks: what a campaign adds to a world, planned as pure data.

seo_page   one over-optimised page per target that outranks the truth
campaign   a named set of attacks with a dose, planned whole
"""
