"""Where tasks come from: raw questions taken in, screened by a judge model, reviewed by people, made draft tasks.

All of it lives in one plain folder that people share through version control (``question.py``, ``ledger.py``).

And the page on which people play tasks as models do (``play_page.py``, ``play_server.py``).
"""
