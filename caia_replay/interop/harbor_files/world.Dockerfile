# The world and its judge, for the sidecar and for the verifier. It holds every answer: no agent may run in it.
FROM node:22-slim AS node
WORKDIR /caia
RUN npm install --no-save @@NODE@@

FROM python:@@PYTHON@@-slim
WORKDIR /caia
COPY --from=node /caia/node_modules node_modules
COPY requirements.txt .
RUN pip install --no-cache-dir -r requirements.txt
COPY caia_replay caia_replay
COPY chain_snapshots chain_snapshots
COPY cassettes cassettes
ENV PYTHONPATH=/caia PYTHONDONTWRITEBYTECODE=1
RUN printf '#!/bin/sh\nexec python -c "from caia_replay.cli import main; main()" "$@"\n' >/usr/local/bin/caia-replay \
    && chmod +x /usr/local/bin/caia-replay
