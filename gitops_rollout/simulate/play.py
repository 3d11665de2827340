"""The engine: one actor moves at each step, and the whole world is looked at after it.

Without faults everybody takes turns. With faults who moves is drawn by lot, from one seed, so that a run can
be played again; then the faults stop, people merge what is true, and the rollout has to come to its end.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from gitops_rollout.rollout.draft import parsed
from gitops_rollout.simulate.actors import Actors
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.invariants import ENDS
from gitops_rollout.simulate.moments import Moment
from gitops_rollout.simulate.promises import Finding
from gitops_rollout.simulate.service import POLL
from gitops_rollout.simulate.sight import not_applied
from gitops_rollout.simulate.wishes import AFTER
from gitops_rollout.simulate.world import World

CALM = Faults()
TURN = timedelta(seconds=5)
_MOST = 4000  # steps that a rollout without faults may take
_LOOKS = 60  # looks at a cluster that lead to nothing, longer than any deadline


@dataclass
class Play:
    """A run: the workload is published and serves, then the source changes."""

    world: World
    chaos: int = 400
    """For so many steps the faults are on."""
    waits: str = ""
    """What the run waits for at its end, empty where it has ended."""
    actors: Actors = field(init=False)
    _looks: int = 0
    """How often in a row a look at the cluster has led to nothing."""

    def __post_init__(self) -> None:
        self.actors = Actors(self.world)

    def moments(self) -> Iterator[Moment]:
        """Play to the end, moment by moment."""
        world = self.world
        faults, world.faults = world.faults, CALM
        yield from self._calm()
        world.wish = world.wishes.wish(AFTER)
        yield world.step("source", "changes to what is to come")
        if faults:
            world.faults = faults
            yield from self._chaos()
            world.faults, world.controller.prunes = CALM, False
            for _ in range(2):
                # What was put back from an older record may have been declined in it.
                yield from self._quietened()
                yield from self._calm()
        else:
            yield from self._calm()
        self.waits = self._unfinished()
        held = self.actors.stuck or world.services[0].held or self._stray()
        if self.waits and not (world.ledger.careless and held):
            world.findings.append(Finding(world.tick, ENDS, self.waits))

    def _stray(self) -> bool:
        """Say whether something is live that is not shown: it is protected, and only people remove it."""
        head = self.world.moment.head
        return head is not None and not_applied(head, self.world.moment.live) is not None

    def _calm(self) -> Iterator[Moment]:
        """Let everybody take turns until nobody has anything to do, and no time is waited for."""
        start = self.world.tick
        while self.world.tick - start < _MOST:
            moved = False
            for name, act in self.actors.in_turn():
                did = act()
                if did:
                    moved, self._looks = True, 0
                    yield self._closed(name, did)
            if not moved and not self._wait():
                return
        self.waits = f"nothing comes to rest within {_MOST} steps"

    def _chaos(self) -> Iterator[Moment]:
        for _ in range(self.chaos):
            name, act = self.actors.drawn()
            yield self._closed(name, act())

    def _closed(self, name: str, did: str) -> Moment:
        self.world.now += TURN
        return self.world.step(name, did)

    def _quietened(self) -> Iterator[Moment]:
        """End what only people can end: they try again what they declined, and want enough replicas."""
        for name, act in self.actors.reconciled():
            did = act()
            if did:
                yield self._closed(name, did)

    def _wait(self) -> bool:
        """Let time pass until something is due by itself; says whether there is such a time."""
        service, now = self.world.services[0], self.world.now
        polls = service.polls and self._looks < _LOOKS and bool(self._unfinished())
        ahead = self._set_back(now) if service.polls else None
        times = (service.wake, now + POLL if polls else ahead)
        due = min((one for one in times if one is not None and one > now), default=None)
        if due is None:
            return False
        self._looks = self._looks + 1 if due != ahead else 0
        self.world.now = due
        return True

    def _set_back(self, now: datetime) -> datetime | None:
        """Give when the last change was, where that lies ahead: a clock that was set back ends no wait."""
        state = self.world.moment.state
        changed = parsed(state.since.changed) if state is not None else now
        return changed if changed > now and self._unfinished() else None

    def _unfinished(self) -> str:
        """Say what keeps the run from being over; empty where it is."""
        state = self.world.moment.state
        if self.waits:
            return self.waits
        if state is None:
            return "nothing is published"
        if state.candidate is None and state.offered is None and not self.actors.stuck:
            return ""
        refused = [note.message for note in self.world.services[0].notes]
        return self.actors.stuck or "; ".join(refused) or f"{state.offered or state.candidate} is on its way"
