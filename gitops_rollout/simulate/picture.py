"""The picture of a run: replicas and requests by revision over one axis of steps, as SVG text.

Charts stand one above the other; every gate that was merged is a vertical line through all of them. Replicas
that do not answer yet are light. Colours fit a light and a dark page.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from gitops_rollout.simulate.timeline import Row, Timeline

_WIDTH, _LEFT = 960, 64
_TOP, _GAP = 150, 30
_LABELLED, _APART = 40, 18  # more gates than these are drawn without their names; so far apart are these
_LETTER = 6.6  # the width of one, about
_COLOURS = ("#3b7dd8", "#e08a1e", "#2f9e6e", "#a05bc5", "#c2485d")
_NO_ROUTE = "there is no route: requests go to all ready replicas alike"
_STYLE = """
  .ink{fill:#24292f} .line{stroke:#d0d7de} .page{fill:#ffffff} .gate{stroke:#57606a}
  @media (prefers-color-scheme: dark){
    .ink{fill:#e6edf3} .line{stroke:#30363d} .page{fill:#0d1117} .gate{stroke:#9ea7b3}
  }
  text{font:12px system-ui,sans-serif} text:first-of-type{font-weight:600}
  .line,.gate{stroke-width:1;fill:none} .gate{stroke-dasharray:3 3}
"""
Amounts = Callable[[Row], Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Chart:
    """One of the charts: where it stands, and how much of each revision a sample shows.

    Of `light` amounts nothing answers yet; they lie on top of the others.
    """

    title: str
    top: int
    height: int
    marks: Sequence[int]
    """The amounts that its axis names, the last one at its top."""
    unit: str
    amounts: Amounts
    light: Amounts | None = None

    @property
    def bottom(self) -> int:
        """Give where it ends."""
        return self.top + self.height

    def y(self, amount: float) -> float:
        """Give the height at which an amount is drawn."""
        return self.bottom - self.height * amount / (self.marks[-1] or 1)


@dataclass(frozen=True, slots=True)
class Axis:
    """The steps of a run, from left to right; what is to the right of the last one is left to its label."""

    last: int
    right: int

    def x(self, tick: int) -> float:
        """Give where a step is drawn."""
        return _LEFT + (self.right - _LEFT) * tick / (self.last or 1)


def picture(title: str, timeline: Timeline, names: Mapping[str, str]) -> str:
    """Draw a run; `names` say where a revision comes from."""
    samples = timeline.samples
    charts, axis = _charts(samples), _axis_of(timeline)
    routed = any(row.plain for row in samples)
    colours = {name: _COLOURS[index % len(_COLOURS)] for index, name in enumerate(timeline.revisions)}
    height = charts[-1].bottom + 44
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{height}"/>',
        _text(_LEFT, 22, title if routed else f"{title} ({_NO_ROUTE})"),
        *_legend(colours, names),
    ]
    for chart in charts:
        parts += _frame(chart, axis)
        parts += _areas(chart, samples, colours, axis)
    parts += _gates(timeline.rows, charts, axis)
    return "\n".join([*parts, *_steps(charts[-1].bottom, samples, axis), "</svg>\n"])


def _charts(samples: Sequence[Row]) -> list[Chart]:
    most = max((sum(count.existing for count in row.replicas.values()) for row in samples), default=1)
    routed = any(row.plain for row in samples)
    replicas = Chart("replicas", _TOP, 130, _whole(most), "", _ready, _starting)
    requests = Chart(
        "requests", replicas.bottom + _GAP, 130, (0, 50, 100), " %", _requests if routed else _by_replicas
    )
    marked = Chart("marked", requests.bottom + _GAP, 26, (0, 100), " %", _marked)
    # Requests with the canary header are drawn where they ever go elsewhere than the others.
    return [replicas, requests, marked] if any(_apart(row) for row in samples) else [replicas, requests]


def _axis_of(timeline: Timeline) -> Axis:
    last = max((row.tick for row in timeline.samples), default=1)
    longest = max((len(row.merges) for row in timeline.rows), default=0)
    return Axis(last, _WIDTH - 16 - min(120, int(longest * _LETTER * 0.77)))


def _whole(most: int) -> Sequence[int]:
    """Give whole numbers for an axis, at most five of them, that reach up to `most`."""
    step = max(1, -(-most // 4))
    return range(0, step * max(1, -(-most // step)) + 1, step)


def _ready(row: Row) -> dict[str, float]:
    return {name: count.ready for name, count in row.replicas.items()}


def _starting(row: Row) -> dict[str, float]:
    return {name: count.existing - count.ready for name, count in row.replicas.items()}


def _requests(row: Row) -> dict[str, float]:
    return {name: float(share) * 100 for name, share in row.plain.items()}


def _marked(row: Row) -> dict[str, float]:
    return {name: float(share) * 100 for name, share in row.marked.items()}


def _apart(row: Row) -> bool:
    return bool(row.marked) and row.marked != row.plain


def _by_replicas(row: Row) -> dict[str, float]:
    ready = {name: count.ready for name, count in row.replicas.items() if count.ready}
    total = sum(ready.values())
    return {name: 100 * count / total for name, count in ready.items()}


def _areas(chart: Chart, samples: Sequence[Row], colours: Mapping[str, str], axis: Axis) -> list[str]:
    """Draw the revisions as steps, one on top of the other: of each what answers, then what starts."""
    layers = [
        (amounts, name, opacity)
        for name in colours
        for amounts, opacity in ((chart.amounts, 0.85), (chart.light, 0.3))
        if amounts is not None
    ]
    below = [0.0] * len(samples)
    parts = []
    for amounts, name, opacity in layers:
        above = [base + amounts(row).get(name, 0) for base, row in zip(below, samples, strict=True)]
        if above != below:
            points = " ".join(f"{x:.1f},{y:.1f}" for x, y in _outline(chart, samples, (below, above), axis))
            parts.append(f'<polygon points="{points}" fill="{colours[name]}" fill-opacity="{opacity}"/>')
        below = above
    return parts


def _outline(
    chart: Chart, samples: Sequence[Row], between: tuple[Sequence[float], Sequence[float]], axis: Axis
) -> list[tuple[float, float]]:
    ends = [*(row.tick for row in samples[1:]), axis.last]
    edges = []
    for amounts in between:
        edge: list[tuple[float, float]] = []
        for row, end, amount in zip(samples, ends, amounts, strict=True):
            edge += [(axis.x(row.tick), chart.y(amount)), (axis.x(end), chart.y(amount))]
        edges.append(edge)
    return [*edges[1], *edges[0][::-1]]


def _frame(chart: Chart, axis: Axis) -> list[str]:
    marks = [(amount, chart.y(amount)) for amount in chart.marks]
    flat = chart.height < len(chart.title) * _LETTER
    title = (
        _text(_LEFT, chart.top - 6, _MARKED)
        if flat
        else _text(16, chart.top + chart.height / 2, chart.title, "middle", -90)
    )
    return [
        title,
        *[f'<line class="line" x1="{_LEFT}" x2="{axis.right}" y1="{y:.1f}" y2="{y:.1f}"/>' for _, y in marks],
        *[_text(_LEFT - 8, y + 4, f"{amount}{chart.unit}", "end") for amount, y in marks],
    ]


_MARKED = "requests with the canary header"


def _gates(rows: Sequence[Row], charts: Sequence[Chart], axis: Axis) -> list[str]:
    """Draw the merged gates; where they stand close their names are moved apart, and slanted."""
    merged = [row for row in rows if row.merges]
    ticks = [axis.x(row.tick) for row in merged]
    named = len(merged) <= _LABELLED
    places = _moved_apart(ticks, axis.right) if named else ticks
    parts = []
    for row, x, place in zip(merged, ticks, places, strict=True):
        points = f"{x:.1f},{_TOP} {x:.1f},{_TOP - 4} {place:.1f},{_TOP - 16}"
        parts.append(f'<polyline class="gate" points="{points}"/>')
        parts += [
            f'<line class="gate" x1="{x:.1f}" x2="{x:.1f}" y1="{one.top}" y2="{one.bottom}"/>'
            for one in charts
        ]
        parts += [_text(place + 3, _TOP - 18, row.merges, turned=-40)] if named else []
    return parts


def _moved_apart(wanted: Sequence[float], limit: float) -> list[float]:
    """Move places as little as it takes that no two are too close, to the right and then back again."""
    places: list[float] = []
    for x in wanted:
        places.append(max(x, places[-1] + _APART) if places else x)
    for index in range(len(places) - 1, -1, -1):
        places[index] = min(places[index], limit)
        limit = places[index] - _APART
    return places


def _legend(colours: Mapping[str, str], names: Mapping[str, str]) -> list[str]:
    rows = [
        (f"{name} ({names[name]})" if name in names else name, colour) for name, colour in colours.items()
    ]
    parts, x = [], float(_LEFT)
    for words, colour in rows:
        parts.append(f'<rect x="{x:.1f}" y="34" width="12" height="12" fill="{colour}" fill-opacity="0.85"/>')
        parts.append(_text(x + 18, 45, words))
        x += 44 + len(words) * _LETTER
    parts.append(f'<rect class="ink" x="{x:.1f}" y="34" width="12" height="12" fill-opacity="0.3"/>')
    parts.append(_text(x + 18, 45, "starting"))
    x += 44 + len("starting") * _LETTER
    parts.append(f'<line class="gate" x1="{x + 6:.1f}" x2="{x + 6:.1f}" y1="32" y2="48"/>')
    return [*parts, _text(x + 18, 45, "a gate is merged")]


def _steps(bottom: int, samples: Sequence[Row], axis: Axis) -> list[str]:
    """Write step and clock below some of the steps."""
    parts = []
    for tick in sorted({round(axis.last * part / 6) for part in range(7)}):
        x, anchor = axis.x(tick), "start" if tick == 0 else "middle"
        now = next((row.now for row in reversed(samples) if row.tick <= tick), None)
        parts.append(_text(x, bottom + 18, f"step {tick}", anchor))
        parts += [_text(x, bottom + 34, f"{now:%d %b %H:%M}", anchor)] if now is not None else []
    return parts


def _text(x: float, y: float, words: str, anchor: str = "start", turned: int = 0) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    turn = f' transform="rotate({turned} {x:.1f} {y:.1f})"' if turned else ""
    return f'<text class="ink" {place}{turn}>{escape(words)}</text>'
