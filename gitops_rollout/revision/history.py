"""The revisions of one workload: found by content, numbered, never overwritten, pruned with care."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from gitops_rollout.api.values import Object
from gitops_rollout.kinds.protocol import Injection, Kind
from gitops_rollout.revision.identity import digest, revision_id
from gitops_rollout.revision.record import OURS, Revision
from gitops_rollout.semantics.canonical import canonical_bytes

REVISION_LABEL = f"{OURS}/revision"
ROLE_LABEL = f"{OURS}/role-revision"


@dataclass(frozen=True, slots=True)
class History:
    """All recorded revisions of one workload, oldest number first.

    `damaged` names the ControllerRevisions that are recorded and cannot be read: they stay where they
    are, and nothing is pruned beside them.
    """

    revisions: tuple[Revision, ...] = ()
    damaged: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Revision]:
        return iter(self.revisions)

    def get(self, revision: str | None) -> Revision | None:
        """Find a revision by its name."""
        return next((one for one in self.revisions if one.id == revision), None)

    def __getitem__(self, revision: str) -> Revision:
        found = self.get(revision)
        if found is None:
            raise KeyError(revision)
        return found

    def equal(self, kind: Kind, text: Object) -> Revision | None:
        """Find the newest revision that is semantically equal to `text`.

        The canonical bytes decide, never a hash: an equal hash is no equality, a hash that drifted
        is no change (Kthena #1803).
        """
        form = canonical_bytes(kind.canonical(text))
        same = (one for one in self.revisions if canonical_bytes(kind.canonical(one.text)) == form)
        return max(same, key=lambda one: one.number, default=None)

    def digest_of(self, kind: Kind, text: Object) -> str:
        """Give the digest that `text` is recorded under, or would be: a drifted hash is no change."""
        known = self.equal(kind, text)
        return known.digest if known is not None else digest(kind.canonical(text))

    @property
    def next_number(self) -> int:
        """Give the number after the highest one."""
        return max((one.number for one in self.revisions), default=0) + 1

    def record(self, revision: Revision) -> "History":
        """Add a new revision, or put the raised number of an old one in its place."""
        others = [one for one in self.revisions if one.id != revision.id]
        return replace(self, revisions=tuple(sorted([*others, revision], key=lambda one: one.number)))

    def raised(self, revision: str) -> "History":
        """Make an older revision the newest one again; the newest one stays as it is."""
        if self.revisions and self.revisions[-1].id == revision:
            return self
        return self.record(replace(self[revision], number=self.next_number))

    def pruned(self, live: Collection[str], limit: int) -> "History":
        """Keep what is live, and of the rest the `limit` newest (Kthena #1584, kubernetes #86097)."""
        rest = [one for one in self.revisions if one.id not in live]
        gone = {one.id for one in rest[: max(0, len(rest) - limit)]}
        return replace(self, revisions=tuple(one for one in self.revisions if one.id not in gone))


def free_name(history: History, full: str) -> str:
    """Give the name of a digest; one that is taken by other bytes is passed over, the same each time."""
    taken = {one.id for one in history}
    collisions = 0
    while (name := revision_id(full, collisions)) in taken:
        collisions += 1
    return name


def injected(kind: Kind, stable: Revision, text: Object, whole: str | None) -> Injection:
    """Say which labels a revision born under our care carries (DESIGN 6, R10, R23).

    `whole` is the revision's name where the workload rolls as one: all templates carry it. Where
    components roll on their own (None), a component that is as on stable carries what stable
    carries, so that it does not roll; a changed one carries the digest of its own projection.
    """
    if whole is not None:
        return Injection({"*": {REVISION_LABEL: whole}})
    before = {name: canonical_bytes(form) for name, form in kind.components(stable.text).items()}
    labels = {}
    for name, form in kind.components(text).items():
        if before.get(name) == canonical_bytes(form):
            labels[name] = dict(stable.injection.labels.get(name, stable.injection.labels.get("*", {})))
        else:
            labels[name] = {ROLE_LABEL: revision_id(digest(form))}
    return Injection({name: added for name, added in labels.items() if added})
