"""The workload kinds that this program knows, by API group and kind and by the words people type."""

from collections.abc import Iterable, Mapping

from gitops_rollout.api.values import Object, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING
from gitops_rollout.kinds.protocol import Kind

KINDS: Mapping[tuple[str, str], Kind] = {
    (kind.api_versions[0].partition("/")[0], kind.kind): kind for kind in (MODEL_SERVING, DYNAMO_GRAPH)
}


def spoken(kinds: Iterable[Kind]) -> dict[str, Kind]:
    """Give the kind for each word that people may type for it, in lower case: `ms`, `modelservings`."""
    return {word.lower(): kind for kind in kinds for word in (kind.short, kind.kind, f"{kind.kind}s")}


WORDS: Mapping[str, Kind] = spoken(KINDS.values())


def kind_of(value: Object) -> Kind | None:
    """Give the kind of a document, in any version of its group; None for what is no workload."""
    group, _, _ = text(value.get("apiVersion")).partition("/")
    return KINDS.get((group, text(value.get("kind"))))


def kind_named(word: str) -> Kind | None:
    """Give the kind that people mean by `word`, in any case."""
    return WORDS.get(word.lower())


def typed(key: WorkloadKey) -> str:
    """Give a workload as people type it: `ms/chat -n serving`."""
    kind = kind_named(key.kind)
    return f"{kind.short if kind else key.kind}/{key.name} -n {key.namespace}"
