"""Agents (scaffolds): loops between a question, a model and a toolset.

react         native tool calling until a final answer
caia          CAIA's own: five rounds of decisions, then one fresh synthesis
plan_execute  a plan, each of its steps in a conversation of its own, then a synthesis
text_react    thought, action and observation in text, for models without tool calling
external      whoever plays from outside, through caia-replay serve tools
resolve       a name to its agent

scaffold      what every agent is: prompt files and a loop
run           one run: ask, act, count, end; budgets, and every fault to its stop reason
prompt        prompt files, rendered strictly and known by digest
answer        the answer contracts
reply_text    what a model reads of its tools
text_action   the action in a text-react message
json_text     where a JSON object ends in a text
"""
