"""A Deployment in the simulated cluster: its pods, and how an update replaces them.

The arithmetic is that of Dynamo's managed rolling update (research: dgd_worker_rollout_reconciler), which is
Kubernetes' own: never more than desired + surge, never fewer than desired - unavailable that answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitops_rollout.simulate.controllers import Why


@dataclass(frozen=True, slots=True)
class Replica:
    """One pod; `uid` names this very incarnation, `left` are the ticks until it can answer."""

    uid: int
    made_from: str
    left: int


@dataclass(frozen=True, slots=True)
class Template:
    """What a Deployment asks for: how many pods, made from what, and how old ones are replaced."""

    replicas: int
    made_from: str
    surge: int = 1
    unavailable: int = 0
    recreate: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """What one reconciliation does: pods that go, why, and how many new ones come; `kept_born` come of what
    ran before.
    """

    gone: tuple[tuple[Replica, Why], ...]
    born: int
    kept_born: int = 0


def aged(replicas: Sequence[Replica]) -> tuple[Replica, ...]:
    """Give the pods one tick later."""
    return tuple(replace(one, left=max(0, one.left - 1)) for one in replicas)


def step(template: Template, replicas: Sequence[Replica]) -> Step:
    """Say what becomes of the pods now. Without old ones it only scales."""
    old = [one for one in replicas if one.made_from != template.made_from]
    new = [one for one in replicas if one.made_from == template.made_from]
    if template.recreate:
        return _recreated(template, old, new)
    desired = template.replicas
    most = desired + (template.surge if old else 0)
    target_new = min(desired, max(len(new) + max(0, most - len(old) - len(new)), 0))
    down = _first_to_go(old, len(old) - _old_target(template, old, new))
    scaled = _first_to_go(new, len(new) - target_new)
    gone = (*((one, Why.ROLLED) for one in down), *((one, Why.SCALED) for one in scaled))
    return Step(gone, max(0, target_new - len(new)))


def parted(template: Template, before: str, kept: int, replicas: Sequence[Replica]) -> Step:
    """Say what becomes of the pods where so many of them stay on what ran before, and all others move.

    A partition that rises gives pods back. What is neither, of a candidate that was replaced, goes first.
    """
    old = [one for one in replicas if one.made_from == before]
    new = [one for one in replicas if one.made_from == template.made_from]
    strange = [one for one in replicas if one.made_from not in (before, template.made_from)]
    moves = template.replicas - kept
    room = max(0, template.replicas + template.surge - len(replicas))
    back = min(room, max(0, kept - len(old)))
    born = min(room - back, max(0, moves - len(new)))
    spare = [
        *((one, Why.ROLLED) for one in _first_to_go(strange, len(strange))),
        *((one, Why.ROLLED) for one in _first_to_go(old, len(old) - kept)),
        *((one, Why.SCALED) for one in _first_to_go(new, len(new) - moves)),
    ]
    free = sum(one.left == 0 for one in replicas) - template.replicas + template.unavailable
    gone: list[tuple[Replica, Why]] = []
    for one, why in spare:
        if one.left > 0 or free > 0:
            gone.append((one, why))
            free -= one.left == 0
    return Step(tuple(gone), born, back)


def _recreated(template: Template, old: Sequence[Replica], new: Sequence[Replica]) -> Step:
    """Take all old pods away first; new ones come when none is left."""
    if old:
        return Step(tuple((one, Why.ROLLED) for one in old), 0)
    gone = _first_to_go(new, len(new) - template.replicas)
    return Step(tuple((one, Why.SCALED) for one in gone), max(0, template.replicas - len(new)))


def _old_target(template: Template, old: Sequence[Replica], new: Sequence[Replica]) -> int:
    """Give how many old pods stay: those that do not answer go first, the others as new ones answer."""
    least = template.replicas - template.unavailable
    unready = sum(one.left > 0 for one in new)
    removable = max(0, len(old) + len(new) - least - unready)
    answering = sum(one.left == 0 for one in (*old, *new))
    broken = sum(one.left > 0 for one in old)
    return max(0, len(old) - min(removable, broken + max(0, answering - least)))


def _first_to_go(replicas: Sequence[Replica], many: int) -> list[Replica]:
    """Give so many of the pods: those that do not answer first, then the youngest."""
    ordered = sorted(replicas, key=lambda one: (one.left > 0, one.uid))
    return ordered[::-1][: max(0, many)]
