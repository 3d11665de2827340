"""What can be known about the world, in three values, and which of it each transition stands on.

A fact is yes, no or unknown, and unknown is never a proof. Under Manual proof a person who merges a gate
attests its facts; under Cluster proof they are observed (DESIGN 5, R1, R13, R20).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout import routing
from gitops_rollout.rollout.gate import Gate
from gitops_rollout.rollout.router_policy import managed
from gitops_rollout.rollout.state import State


class Answer(StrEnum):
    """What is known of a fact."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


class About(StrEnum):
    """What a fact is about."""

    LIVE = "Live"
    """Everything that is published of the workload is applied, and nothing else of it is there (R1)."""
    ROUTABLE = "Routable"
    """Every replica that was published for a revision answers requests; Ready is less (Dynamo #13622)."""
    ACCEPTED = "Accepted"
    """Every parent says Accepted and ResolvedRefs of the route, and of its pools, at their generations."""
    DRAINED = "Drained"
    """No request is left that was sent to what a revision is to lose."""
    UPDATED = "Updated"
    """Updated = available = live = desired replicas, all of one revision."""
    REGISTERED = "Registered"
    """Every worker that was published for a revision is known to its routers and answers them; the routers
    themselves may still wait for their policy, and answer nobody before (R18).
    """
    ACKNOWLEDGED = "Acknowledged"
    """Every router that a pool selects now has accepted this version of the policy since it started (R18)."""
    GONE = "Gone"
    """No pod is left of what a revision alone has; one that is being deleted is still there."""
    KEPT = "RolloutFieldKept"
    """The live CRD keeps spec.rollout, and the object's status answers it: no API server pruned it (R26)."""


