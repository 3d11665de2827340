"""Checks of an update against what was last accepted: what the API server or Kthena refuses to change.

Refusals
    IMMUTABLE   the effective schedulerName, the gang policy and its minima
    ROLE_SET    roles added, removed or renamed under RoleRollingUpdate, which deletes a removed role at once
"""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object, at, mapping
from gitops_rollout.api.workload import Spec
from gitops_rollout.kinds.modelserving.controls import rolls_by_role
from gitops_rollout.kinds.modelserving.fields import BY_ROLE
from gitops_rollout.kinds.modelserving.manifest import ROLES
from gitops_rollout.kinds.modelserving.project import role_names, scheduler_of
from gitops_rollout.kinds.written import problem

_GANG = "spec.template.gangPolicy"


def check_update(text: Object, controls: Object, new: Spec) -> tuple[Problem, ...]:
    """Refuse what may not change against the last accepted text and controls."""
    return (*_scheduler(text, new), *_gang(controls, new), *_role_set(text, new))


def _scheduler(text: Object, new: Spec) -> Iterator[Problem]:
    before, after = scheduler_of(text), scheduler_of(new.text)
    if before != after:
        message = (
            f"immutable: {before} -> {after} would split a group between two schedulers; "
            "create a new object under another name instead"
        )
        yield problem("spec.schedulerName", "IMMUTABLE", message)


def _gang(controls: Object, new: Spec) -> Iterator[Problem]:
    before, after = (at(part, "template", "gangPolicy") for part in (controls, new.controls))
    if before is not None and after is None:
        yield problem(_GANG, "IMMUTABLE", "immutable: a gang policy cannot be removed once it is set")
        return
    least = mapping(mapping(before).get("minRoleReplicas"))
    if least and least != mapping(mapping(after).get("minRoleReplicas")):
        message = "immutable: create a new object under another name to change it"
        yield problem(f"{_GANG}.minRoleReplicas", "IMMUTABLE", message)


def _role_set(text: Object, new: Spec) -> Iterator[Problem]:
    before, after = role_names(text), role_names(new.text)
    if before != after and rolls_by_role(new.controls):
        message = (
            f"roles {', '.join(sorted(before))} -> {', '.join(sorted(after))}: {BY_ROLE} deletes the pods "
            "of a removed role at once; use ServingGroupRollingUpdate, or create a new object"
        )
        yield problem(ROLES, "ROLE_SET", message)
