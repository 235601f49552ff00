# Overspill as a command: `docker build -t overspill .`, then `make test 2>&1 | docker run -i -v "$PWD:/work" overspill`.
FROM python:3.13-slim AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN pip wheel --no-cache-dir --wheel-dir /wheels '.[re2,zstd]'

FROM python:3.13-slim
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --no-index --find-links /wheels 'overspill[re2,zstd]' && rm -r /wheels \
    && useradd --create-home spill
USER spill
WORKDIR /work
ENTRYPOINT ["spill"]
