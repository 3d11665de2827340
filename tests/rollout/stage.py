"""One workload on its way through the planner, in words; nothing but values underneath."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import ClassVar, Self

from gitops_rollout.api.policy import Policy, Step
from gitops_rollout.api.steps import Share
from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.api.workload import Spec, WorkloadKey
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.drafts import Written, written
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.output.heads import Absent, read_head
from gitops_rollout.output.ours import Ours
from gitops_rollout.output.versions import Place
from gitops_rollout.rollout.draft import Desired, Head, Order, Presence, Scene
from gitops_rollout.rollout.gate import Gate
from gitops_rollout.rollout.plan import Plan, begin, plan, refusal
from gitops_rollout.rollout.state import State
from gitops_rollout.rollout.state import Written as Threshold
from gitops_rollout.simulate.branch import US
from tests.rollout.line import Changes, Line

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
KEY = WorkloadKey("serving", "ModelServing", "chat")
ROOT = "out"
HOME = f"{ROOT}/serving/chat"
FILE = f"{HOME}/rollout.yaml"
OBJECT = f"{HOME}/capacity/modelserving.yaml"
KIND: Kind = MODEL_SERVING


def steps(*shares: int | str, soak: int = 0) -> Policy:
    """Give the policy `[1, 50%, 100%]` for (1, "50%", "100%")."""
    parsed = [Share.parse(share) for share in shares]
    return Policy(tuple(Step(share.step_name, share, soak) for share in parsed), soak)


def pod(image: str) -> Object:
    return {"spec": {"containers": [{"name": "main", "image": image}]}}


def manifest(replicas: int, roles: Sequence[Json], strategy: Json = None) -> Object:
    return {
        "apiVersion": "workload.serving.volcano.sh/v1alpha1",
        "kind": "ModelServing",
        "metadata": {"name": "chat", "namespace": "serving"},
        "spec": {
            "replicas": replicas,
            "template": {"roles": [*roles]},
            **({"rolloutStrategy": strategy} if strategy else {}),
        },
    }


def groups(image: str, replicas: int = 4, floor: Json = None, **rolling: Json) -> Object:
    """Write a workload of one role that rolls by whole groups."""
    config: Object = {**({} if floor is None else {"partition": floor}), **rolling}
    strategy: Json = {"rollingUpdateConfiguration": config} if config else None
    role: Json = {"name": "decode", "replicas": 1, "workerReplicas": 0, "entryTemplate": pod(image)}
    return manifest(replicas, [role], strategy)


def roles(by_name: Mapping[str, Object], *, by_role: bool = True) -> Object:
    """Write a workload that rolls by role (or not); `{"decode": {"image": …, "replicas": …}}`."""
    listed: list[Json] = []
    for name, fields in by_name.items():
        rest = {key: value for key, value in fields.items() if key != "image"}
        listed.append({"name": name, "workerReplicas": 0, "entryTemplate": pod(str(fields["image"])), **rest})
    return manifest(2, listed, {"type": "RoleRollingUpdate"} if by_role else None)


def accepted(value: Object, kind: Kind = KIND) -> Spec:
    """Check a manifest as the source does."""
    spec = kind.check(value, "serving").spec
    assert spec is not None
    return spec


@dataclass
class Stage:
    """A source with one workload, an output branch, and the service between them."""

    wanted: Object | None
    policy: Policy | None = field(default_factory=lambda: steps(1, "50%", "100%"))
    presence: Presence = Presence.PRESENT
    now: datetime = NOON
    line: Line = field(default_factory=Line)
    last: Written | None = None
    question: Changes = field(default_factory=dict)
    """What a merge of the open gate changes."""
    asked: list[tuple[Gate, Changes]] = field(default_factory=list)

    key: ClassVar[WorkloadKey] = KEY
    kind: ClassVar[Kind] = KIND

    @property
    def place(self) -> Place:
        return Place(self.line, ROOT, self.key, self.kind)

    def source(self, wanted: Object | None) -> Self:
        """Let the source want something else; None: the spec is gone."""
        self.wanted = wanted
        self.presence = Presence.PRESENT if wanted else Presence.ABSENT
        return self

    def scene(self, order: Order | None = None) -> Scene:
        spec = accepted(self.wanted, self.kind) if self.wanted is not None else None
        desired = Desired(self.presence, spec, self.policy)
        return Scene(self.key, self.kind, desired, self.now, "c0ffee", "test", order)

    def head(self) -> Head | Absent:
        removed = {}
        if self.line.head is not None:
            removed = dict(self.line.removed_on_first_parent(self.line.head, ROOT, "rollout.yaml"))
        ours = Ours(self.line, ROOT, US, self.line.head)
        head = read_head(self.place, self.line.head, removed.get(FILE), ours)
        assert isinstance(head, Head | Absent), str(head)
        return head

    def decided(self, order: Order | None = None) -> tuple[Plan, Head | None]:
        scene, head = self.scene(order), self.head()
        if isinstance(head, Head):
            return plan(scene, head), head
        assert scene.desired.spec is not None
        return begin(scene, scene.desired.spec, head.last_seq), None

    def look(self, order: Order | None = None) -> Written:
        """Do one pass: decide, commit, ask."""
        decided, head = self.decided(order)
        self.last = written(self.kind, self.key, decided, head, ("c0ffee", self.now))
        for changes in (self.last.publish, self.last.cleanup):
            if changes:
                self.line.publish(at_home(changes))
        gate = self.last.plan.asked
        self.question = at_home(self.last.gate_files()) if gate else {}
        if gate is not None and (not self.asked or self.asked[-1][1] != self.question):
            self.asked.append((gate, self.question))
        return self.last

    def settle(self) -> Self:
        """Do passes until one writes nothing."""
        for _ in range(5):
            if not self.wrote(self.look()):
                return self
        raise AssertionError("the passes come to no end")

    @staticmethod
    def wrote(one: Written) -> bool:
        return bool(one.publish or one.cleanup)

    @property
    def gate(self) -> Gate | None:
        """Give the open gate of the last pass."""
        return self.last.plan.asked if self.last else None

    def merge(self, *, look: bool = True) -> Self:
        """Merge the open gate, and by default do a pass."""
        assert self.gate is not None, "no gate is open"
        self.line.commit(self.question)
        return self.settle() if look else self

    def through(self, *names: str) -> Self:
        """Merge these gates, each after the other."""
        for name in names:
            assert self.gate is not None
            assert self.gate.step == name
            self.merge()
        return self

    def order(self, order: Order) -> Self:
        """Give an order, as far as it is possible."""
        head = self.head()
        assert isinstance(head, Head)
        assert not refusal(self.scene(order), head)
        self.look(order)
        return self.settle()

    def refusal(self, order: Order) -> str:
        head = self.head()
        assert isinstance(head, Head)
        return refusal(self.scene(order), head)

    def later(self, **span: float) -> Self:
        self.now += timedelta(**span)
        return self

    def edit(self, partition: int) -> Self:
        """Write another partition into the published object by hand."""
        value = self.published
        path = mapping(at(value, "spec", "rolloutStrategy", "rollingUpdateConfiguration"))
        path["partition"] = partition
        self.line.commit({OBJECT: emit(value).encode()})
        return self

    @property
    def state(self) -> State:
        head = self.head()
        assert isinstance(head, Head)
        return head.file.state

    @property
    def in_force(self) -> tuple[Threshold | None, Threshold | None, str | None]:
        """Give partition, lowest and step in force."""
        published = self.state.published
        return published.partition, published.lowest, published.step

    @property
    def published(self) -> Object:
        """Read the published object."""
        (only,) = load(self.line.files[OBJECT], Limits())
        return mapping(only.value)

    @property
    def image(self) -> Json:
        return images(self.published)["decode"]

    @property
    def partition(self) -> Json:
        """Give the published partition, None where none is written."""
        return at(self.published, "spec", "rolloutStrategy", "rollingUpdateConfiguration", "partition")

    @property
    def codes(self) -> set[str]:
        """Give the codes that the last pass told."""
        return {note.code for note in self.last.plan.notes} if self.last else set()

    def revision(self, image: str) -> str:
        """Name the recorded revision of an image."""
        head = self.head()
        assert isinstance(head, Head)
        return next(one.id for one in head.history if images(one.text)["decode"] == image)


def at_home(changes: Changes) -> Changes:
    """Put changes of the folder at their place on the branch."""
    return {f"{HOME}/{path}": content for path, content in changes.items()}


def role_of(published: Object, name: str) -> Object:
    """Find a role of a published object."""
    listed = sequence(at(published, "spec", "template", "roles"))
    return next(mapping(role) for role in listed if at(role, "name") == name)


def images(published: Object) -> dict[str, str]:
    """Give the image of every role."""
    found = {}
    for role in sequence(at(published, "spec", "template", "roles")):
        (container,) = sequence(at(role, "entryTemplate", "spec", "containers"))
        found[str(at(role, "name"))] = str(at(container, "image"))
    return found


def chat(replicas: int = 4, floor: Json = None, policy: Policy | None = None) -> Stage:
    """A workload that is published and idle, by default with four replicas under steps [1, 50%, 100%]."""
    return Stage(groups("engine:a", replicas, floor), policy or steps(1, "50%", "100%")).settle()


def rolling(*gates: str, replicas: int = 4, floor: Json = None, policy: Policy | None = None) -> Stage:
    """The workload of `chat` on its way from engine:a to engine:b, with these gates merged."""
    stage = chat(replicas, floor, policy)
    return stage.source(groups("engine:b", replicas, floor)).settle().through(*gates)
