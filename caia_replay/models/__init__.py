"""Models: where completions come from.

resolve            a name to its model
registry           the paper's 17: where each is served, under which name, for how much

A live endpoint, asked:
  openai_compatible  any server that speaks OpenAI chat completions
  chat_session       one run's conversation: ask, ask again, read, or say why not
  parameter          the optional parameters of a request, what one model wants otherwise, and which was refused
  network            whole replies, within a time and a size
  retry              how long to wait before asking again
  endpoint_error     an endpoint's error, read
  wire, stream       our messages and theirs, whole or in pieces; tokens, reported or estimated

Traffic, recorded:
  tape_recorder      the last request and reply of each turn
  recorded           a recorded model, and its tape as an endpoint
  tape_request       whether a replay asks what was asked
  key_hiding         keys and passwords taken out of what is kept
  session_header     which run and turn a request belongs to

external           an external agent's own model, which is never asked, and the run that its program plays

policy, policies   scripted policies, answering through the same client
"""
