"""What of the requests each step gives to the candidate: as written, or derived from its replicas."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gitops_rollout.api.gateway import Backend, Traffic
from gitops_rollout.api.policy import Step
from gitops_rollout.api.profiles import Profile


def with_traffic(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Give the steps, those that write no traffic with as many requests as replicas, rounded down."""
    return tuple(
        step if step.traffic is not None else replace(step, traffic=_derived(step)) for step in steps
    )


def without_traffic(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Give the steps of a workload that has no route."""
    return tuple(replace(step, traffic=None) for step in steps)


def _derived(step: Step) -> Traffic:
    return Traffic(weight=step.replicas.number if step.replicas.percent else None)


def traffic_faults(steps: Sequence[Step], backend: Backend, profile: Profile) -> Iterator[tuple[str, str]]:
    """Find what cannot be meant or cannot be done, as (path below `steps`, message)."""
    highest = 0
    for index, step in enumerate(steps):
        traffic = step.traffic or _derived(step)
        weight = 0 if traffic.weight is None else traffic.weight
        rows = (
            (
                traffic.header and not profile.headers,
                "header",
                f"this gateway skips matches with headers ({profile.why}); leave header out",
            ),
            (
                backend is Backend.POOL and not profile.weighted_pools and _splits(traffic),
                "weight",
                f"{_said(step, traffic)} needs two weighted InferencePools in one rule, which this gateway "
                f"is not known to do ({profile.why}); write weight: 0 or 100, or another implementation",
            ),
            (
                step.replicas.percent and weight > step.replicas.number,
                "weight",
                f"{weight} % of the requests for {step.replicas} of the replicas; at most as many",
            ),
            (
                traffic.weight is not None and weight < highest,
                "weight",
                f"{weight} falls below {highest} of a step before it; shares only rise",
            ),
            (
                step.replicas.whole and weight != 100,
                "weight",
                "the last step gives everything: write weight: 100, or leave traffic out",
            ),
        )
        highest = max(highest, weight)
        yield from ((f"[{index}].traffic.{field}", message) for holds, field, message in rows if holds)


def _splits(traffic: Traffic) -> bool:
    return traffic.weight is None or 0 < traffic.weight < 100


def _said(step: Step, traffic: Traffic) -> str:
    if traffic.weight is None:
        return f"its weight, the share of {step.replicas} of the replicas,"
    return f"its weight of {traffic.weight}"
