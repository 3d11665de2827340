"""One service at work on the output: the real plan, rendering and gates, each effect a step of its own.

A pass reads at one moment; its pushes happen later, one by one. It may die between any two of them, and
another service may be faster: a push that lost its race is dropped with all that was to follow it.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.settings import OutputSettings, Pipeline, SourceSettings
from gitops_rollout.drafts import Written, written
from gitops_rollout.errors import PushRejected
from gitops_rollout.output.heads import Absent
from gitops_rollout.publish import GATES, Publisher
from gitops_rollout.render.messages import Origin
from gitops_rollout.rollout.draft import Head, Order, Scene
from gitops_rollout.rollout.facts import NOTHING_SEEN, Observation
from gitops_rollout.rollout.plan import begin, plan, refusal
from gitops_rollout.simulate.branch import MAIN, US, Branch, Hand
from gitops_rollout.simulate.reading import ReadOnce
from gitops_rollout.simulate.wishes import Wish

ROOT = "rollouts"
POLL = timedelta(minutes=2)
"""How often a cluster is looked at by itself."""
PIPELINE = Pipeline("simulated", SourceSettings("source"), OutputSettings("output", root=ROOT))


@dataclass(frozen=True, slots=True)
class Idle:
    """What a pass read that wrote nothing: until something of it changes, or `wake`, none is due."""

    refs: tuple[tuple[str, str], ...]
    wish: Wish
    seen: Observation
    since: datetime
    wake: datetime | None

    @property
    def polls(self) -> bool:
        """Say whether it looks again by itself, for a cluster is observed."""
        return self.seen != NOTHING_SEEN

    def holds(self, other: "Idle") -> bool:
        """Say whether another pass has nothing to do; a clock that was set back is a reason to look."""
        read = (other.refs, other.wish.commit, other.seen) == (self.refs, self.wish.commit, self.seen)
        ends = [self.wake, self.since + POLL if self.polls else None]
        return read and self.since <= other.since and all(one is None or other.since < one for one in ends)


@dataclass
class Service:
    """A process of the service, with the little that it remembers to be faster or more careful."""

    branch: Branch
    place: ReadOnce
    hand: Hand = field(init=False)
    idle: Idle | None = None
    last: Written | None = None
    blocked: str = ""
    at: datetime = datetime.min
    """When its last pass looked."""
    seen: Observation = NOTHING_SEEN
    """What it was told of the cluster then."""
    _past: str | None = None

    def __post_init__(self) -> None:
        self.hand = Hand.of(self.branch)

    @property
    def busy(self) -> bool:
        """Say whether a pass has pushes left."""
        return bool(self.hand.waiting)

    @property
    def wake(self) -> datetime | None:
        """Give when something is due by itself, as its last pass saw it."""
        return self.idle.wake if self.idle is not None else None

    @property
    def polls(self) -> bool:
        """Say whether it looks again by itself, whatever is due."""
        return self.idle is not None and self.idle.polls

    @property
    def held(self) -> bool:
        """Say whether its last pass was blocked: a named hold, which heals when people put things right."""
        return bool(self.blocked or (self.last is not None and self.last.plan.blocked))

    @property
    def notes(self) -> tuple[Problem, ...]:
        """Give what its last pass told."""
        return self.last.plan.notes if self.last is not None else ()

    @property
    def subject(self) -> str:
        """Name the gate that its last pass asks."""
        gate = self.last.plan.asked if self.last is not None else None
        return gate.step if gate is not None else "nothing"

    def look(
        self, wish: Wish, now: datetime, order: Order | None = None, seen: Observation = NOTHING_SEEN
    ) -> bool:
        """Read and decide; says whether there is anything to push."""
        refs = self.branch.refs(MAIN, GATES)
        read = Idle(tuple(sorted(refs.items())), wish, seen, now, None)
        if order is None and self.idle is not None and self.idle.holds(read):
            return False
        scene = self._scene(wish, now, order, seen)
        commit = refs.get(MAIN)
        head = self.place.head(commit, self._rewound(commit))
        self._past, self.at, self.seen = commit, now, seen
        self.blocked = str(head) if isinstance(head, Problem) else ""
        self.idle = None
        if not isinstance(head, Problem) and self._decide(head, scene):
            assert self.last is not None  # noqa: S101  # decided just now
            self._write(self.last, scene)
        if not self.busy:
            self.idle = replace(read, wake=self._due())
        return self.busy

    def push(self) -> bool:
        """Do the next effect; says whether it was taken."""
        update = self.hand.waiting.pop(0)
        try:
            self.branch.push([update])
        except PushRejected:
            if update.ref == MAIN:
                self.hand.waiting.clear()
            return False
        if update.ref == MAIN:
            self._past = update.new
        return True

    def drop(self) -> None:
        """Give up what the pass had still to push."""
        self.hand.waiting.clear()
        self.idle = None

    def die(self) -> None:
        """Crash: everything that was not pushed is gone, and everything remembered."""
        self.drop()
        self._past = None

    def refusal(self, wish: Wish, now: datetime, order: Order) -> str:
        """Say why an order of a person cannot be followed; empty when it can."""
        head = self.place.head(self.branch.head)
        return (
            refusal(self._scene(wish, now, order), head) if isinstance(head, Head) else "nothing is published"
        )

    def _decide(self, head: Head | Absent, scene: Scene) -> bool:
        """Plan; False where nothing can be planned."""
        stamp, kind = (scene.commit, scene.now), self.place.kind
        if isinstance(head, Head):
            self.last = written(kind, self.place.key, plan(scene, head), head, stamp)
        elif scene.desired.spec is not None:
            begun = begin(scene, scene.desired.spec, head.last_seq)
            self.last = written(kind, self.place.key, begun, None, stamp)
        return self.last is not None

    def _write(self, draft: Written, scene: Scene) -> None:
        """Have the real publisher write everything; what it pushes waits in our hand."""
        date, refs = int(scene.now.timestamp()), self.branch.refs(MAIN, GATES)
        publisher = Publisher(self.hand, PIPELINE, US, refs.get(MAIN))
        published = publisher.publish([(self.place, draft)], {}, Origin(scene.commit, ""), date)
        publisher.ask(published, [(self.place, draft)], refs, date)

    def _scene(
        self, wish: Wish, now: datetime, order: Order | None, seen: Observation = NOTHING_SEEN
    ) -> Scene:
        place, name = self.place, PIPELINE.name
        return Scene(place.key, place.kind, wish.desired, now, wish.commit, name, order, seen)

    def _due(self) -> datetime | None:
        if self.last is None:
            return None
        due = (self.last.plan.gate_from, self.last.plan.look_again)
        return min((one for one in due if one is not None), default=None)

    def _rewound(self, commit: str | None) -> str | None:
        """Give where the branch was, if it does not follow from there (R3)."""
        past = self._past
        if past is None or (commit is not None and self.branch.is_ancestor(past, commit)):
            return None
        return past
