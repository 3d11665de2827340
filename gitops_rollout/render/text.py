"""The semantic diff in words: the same answer that JSON and the patch give."""

import json
from collections.abc import Iterable

from gitops_rollout.api.values import Json
from gitops_rollout.api.verdict import Change, ComponentImpact, Impact, Verdict
from gitops_rollout.rollout import routing
from gitops_rollout.rollout.state import State


def value_text(value: Json) -> str:
    """Give a value on one line, cut where it is long; None: it is not there."""
    if value is None:
        return "(none)"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    text = text if text.isprintable() else json.dumps(text, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


def change_line(change: Change) -> str:
    """Give `path: old → new (note)`."""
    note = f" ({change.note})" if change.note else ""
    return f"{change.path}: {value_text(change.old)} → {value_text(change.new)}{note}"


def component_line(component: ComponentImpact) -> str:
    """Give `decode: RESTART, 4 pods, 8 GPUs (entry and worker)`."""
    parts = [str(component.verdict)]
    if component.pods:
        parts.append(f"{component.pods} pod{'s' if component.pods != 1 else ''}")
    if component.gpus:
        parts.append(f"{component.gpus} GPU{'s' if component.gpus != 1 else ''}")
    where = f" ({component.part})" if component.part else ""
    return f"{component.name}: {', '.join(parts)}{where}"


def impact_lines(impact: Impact) -> list[str]:
    """Give the lines of one workload's diff, as Markdown that also reads as plain text."""
    lines = [
        f"- {component_line(one)}" for one in impact.components if impact.verdict is not Verdict.NO_CHANGE
    ]
    lines += [f"- `{change_line(one)}`" for one in impact.changes]
    lines += [f"- WARN {one.code}: {one.message}" for one in impact.warnings]
    return lines or ["- nothing"]


def requests_text(state: State) -> str:
    """Say who answers requests: `90 % r1…, 10 % r2…, x-canary: true r2…`; empty without a route."""
    terms, published = routing.terms(state), state.published
    if terms is None:
        return ""
    weight = published.weight or 0
    shares = [(100 - weight, state.stable), (weight, state.candidate)]
    said = [f"{share} % {revision}" for share, revision in shares if share]
    marked = [f"{terms.header.name}: {terms.header.value} {state.candidate}"] if published.header else []
    older = f" (while {terms.replaces} of the source stands beside it, that one answers)"
    beside = state.routed is not None and state.routed.stage == "beside"
    return ", ".join([*said, *marked]) + (older if beside else "")


def joined(lines: Iterable[str]) -> str:
    """Give the lines as one text that ends with a line break."""
    return "".join(f"{line}\n" for line in lines)
