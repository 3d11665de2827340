"""Metadata of a workload: what of it is published, and what belongs to whoever applies objects."""

from collections.abc import Iterator, Mapping

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, text
from gitops_rollout.kinds.names import bad_dns_1035, bad_dns_1123, bad_label
from gitops_rollout.kinds.written import problem, without

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


def unlabelled(metadata: Json) -> Json:
    """Take our own labels out of a template's metadata; they are no part of a text (R23)."""
    labels = mapping(at(metadata, "labels"))
    if not any(key.startswith(OUR_PREFIX) for key in labels):
        return metadata
    kept: Object = {key: value for key, value in labels.items() if not key.startswith(OUR_PREFIX)}
    rest = without(mapping(metadata), ("labels",))
    return {**rest, "labels": kept} if kept else (rest or None)


def labelled(metadata: Json, added: Mapping[str, str]) -> Object:
    """Give a template's metadata with more labels."""
    written = mapping(metadata)
    return {**written, "labels": {**mapping(written.get("labels")), **added}}


def identity(value: Object, noun: str, label: str) -> Iterator[Problem]:
    """Check that pods and services can be named after an object; `label` is its name as they carry it."""
    name = at(value, "metadata", "name")
    if name is None or name == "":
        yield problem("metadata.name", "REQUIRED", f"{noun} needs a name; generateName is not enough")
    elif isinstance(name, str) and (why := bad_dns_1035(label)):
        yield problem("metadata.name", "NAME", why)
    namespace = text(at(value, "metadata", "namespace"))
    if namespace and (why := bad_dns_1123(namespace)):
        yield problem("metadata.namespace", "NAME", why)
    for key, part in mapping(at(value, "metadata", "labels")).items():
        if why := bad_label(key, part):
            yield problem(f"metadata.labels[{key}]", "LABEL", why)


def dropped(value: Object) -> Iterator[Problem]:
    """Warn about metadata that is not carried into the output."""
    for field in _NOT_PUBLISHED:
        if mapping(value.get("metadata")).get(field):
            yield problem(f"metadata.{field}", "NOT_PUBLISHED", "it is not carried into the output")
