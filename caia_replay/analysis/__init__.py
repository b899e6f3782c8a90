"""What is computed from runs: compared, judged again, explained, and studies that play more of them.

diff, twin_gap               two runs or agents, a suite and its twin
rescore, why_miss            answers judged by other rules, misses explained
attack_diff                  what a campaign changes
leak_audit, form_detector, form_only   how well form alone tells what is planted; the figure beside adoption
unread_injection             what of it nobody reads
sweep, defence_cost          adoption by dose, what defences prevent and cost
discernment*                 true claims told from false ones
"""
