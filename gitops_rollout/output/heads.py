"""Reading what the planner goes on from: the head's version, or the newest one that can be trusted."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object
from gitops_rollout.documents.load import Limits, Unreadable, load
from gitops_rollout.output.ours import Ours
from gitops_rollout.output.versions import MOST, Place, Version
from gitops_rollout.render.marks import is_numbered
from gitops_rollout.revision.history import History
from gitops_rollout.revision.record import Revision, read_controller_revision
from gitops_rollout.rollout import file as rollout_file
from gitops_rollout.rollout.draft import Head
from gitops_rollout.rollout.gate import UNPROTECTED
from gitops_rollout.rollout.state import RolloutFile


@dataclass(frozen=True, slots=True)
class Absent:
    """There is no rollout file: a new name, which goes on from the last number it ever had."""

    last_seq: int = 0
    taken: tuple[str, ...] = ()
    """Files of people that stand where ours would."""


def read_head(
    place: Place, commit: str | None, removed_by: str | None, ours: Ours
) -> Head | Absent | Problem:
    """Read one workload at the head, with what stands there of graphs where others wrote last.

    `removed_by` is the newest commit of the first-parent line that removed its rollout file, where
    its whole folder is not there now. A Problem: there is a record, and no version of it can be trusted (R3).
    """
    if commit is None:
        return Absent()
    head = _read_head(place, commit, removed_by, ours)
    if not isinstance(head, Head) or not head.file.state.graphs or head.as_left:
        return head
    return replace(head, stands=tuple(place.objects(commit)))


def _read_head(place: Place, commit: str, removed_by: str | None, ours: Ours) -> Head | Absent | Problem:
    version = place.version(commit)
    if version.file is not None:
        return _with_history(place, commit, _standing(place, commit, version, ours))
    if version.newer:
        path = f"{place.folder}/{rollout_file.NAME}"
        return Problem(file=path, code="NEWER_FORMAT", message=version.why)
    if rollout_file.NAME in version.files:
        return _restored(place, commit, version.why)
    if removed_by is None and version.files:
        path = f"{place.folder}/{rollout_file.NAME}"
        removed_by = next(iter(place.repository.changed_on_first_parent(commit, path, 1)), None)
    if removed_by is not None:
        return _removed(place, commit, removed_by)
    return Absent(taken=tuple(sorted(path for path in version.files if _would_be_ours(place, path))))


def _from_past(place: Place, past: str) -> Head | None:
    """Go on from a record that vanished when the branch was rewound; None when there was none (R3)."""
    version = place.version(past)
    if version.file is None:
        return None
    last = (rollout_file.seen_seq(version.files), "the output branch was rewound")
    return _resumed(place, version, [], last)


def not_older(place: Place, head: Head | Absent, past: str) -> Head | Absent:
    """Go on from the newer record of a branch that was rewound from `past`: numbers are never used again,
    and what was shown of a candidate was shown (R1, R3, R12).
    """
    seen = head.file.fence.seq if isinstance(head, Head) else head.last_seq
    before = _from_past(place, past)
    if before is None or before.file.state.seq <= seen:
        return head
    return replace(before, stands=head.stands if isinstance(head, Head) else ())


def _standing(place: Place, commit: str, version: Version, ours: Ours) -> Head:
    """Find what our last commit left, and what was shown since."""
    file = version.file
    assert file is not None  # noqa: S101  # the caller has looked
    if version.sound and file.state.candidate is None and ours.left(place.folder):
        return Head(file, file, History())
    versions = list(takewhile(lambda one: _no_older(one, file.state.seq), place.versions(commit)))
    if not versions or not (versions[-1].sound and ours.wrote(versions[-1].commit)):
        # Our own commit is not the oldest of them: this record was put on top of others, perhaps newer.
        versions = list(place.versions(commit)) or [version]
    if (newest := _newest(versions)) > file.state.seq:
        return _set_back(place, versions, newest)
    at = _oldest(versions, file.state.seq)
    left, later = versions[at].file or file, versions[:at]
    seen = max((rollout_file.seen_seq(one.files) for one in later[1:]), default=0)
    return Head(file, left, History(), _shown(later), seen=seen, stale=_put_back(file, left, later))


def _put_back(file: RolloutFile, left: RolloutFile, later: list[Version]) -> frozenset[str]:
    """Name the objects that stand as we left them, and did not in between: whoever applies the branch may
    have taken that over, so that their number proves nothing any more (R1).
    """
    same = {path: raw for path, raw in file.files.items() if left.files.get(path) == raw}
    return _other_than(same, later)


def _other_than(files: Mapping[str, bytes], shown: list[Version]) -> frozenset[str]:
    """Name the objects of which any of these versions shows something else."""
    numbered = {path: raw for path, raw in files.items() if is_numbered(raw)}
    return frozenset(
        path for path, raw in numbered.items() if any(one.files.get(path) != raw for one in shown)
    )


def _oldest(versions: list[Version], seq: int) -> int:
    """Find our own commit: the oldest version that carries its number."""
    return max(i for i, one in enumerate(versions) if one.file is not None and one.file.state.seq == seq)


def _newest(versions: list[Version]) -> int:
    return max((one.file.state.seq for one in versions if one.file is not None), default=0)


def _set_back(place: Place, versions: list[Version], newest: int) -> Head:
    """Go on from what our newest commit left: an older record was put on top of it (R2, R3).

    Its state and its approvals are of the past, however well they are sealed.
    """
    at = _oldest(versions, newest)
    later = versions[:at]
    last = max(rollout_file.seen_seq(one.files) for one in later)
    return _resumed(place, versions[at], later, (last, "its record was set back"))


def _no_older(version: Version, seq: int) -> bool:
    return version.file is None or version.file.state.seq >= seq


def _shown(versions: list[Version]) -> tuple[Object, ...]:
    return tuple(shown for one in versions if (shown := one.shown) is not None)


def _restored(place: Place, commit: str, why: str) -> Head | Problem:
    """Go on from the newest version that can be trusted; its number is passed over, never used again."""
    versions = list(place.versions(commit))
    newest = _newest(versions)
    # The last one that can be read may be an older record that was put on top of a newer one (R2).
    at = next((i for i, one in enumerate(versions) if one.file and one.file.state.seq == newest), None)
    if at is not None:
        last = max(rollout_file.seen_seq(one.files) for one in versions[: at + 1])
        return _resumed(place, versions[at], versions[:at], (last, why))
    return Problem(
        file=f"{place.folder}/{rollout_file.NAME}",
        code="RECORD_TAMPERED",
        message=f"{why}, and none of its last {MOST} versions can be used; restore the file by hand",
    )


def _removed(place: Place, commit: str, removed_by: str) -> Head | Absent | Problem:
    parents = place.repository.info(removed_by).parents
    version = place.version(parents[0]) if parents else None
    if version is None or version.file is None:
        return _restored(place, commit, "its rollout file was removed")
    last = rollout_file.seen_seq(version.files)
    if _agreed(version.file):
        return Absent(last_seq=last)
    return _restored(place, commit, "its folder was removed by hand")


def _agreed(file: RolloutFile) -> bool:
    """Say whether both keys of a deletion were turned: then we removed the folder (R6)."""
    state, approved = file.state, file.approved
    if state.withdraw is not None and state.withdraw.stage == "remove":
        return True
    asked = state.withdraw is not None and state.withdraw.stage == UNPROTECTED
    merged = approved is not None and approved.step == UNPROTECTED and file.fence.seq == state.seq + 1
    return asked and merged


def _resumed(place: Place, version: Version, later: list[Version], last: tuple[int, str]) -> Head:
    file = version.file
    assert file is not None  # noqa: S101  # the callers have looked
    seq, why = last
    file = replace(file, state=replace(file.state, seq=max(seq, file.state.seq)))
    told = f"{why}; the record of {version.commit[:10]} goes on"
    # Where the whole folder was gone, everything of it may have been taken away by who applies the branch.
    stale = _other_than(file.files, later) if later else frozenset(file.files)
    head = Head(file, file, History(), _shown(later), restored=told, stale=stale)
    return _with_history(place, version.commit, head)


def _with_history(place: Place, commit: str, head: Head) -> Head:
    """Read every recorded revision; one that was edited is healed from an ancestor by its digest (R26)."""
    revisions: list[Revision] = []
    damage: dict[str, Problem] = {}
    for path in _revision_paths(head.file):
        found = _read(place, head.file.files.get(path))
        if isinstance(found, Problem):
            found = _healed(place, commit, path) or found.within(f"{place.folder}/{path}", 0)
        if isinstance(found, Problem):
            damage[path.rpartition("/")[2].removesuffix(".yaml")] = found
        else:
            revisions.append(found)
    history = History(tuple(sorted(revisions, key=lambda one: one.number)), tuple(damage))
    return replace(head, history=history, damage=tuple(damage.values()))


def _healed(place: Place, commit: str, path: str) -> Revision | None:
    whole = f"{place.folder}/{path}"
    for older in place.repository.changed_on_first_parent(commit, whole, MOST):
        found = _read(place, place.repository.read(older, whole))
        if isinstance(found, Revision):
            return found
    return None


def _read(place: Place, raw: bytes | None) -> Revision | Problem:
    try:
        documents = load(raw or b"", Limits())
    except Unreadable as error:
        return error.problem
    if len(documents) != 1:
        return Problem(code="HISTORY_UNKNOWN", message="this revision is missing")
    return read_controller_revision(place.key, documents[0].value)


def _revision_paths(file: RolloutFile) -> list[str]:
    names = (name.partition("/") for name in file.state.inventory)
    return [f"capacity/revisions/{name}.yaml" for kind, _, name in names if kind == "ControllerRevision"]


def _would_be_ours(place: Place, path: str) -> bool:
    ours = {rollout_file.NAME, "capacity/kustomization.yaml", f"capacity/{place.kind.filename}"}
    return path in ours or path.startswith(f"capacity/revisions/{place.key.name}-r")
