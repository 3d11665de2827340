"""What a pass reads: where both remotes are, and everything that its decisions may depend on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.aside import Aside
from gitops_rollout.desired import Wanted
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.memory import fingerprint
from gitops_rollout.output.heads import Absent, not_older, read_head
from gitops_rollout.output.listing import Output
from gitops_rollout.output.ours import Ours
from gitops_rollout.output.versions import Place
from gitops_rollout.render.root import taken
from gitops_rollout.rollout.draft import Head
from gitops_rollout.rollout.file import NAME
from gitops_rollout.rollout.gate import folder_ref
from gitops_rollout.source.source import ObjectKey, Source
from gitops_rollout.ungated import ungated


@dataclass(frozen=True, slots=True)
class Heads:
    """Where both remotes are. `source` holds the ref of `commit`; `refs` the output's branch and gates."""

    source: Mapping[str, str]
    commit: str
    refs: Mapping[str, str]
    branch: str

    @property
    def head(self) -> str | None:
        """Give the head of the output branch, None while there is no such branch."""
        return self.refs.get(self.branch)

    @property
    def print(self) -> str:
        """Give one short text that changes when anything moves."""
        return fingerprint(self.commit, sorted(self.refs.items()))


@dataclass(frozen=True)
class World:
    """Everything that was read: the only inputs of the decisions."""

    source: Source
    output: Output
    ours: Ours
    gates: Mapping[str, Mapping[str, str]]
    keys: Mapping[WorkloadKey, Kind]
    removed: Mapping[str, str]
    aside: Aside
    wanted: Wanted
    problems: tuple[Problem, ...] = ()
    rewritten: tuple[Problem, ...] = ()
    past: str | None = None
    """The last head of an output branch that was rewound since."""

    @cached_property
    def owned_routes(self) -> Mapping[ObjectKey, Sequence[WorkloadKey]]:
        """Give the workloads by the name of the route that each asks for."""
        found: dict[ObjectKey, list[WorkloadKey]] = {}
        for key in self.source.policies.own:
            named = self.source.own_route(key)
            if named is not None:
                found.setdefault(named, []).append(key)
        return found

    def print_of(self, key: WorkloadKey) -> str:
        """Give one short text that changes with anything that this workload's plan comes from."""
        source = self.source
        return fingerprint(
            self._shared,
            self.output.tree(key),
            sorted(self.gates.get(folder_ref(key, self.keys[key].short), {}).items()),
            source.specs.digest(key) if key in source.specs else (key in source.refused),
            source.specs.file(key) if key in source.specs else "",
            sorted(source.marks.get(key, {}).items()),
            self._route_of(key),
        )

    def _route_of(self, key: WorkloadKey) -> list[str]:
        """Tell, without reading, which route of the source this workload's terms come from, and which
        stands where its own one belongs.
        """
        others = self.source.others
        named = (self.source.route_key(key), self.source.own_route(key))
        return [others.digest(one) if one is not None and one in others else "" for one in named]

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Give everything that people should see although it stops nothing."""
        said = (*self.source.warnings, *self.wanted.warnings, *self.rewritten)
        return (*said, *ungated(self.aside, self.source))

    @cached_property
    def _shared(self) -> str:
        policies = self.source.policies
        return fingerprint(
            policies.fleet, policies.own, policies.freezes, self.source.unreadable, self.wanted.held
        )

    def head_of(self, place: Place, installation: str) -> Head | Absent | Problem:
        """Read what a workload's plan goes on from; a Problem says why it has none."""
        at = self.output.head
        head = read_head(place, at, self.removed.get(f"{place.folder}/{NAME}"), self.ours)
        if self.past is not None and not isinstance(head, Problem):
            head = not_older(place, head, self.past)
        if isinstance(head, Problem):
            return head
        if isinstance(head, Head) and head.file.state.installation != installation:
            return of_another(place, head.file.state.installation)
        untouched = isinstance(head, Head) and head.as_left
        in_the_way = place.obstacle(at) if at is not None and not untouched else None
        return head if in_the_way is None else taken(in_the_way)


def rewritten(which: str, old: str, new: str) -> Problem:
    """Say that a branch does not follow from where it was."""
    message = f"the {which} branch was rewritten: it was at {old[:10]} and is at {new[:10]}; it is followed"
    return Problem(code="HISTORY_REWRITTEN", message=message)


def of_another(place: Place, installation: str) -> Problem:
    """Say that another pipeline writes this rollout."""
    message = f"pipeline {installation!r} writes this rollout; two writers would undo each other"
    return Problem(file=f"{place.folder}/{NAME}", code="OTHER_INSTALLATION", message=message)


def unknown_kind(output: Output, namespace: str, name: str) -> Problem:
    """Say that a record does not tell whose it is."""
    return Problem(
        file=output.path(namespace, name, NAME),
        code="RECORD_TAMPERED",
        message="it does not tell which workload this is; restore the file by hand",
    )
