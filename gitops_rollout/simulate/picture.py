"""The picture of a run: replicas and requests by revision over one axis of steps, as SVG text.

Two stacked charts; every gate that was merged is a vertical line. Colours fit a light and a dark page.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from gitops_rollout.simulate.timeline import Row, Timeline

_WIDTH, _LEFT, _RIGHT = 960, 64, 16
_TOP, _HEIGHT, _GAP = 150, 130, 30
_LABELLED = 40  # more gates than these are drawn without their names
_COLOURS = ("#3b7dd8", "#e08a1e", "#2f9e6e", "#a05bc5", "#c2485d")
_NO_ROUTE = "there is no route: requests go to all ready replicas alike"
_STYLE = """
  .ink{fill:#24292f} .line{stroke:#8c959f} .page{fill:#ffffff} .gate{stroke:#57606a}
  @media (prefers-color-scheme: dark){
    .ink{fill:#e6edf3} .line{stroke:#6e7681} .page{fill:#0d1117} .gate{stroke:#9ea7b3}
  }
  text{font:12px system-ui,sans-serif} .line,.gate{stroke-width:1} .gate{stroke-dasharray:3 3}
"""


@dataclass(frozen=True, slots=True)
class Chart:
    """One of the two charts: where it stands, and how much of each revision a sample shows."""

    title: str
    top: int
    most: float
    unit: str
    amounts: Callable[[Row], Mapping[str, float]]

    def y(self, amount: float) -> float:
        """Give the height at which an amount is drawn."""
        return self.top + _HEIGHT - _HEIGHT * amount / (self.most or 1)


def picture(title: str, timeline: Timeline) -> str:
    """Draw a run."""
    samples = timeline.samples
    last = max((row.tick for row in samples), default=1)
    charts = _charts(samples)
    routed = any(row.plain for row in samples)
    colours = {name: _COLOURS[index % len(_COLOURS)] for index, name in enumerate(timeline.revisions)}
    height = charts[-1].top + _HEIGHT + 44
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{_STYLE}</style>",
        f'<rect class="page" width="{_WIDTH}" height="{height}"/>',
        _text(_LEFT, 22, title if routed else f"{title} ({_NO_ROUTE})"),
        *_legend(colours),
    ]
    for chart in charts:
        parts += _frame(chart)
        parts += [_area(chart, samples, name, colours, last) for name in colours]
    parts += _gates(timeline.rows, charts, last)
    return "\n".join([*parts, *_axis(charts[-1].top + _HEIGHT, samples, last), "</svg>\n"])


def _charts(samples: Sequence[Row]) -> tuple[Chart, Chart]:
    most = max((sum(_replicas(row).values()) for row in samples), default=1)
    routed = any(row.plain for row in samples)
    return (
        Chart("replicas", _TOP, most, "", _replicas),
        Chart("requests", _TOP + _HEIGHT + _GAP, 100, " %", _requests if routed else _by_replicas),
    )


def _replicas(row: Row) -> dict[str, float]:
    return {name: count.existing for name, count in row.replicas.items()}


def _requests(row: Row) -> dict[str, float]:
    return {name: float(share) * 100 for name, share in row.plain.items()}


def _by_replicas(row: Row) -> dict[str, float]:
    ready = {name: count.ready for name, count in row.replicas.items() if count.ready}
    total = sum(ready.values())
    return {name: 100 * count / total for name, count in ready.items()}


def _x(tick: int, last: int) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * tick / (last or 1)


def _area(chart: Chart, samples: Sequence[Row], name: str, colours: Mapping[str, str], last: int) -> str:
    """Draw one revision as steps, on top of those that came before it."""
    below = list(colours)[: list(colours).index(name)]
    upper: list[tuple[float, float]] = []
    lower: list[tuple[float, float]] = []
    for index, row in enumerate(samples):
        end = samples[index + 1].tick if index + 1 < len(samples) else last
        amounts = chart.amounts(row)
        base = sum(amounts.get(one, 0) for one in below)
        for tick in (row.tick, end):
            upper.append((_x(tick, last), chart.y(base + amounts.get(name, 0))))
            lower.append((_x(tick, last), chart.y(base)))
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in [*upper, *lower[::-1]])
    return f'<polygon points="{points}" fill="{colours[name]}" fill-opacity="0.85"/>'


def _frame(chart: Chart) -> list[str]:
    marks = [(chart.most * part, chart.y(chart.most * part)) for part in (0, 0.5, 1)]
    return [
        _text(16, chart.top + _HEIGHT, chart.title, turned=-90),
        *[
            f'<line class="line" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
            for _, y in marks
        ],
        *[_text(_LEFT - 8, y + 4, f"{amount:g}{chart.unit}", anchor="end") for amount, y in marks],
    ]


def _gates(rows: Sequence[Row], charts: Sequence[Chart], last: int) -> list[str]:
    """Draw the merged gates; slanted labels leave room for their neighbours."""
    merged = [row for row in rows if row.merges]
    end, parts = charts[-1].top + _HEIGHT, []
    for row in merged:
        x = _x(row.tick, last)
        parts.append(f'<line class="gate" x1="{x:.1f}" x2="{x:.1f}" y1="{_TOP - 6}" y2="{end}"/>')
        if len(merged) <= _LABELLED:
            parts.append(_text(x + 2, _TOP - 10, row.merges, turned=-40))
    return parts


def _legend(colours: Mapping[str, str]) -> list[str]:
    parts = []
    for index, (name, colour) in enumerate(colours.items()):
        x = _LEFT + 150 * index
        parts.append(f'<rect x="{x}" y="34" width="12" height="12" fill="{colour}"/>')
        parts.append(_text(x + 18, 45, name))
    return parts


def _axis(bottom: int, samples: Sequence[Row], last: int) -> list[str]:
    """Write step and clock below some of the steps."""
    parts = []
    for tick in sorted({round(last * part / 6) for part in range(7)}):
        x, anchor = _x(tick, last), _ANCHORS.get(tick / (last or 1), "middle")
        now = next((row.now for row in reversed(samples) if row.tick <= tick), None)
        parts.append(_text(x, bottom + 18, f"step {tick}", anchor))
        parts += [_text(x, bottom + 34, f"{now:%d %b %H:%M}", anchor)] if now is not None else []
    return parts


_ANCHORS = {0.0: "start", 1.0: "end"}


def _text(x: float, y: float, words: str, anchor: str = "start", turned: int = 0) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"'
    turn = f' transform="rotate({turned} {x:.1f} {y:.1f})"' if turned else ""
    return f'<text class="ink" {place}{turn}>{escape(words)}</text>'
