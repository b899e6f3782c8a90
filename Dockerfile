# caia-replay with Anvil, the Python for WASI and the shipped suites; what it runs needs no network.
#   docker build -t caia-replay .
#   docker run --rm --network none -v "$PWD/runs:/play/runs" caia-replay replay --suite mini-6 --runs 1
FROM python:3.11-slim
WORKDIR /source
ENV CAIA_REPLAY_HOME=/opt/caia-replay PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY requirements.lock .
RUN pip install --require-hashes --no-deps -r requirements.lock
COPY . .
RUN pip install --no-deps --no-build-isolation . \
    && caia-replay setup \
    && caia-replay worlds add . \
    && useradd --create-home caia \
    && mkdir -p /play/runs \
    && chown -R caia /opt/caia-replay /play
USER caia
WORKDIR /play
ENTRYPOINT ["caia-replay"]
CMD ["replay", "--suite", "mini-6", "--runs", "1"]
