"""Warnings about a graph: what goes on, but not as it reads, or not under every operator."""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.kinds.dynamograph.graph import Graph
from gitops_rollout.kinds.dynamograph.project import ignored
from gitops_rollout.kinds.dynamograph.words import OPERATORS_OWN
from gitops_rollout.kinds.written import problem


def restart_on_create(graph: Graph) -> Iterator[Problem]:
    """Warn that a restart in the source stands in the way of a fresh cluster (dynamo #14093)."""
    if graph.spec.get("restart") is not None:
        message = "the API server refuses a new object that asks for a restart; remove it once it is done"
        yield problem("spec.restart", "RESTART_ON_CREATE", message)


def grove_only(graph: Graph) -> Iterator[Problem]:
    """Warn about fields that the operator refuses where Grove does not run the graph."""
    message = "only where Grove runs the graph; elsewhere the operator refuses it"
    if graph.spec.get("priorityClassName"):
        yield problem("spec.priorityClassName", "GROVE_ONLY", message)
    for component in graph.components():
        if component.value.get("minAvailable") is not None:
            yield problem(f"{component.path}.minAvailable", "GROVE_ONLY", message)


def without_effect(graph: Graph) -> Iterator[Problem]:
    """Warn about fields that nobody reads, and annotations that the operator keeps for itself."""
    for component in graph.components() if graph.alpha else ():
        for field, value in ignored(component).items():
            if value is not None and value != component.name:
                yield problem(f"{component.path}.{field}", "NO_EFFECT", "deprecated: the operator ignores it")
    for key in graph.annotations():
        if key.startswith(OPERATORS_OWN):
            message = "the operator writes it itself; it is not published"
            yield problem(f"metadata.annotations[{key}]", "NO_EFFECT", message)
