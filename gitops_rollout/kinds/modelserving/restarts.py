"""Which pods an update restarts, and which it only adds or removes."""

from collections.abc import Collection, Iterator

from gitops_rollout.api.values import Object
from gitops_rollout.api.verdict import ComponentImpact, Verdict
from gitops_rollout.api.workload import WHOLE, Spec
from gitops_rollout.kinds.modelserving.controls import floors, groups, role_replicas, rolls_by_role
from gitops_rollout.kinds.modelserving.project import projections, role_name, role_names, roles_of, workers_of
from gitops_rollout.kinds.pods import gpus
from gitops_rollout.semantics.canonical import canonical_bytes


def changed_roles(old: Object, new: Object) -> frozenset[str]:
    """Name the roles whose projection differs between two texts, or that only one of them has."""
    before, after = projections(old), projections(new)
    return frozenset(
        name
        for name in before.keys() | after.keys()
        if name not in before
        or name not in after
        or canonical_bytes(before[name]) != canonical_bytes(after[name])
    )


def restarted(old: Spec, new: Spec, changed: Collection[str]) -> Iterator[ComponentImpact]:
    """Give what restarts because the projections of the roles `changed` differ.

    Counted with the new replicas and the partition as people wrote it. Groups are replaced whole, from
    the floor up; under RoleRollingUpdate only roles that changed are replaced, in every group, from the
    role's own floor up. Roles without replicas restart nothing.
    """
    if not changed:
        return
    known = role_names(old.text)
    for role in roles_of(new.text):
        name = role_name(role)
        if rolls_by_role(new.controls) and name not in changed:
            continue
        verdict = Verdict.RESTART if name in known else Verdict.TOPOLOGY
        if role_replicas(new.controls, name) > 0:
            yield _impact(role, verdict, _instances(new.controls, name))
    for name in sorted(known - role_names(new.text)):
        yield ComponentImpact(name, Verdict.TOPOLOGY)


def _instances(controls: Object, role: str) -> int:
    """Count the instances of a role above the floor, over all groups."""
    floor, replicas = floors(controls), role_replicas(controls, role)
    if rolls_by_role(controls):
        return groups(controls) * max(0, replicas - floor.get(role, 0))
    return max(0, groups(controls) - floor[WHOLE]) * replicas


def _impact(role: Object, verdict: Verdict, instances: int) -> ComponentImpact:
    workers = workers_of(role)
    devices = gpus(role.get("entryTemplate")) + workers * gpus(role.get("workerTemplate"))
    return ComponentImpact(
        role_name(role),
        verdict,
        pods=instances * (1 + workers),
        gpus=instances * devices,
        part="entry and worker" if workers else "entry",
    )


def scaled(old: Spec, new: Spec) -> Iterator[ComponentImpact]:
    """Give the roles, known to both sides, of which pods are added or removed."""
    known = role_names(old.text)
    regrouped = groups(old.controls) != groups(new.controls)
    for role in roles_of(new.text):
        name = role_name(role)
        before, after = (role_replicas(side.controls, name) for side in (old, new))
        if name in known and (before != after or (regrouped and after > 0)):
            yield ComponentImpact(name, Verdict.SCALE_ONLY)
