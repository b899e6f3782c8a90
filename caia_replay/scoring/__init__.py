"""Verdicts without a judge: reading answers, voting over runs, and numbers over many.

An answer, read:
  spec             whether a task's answer spec can be judged by at all
  answer           submitted text, cleaned; which parts of it are rejected or introductory
  refusal          answers that refuse
  formula          typeset answers said plainly
  numeral          numerals as exact rationals, in digits, English and Chinese words
  figure           the numbers in a text, with scale word and unit
  tail, part       what follows a figure, and figures that are parts of others
  role             what part a number plays in its sentence
  rate             rates, which are no totals
  unit             units, their families, and scale words
  quantity         the numbers an answer commits to
  tolerance        how far a number may be off, and the published rules by name
  verifiers        one rule per kind of answer
  judge            the optional judge of open answers, recorded

Runs, counted:
  vote             the majority over equivalent answers
  metrics          fractions over scored runs, by category, tag and difficulty
  interval         how sure they are: over projects, over attempts; which parts may be ranked
  paired           two sets of runs compared, and several such comparisons corrected
  attack_rate      how often lies were believed: over all attacked runs, and over those that met them
  effect           what an arm did, task by task: the mean, its interval, and whether it is within a margin
  dose_response    adoption by dose: a fit that never falls, a test for a trend
  loss             what wrong answers cost, and a modelled chance of ruin
  execution        whether what was carried out holds, and what it cost
  receipt_loss     the same cost from receipts alone
  sensitivity      the same answers under other tolerances
"""
