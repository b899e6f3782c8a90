"""Models: where completions come from.

openai_compatible  any server that speaks OpenAI chat completions
wire               our messages and theirs
policy             scripted policies, answering through the same client
policies           the policies themselves
resolve            a name to its model
"""
