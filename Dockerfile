# syntax=docker/dockerfile:1
# rag_assets with its server parts: command line, Dagster's webserver, Dagster's daemon. docker-compose.yml uses it.

FROM python:3.11.14-slim-bookworm AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN python -m venv /opt/rag
WORKDIR /app
# The lock alone first: a change of code does not install everything again.
COPY requirements-server.lock ./
RUN /opt/rag/bin/pip install --no-deps --require-hashes -r requirements-server.lock
COPY pyproject.toml LICENSE README.md ./
COPY rag_assets rag_assets
RUN /opt/rag/bin/pip install --no-deps --no-build-isolation -e .

FROM python:3.11.14-slim-bookworm
# Numbered, so that a cluster can check that it is not root.
RUN groupadd --gid 10001 rag && useradd --uid 10001 --gid rag --home-dir /data --no-create-home rag
# Text recognition on scanned pages.
RUN apt-get update && apt-get install -y --no-install-recommends tesseract-ocr tesseract-ocr-deu \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /opt/rag /opt/rag
WORKDIR /app
COPY --from=build /app ./
COPY workspace.yaml dagster.yaml sources.yaml ontology.yaml ./
COPY examples examples
# A named volume takes its owner from here.
RUN install -d -o rag -g rag /data /data/dagster && install -d /app/documents
COPY --chown=rag:rag deploy/dagster.yaml /data/dagster/dagster.yaml
ENV PATH=/opt/rag/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DAGSTER_DISABLE_TELEMETRY=1 \
    OMP_WAIT_POLICY=passive \
    RAG_HOME=/data
USER 10001:10001
VOLUME ["/data"]
CMD ["rag", "--help"]
