"""What services are told of the world where a cluster is observed: its facts, as the faults let them.

A fact that is withheld is unknown, never a yes. What is told late is a whole look of an earlier moment at the
same head: of another one nothing can be said.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random

from gitops_rollout.api.policy import Proof
from gitops_rollout.rollout.facts import NOTHING_SEEN, About, Answer, Fact, Observation
from gitops_rollout.simulate.sight import observed
from gitops_rollout.simulate.world import World

_FLAPS = (Answer.NO, Answer.UNKNOWN)


@dataclass
class Observer:
    """Looks for everybody. `blind` are the kinds of facts that nobody ever knows, faults or none.

    Lots are drawn apart from those of the world, so that who moves next does not depend on who looks.
    """

    world: World
    blind: frozenset[About] = frozenset()
    rng: Random = field(init=False)
    _lots: dict[About, float] = field(init=False)
    _last: tuple[str | None, Observation] | None = None

    def __post_init__(self) -> None:
        self.rng = Random(f"facts {self.world.seed}")  # noqa: S311  # a run is to be played again
        self._lots = {about: self.rng.random() for about in About}

    def look(self) -> Observation:
        """Give what a pass is told; nothing, where its policy asks people alone."""
        if not self._asked():
            return NOTHING_SEEN
        seen = self._in_time(observed(self.world))
        hidden = self.blind | {
            one for one, lot in self._lots.items() if lot < self.world.faults.unknown_facts
        }
        answers = dict(self._told(seen, hidden))
        sure = {fact.of for fact, told in answers.items() if fact.about is About.ROUTABLE}
        kept = {
            one for one in sure if answers[Fact(About.ROUTABLE, one)] == seen.of(Fact(About.ROUTABLE, one))
        }
        counted = {one: seen.routable[one] for one in sorted(kept & seen.routable.keys())}
        unheard = About.ACKNOWLEDGED in hidden
        version = None if unheard else seen.policy_version
        return Observation(answers, counted, version, seen.policy_refused and not unheard)

    def attested(self) -> Observation:
        """Give what people see who look for themselves."""
        seen = observed(self.world)
        return Observation(
            {fact: told for fact, told in seen.answers.items() if fact.about not in self.blind}
        )

    def _asked(self) -> bool:
        """Say whether anything is to be proven: by the policy in force, or by the one that is wanted."""
        head, wanted = self.world.moment.head, self.world.wish.desired.policy
        policies = (head.policy if head is not None else None, wanted)
        return any(one is not None and one.proof is Proof.CLUSTER for one in policies)

    def _in_time(self, seen: Observation) -> Observation:
        commit = self.world.branch.head
        late = self.rng.random() < self.world.faults.stale_facts
        if late and self._last is not None and self._last[0] == commit:
            return self._last[1]
        self._last = commit, seen
        return seen

    def _told(self, seen: Observation, hidden: frozenset[About]) -> Iterator[tuple[Fact, Answer]]:
        for fact, answer in sorted(seen.answers.items()):
            flaps = self.rng.random() < self.world.faults.flapping
            if fact.about not in hidden:
                yield fact, self.rng.choice(_FLAPS) if flaps else answer
