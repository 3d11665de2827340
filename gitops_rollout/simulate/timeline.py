"""What people see of a run: a row for everything that somebody did, and how the world stood then."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction

from gitops_rollout.simulate.moments import Count, Moment

_UNTOLD = {"decides", "closes a gate", "is applied", "answers"}
"""What somebody does on the way to what is told."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line: `plain` and `marked` are shares of requests by revision, empty where there is no route."""

    tick: int
    now: datetime
    actor: str
    did: str
    replicas: Mapping[str, Count]
    parts: Mapping[str, Mapping[str, Count]]
    """The same replicas by component."""
    plain: Mapping[str, Fraction]
    marked: Mapping[str, Fraction]

    @property
    def merges(self) -> str:
        """Name the gate that is merged here, empty where none is."""
        return self.did.partition("merges ")[2] if self.actor == "people" else ""


@dataclass(frozen=True, slots=True)
class Timeline:
    """The rows to tell, and every change of replicas or requests for the picture."""

    rows: tuple[Row, ...]
    samples: tuple[Row, ...]

    @property
    def revisions(self) -> tuple[str, ...]:
        """Name the revisions that ever ran or answered, in the order of their coming."""
        seen = (name for row in self.samples for name in (*row.replicas, *row.plain, *row.marked))
        return tuple(dict.fromkeys(seen))


def recorded(moments: Iterable[Moment]) -> Timeline:
    """Take down a run while it is played."""
    rows: list[Row] = []
    samples: list[Row] = []
    for moment in moments:
        row = _row(moment)
        if not samples or _stands(row) != _stands(samples[-1]):
            samples.append(row)
        if _tells(moment, row, rows):
            rows.append(row)
    if samples and rows and rows[-1].tick > samples[-1].tick:
        samples.append(rows[-1])
    return Timeline(tuple(rows), tuple(samples))


def _row(moment: Moment) -> Row:
    return Row(
        moment.tick,
        moment.now,
        moment.actor,
        moment.did,
        moment.counts,
        moment.parts,
        moment.answers.plain,
        moment.answers.marked,
    )


def _stands(row: Row) -> tuple[object, ...]:
    return row.replicas, row.plain, row.marked


def _tells(moment: Moment, row: Row, rows: list[Row]) -> bool:
    if not row.did or row.did in _UNTOLD:
        return False
    if moment.actor != "controller":
        return True
    # Pods are told when they have come to rest, and not one by one.
    last = next((one for one in reversed(rows) if one.replicas), None)
    return _rests(moment) and (last is None or last.replicas != row.replicas)


def _rests(moment: Moment) -> bool:
    """Say whether there are as many pods of each component as are asked for, and all of them answer."""
    found = dict.fromkeys(moment.wanted, 0)
    for pod in moment.pods:
        found[pod.component] = found.get(pod.component, 0) + 1
    return found == moment.wanted and all(pod.ready for pod in moment.pods)


def replicas_text(row: Row) -> str:
    """Say how many replicas of each revision there are, and of them how many do not answer yet; components
    are told apart where they have other replicas than the whole.
    """
    return ", ".join(f"{name} {_told(row, name)}" for name in row.replicas)


def _told(row: Row, revision: str) -> str:
    parts, whole = row.parts[revision], row.replicas[revision]
    if all(part == whole for part in parts.values()):
        return _count(whole)
    return f"({', '.join(f'{name} {_count(part)}' for name, part in parts.items())})"


def _count(count: Count) -> str:
    waiting = count.existing - count.ready
    return f"{count.existing} ({waiting} starting)" if waiting else str(count.existing)


def requests_text(row: Row) -> str:
    """Say who answers: shares of plain requests, and who gets marked ones where that differs."""
    plain = ", ".join(f"{name} {percent(share)}" for name, share in row.plain.items())
    if row.marked == row.plain:
        return plain
    marked = ", ".join(row.marked)
    return f"{plain}; marked {marked}" if marked else plain


def percent(share: Fraction) -> str:
    """Write a share for people."""
    return f"{round(float(share) * 100)} %"
