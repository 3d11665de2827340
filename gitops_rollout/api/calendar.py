"""When upward steps may be asked: weekly windows that open, freezes that close.

Unknown is never a yes: what cannot be told here (a freeze without an end, a window that cannot be
computed) reads as closed. Steps downward never ask this module.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from gitops_rollout.api.duration import seconds, written
from gitops_rollout.api.values import Json, Object, mapping, text

LONGEST_WINDOW = 31 * 86_400
_CRON_FIELD = re.compile(r"[0-9A-Za-z*,/#-]{1,80}", re.ASCII)
_ZONE = re.compile(r"(UTC|[A-Z][A-Za-z0-9_+-]{0,31}(/[A-Za-z0-9_+-]{1,31}){1,2})", re.ASCII)
_A_MONDAY = datetime(2001, 1, 1, tzinfo=UTC)
_FURTHEST_LOOK = 5_000
"""How many windows that follow each other without a gap are joined before they count as endless."""


def check_cron(cron: str) -> str:
    """Give `cron` when it has five fields that fire at some time; ValueError for people otherwise.

    The fields are those of cron(8) of Debian: 0 and 7 are Sunday, names such as MON count, and a day
    matches by date or by weekday where both are restricted.
    """
    fields = cron.split()
    if len(fields) != 5 or not all(map(_CRON_FIELD.fullmatch, fields)):
        raise ValueError(
            f"{cron[:40]!r} is no cron line; write five fields (minute, hour, day, month, weekday),"
            ' such as "0 9 * * 1-5"'
        )
    try:
        next(CronSim(cron, _A_MONDAY))
    except StopIteration:
        raise ValueError(f"{cron[:40]!r} never comes; write a day that exists") from None
    except (CronSimError, ValueError, AssertionError) as error:
        raise ValueError(f"{cron[:40]!r} is no cron line: {str(error)[:60].lower()}") from None
    return cron


def check_zone(tz: str) -> str:
    """Give `tz` when it is an IANA time zone; ValueError for people otherwise.

    Names that mean something else on each machine (`localtime`) or count leap seconds are none.
    """
    try:
        known = _ZONE.fullmatch(tz) is not None and bool(ZoneInfo(tz).key)
    except (KeyError, ValueError, OSError):
        known = False
    if not known:
        raise ValueError(f"{tz[:40]!r} is no time zone; write one as Europe/Berlin, or UTC")
    return tz


def check_length(duration: int) -> int:
    """Give `duration` when a window may be that long; ValueError for people otherwise."""
    if not 0 < duration <= LONGEST_WINDOW:
        raise ValueError("a window is open for more than 0 seconds and at most 31d")
    return duration


@dataclass(frozen=True, slots=True)
class Window:
    """A time in which steps may be asked: from each fire of `cron` in `tz`, for `duration` seconds.

    The length is real time: a window of 8h is open for 8 hours in the nights of summer time too. A fire
    in the hour that is skipped comes with the hour's end; one in the hour that is repeated comes once.
    """

    cron: str
    duration: int
    tz: str

    def __post_init__(self) -> None:
        check_cron(self.cron)
        check_length(self.duration)
        check_zone(self.tz)

    def end(self, now: datetime) -> datetime | None:
        """Say until when this window is open at `now`, in UTC; None: it is not."""
        try:
            latest = self._latest(now)
            end = latest + timedelta(seconds=self.duration) if latest else None
        except OverflowError:
            return None  # the calendar ends, as with a freeze until 9999: what cannot be told is closed
        return end if end and end > now else None

    def next_start(self, now: datetime) -> datetime | None:
        """Give the first fire after `now`, in UTC; None: none can be told."""
        # A repeated hour starts the search at its first pass: what lies before `now` is passed over.
        return next((fire for fire in self._fires(now, reverse=False) if fire > now), None)

    def _latest(self, now: datetime) -> datetime | None:
        # The fires of a repeated hour count by its first pass, so the search starts behind its second.
        local = now.astimezone(ZoneInfo(self.tz))
        start = now + timedelta(days=1 if local.fold else 0, seconds=1)
        return next((fire for fire in self._fires(start, reverse=True) if fire <= now), None)

    def _fires(self, start: datetime, *, reverse: bool) -> Iterator[datetime]:
        # Two datetimes of one zone are compared by their wall clocks: only UTC leaves this method.
        try:
            local = start.astimezone(ZoneInfo(self.tz)).replace(microsecond=0)
            for fire in CronSim(self.cron, local, reverse=reverse):
                yield fire.astimezone(UTC)
        except (OverflowError, ValueError):
            return  # the calendar ends

    def to_json(self) -> Object:
        """Give the object that stands in the rollout file; `from_json` reads it back."""
        return {"cron": self.cron, "duration": written(self.duration), "tz": self.tz}

    @classmethod
    def from_json(cls, value: Json) -> "Window":
        """Read what `to_json` gave; ValueError when it is anything else."""
        fields = mapping(value)
        return cls(
            cron=text(fields.get("cron")),
            duration=seconds(text(fields.get("duration"))),
            tz=text(fields.get("tz")),
        )

    def __str__(self) -> str:
        return f'"{self.cron}" for {written(self.duration)} {self.tz}'


@dataclass(frozen=True, slots=True)
class Freeze:
    """A time in which no step is asked, whatever the windows say.

    `start` None: it has always been on; `end` None: until its file is removed; no `namespaces`: all.
    """

    name: str
    start: datetime | None = None
    end: datetime | None = None
    reason: str = ""
    namespaces: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for instant in (self.start, self.end):
            if instant is not None and instant.utcoffset() is None:
                raise ValueError("an instant has an offset, such as 2026-12-20T00:00:00+01:00")
        if self.start is not None and self.end is not None and self.end <= self.start:
            raise ValueError("until is after from")

    def concerns(self, namespace: str) -> bool:
        """Say whether workloads of `namespace` are frozen by it."""
        return not self.namespaces or namespace in self.namespaces

    def holds(self, now: datetime) -> bool:
        """Say whether it is on at `now`: from its start on, its end excluded."""
        return (self.start is None or self.start <= now) and (self.end is None or now < self.end)

    def __str__(self) -> str:
        # Both are printed into questions to people: one line each, whatever a file says.
        name, reason = (" ".join(words.split())[:200] for words in (self.name, self.reason))
        return f"freeze {name or 'without a name'}" + (f" ({reason})" if reason else "")


@dataclass(frozen=True, slots=True)
class Closed:
    """Why no step may be asked now, and the first instant (UTC) at which nothing stands in the way.

    `until` None: nobody can tell, as with a freeze without end.
    """

    why: str
    until: datetime | None


@dataclass(frozen=True, slots=True)
class Times:
    """When steps of one namespace may be asked."""

    windows: Sequence[Window]
    freezes: Sequence[Freeze]
    namespace: str

    def closed(self, now: datetime) -> Closed | None:
        """Say why no step may be asked at `now`; None: one may."""
        return closed(self.windows, self.freezes, self.namespace, now)

    def closes(self, now: datetime) -> datetime | None:
        """Give the next instant at which none may be asked any more; None: never."""
        return closes(self.windows, self.freezes, self.namespace, now)


def closed(
    windows: Sequence[Window], freezes: Sequence[Freeze], namespace: str, now: datetime
) -> Closed | None:
    """Say why a step of `namespace` may not be asked at `now`, an aware datetime; None: it may.

    Without windows only freezes close; windows that overlap add up.
    """
    now = now.astimezone(UTC)
    concerned = [freeze for freeze in freezes if freeze.concerns(namespace)]
    reasons = [str(freeze) for freeze in concerned if freeze.holds(now)]
    if windows and _end(windows, now) is None:
        reasons.append("outside the windows " + ", ".join(map(str, windows)))
    return Closed("; ".join(reasons), _opens(windows, concerned, now)) if reasons else None


def closes(
    windows: Sequence[Window], freezes: Sequence[Freeze], namespace: str, now: datetime
) -> datetime | None:
    """Give the next instant (UTC) at which it closes, `now` itself when it is closed already.

    None: never. Windows that go on without a gap for longer than can be looked at count as endless.
    """
    now = now.astimezone(UTC)
    concerned = [freeze for freeze in freezes if freeze.concerns(namespace)]
    if any(freeze.holds(now) for freeze in concerned):
        return now
    starts = [one.start.astimezone(UTC) for one in concerned if one.start is not None and one.start > now]
    limit = min(starts, default=None)
    return _gap(windows, now, limit) if windows else limit


def _gap(windows: Sequence[Window], now: datetime, limit: datetime | None) -> datetime | None:
    """Find the first instant from `now` on that is in no window; `limit` when it comes before."""
    at = now
    for _ in range(_FURTHEST_LOOK):
        if limit is not None and at >= limit:
            return limit
        end = _end(windows, at)
        if end is None:
            return at
        at = end
    return limit


def _opens(windows: Sequence[Window], freezes: Sequence[Freeze], now: datetime) -> datetime | None:
    """Find the first instant from `now` on that is in a window and in no freeze.

    Each round leaves a freeze behind or enters a window, so there are at most two for each freeze.
    """
    at = now
    for _ in range(2 * len(freezes) + 2):
        holding = [freeze.end for freeze in freezes if freeze.holds(at)]
        ends = [end for end in holding if end is not None]
        if len(ends) < len(holding):
            return None
        if ends:
            at = max(ends).astimezone(UTC)
        elif windows and _end(windows, at) is None:
            starts = [start for window in windows if (start := window.next_start(at)) is not None]
            if not starts:
                return None
            at = min(starts)
        else:
            return at
    return None


def _end(windows: Sequence[Window], at: datetime) -> datetime | None:
    """Give the latest end of the windows that are open at `at`; None: all are closed."""
    return max((end for window in windows if (end := window.end(at)) is not None), default=None)
