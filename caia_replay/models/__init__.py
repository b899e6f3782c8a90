"""Models: where completions come from.

resolve            a name to its model
registry           the paper's 17: where each is served, under which name, for how much
quirk              what one model's endpoint wants otherwise

A live endpoint, asked:
  openai_compatible  any server that speaks OpenAI chat completions
  chat_session       one run's conversation: ask, ask again, read, or say why not
  parameter          the optional parameters of a request, and which of them was refused
  network, deadline  whole replies, within a time and a size
  retry              how long to wait before asking again
  endpoint_error     an endpoint's error, read
  wire, stream       our messages and theirs, whole or in pieces
  usage              tokens, reported or estimated

Traffic, recorded:
  tape_recorder      the last request and reply of each turn
  tape_player        a tape as an endpoint
  tape_request       whether a replay asks what was asked
  recorded           a recorded model
  key_hiding         an API key taken out of what is kept
  session_header     which run and turn a request belongs to

policy, policies   scripted policies, answering through the same client
"""
