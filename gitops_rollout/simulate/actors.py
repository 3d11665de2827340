"""Who moves in the simulated world. Each gives in words what they did, nothing where there was nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeAlias

from gitops_rollout.rollout.draft import Order, Word
from gitops_rollout.rollout.router_fence import to_put
from gitops_rollout.simulate.attest import untrue
from gitops_rollout.simulate.branch import MAIN
from gitops_rollout.simulate.consumers import Consumer
from gitops_rollout.simulate.invariants import SETTLES
from gitops_rollout.simulate.observer import Observer
from gitops_rollout.simulate.pass_laws import OF_DECISION, OF_GATE, OF_REST, Law, broken
from gitops_rollout.simulate.people import Question
from gitops_rollout.simulate.promises import Finding, Invariant
from gitops_rollout.simulate.routers import Client
from gitops_rollout.simulate.service import Service
from gitops_rollout.simulate.wishes import AFTER, BEFORE, THIRD
from gitops_rollout.simulate.world import World

Actor: TypeAlias = tuple[str, Callable[[], str]]
_RESTLESS = 8  # passes in a row that write although nobody else did anything
_OVERDUE = {"DRAIN_DEADLINE", "ROLLBACK_DEADLINE"}
_WAYS = (AFTER, BEFORE, THIRD)


@dataclass
class Actors:
    """Everybody, with the world that they move in. `stuck` says which question nobody can answer truly."""

    world: World
    stuck: str = ""
    command: Service = field(init=False)
    observer: Observer = field(init=False)
    clients: list[Client] = field(init=False)
    _writes: int = 0

    def __post_init__(self) -> None:
        self.command = Service(self.world.branch, self.world.place)
        self.observer = Observer(self.world)
        self.clients = [Client(self.world.routers) for _ in self.world.services]

    def in_turn(self) -> list[Actor]:
        """Give everybody who does their part, in a fair order."""
        world = self.world
        return [
            ("service", lambda: self.serve(world.services[0])),
            *[(self._called(one), self._syncing(one)) for one in world.consumers],
            ("controller", self.control),
            ("gateway", self.program),
            *self._telling(self.clients[0], "router client"),
            ("people", self.merge),
        ]

    def drawn(self) -> Actor:
        """Draw who moves next; faults are moves of their own, each at its rate."""
        world, faults, rng = self.world, self.world.faults, self.world.rng
        restarts = faults.router_restarts * 0.3 * world.routers.managed
        rare: Sequence[tuple[float, str, Callable[[], str]]] = (
            (faults.clock_jumps, "clock", self.jump),
            (faults.stale_merges, "people", self.merge_stale),
            (faults.careless * 0.2, "people", self.merge_blindly),
            (faults.orders * 0.1, "command", self.order),
            (faults.changes * 0.1, "source", self.change),
            (faults.scaling * 0.1, "source", self.scale),
            (faults.reverts * 0.1, "people", self.revert),
            (faults.edits * 0.1, "people", self.edit),
            (faults.force_push * 0.1, "people", self.set_back),
            (faults.scaler * 0.1, "scaler", self.autoscale),
            (faults.pod_deaths * 0.3, "pods", self.kill),
            *([(restarts, "routers", self.forget)] if restarts else []),
        )
        for rate, name, act in rare:
            if rng.random() < rate:
                return name, act
        second = [("service 2", lambda: self.serve(world.services[1]))]
        second += self._telling(self.clients[1], "router client 2")
        usual = self.in_turn() + (second if rng.random() < faults.two_services else [])
        return rng.choice(usual)

    def reconciled(self) -> list[Actor]:
        """Give what people do when a bad day is over."""
        return [("source", self.as_meant), ("command", lambda: self._ordered(Order.RETRY))]

    def serve(self, service: Service) -> str:
        """Do the next push of a pass, or begin a pass."""
        world, faults, rng = self.world, self.world.faults, self.world.rng
        if service.busy and rng.random() < faults.crash:
            service.die()
            return "dies in the middle of a pass"
        if service.busy and rng.random() < faults.refuse_push:
            service.drop()
            return "is refused its push"
        if not service.busy:
            decides = service.look(world.wish, world.now, seen=self.observer.look())
            self._checked(service, decides=decides)
            return "decides" if decides else ""
        return self._pushed(service)

    def _pushed(self, service: Service) -> str:
        update = service.hand.waiting[0]
        taken = service.push()
        if not taken:
            return "loses a race"
        if update.new is None:
            return "closes a gate"
        if update.ref != MAIN:
            self._broken(OF_GATE, service)
            return f"asks {service.subject}"
        self._writes += 1
        if {note.code for note in service.notes} & _OVERDUE:
            self.world.ledger = replace(self.world.ledger, overdue=True)
        return self.world.branch.commits[update.new or ""].subject

    def _checked(self, service: Service, *, decides: bool) -> None:
        """Check what holds of passes as a whole."""
        self._broken(OF_DECISION, service)
        if not decides:
            self._writes = 0
            self._broken(OF_REST, service)
        elif self._writes > _RESTLESS:
            self._find(SETTLES, f"{self._writes} passes in a row have written")
            self._writes = 0

    def _broken(self, laws: Mapping[Law, Invariant], service: Service) -> None:
        for invariant, seen in broken(laws, service):
            self._find(invariant, seen)

    def _find(self, invariant: Invariant, seen: str) -> None:
        self.world.findings.append(Finding(self.world.tick, invariant, seen))

    def _called(self, consumer: Consumer) -> str:
        return consumer.folder.rpartition("/")[2]

    def _syncing(self, consumer: Consumer) -> Callable[[], str]:
        def sync() -> str:
            return "is applied" if consumer.sync(self.world.faults, self.world.rng) else ""

        return sync

    def control(self) -> str:
        """Let the controller reconcile."""
        kind = self.world.controller.kind
        objects = [one for name, one in sorted(self.world.cluster.live.items()) if name[0] == kind]
        return "moves pods" if self.world.controller.tick(objects) else ""

    def _telling(self, client: Client, name: str) -> list[Actor]:
        return [(name, lambda: self.tell(client))] if self.world.routers.managed else []

    def tell(self, client: Client) -> str:
        """Read what routers are told, or put it to the next one."""
        world = self.world
        if not client.waiting:
            head = world.moment.head
            sent = to_put(world.place.key, head.version.files) if head is not None else None
            return f"reads version {sent[0]} for routers" if client.read(sent) and sent is not None else ""
        if world.rng.random() < world.faults.paused_puts:
            return ""
        self._writes = 0
        uid, version, _ = client.waiting[0]
        return f"tells router {uid} version {version}" if client.put() else f"finds no router {uid}"

    def forget(self) -> str:
        """Let a router restart in its pod."""
        routers = [pod for pod in self.world.pods if pod.uid in self.world.routers.told]
        if not routers:
            return ""
        self.world.routers.restart(self.world.rng.choice(routers))
        return "one restarts"

    def program(self) -> str:
        """Let the gateway take over what is live."""
        before = self.world.gateway.programmed
        if not self.world.gateway.tick(self.world.cluster.live, self.world.terms):
            return ""
        return "takes over the route" if self.world.gateway.programmed is not before else "answers"

    def merge(self) -> str:
        """Merge an open gate, by somebody who looks first whether what it says is true."""
        world = self.world
        late = world.rng.random() < world.faults.late_people
        if late and world.rng.random() < 0.5:
            world.now += timedelta(hours=world.rng.randrange(72))
        self.stuck = ""
        for question in [] if late else world.people.open():
            if not world.people.mergeable(question):
                continue
            why = untrue(world, question, self.observer.attested())
            if not why:
                return self._merged(question)
            self.stuck = f"{question.subject} cannot be merged truly: {why}"
        return ""

    def merge_blindly(self) -> str:
        """Merge an open gate by habit."""
        found = [one for one in self.world.people.open() if self.world.people.mergeable(one)]
        if not found:
            return ""
        self._careless()
        return self._merged(self.world.rng.choice(found))

    def merge_stale(self) -> str:
        """Force in any gate that was ever asked."""
        asked = list(self.world.people.asked.values())
        if not asked:
            return ""
        self._careless()
        return f"forces in: {self._merged(self.world.rng.choice(asked))}"

    def _merged(self, question: Question) -> str:
        self._writes = 0
        self.world.people.merge(question)
        return f"merges {question.subject}"

    def _careless(self) -> None:
        self.world.ledger = replace(self.world.ledger, careless=True)

    def order(self) -> str:
        """Give an order by command."""
        return self._ordered(Order(self.world.rng.choice((Word.ABORT, Word.DECLINE, Word.RETRY))))

    def _ordered(self, order: Order) -> str:
        world = self.world
        self.command.die()  # each command is a process of its own
        if self.command.refusal(world.wish, world.now, order):
            return ""
        self._writes = 0
        self.command.look(world.wish, world.now, order)
        while self.command.busy:
            self.command.push()
        return str(order.word)

    def change(self) -> str:
        """Let the source want another revision."""
        self._writes = 0
        self.world.wish = self.world.wishes.wish(self.world.rng.choice(_WAYS), self.world.wish.replicas)
        return f"wants {self.world.wish}"

    def scale(self) -> str:
        """Let the source want other replicas."""
        self._writes = 0
        replicas = self.world.rng.choice((0, 1, 2, 3, 4, 6, 9))
        self.world.wish = self.world.wishes.wish(self.world.wish.name, replicas)
        self.world.ledger = replace(self.world.ledger, scaled=True)
        return f"wants {self.world.wish}"

    def as_meant(self) -> str:
        """Let the source have its replicas as they were written."""
        self.world.wish = self.world.wishes.wish(self.world.wish.name)
        self.world.ledger = replace(self.world.ledger, scaled=True)
        return f"wants {self.world.wish}"

    def revert(self) -> str:
        """Revert the last gate that was merged."""
        return self._by_hand(self.world.people.revert())

    def edit(self) -> str:
        """Edit the output by hand."""
        return self._by_hand(self.world.people.edit(self.world.rng))

    def set_back(self) -> str:
        """Set the output branch back."""
        return self._by_hand(self.world.people.set_back(self.world.rng))

    def _by_hand(self, did: str) -> str:
        if did:
            # Files come back that carry lower numbers: whoever does this breaks the glass (R1).
            self._writes, self.world.cluster.guarded = 0, False
            self._careless()
        return did

    def autoscale(self) -> str:
        """Let an autoscaler want other replicas."""
        self.world.controller.scale(self.world.rng.randrange(1, 9))
        self.world.ledger = replace(self.world.ledger, scaled=True)
        return "wants other replicas"

    def kill(self) -> str:
        """Let a pod die."""
        pods = self.world.controller.pods
        if not pods:
            return ""
        pod = self.world.rng.choice(pods)
        self.world.routers.lost(pod)
        self.world.controller.die(pod.uid)
        return "a pod dies"

    def jump(self) -> str:
        """Set the clock."""
        self.world.now += timedelta(minutes=self.world.rng.randrange(-4320, 4320))
        self._writes = 0
        return "is set"
