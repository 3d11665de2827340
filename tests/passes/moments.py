"""Between any two effects of a pass something may happen: a crash, another writer, a server that says no."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from gitops_rollout.adapters.preview import Preview
from gitops_rollout.ports import NewCommit, RefUpdate, Repository


class Crash(BaseException):
    """The process is gone; nothing catches this."""


@dataclass
class Moments:
    """Counts the moments before and after each effect, and does `happens` at number `at`."""

    happens: Callable[[], object]
    at: int = -1
    passed: int = 0

    def __call__(self, repository: Repository) -> Repository:
        return _Watched(repository, self)

    def pass_by(self) -> None:
        number, self.passed = self.passed, self.passed + 1
        if number == self.at:
            self.happens()

    def before_push(self) -> None:
        """Nothing special happens."""


class _Watched(Preview):
    """A real repository whose effects are moments."""

    def __init__(self, repository: Repository, moments: Moments) -> None:
        super().__init__(repository)
        self._moments = moments

    def fetch(self, refs: Mapping[str, str]) -> None:
        self._moments.pass_by()
        self._repository.fetch(refs)

    def write(self, commit: NewCommit) -> str:
        self._moments.pass_by()
        written = self._repository.write(commit)
        self._moments.pass_by()
        return written

    def push(self, updates: Sequence[RefUpdate]) -> None:
        self._moments.pass_by()
        self._moments.before_push()
        self._repository.push(updates)
        self._moments.pass_by()


def crash() -> None:
    """Die here."""
    raise Crash
