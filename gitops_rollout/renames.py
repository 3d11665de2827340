"""What else names an object that will be called otherwise: its first rollout tells (DESIGN 5, NewGraph)."""

from collections.abc import Iterable, Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.drafts import Written
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.source.source import Source

_MOST = 5


def renames(source: Source, drafts: Iterable[tuple[Kind, Written]]) -> Iterator[Problem]:
    """Warn of what names an object that a rollout replaces by one of another name."""
    for kind, draft in drafts:
        key, state = draft.key, draft.state
        ends = state.graph(state.stable)
        begins = any(one.stage == "named" for one in state.graphs)
        if ends is None or ends.name != key.name or not begins:
            continue
        names = _derived(kind, key, draft)
        found = [
            f"{one.kind}/{one.name}"
            for one in sorted(source.others)
            if one.namespace == key.namespace
            and key.name.encode() in source.others[one].raw
            and names & set(_scalars(source.others[one].value))
        ]
        if found:
            yield _warning(key, found)


def _derived(kind: Kind, key: WorkloadKey, draft: Written) -> set[str]:
    """Give what the operator names after a graph: itself, its pool, and its components."""
    stable = draft.plan.history.get(draft.state.stable)
    components = kind.components(stable.text) if stable is not None else {}
    return {key.name, f"{key.name}-pool", *(f"{key.name}-{name.lower()}" for name in components)}


def _scalars(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for member in members:
        yield from _scalars(member)


def _warning(key: WorkloadKey, found: list[str]) -> Problem:
    shown = ", ".join(found[:_MOST]) + (f" and {len(found) - _MOST} more" if len(found) > _MOST else "")
    message = (
        f"after this rollout nothing is called {key.name} any more, and {shown} names it: let it select "
        "labels that every revision carries, or name the new one when the rollout is complete"
    )
    return Problem(code="GRAPH_RENAMED", message=f"{key}: {message}")
