"""When a gate may be asked: soak, windows, freezes, the ends of waits. A way down waits for none of them."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from gitops_rollout.api.calendar import Times
from gitops_rollout.api.policy import Deletion
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout import leaving, router_policy
from gitops_rollout.rollout.draft import Draft, Scene, parsed, soaked_at
from gitops_rollout.rollout.gate import Gate


@dataclass(frozen=True, slots=True)
class Opening:
    """When a gate opens: `start` in the future or None, `closed` says why not now whatever has soaked.

    `look_again`: when something is due by itself besides.
    """

    start: datetime | None
    closed: str
    look_again: datetime | None

    @property
    def open(self) -> bool:
        """Say whether the gate may be asked, or taken, now."""
        return self.start is None and not self.closed


def opening(scene: Scene, draft: Draft, gate: Gate | None) -> Opening:
    """Give when `gate` may be asked."""
    upward = gate is not None and goes_up(gate)
    times = Times(draft.policy.windows, scene.desired.freezes, scene.key.namespace)
    shut = times.closed(scene.now) if upward else None
    starts = [_soaked(draft, gate), shut.until if shut is not None else None]
    start = max((one for one in starts if one is not None), default=None)
    closes = times.closes(scene.now) if upward and shut is None else None
    absent = _absent_until(draft)
    ends = [leaving.ends_at(draft), closes, absent if absent is not None and absent > scene.now else None]
    return Opening(
        start if start is not None and start > scene.now else None,
        shut.why if shut is not None else "",
        min((one for one in ends if one is not None), default=None),
    )


def absent_twice(scene: Scene, draft: Draft) -> bool:
    """Say whether a spec is absent at two heads of the source, as far apart as a way down waits (R6)."""
    until = _absent_until(draft)
    return until is not None and until <= scene.now and scene.commit != draft.state.accepted.commit


def _absent_until(draft: Draft) -> datetime | None:
    """Give from when on an absent spec may go without a person, None where people are to be asked."""
    state, policy = draft.state, draft.policy
    asked = state.withdraw is not None and state.withdraw.stage == gates.DELETE
    if not asked or policy.deletion is not Deletion.AUTOMATIC:
        return None
    return parsed(state.since.changed) + timedelta(seconds=policy.timeouts.drain)


def dwelt(scene: Scene, draft: Draft) -> bool:
    """Write no more often than every settle time, however facts flap (R28); a clock that was set back holds
    nothing up.
    """
    waited = scene.now - parsed(draft.state.since.changed)
    return waited < timedelta() or waited >= timedelta(seconds=draft.policy.timeouts.settle)


def goes_up(gate: Gate) -> bool:
    """Say whether a gate waits for windows and freezes: a way down never does (R13), nor does its end; nor
    what routers are told, but the first that they hear of a candidate.
    """
    safe = {gates.BACK, *gates.POLICY_CHANGES} - {gates.BIND}
    down = gate.step in safe or (gate.step == gates.DRAINED and gate.partition is None)
    return not down and gate.step != gates.COMPLETE


def waits_for_soak(draft: Draft, gate: Gate) -> int:
    """Give how many seconds the step in force soaks before this gate; 0 where it does not wait for that."""
    step = gates.step_in_force(draft.state)
    if step is None or draft.rolling_back or gate.step == f"{step.name}{gates.TRAFFIC}":
        return 0
    if router_policy.is_change(gate) and gate.step != gates.PROMOTE:
        return 0
    alone = draft.state.published.weight == 100
    if alone and router_policy.left_out(draft.state):
        return 0  # it was waited for before routers were told that stable leaves
    retires = alone and (gate.stable is not None or gate.step == gates.PROMOTE)
    return max(step.soak, draft.policy.retire_delay if retires else 0)


def _soaked(draft: Draft, gate: Gate | None) -> datetime | None:
    """Give when the step in force has soaked, None where this gate does not wait for it."""
    soak = waits_for_soak(draft, gate) if gate is not None else 0
    return soaked_at(draft.state, soak) if soak else None
