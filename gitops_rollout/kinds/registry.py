"""The workload kinds that this program knows, by API group and kind and by the words people type."""

from collections.abc import Mapping

from gitops_rollout.api.values import Object, text
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING
from gitops_rollout.kinds.protocol import Kind

KINDS: Mapping[tuple[str, str], Kind] = {
    (kind.api_versions[0].partition("/")[0], kind.kind): kind for kind in (MODEL_SERVING, DYNAMO_GRAPH)
}

WORDS: Mapping[str, Kind] = {
    word: kind for kind in KINDS.values() for word in (kind.short, kind.kind.lower(), f"{kind.kind.lower()}s")
}
"""In lower case: `ms`, `modelserving`, `modelservings`."""


def kind_of(value: Object) -> Kind | None:
    """Give the kind of a document, in any version of its group; None for what is no workload."""
    group, _, _ = text(value.get("apiVersion")).partition("/")
    return KINDS.get((group, text(value.get("kind"))))


def kind_named(word: str) -> Kind | None:
    """Give the kind that people mean by `word`, in any case."""
    return WORDS.get(word.lower())
