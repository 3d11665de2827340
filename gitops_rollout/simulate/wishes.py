"""What the simulated source holds: the two manifests and the policy, and what people may make of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, mapping, sequence, text
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.kinds.dynamograph import fields as dynamograph
from gitops_rollout.kinds.modelserving import fields as modelserving
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.kinds.registry import KINDS, kind_named, kind_of
from gitops_rollout.ports import NewCommit
from gitops_rollout.rollout.draft import Desired, Presence
from gitops_rollout.simulate.branch import Branch
from gitops_rollout.source.cache import MemoryCache
from gitops_rollout.source.identify import Terms
from gitops_rollout.source.reader import Reader
from gitops_rollout.source.readings import Readings
from gitops_rollout.source.source import Source

BEFORE, AFTER, THIRD = "before", "after", "third"


class NotPlayable(Exception):
    """The input is refused; `problems` say why."""

    def __init__(self, *problems: Problem) -> None:
        super().__init__("; ".join(map(str, problems)))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Wish:
    """One state of the source. `replicas` None: as the manifest writes them."""

    name: str
    commit: str
    desired: Desired
    replicas: int | None = None

    def __str__(self) -> str:
        return self.name if self.replicas is None else f"{self.name} with {self.replicas} replicas"


@dataclass
class Wishes:
    """The source: every state of it that may come up, each read once, as a pass reads it."""

    manifests: Mapping[str, bytes]
    names: Mapping[str, str]
    """What the files are called, for messages."""
    beside: Mapping[str, bytes] = field(default_factory=dict)
    """The files beside them, by name: policies and routes."""
    known: dict[tuple[str, int | None], Wish] = field(default_factory=dict)
    key: WorkloadKey = field(init=False)
    kind: Kind = field(init=False)

    def __post_init__(self) -> None:
        self.key, self.kind = self._identity()
        for name in (BEFORE, AFTER):
            self.wish(name)

    def wish(self, name: str, replicas: int | None = None) -> Wish:
        """Give a state of the source; raises NotPlayable where it is refused."""
        if (name, replicas) not in self.known:
            source = self._read(name, replicas)
            desired = self._desired(source)
            self.known[name, replicas] = Wish(name, source.commit, desired, replicas)
        return self.known[name, replicas]

    def _desired(self, source: Source) -> Desired:
        refused = (*source.problems, *source.refused.get(self.key, ()))
        if refused or self.key not in source.specs:
            raise NotPlayable(*refused or (_problem("NOT_THE_SAME", f"it holds no {self.key}"),))
        explained = source.policy(self.key)
        if explained.problems:
            raise NotPlayable(*explained.problems)
        spec = source.specs[self.key]
        return Desired(Presence.PRESENT, spec, explained.policy, freezes=source.policies.freezes)

    def _identity(self) -> tuple[WorkloadKey, Kind]:
        found = sorted(self._read(BEFORE, None).specs)
        refused = self._read(BEFORE, None).problems
        if refused:
            raise NotPlayable(*refused)
        kind = kind_named(found[0].kind) if len(found) == 1 else None
        if kind is None:
            many = f"{self.names[BEFORE]} holds {len(found)} workloads; one is played at a time"
            raise NotPlayable(_problem("NOT_ONE_WORKLOAD", many))
        return found[0], kind

    def _read(self, name: str, replicas: int | None) -> Source:
        """Read one state as a pass reads the head of a source."""
        tree = Branch()
        file = self.names[AFTER if name == THIRD else name]
        files: dict[str, bytes | None] = {**self.beside, file: self._manifest(name, replicas)}
        commit = tree.write(NewCommit((), files, "", 0))
        source = Reader(Readings(tree, Terms(KINDS), MemoryCache()), ("",)).read(commit)
        told = name if replicas is None else f"{name}-{replicas}"
        return replace(source, commit=told, observes=True)

    def _manifest(self, name: str, replicas: int | None) -> bytes:
        raw = self.manifests[AFTER if name == THIRD else name]
        if name != THIRD and replicas is None:
            return raw
        values = [mapping(one.value) for one in load(raw, Limits())]
        return b"---\n".join(emit(self._altered(one, name, replicas)).encode() for one in values)

    def _altered(self, value: Object, name: str, replicas: int | None) -> Object:
        if kind_of(value) is None:
            return value
        spec = mapping(value.get("spec"))
        if replicas is not None:
            spec = _SCALED[self.kind.kind](spec, replicas)
        return {**value, "spec": _other_images(spec) if name == THIRD else spec}


def _groups(spec: Object, replicas: int) -> Object:
    return {**spec, "replicas": replicas}


def _components(spec: Object, replicas: int) -> Object:
    """Give a graph with other replicas of every component, in either version of its API."""
    listed: list[Json] = [{**mapping(one), "replicas": replicas} for one in sequence(spec.get("components"))]
    named: Object = {
        name: {**mapping(one), "replicas": replicas} for name, one in mapping(spec.get("services")).items()
    }
    return {**spec, **({"components": listed} if listed else {}), **({"services": named} if named else {})}


_SCALED: Mapping[str, Callable[[Object, int], Object]] = {
    modelserving.KIND: _groups,
    dynamograph.KIND: _components,
}


def _other_images(value: Json) -> Json:
    """Give a value whose images are others: the third revision of a run."""
    if isinstance(value, dict):
        return {
            name: f"{text(part)}-third" if name == "image" and isinstance(part, str) else _other_images(part)
            for name, part in value.items()
        }
    return [_other_images(one) for one in value] if isinstance(value, list) else value


def _problem(code: str, message: str) -> Problem:
    return Problem(code=code, message=message)
