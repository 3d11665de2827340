"""Controls: everything of a ModelServing that is published without making a revision.

One normal form, so that equal controls are equal values. What equals the CRD's default is left out,
except replicas, which stand there iff the source writes them. Keys: `metadata`, `replicas`,
`rolloutStrategy`, `recoveryPolicy`, `revisionHistoryLimit`, `template`, `roles` (every role by name),
`floor` (the partition as written: an amount, or amounts by role).
"""

from collections.abc import Collection

from gitops_rollout.api.values import Json, Object, at, mapping
from gitops_rollout.api.workload import WHOLE, Thresholds
from gitops_rollout.kinds.metadata import published
from gitops_rollout.kinds.modelserving.amounts import normal, resolve_down, resolve_up
from gitops_rollout.kinds.modelserving.fields import (
    BY_ROLE,
    DEFAULT_GRACE,
    DEFAULT_HISTORY,
    DEFAULT_MAX_UNAVAILABLE,
    DEFAULT_RECOVERY,
    DEFAULT_REPLICAS,
    DEFAULT_STRATEGY,
    DEFAULT_TOPOLOGY_MODE,
)
from gitops_rollout.kinds.modelserving.project import role_name, roles_of
from gitops_rollout.kinds.written import count, present, without, written_count

_ROLLING = ("maxUnavailable", "maxSurge")


def controls_of(value: Object) -> Object:
    """Give the controls of a checked object in their normal form."""
    spec = mapping(value.get("spec"))
    strategy = mapping(spec.get("rolloutStrategy"))
    form: Object = {
        "metadata": published(mapping(value.get("metadata"))),
        "rolloutStrategy": _strategy(strategy),
        "recoveryPolicy": _unless(spec.get("recoveryPolicy"), DEFAULT_RECOVERY),
        "revisionHistoryLimit": normal(spec.get("revisionHistoryLimit"), DEFAULT_HISTORY),
        "template": _template(mapping(spec.get("template"))),
        "roles": {role_name(role): _role(role) for role in roles_of(value)},
        "floor": _floor(value, strategy),
        "replicas": written_count(spec.get("replicas"), DEFAULT_REPLICAS),
    }
    return {key: part for key, part in form.items() if part not in (None, {})}


def _unless(value: Json, default: str) -> Json:
    return None if value == default else value


def _strategy(strategy: Object) -> Object:
    rolling = mapping(strategy.get("rollingUpdateConfiguration"))
    return present(
        {
            **without(strategy, ("rollingUpdateConfiguration",)),
            "type": _unless(strategy.get("type"), DEFAULT_STRATEGY),
            "rollingUpdateConfiguration": _rolling(without(rolling, ("partition",))) or None,
        }
    )


def _rolling(value: Object) -> Object:
    return present(
        {
            **value,
            "maxUnavailable": normal(value.get("maxUnavailable"), DEFAULT_MAX_UNAVAILABLE),
            "maxSurge": normal(value.get("maxSurge"), 0),
        }
    )


def _role(role: Object) -> Object:
    rolling = {field: role.get(field) for field in _ROLLING}
    return present({"replicas": written_count(role.get("replicas"), DEFAULT_REPLICAS), **_rolling(rolling)})


def _template(template: Object) -> Object:
    topology, gang = template.get("networkTopology"), template.get("gangPolicy")
    return present(
        {
            "restartGracePeriodSeconds": normal(template.get("restartGracePeriodSeconds"), DEFAULT_GRACE),
            # Pointers: an empty policy is not an absent one, and a gang policy may never go away again.
            "networkTopology": None if topology is None else _topology(mapping(topology)),
            "gangPolicy": None if gang is None else _gang(mapping(gang)),
        }
    )


def _topology(topology: Object) -> Object:
    return {
        key: present({**policy, "mode": _unless(policy.get("mode"), DEFAULT_TOPOLOGY_MODE)})
        if isinstance(policy, dict)
        else policy
        for key, policy in present(topology).items()
    }


def _gang(gang: Object) -> Object:
    minimum = mapping(gang.get("minRoleReplicas"))
    counts: Object = {role: count(least, 0) for role, least in minimum.items()}
    return present({**gang, "minRoleReplicas": counts or None})


def _floor(value: Object, strategy: Object) -> Json:
    if strategy.get("type") == BY_ROLE:
        floors = {role_name(role): normal(role.get("partition"), 0) for role in roles_of(value)}
        return present(floors)
    return normal(at(strategy, "rollingUpdateConfiguration", "partition"), 0)


_FROM = "replicasFrom"


def rolls_by_role(controls: Object) -> bool:
    """Say whether roles roll on their own, inside each group."""
    return at(controls, "rolloutStrategy", "type") == BY_ROLE


def groups(controls: Object) -> int:
    """Give the desired number of serving groups."""
    return count(controls.get("replicas"), DEFAULT_REPLICAS)


