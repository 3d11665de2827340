"""What a gate asks people to ask of metrics: each query with everything filled in."""

from collections.abc import Iterator

from gitops_rollout.api import checks
from gitops_rollout.api.engines import engine_of
from gitops_rollout.api.values import Json, at
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.revision.history import ROLE_LABEL, History
from gitops_rollout.revision.record import Revision
from gitops_rollout.rollout.gate import step_in_force
from gitops_rollout.rollout.state import State

WINDOW = 300
"""Over which seconds metrics are looked at where a step has no soak."""


def metrics(key: WorkloadKey, state: State, history: History) -> list[str]:
    """Give what to ask of metrics about the candidate before the next step, ready to be pasted."""
    step, revision = step_in_force(state), history.get(state.candidate)
    if step is None or revision is None or not step.checks:
        return []
    engine = engine_of(list(_words(revision.text)))
    roles = _roles(revision, history.get(state.stable))
    subject = checks.Subject(key.namespace, key.name, revision.id, engine, roles)
    window = step.soak or WINDOW
    lines = ["", f"What metrics say about {revision.id} at step {step.name}:"]
    for check in step.checks:
        unknown = checks.refusal(check, check.engine or engine)
        query = unknown or checks.text(check, subject, window)
        lines += [f"- {checks.sentence(check, window)}", f"  `{query}`"]
    return lines


def _roles(revision: Revision, stable: Revision | None) -> tuple[str, ...]:
    """Give the role revisions of the roles that changed, none where the whole carries one label."""
    before = stable.injection.labels if stable is not None else {}
    changed = (labels for name, labels in revision.injection.labels.items() if before.get(name) != labels)
    return tuple(sorted({labels[ROLE_LABEL] for labels in changed if ROLE_LABEL in labels}))


def _words(text: Json) -> Iterator[str]:
    """Give what containers are made from and started with."""
    if isinstance(text, list):
        for member in text:
            yield from _words(member)
    if isinstance(text, dict):
        for name in ("image", "command", "args"):
            value = at(text, name)
            yield from (
                one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)
            )
        for member in text.values():
            yield from _words(member)
