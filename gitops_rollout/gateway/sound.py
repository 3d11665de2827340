"""What we ask of routes that we render ourselves, beyond what the API server asks.

Each rule is about a route that is accepted and then answers with errors.
"""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.gateway.httproute import route_problems
from gitops_rollout.gateway.inferencepool import POOL_GROUP
from gitops_rollout.gateway.structure import problem, shown, whole

EXPERIMENTAL_POOL_GROUP = "inference.networking.x-k8s.io"
MOST_REVISIONS = 2
"""Backends of one rule that get requests: stable and candidate."""

_WHY_NOT = {
    "": "no group means core Service",
    EXPERIMENTAL_POOL_GROUP: "the old experimental group",
}


def sound_problems(value: Object) -> tuple[Problem, ...]:
    """Find everything for which we do not publish an HTTPRoute of ours; all of `route_problems` included."""
    return (*route_problems(value), *_unsound(value))


def _unsound(value: Object) -> Iterator[Problem]:
    rules = at(value, "spec", "rules")
    if rules is None:
        yield problem("spec.rules", "REQUIRED", "without rules nothing answers; write one with backendRefs")
    for index, rule in enumerate(sequence(rules)):
        for found in (*_weights(mapping(rule)), *_pools(mapping(rule))):
            yield found.under(f"spec.rules[{index}]")


def _weights(rule: Object) -> Iterator[Problem]:
    """Somebody answers, and at most two do. Weights are shares: they need not add up to 100."""
    refs = sequence(rule.get("backendRefs"))
    redirects = any("requestRedirect" in mapping(found) for found in sequence(rule.get("filters")))
    if not refs and not redirects:
        yield problem("backendRefs", "REQUIRED", "a rule without backends answers with errors; write one")
    answering = [ref for ref in refs if _answers(mapping(ref))]
    if refs and not answering:
        message = "all weights are 0: gateways answer with errors, or as they like; give one a weight"
        yield problem("backendRefs", "WEIGHTS", message)
    if len({_identity(ref) for ref in answering}) > MOST_REVISIONS:
        message = f"more than {MOST_REVISIONS} revisions with weight > 0; stable and candidate are enough"
        yield problem("backendRefs", "WEIGHTS", message)


def _answers(ref: Object) -> bool:
    """Say whether requests may come here; a weight of the wrong type is reported as such."""
    weight = ref.get("weight", 1)
    return weight != 0 if whole(weight) else True


def _identity(ref: Json) -> tuple[str, ...]:
    kind = text(at(ref, "kind")) or "Service"
    return (text(at(ref, "group")), kind, text(at(ref, "namespace")), text(at(ref, "name")))


def _pools(rule: Object) -> Iterator[Problem]:
    """A pool is named with the group in which we make pools; with another one no gateway finds it."""
    for path, ref in _references(rule):
        group = ref.get("group", "")
        if ref.get("kind") != "InferencePool" or not isinstance(group, str) or group == POOL_GROUP:
            continue
        why = _WHY_NOT.get(group, "it has none")
        message = f"no InferencePool in group {shown(group)} ({why}); write {POOL_GROUP}"
        if group != EXPERIMENTAL_POOL_GROUP:
            message += f", not {EXPERIMENTAL_POOL_GROUP} either"
        yield problem(f"{path}.group", "KIND", message)


def _references(rule: Object) -> Iterator[tuple[str, Object]]:
    """Give path and value of each backend of the rule, mirrors included."""
    for index, ref in enumerate(sequence(rule.get("backendRefs"))):
        yield f"backendRefs[{index}]", mapping(ref)
        yield from _mirrors(f"backendRefs[{index}].", mapping(ref))
    yield from _mirrors("", rule)


def _mirrors(path: str, owner: Object) -> Iterator[tuple[str, Object]]:
    for index, found in enumerate(sequence(owner.get("filters"))):
        yield (
            f"{path}filters[{index}].requestMirror.backendRef",
            mapping(at(found, "requestMirror", "backendRef")),
        )
