"""The people around a rollout: they merge its gates, give orders, change the source, and err."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random

from gitops_rollout.api.values import Object, at, mapping
from gitops_rollout.documents.emit import emit
from gitops_rollout.publish import GATES
from gitops_rollout.rollout.file import NAME
from gitops_rollout.rollout.state import Approval
from gitops_rollout.simulate.branch import MAIN, PEOPLE, Branch, Changes
from gitops_rollout.simulate.manifests import Library
from gitops_rollout.simulate.reading import ReadOnce


@dataclass(frozen=True, slots=True)
class Question:
    """A gate that stands open: its branch, and what its merge would approve and change."""

    ref: str
    commit: str
    approval: Approval
    changes: Changes
    parent: str

    @property
    def moves(self) -> bool:
        """Say whether the merge itself changes more than the rollout file."""
        return any(not path.endswith(f"/{NAME}") for path in self.changes)

    @property
    def subject(self) -> str:
        return self.approval.step


@dataclass
class People:
    """Everybody who works on the output branch by hand."""

    branch: Branch
    place: ReadOnce
    library: Library
    merged: list[Question] = field(default_factory=list)
    asked: dict[str, Question] = field(default_factory=dict)
    """Every question that was ever asked, by its commit."""

    def open(self) -> list[Question]:
        """Give the open questions."""
        found = []
        for ref, commit in self.branch.refs(GATES).items():
            if commit not in self.asked:
                read = self._read(ref, commit)
                if read is None:
                    continue
                self.asked[commit] = read
            found.append(self.asked[commit])
        return found

    def mergeable(self, question: Question) -> bool:
        """Say whether git merges it: nothing of it is changed on the branch, and not all is there already."""
        head, base = self.branch.files, self.branch.files_at(question.parent)
        there = [head.get(path) == content for path, content in question.changes.items()]
        untouched = [head.get(path) == base.get(path) for path in question.changes]
        return not all(there) and all(map(any, zip(there, untouched, strict=True)))

    def merge(self, question: Question) -> None:
        """Merge a gate, whatever was changed meanwhile (`-X theirs` where it conflicts)."""
        self._commit(question.changes, f"Merge {question.ref}")
        self.merged.append(question)

    def revert(self) -> str:
        """Take the last merge back, with the files as they were before it."""
        if not self.merged:
            return ""
        question = self.merged[-1]
        before = self.branch.files_at(question.parent)
        self._commit({path: before.get(path) for path in question.changes}, "Revert the last gate")
        return f"revert the merge of {question.subject}"

    def edit(self, rng: Random) -> str:
        """Change something of the output by hand."""
        return rng.choice((self._edit_partition, self._edit_weights, self._edit_record, self._remove))(rng)

    def set_back(self, rng: Random) -> str:
        """Set the branch back by some commits, by force."""
        line = list(self.branch.line(self.branch.head))
        if len(line) < 3:
            return ""
        back = rng.randrange(1, min(6, len(line) - 1))
        self.branch.at[MAIN] = line[back]
        return f"set the branch back by {back} commits"

    def _edit_partition(self, rng: Random) -> str:
        path = f"{self.place.folder}/capacity/{self.place.kind.filename}"
        manifest = self.library.read(self.branch.files.get(path))
        rolling = ("spec", "rolloutStrategy", "rollingUpdateConfiguration")
        now = at(manifest.value, *rolling, "partition") if manifest is not None else None
        if manifest is None or not isinstance(now, int):
            return ""
        number = rng.randrange(now + 2)
        value = _with(manifest.value, (*rolling, "partition"), number)
        self._commit({path: emit(value).encode()}, "Edit the partition")
        return f"write partition {number} instead of {now}"

    def _edit_weights(self, _rng: Random) -> str:
        return self._replaced("traffic/httproute.yaml", b"weight: ", "edit the weights of the route")

    def _edit_record(self, _rng: Random) -> str:
        return self._replaced(NAME, b"  attempt: ", "edit the record")

    def _replaced(self, file: str, before: bytes, what: str) -> str:
        """Put a 1 before every number that follows `before`."""
        path = f"{self.place.folder}/{file}"
        raw = self.branch.files.get(path)
        if raw is None:
            return ""
        self._commit({path: raw.replace(before, before + b"1")}, what.capitalize())
        return what

    def _remove(self, _rng: Random) -> str:
        files = [path for path in self.branch.files if path.startswith(f"{self.place.folder}/")]
        self._commit(dict.fromkeys(files), "Remove the folder")
        return "remove the folder"

    def _commit(self, changes: Changes, message: str) -> None:
        self.branch.writer, writer = PEOPLE, self.branch.writer
        self.branch.commit(changes, f"{message}\n")
        self.branch.writer = writer

    def _read(self, ref: str, commit: str) -> Question | None:
        file, parent = self.place.version(commit).file, self.branch.commits[commit].parent
        if file is None or file.approved is None or parent is None:
            return None
        before, after = self.branch.files_at(parent), self.branch.files_at(commit)
        names = {*before, *after}
        changes = {path: after.get(path) for path in names if before.get(path) != after.get(path)}
        return Question(ref, commit, file.approved, changes, parent)


def _with(value: Object, path: tuple[str, ...], number: int) -> Object:
    """Give a value with one number in it changed."""
    inner: Mapping[str, object] = mapping(value.get(path[0]))
    changed = number if len(path) == 1 else _with(mapping(dict(inner)), path[1:], number)  # type: ignore[arg-type]
    return {**value, path[0]: changed}