@dataclass(frozen=True, slots=True, order=True)
class Fact:
    """One thing that can be known: `of` names a revision, or the version of a policy; empty for the workload
    as it is published.
    """

    about: About
    of: str = ""

    def __str__(self) -> str:
        return f"{self.about} {self.of}".rstrip()


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen of one workload; what is not in it is unknown."""

    answers: Mapping[Fact, Answer] = field(default_factory=dict)
    routable: Mapping[str, Thresholds] = field(default_factory=dict)
    """Replicas that answer, by revision and component, where they could be counted."""
    policy_version: int | None = None
    """The highest version of the policy that any router reports, None where none has answered."""
    policy_refused: bool = False
    """Some router holds another body for the version in force, and refuses this one (R19)."""

    def of(self, fact: Fact) -> Answer:
        """Give what is known of a fact."""
        return self.answers.get(fact, Answer.UNKNOWN)

    def missing(self, facts: tuple[Fact, ...]) -> tuple[Fact, ...]:
        """Give those of these facts that are not a yes."""
        return tuple(fact for fact in facts if self.of(fact) is not Answer.YES)


NOTHING_SEEN = Observation()
LIVE, ACCEPTED, KEPT = Fact(About.LIVE), Fact(About.ACCEPTED), Fact(About.KEPT)


def needs(state: State, gate: Gate) -> tuple[Fact, ...]:
    """Give the facts that a transition stands on, total over all gates; what only a route, or only routers
    that are told, can say is left out where there is none.
    """
    by_route = () if routing.terms(state) is not None else (About.ACCEPTED, About.DRAINED)
    by_policy = () if managed(state) else (About.REGISTERED, About.ACKNOWLEDGED)
    unsaid, asked = (*by_route, *by_policy), transition(state, gate)
    rows = [fact for fact in PROOFS[asked] if fact.about not in unsaid]
    if state.strategy is Strategy.IN_PLACE and asked in UPWARD:
        rows.append(KEPT)
    return tuple(dict.fromkeys(_written(fact, state, gate) for fact in rows))


class Transition(StrEnum):
    """The transitions that are asked for, or proven."""

    ATTACH = "attach the route"
    TAKE_OVER = "let the route answer alone"
    DETACH = "detach the route"
    UNPROTECTED = "remove what lost its protection"
    FIRST_STEP = "make the candidate"
    STEP = "give the candidate more capacity"
    REQUESTS = "give the candidate requests"
    STABLE_SHARE = "take from stable what its requests no longer need"
    BACK = "give stable its requests back"
    DRAINED = "take what no request needs any more"
    COMPLETE = "make the candidate stable"
    COMPLETE_BACK = "end the way back"
    DELETE = "delete the workload"
    TELL = "tell routers of stable"
    BIND = "tell routers of the candidate"
    PROMOTE = "tell routers of the candidate alone"
    UNBIND = "tell routers of a candidate no more"
    RESTORE = "tell routers of stable again"


def transition(state: State, gate: Gate) -> Transition:
    """Name the transition that a gate asks for; the first row that holds counts."""
    back = state.offered is None
    steps = {
        gates.ATTACH: Transition.ATTACH,
        gates.TAKE_OVER: Transition.TAKE_OVER,
        gates.DETACH: Transition.DETACH,
        gates.UNPROTECTED: Transition.UNPROTECTED,
        gates.DELETE: Transition.DELETE,
        gates.BACK: Transition.BACK,
        gates.COMPLETE: Transition.COMPLETE_BACK if back else Transition.COMPLETE,
        gates.TELL: Transition.TELL,
        gates.BIND: Transition.BIND,
        gates.PROMOTE: Transition.PROMOTE,
        gates.UNBIND: Transition.UNBIND,
        gates.RESTORE: Transition.RESTORE,
    }
    rows = (
        (gate.step in steps, steps.get(gate.step, Transition.STEP)),
        (gate.stable is not None, Transition.STABLE_SHARE),
        (gate.step == gates.DRAINED, Transition.DRAINED),
        (gate.partition is None, Transition.REQUESTS),
        (state.candidate != state.offered, Transition.FIRST_STEP),
    )
    return next((found for holds, found in rows if holds), Transition.STEP)


# In place of a revision: the one that is offered, stable, or what goes with this transition.
_CANDIDATE, _STABLE, _GOING = "candidate", "stable", "what goes"
_TOLD = Fact(About.ACKNOWLEDGED, "version")
PROOFS: Mapping[Transition, tuple[Fact, ...]] = {
    Transition.ATTACH: (LIVE, Fact(About.ROUTABLE, _STABLE)),
    Transition.TAKE_OVER: (LIVE, ACCEPTED),
    Transition.DETACH: (),
    Transition.UNPROTECTED: (LIVE,),
    Transition.FIRST_STEP: (LIVE, _TOLD, Fact(About.ROUTABLE, _STABLE)),
    Transition.STEP: (LIVE, ACCEPTED, _TOLD, Fact(About.ROUTABLE, _STABLE), Fact(About.ROUTABLE, _CANDIDATE)),
    Transition.REQUESTS: (LIVE, ACCEPTED, _TOLD, Fact(About.ROUTABLE, _CANDIDATE)),
    Transition.STABLE_SHARE: (
        LIVE,
        ACCEPTED,
        _TOLD,
        Fact(About.ROUTABLE, _CANDIDATE),
        Fact(About.DRAINED, _STABLE),
    ),
    Transition.BACK: (Fact(About.ROUTABLE, _STABLE),),
    Transition.DRAINED: (LIVE, ACCEPTED, _TOLD, Fact(About.DRAINED, _GOING)),
    Transition.COMPLETE: (LIVE, Fact(About.UPDATED, _CANDIDATE), Fact(About.GONE, _STABLE)),
    Transition.COMPLETE_BACK: (LIVE, Fact(About.UPDATED, _STABLE), Fact(About.GONE, _CANDIDATE)),
    Transition.DELETE: (),
    Transition.TELL: (LIVE, Fact(About.REGISTERED, _STABLE)),
    Transition.BIND: (LIVE, _TOLD, Fact(About.REGISTERED, _CANDIDATE)),
    Transition.PROMOTE: (LIVE, ACCEPTED, _TOLD, Fact(About.ROUTABLE, _CANDIDATE)),
    Transition.UNBIND: (LIVE, ACCEPTED),
    Transition.RESTORE: (),
}
"""The proofs of every transition: nothing is looked at but what was published before it (R20)."""

UPWARD = frozenset(
    {
        Transition.FIRST_STEP,
        Transition.STEP,
        Transition.REQUESTS,
        Transition.STABLE_SHARE,
        Transition.COMPLETE,
    }
)
"""What gives more to the candidate; in place it stands on a field that the cluster has to keep, too."""

ASKED = frozenset(
    {
        Transition.ATTACH,
        Transition.TAKE_OVER,
        Transition.DETACH,
        Transition.DELETE,
        Transition.FIRST_STEP,
        Transition.STEP,
    }
)
"""What people decide under every kind of proof; all else follows by itself where its facts are observed, the
requests of a step only when that step was approved.
"""


def _written(fact: Fact, state: State, gate: Gate) -> Fact:
    """Put the revision in the place that the table names."""
    candidate = state.candidate or state.offered or gate.revision
    going = candidate if state.offered is None else state.stable
    version = str(state.routerPolicy.version) if state.routerPolicy is not None else ""
    names = {_CANDIDATE: candidate, _STABLE: state.stable, _GOING: going, _TOLD.of: version}
    return Fact(fact.about, names.get(fact.of, fact.of))
