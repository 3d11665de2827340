"""A run from its inputs: which controller plays, and what came of it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from gitops_rollout.api.problems import Problem
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING
from gitops_rollout.revision.history import History, free_name
from gitops_rollout.revision.identity import digest
from gitops_rollout.simulate.controllers import Controller
from gitops_rollout.simulate.dynamo import Dynamo
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.kthena import Kthena
from gitops_rollout.simulate.kthena_roles import KthenaRoles
from gitops_rollout.simulate.play import Play
from gitops_rollout.simulate.promises import Finding
from gitops_rollout.simulate.timeline import Timeline, recorded
from gitops_rollout.simulate.wishes import AFTER, BEFORE, NotPlayable, Wish, Wishes
from gitops_rollout.simulate.world import World


@dataclass(frozen=True, slots=True)
class Played:
    """What a run came to. `revisions` names what the two manifests are recorded as."""

    revisions: Mapping[str, str]
    timeline: Timeline
    findings: tuple[Finding, ...]
    steps: int

    @property
    def fine(self) -> bool:
        """Say whether every invariant held and the rollout came to its end."""
        return not self.findings


def prepared(wishes: Wishes, faults: Faults, seed: int = 0, chaos: int = 400) -> Play:
    """Set up a run; raises NotPlayable for a workload that cannot be played."""
    why = next((why for name in (BEFORE, AFTER) if (why := _not_yet(wishes, name))), "")
    if why:
        raise NotPlayable(Problem(code="NOT_YET", message=f"{why} cannot be played yet"))
    controller = _CONTROLLERS[wishes.kind.kind](wishes.wish(BEFORE))
    return Play(World(wishes, controller, seed, faults), chaos)


def _not_yet(wishes: Wishes, name: str) -> str:
    """Say what of a state of the source has no counterpart in the simulated world; empty: all of it has."""
    desired, kind = wishes.wish(name).desired, wishes.kind
    if desired.spec is None:
        return ""
    gateway = desired.policy.gateway if desired.policy is not None else None
    under = kind.under(desired.policy.strategy if desired.policy is not None else None)
    endpoint = under.endpoint(desired.spec.text, wishes.key.name, gateway.component) if gateway else None
    rows = (
        (kind.kind not in _CONTROLLERS, f"a {kind.kind}"),
        (_by_component(wishes, name) != _by_component(wishes, BEFORE), "a change of how it rolls"),
        (bool(endpoint and endpoint.pool), "a route to an endpoint picker, whose pool the operator makes,"),
    )
    return next((why for holds, why in rows if holds), "")


def _by_component(wishes: Wishes, name: str) -> bool:
    spec = wishes.wish(name).desired.spec
    return spec is not None and wishes.kind.by_component(spec.controls)


def played(wishes: Wishes, faults: Faults, seed: int = 0) -> Played:
    """Play a change to its end."""
    play = prepared(wishes, faults, seed)
    timeline = recorded(play.moments())
    findings = tuple(dict.fromkeys(play.world.findings))
    return Played(_revisions(wishes), timeline, findings, play.world.tick)


def _kthena(wish: Wish) -> Controller:
    policy, spec = wish.desired.policy, wish.desired.spec
    gateway = policy.gateway if policy is not None else None
    adopted = gateway.adopt if gateway is not None else None
    if spec is not None and MODEL_SERVING.by_component(spec.controls):
        return KthenaRoles(adopted=adopted)
    counts = MODEL_SERVING.counts(spec.controls) if spec is not None else {}
    return Kthena(adopted=adopted, scaled=max(counts.values(), default=1))


_CONTROLLERS: Mapping[str, Callable[[Wish], Controller]] = {
    MODEL_SERVING.kind: _kthena,
    DYNAMO_GRAPH.kind: lambda _wish: Dynamo(),
}


def _revisions(wishes: Wishes) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in (BEFORE, AFTER):
        spec = wishes.wish(name).desired.spec
        if spec is not None:
            told = free_name(History(), digest(wishes.kind.canonical(spec.text)))
            found.setdefault(told, wishes.names[name])
    return found
