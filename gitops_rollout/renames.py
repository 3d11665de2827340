"""What else names an object that will be called otherwise: its first rollout tells (DESIGN 5, NewGraph)."""

from collections.abc import Iterable, Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.drafts import Written
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout import beside_bound
from gitops_rollout.source.source import Source

_MOST = 5


def renames(source: Source, drafts: Iterable[tuple[Kind, Written]]) -> Iterator[Problem]:
    """Warn of what names an object that a rollout replaces by one of another name."""
    for kind, draft in drafts:
        key, state = draft.key, draft.state
        ends = any(one.name == key.name for one in beside_bound.side(state, state.stable))
        begins = any(one.stage == "named" for one in state.graphs)
        if not ends or not begins:
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
            yield _warning(key, names, found)


def _derived(kind: Kind, key: WorkloadKey, draft: Written) -> set[str]:
    """Give what the operator names after a graph: itself, its pool, and its components. Where its workers
    stay, what it loses of them.
    """
    state, stable = draft.state, draft.plan.history.get(draft.state.stable)
    components = kind.components(stable.text) if stable is not None else {}
    stays = key.name in beside_bound.shared(state, state.stable)
    goes = beside_bound.moving(state, components) if stays else components
    parts = {f"{key.name}-{name.lower()}" for name in goes}
    return parts if stays else {key.name, f"{key.name}-pool", *parts}


def _scalars(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for member in members:
        yield from _scalars(member)


def _warning(key: WorkloadKey, names: set[str], found: list[str]) -> Problem:
    shown = ", ".join(found[:_MOST]) + (f" and {len(found) - _MOST} more" if len(found) > _MOST else "")
    lost = f"nothing is called {key.name} any more"
    if key.name not in names:
        lost = f"{' and '.join(sorted(names))} answers nothing any more"
    message = (
        f"after this rollout {lost}, and {shown} names it: let it select "
        "labels that every revision carries, or name the new one when the rollout is complete"
    )
    return Problem(code="GRAPH_RENAMED", message=f"{key}: {message}")
