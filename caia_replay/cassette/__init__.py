"""Recorded HTTP: what makes two requests one question, the file that keeps the answers, and their playback.

secret       which parameter names hold credentials, and what stands in their place
url          one spelling for every spelling of a URL
rpc_id       the JSON-RPC id, taken out of questions and put back into answers
identity     one request, one byte string
side_file    bodies that are not text, in files beside the cassette
cassette     the file: vcrpy's format, version 1, as JSON
recordings   from an identity to its recorded answers, in order
transport    the same as explicit transports for httpx2 and httpx clients
requests_adapter  and as an adapter for requests sessions
"""
