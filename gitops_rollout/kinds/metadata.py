"""Metadata of a workload: what of it is published, and what belongs to whoever applies objects."""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object, mapping
from gitops_rollout.kinds.written import problem

OUR_PREFIX = "gitops-rollout.io/"

_BOOKKEEPING = (
    OUR_PREFIX,
    "kubectl.kubernetes.io/last-applied-configuration",
    "argocd.argoproj.io/tracking-id",
    "argocd.argoproj.io/installation-id",
    "argocd.argoproj.io/instance",
    "argocd.argoproj.io/refresh",
    "kustomize.toolkit.fluxcd.io/name",
    "kustomize.toolkit.fluxcd.io/checksum",
    "helm.toolkit.fluxcd.io/name",
    "reconcile.fluxcd.io/",
    "deployment.kubernetes.io/revision",
)
"""Keys that start so are bookkeeping (a name covers its namespace twin)."""

_FLUX_NAMESPACES = ("kustomize.toolkit.fluxcd.io/namespace", "helm.toolkit.fluxcd.io/namespace")
_NOT_PUBLISHED = ("finalizers", "generateName", "ownerReferences")


def published(metadata: Object) -> Object:
    """Give the labels and annotations that are published; null reads as an empty text."""
    kept: Object = {}
    for field in ("labels", "annotations"):
        found: Object = {
            key: "" if part is None else part
            for key, part in mapping(metadata.get(field)).items()
            if not key.startswith(_BOOKKEEPING) and key not in _FLUX_NAMESPACES
        }
        if found:
            kept[field] = found
    return kept


def dropped(value: Object) -> Iterator[Problem]:
    """Warn about metadata that is not carried into the output."""
    for field in _NOT_PUBLISHED:
        if mapping(value.get("metadata")).get(field):
            yield problem(f"metadata.{field}", "NOT_PUBLISHED", "it is not carried into the output")