def role_replicas(controls: Object, role: str) -> int:
    """Give the desired instances of a role in each group."""
    return count(at(controls, "roles", role, "replicas"), DEFAULT_REPLICAS)


def foreign(controls: Object) -> bool:
    """Say whether an autoscaler owns the number of groups (R8)."""
    return controls.get(_FROM) == "Cluster"


def without_replicas(controls: Object) -> Object:
    """Leave the number of groups to the cluster; the roles of a group stay the source's."""
    return {**{key: part for key, part in controls.items() if key != "replicas"}, _FROM: "Cluster"}


def counts(controls: Object) -> Thresholds:
    """Give the desired replicas of each thing that moves on its own; 100 (percent) where nobody knows."""
    if not rolls_by_role(controls):
        return {WHOLE: 100 if foreign(controls) else groups(controls)}
    # Without a group no role has a pod, whatever it says.
    runs = groups(controls) > 0
    return {role: role_replicas(controls, role) if runs else 0 for role in mapping(controls.get("roles"))}


def floors(controls: Object) -> Thresholds:
    """Give the partition that people wrote, resolved against the desired replicas (rounding up)."""
    floor = controls.get("floor")
    if foreign(controls) and not rolls_by_role(controls):
        # A count of groups means nothing without their number: it protects all of them.
        return {WHOLE: resolve_up(floor, 100) if isinstance(floor, str) else 100 if floor else 0}
    return {
        name: resolve_up(mapping(floor).get(name) if rolls_by_role(controls) else floor, total)
        for name, total in counts(controls).items()
    }


def hold_loosening(old: Object, new: Object) -> Object:
    """Give `new` with what loosens protection kept as in `old` (R10).

    Kept are the kind of rollout with all that only makes sense under it, the recovery policy, and
    every maxUnavailable that would rise. The floor follows `new`: the planner never passes it.
    """
    held = {**new, "recoveryPolicy": old.get("recoveryPolicy")}
    if rolls_by_role(old) != rolls_by_role(new):
        held["rolloutStrategy"], held["floor"] = old.get("rolloutStrategy"), old.get("floor")
        held["roles"] = {
            name: {**without(mapping(role), _ROLLING), **_rolling_of(at(old, "roles", name))}
            for name, role in mapping(new.get("roles")).items()
        }
    else:
        held["rolloutStrategy"] = _tighter_strategy(old, new)
        held["roles"] = {
            name: _tighter(at(old, "roles", name), mapping(role), role_replicas(new, name))
            for name, role in mapping(new.get("roles")).items()
        }
    return {key: part for key, part in held.items() if part not in (None, {})}


def _rolling_of(role: Json) -> Object:
    return {field: part for field, part in mapping(role).items() if field in _ROLLING}


def _tighter_strategy(old: Object, new: Object) -> Object:
    config = "rollingUpdateConfiguration"
    before = at(old, "rolloutStrategy", config)
    kept = _tighter(before, mapping(at(new, "rolloutStrategy", config)), groups(new))
    return present({**mapping(new.get("rolloutStrategy")), config: kept or None})


def _tighter(old: Json, new: Object, total: int) -> Object:
    """Give `new` with the maxUnavailable of `old` where that allows less."""
    before, after = (value.get("maxUnavailable") for value in (mapping(old), new))
    if _unavailable(after, total) <= _unavailable(before, total):
        return new
    return present({**new, "maxUnavailable": before})


def _unavailable(value: Json, total: int) -> int:
    return DEFAULT_MAX_UNAVAILABLE if value is None else resolve_down(value, total)


def retain(old: Object, new: Object, components: Collection[str]) -> Object:
    """Give `new`, with the controls of those of `components` that only `old` still has."""
    before, after = mapping(old.get("roles")), mapping(new.get("roles"))
    gone = [name for name in before if name in components and name not in after]
    if not gone:
        return new
    kept: Object = {**new, "roles": {**after, **{name: before[name] for name in gone}}}
    floor = mapping(old.get("floor"))
    if rolls_by_role(old) and rolls_by_role(new) and any(name in floor for name in gone):
        kept["floor"] = {**mapping(new.get("floor")), **{name: floor[name] for name in gone if name in floor}}
    return kept


def read_partition(published: Object, controls: Object) -> Thresholds:
    """Read the thresholds that a published object shows; what is not written is 0."""
    if rolls_by_role(controls):
        written = {role_name(role): role.get("partition") for role in roles_of(published)}
        totals = counts(controls)
        return {role: resolve_up(part, totals.get(role, DEFAULT_REPLICAS)) for role, part in written.items()}
    path = ("spec", "rolloutStrategy", "rollingUpdateConfiguration", "partition")
    return {WHOLE: resolve_up(at(published, *path), 100 if foreign(controls) else groups(controls))}
