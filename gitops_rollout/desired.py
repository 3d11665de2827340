"""What the source wants of each workload; what cannot be read is never taken for gone."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.settings import Pipeline
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.kinds.registry import kind_named
from gitops_rollout.rollout.deletion import Item, stop
from gitops_rollout.rollout.draft import Desired, Presence
from gitops_rollout.source.source import Source

MOVED_FROM = "gitops-rollout.io/moved-from"


@dataclass(frozen=True)
class Wanted:
    """The source as the planner sees it; `held` says why nothing is deleted now (empty: it may be)."""

    source: Source
    pipeline: Pipeline
    held: str = ""
    confirmed: frozenset[WorkloadKey] = field(default_factory=frozenset)
    moved: Mapping[WorkloadKey, WorkloadKey] = field(default_factory=dict)
    """Old workload → the one that took over from it; None of them is counted as gone."""
    recorded: frozenset[WorkloadKey] = field(default_factory=frozenset)

    @cached_property
    def scopes(self) -> frozenset[str]:
        """Give what workloads take under their own names of what no two may share a prefix of (R17)."""
        return frozenset(_scopes({*self.source.specs, *self.recorded}))

    def of(self, key: WorkloadKey) -> Desired:
        """Give what the source wants of one workload."""
        source = self.source
        if key in source.specs:
            explained = source.policy(key, self.pipeline.default_policy)
            known = not explained.problems and not source.unreadable
            return Desired(
                Presence.PRESENT,
                source.specs[key],
                explained.policy if known else None,
                explained.problems,
                freezes=source.policies.freezes,
                scopes=self.scopes if explained.policy.strategy is Strategy.NEW_GRAPH else frozenset(),
            )
        if key in source.refused:
            return Desired(Presence.REFUSED, problems=source.refused[key], freezes=source.policies.freezes)
        successor = self.moved.get(key)
        if source.unreadable or (successor is not None and successor not in self.recorded):
            return Desired(Presence.HELD)
        if self.held and key not in self.confirmed and successor is None:
            return Desired(Presence.HELD)
        return Desired(Presence.ABSENT, moved_to=str(successor or ""), freezes=source.policies.freezes)

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """Say that deletions are held, and how to go on."""
        if not self.held:
            return ()
        message = (
            f"{self.held}: nothing is deleted. If this is meant, name the workloads under confirmDeletion "
            "in the settings; else put the files back"
        )
        return (Problem(code="DELETION_HELD", message=message),)


def want(
    source: Source,
    pipeline: Pipeline,
    recorded: Collection[WorkloadKey],
    others: Mapping[Item, bool],
) -> Wanted:
    """Weigh what is gone against what is published. `others`: published objects → still wanted."""
    confirmed = frozenset(key for words in pipeline.confirm_deletion if (key := key_of(words)) is not None)
    moved = dict(_moves(source))
    gone = {
        (key.namespace, str(key))
        for key in recorded
        if key not in source.specs and key not in source.refused and key not in confirmed and key not in moved
    }
    gone |= {item for item, wanted in others.items() if not wanted}
    published = {(key.namespace, str(key)) for key in recorded} | set(others)
    return Wanted(source, pipeline, stop(gone, published), confirmed, moved, frozenset(recorded))


def _scopes(keys: Iterable[WorkloadKey]) -> Iterator[str]:
    for key in keys:
        kind = kind_named(key.kind)
        beside = kind.under(Strategy.NEW_GRAPH).beside if kind is not None else None
        if beside is not None:
            yield beside.scope(key.namespace, key.name)


def _moves(source: Source) -> Iterator[tuple[WorkloadKey, WorkloadKey]]:
    """Give (old, new) for every spec that says where it moved from and stands alone now."""
    for key, marks in source.marks.items():
        words = marks.get(MOVED_FROM)
        old = key_of(words, key.namespace) if words and key in source.specs else None
        if old is not None and old != key and old not in source.specs and old not in source.refused:
            yield old, key


def key_of(words: str, namespace: str = "default") -> WorkloadKey | None:
    """Read `ms/chat -n serving` or `ModelServing/chat`; None when it names no workload."""
    parts = words.split()
    if len(parts) == 3 and parts[1] in ("-n", "--namespace"):
        namespace = parts[2]
    elif len(parts) != 1:
        return None
    word, slash, name = parts[0].partition("/")
    kind = kind_named(word) if slash else None
    return WorkloadKey(namespace, kind.kind, name) if kind is not None and name else None
