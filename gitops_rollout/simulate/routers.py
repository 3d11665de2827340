"""Routers that are told whom to choose, as the proposal has them (R18, R19; DESIGN 7).

Each holds one policy and forgets it when it restarts. A lower version, or another body for its own version,
is refused (409). A router that is told nothing of its own revision answers nobody: a missing binding never
falls back to the default.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from gitops_rollout.api.values import Object, mapping, sequence, text
from gitops_rollout.rollout.bindings import digest
from gitops_rollout.rollout.router_fence import RouterAnswer
from gitops_rollout.simulate.controllers import Pod

_WORKER, _SUFFIX, _OWNER = "worker", "Revision", "routerRevision"


@dataclass(frozen=True, slots=True)
class Told:
    """What a router holds since it started: `boot` counts its starts; version 0: nothing."""

    boot: int = 1
    version: int = 0
    body: Object = field(default_factory=dict)

    def chooses(self, revision: str) -> Mapping[str, str]:
        """Give whom routers of a revision choose by role; `worker` stands for every role. Nobody: {}."""
        for one in map(mapping, sequence(self.body.get("routerRevisionBindings"))):
            if one.get(_OWNER) == revision:
                return {name.removesuffix(_SUFFIX): text(it) for name, it in one.items() if name != _OWNER}
        default = mapping(self.body.get("default")).get("workerRevision")
        return {_WORKER: revision} if default == revision else {}


@dataclass(frozen=True, slots=True)
class Accepted:
    """A policy that one start of one router accepted."""

    uid: int
    boot: int
    version: int
    digest: str


@dataclass
class Routers:
    """All routers by the UID of their pods. `managed`: they need to be told."""

    managed: bool = False
    told: Mapping[int, Told] = field(default_factory=dict)
    accepted: tuple[Accepted, ...] = ()
    answers: Mapping[tuple[int, int], RouterAnswer] = field(default_factory=dict)
    """The last answer of each start of each router, whoever put to it."""
    hurt: frozenset[str] = frozenset()
    """What those routers were made from that died or restarted by themselves."""

    def follow(self, routers: Iterable[Pod]) -> None:
        """Take in which routers there are now."""
        uids = {pod.uid for pod in routers} if self.managed else set()
        if uids != self.told.keys():
            self.told = {uid: self.told.get(uid, Told()) for uid in sorted(uids)}
            self.answers = {key: one for key, one in self.answers.items() if key[0] in uids}

    def put(self, uid: int, version: int, raw: bytes) -> bool:
        """Put a policy to a router; says whether there was one. What it answers is kept."""
        held = self.told.get(uid)
        if held is None:
            return False
        sent = mapping(json.loads(raw))
        other = version == held.version and sent != held.body
        if version > held.version:
            held = replace(held, version=version, body=sent)
            self.told = {**self.told, uid: held}
            self.accepted = (*self.accepted, Accepted(uid, held.boot, version, digest(sent)))
        answer = RouterAnswer(str(uid), str(held.boot), held.version, digest(sent), refused=other)
        self.answers = {**self.answers, (uid, held.boot): answer}
        return True

    def restart(self, pod: Pod) -> None:
        """Restart a router in its pod: it has forgotten everything."""
        self.told = {**self.told, pod.uid: Told(self.told[pod.uid].boot + 1)}
        self.lost(pod)

    def lost(self, pod: Pod) -> None:
        """Note that a pod died by itself, or forgot: whoever takes its place has to be told again."""
        if pod.uid in self.told:
            self.hurt |= {pod.made_from}

    def healed(
        self, pods: Iterable[Pod], names: Mapping[str, Collection[str]], dead: Collection[str]
    ) -> frozenset[str]:
        """Give what is still hurt: where pods are missing, or routers wait until they are told again."""
        waiting = {pod.made_from for pod in pods if pod.uid in self.told and not self._knows(pod, names)}
        self.hurt &= {*waiting, *dead}
        return self.hurt

    def unanswered(self, raw: bytes) -> tuple[int, ...]:
        """Name the routers whose last answer since they started was not to this policy."""
        meant = digest(mapping(json.loads(raw)))
        heard = {key for key, one in self.answers.items() if one.digest == meant}
        return tuple(uid for uid, one in self.told.items() if (uid, one.boot) not in heard)

    def answering(self, pods: tuple[Pod, ...], names: Mapping[str, Collection[str]]) -> tuple[Pod, ...]:
        """Give the pods as they answer: a router only when it is told of its own revision."""
        if not self.managed:
            return pods
        return tuple(
            replace(pod, ready=False) if pod.uid in self.told and not self._knows(pod, names) else pod
            for pod in pods
        )

    def _knows(self, pod: Pod, names: Mapping[str, Collection[str]]) -> bool:
        return any(self.told[pod.uid].chooses(one) for one in names.get(pod.made_from, ()))


@dataclass
class Client:
    """Puts to routers what stands in the head: it reads, and then it may sleep before each router."""

    routers: Routers
    waiting: list[tuple[int, int, bytes]] = field(default_factory=list)
    """Router, version and body that are to be put."""

    def read(self, sent: tuple[int, bytes] | None) -> bool:
        """Take in what a head that was just read tells routers; says whether anything is to be put."""
        due = self.routers.unanswered(sent[1]) if sent is not None else ()
        self.waiting = [(uid, *sent) for uid in due] if sent is not None else []
        return bool(due)

    def put(self) -> bool:
        """Put to the next router; says whether it is still there."""
        return self.routers.put(*self.waiting.pop(0))
