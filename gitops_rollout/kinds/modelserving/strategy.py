"""Rules about replicas and rollouts: counts, int-or-percent amounts, strategy, recovery, gang, plugins."""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.modelserving.amounts import is_amount, resolve_down, resolve_up
from gitops_rollout.kinds.modelserving.fields import (
    BY_ROLE,
    DEFAULT_MAX_UNAVAILABLE,
    DEFAULT_REPLICAS,
    DEFAULT_STRATEGY,
)
from gitops_rollout.kinds.modelserving.manifest import Manifest
from gitops_rollout.kinds.modelserving.project import role_name, workers_of
from gitops_rollout.kinds.written import count, negative, problem

_CONFIG = "spec.rolloutStrategy.rollingUpdateConfiguration"
_AMOUNTS = ("maxUnavailable", "maxSurge", "partition")

_WORDS = (
    (("rolloutStrategy", "type"), (DEFAULT_STRATEGY, BY_ROLE)),
    (("recoveryPolicy",), ("ServingGroupRecreate", "RoleRecreate", "None")),
    (("template", "networkTopology", "groupPolicy", "mode"), ("hard", "soft")),
    (("template", "networkTopology", "rolePolicy", "mode"), ("hard", "soft")),
)
_NOT_NEGATIVE = (
    ("replicas",),
    ("revisionHistoryLimit",),
    ("template", "networkTopology", "groupPolicy", "highestTierAllowed"),
    ("template", "networkTopology", "rolePolicy", "highestTierAllowed"),
)
_TIER_NAME_LENGTH = 253


def words(manifest: Manifest) -> Iterator[Problem]:
    """Fields that take one of a few words, and numbers that may not be negative."""
    for path, allowed in _WORDS:
        value = at(manifest.spec, *path)
        if isinstance(value, str) and value not in allowed:
            yield problem(_path(path), "ENUM", f'"{value}" is not one of {", ".join(allowed)}')
    for path in _NOT_NEGATIVE:
        if negative(at(manifest.spec, *path)):
            yield problem(_path(path), "RANGE", f"{at(manifest.spec, *path)} is negative")
    for policy in ("groupPolicy", "rolePolicy"):
        path = ("template", "networkTopology", policy, "highestTierName")
        if len(text(at(manifest.spec, *path))) > _TIER_NAME_LENGTH:
            yield problem(_path(path), "RANGE", f"at most {_TIER_NAME_LENGTH} characters")


def _path(path: tuple[str, ...]) -> str:
    return ".".join(("spec", *path))


def role_counts(manifest: Manifest) -> Iterator[Problem]:
    """Role replicas and workers are not negative; workers need a template."""
    for path, role in manifest.roles():
        for field in ("replicas", "workerReplicas"):
            if negative(role.get(field)):
                yield problem(f"{path}.{field}", "RANGE", f"{role[field]} is negative")
        if role.get("workerReplicas") is None:
            yield problem(f"{path}.workerReplicas", "REQUIRED", "write 0 for a role without workers")
        if role.get("entryTemplate") is None:
            yield problem(f"{path}.entryTemplate", "REQUIRED", "a role needs the template of its entry pod")
        if workers_of(role) > 0 and role.get("workerTemplate") is None:
            message = f"{workers_of(role)} workers need a template"
            yield problem(f"{path}.workerTemplate", "REQUIRED", message)


def amounts(manifest: Manifest) -> Iterator[Problem]:
    """Amounts are integers from 0 or percentages from 0% to 100%, and something may always move."""
    rolling = mapping(manifest.strategy.get("rollingUpdateConfiguration"))
    yield from _amounts(_CONFIG, rolling)
    if not manifest.by_role:
        yield from _movable(_CONFIG, rolling, manifest.replicas)
    for path, role in manifest.roles():
        replicas = count(role.get("replicas"), DEFAULT_REPLICAS)
        yield from _amounts(path, role)
        if manifest.by_role:
            yield from _movable(path, role, replicas)
        unavailable = role.get("maxUnavailable")
        if is_amount(unavailable) and resolve_down(unavailable, replicas) > replicas > 0:
            message = f"{unavailable} is more than the role's {replicas} replicas"
            yield problem(f"{path}.maxUnavailable", "RANGE", message)


def _amounts(path: str, rolling: Object) -> Iterator[Problem]:
    for field in _AMOUNTS:
        value = rolling.get(field)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and not is_amount(value):
            shown = f'"{value}"' if isinstance(value, str) else value
            message = f"{shown}: write a whole number from 0, or a percentage from 0% to 100% such as 25%"
            yield problem(f"{path}.{field}", "INT_OR_PERCENT", message)


def _movable(path: str, rolling: Object, replicas: int) -> Iterator[Problem]:
    """MaxUnavailable rounds down; at 0 nothing could ever be replaced, unless a surge helps."""
    written = rolling.get("maxUnavailable")
    unavailable = DEFAULT_MAX_UNAVAILABLE if written is None else written
    if not is_amount(unavailable) or replicas <= 0 or resolve_down(unavailable, replicas) > 0:
        return
    if is_amount(rolling.get("maxSurge")) and resolve_up(rolling.get("maxSurge"), replicas) > 0:
        return
    message = f"{written} of {replicas} replicas rounds down to 0, so nothing could be replaced; raise it"
    yield problem(f"{path}.maxUnavailable", "RANGE", message)


def fitting(manifest: Manifest) -> Iterator[Problem]:
    """Each strategy has its own place for its settings."""
    if manifest.by_role:
        if manifest.strategy.get("rollingUpdateConfiguration") is not None:
            message = f"{BY_ROLE} takes these settings on each role; move them to spec.template.roles[]"
            yield problem(_CONFIG, "STRATEGY", message)
        if manifest.spec.get("recoveryPolicy") == "ServingGroupRecreate":
            message = f"ServingGroupRecreate undoes {BY_ROLE}; use RoleRecreate"
            yield problem("spec.recoveryPolicy", "STRATEGY", message)
        return
    for path, role in manifest.roles():
        for field in ("partition", "maxSurge"):
            if role.get(field) is not None:
                message = f"only {BY_ROLE} reads it here; move it to {_CONFIG}"
                yield problem(f"{path}.{field}", "STRATEGY", message)


def gang(manifest: Manifest) -> Iterator[Problem]:
    """Gang minima name roles that exist and ask for no more than these have."""
    path = "spec.template.gangPolicy.minRoleReplicas"
    replicas = {
        role_name(role): count(role.get("replicas"), DEFAULT_REPLICAS) for _, role in manifest.roles()
    }
    for role, least in mapping(at(manifest.template, "gangPolicy", "minRoleReplicas")).items():
        if role not in replicas:
            yield problem(f"{path}.{role}", "UNKNOWN_ROLE", _no_role(role, manifest))
        elif not 0 <= count(least, 0) <= replicas[role]:
            message = f"{count(least, 0)} is not between 0 and the role's {replicas[role]} replicas"
            yield problem(f"{path}.{role}", "RANGE", message)


def plugins(manifest: Manifest) -> Iterator[Problem]:
    """Plugins have a name, the one type that there is, and a scope that names roles that exist."""
    for index, plugin in enumerate(sequence(manifest.spec.get("plugins"))):
        path, written = f"spec.plugins[{index}]", mapping(plugin)
        if written.get("name") in (None, ""):
            yield problem(f"{path}.name", "REQUIRED", "a plugin needs a name")
        yield from _word(f"{path}.type", written.get("type"), ("BuiltIn",))
        yield from _word(
            f"{path}.scope.target", at(plugin, "scope", "target"), ("", "All", "Entry", "Worker")
        )
        for place, role in enumerate(sequence(at(plugin, "scope", "roles"))):
            if isinstance(role, str) and role not in manifest.role_names():
                message = _no_role(role, manifest)
                yield problem(f"{path}.scope.roles[{place}]", "UNKNOWN_ROLE", message)


def _word(path: str, value: Json, allowed: tuple[str, ...]) -> Iterator[Problem]:
    if isinstance(value, str) and value not in allowed:
        yield problem(path, "ENUM", f'"{value}" is not one of {", ".join(filter(None, allowed))}')


def _no_role(role: str, manifest: Manifest) -> str:
    return f'there is no role "{role}"; roles are {", ".join(sorted(manifest.role_names()))}'


def paused(manifest: Manifest) -> Iterator[Problem]:
    """Warn where the written partition leaves nothing that could move (allowed: a way to pause)."""
    if manifest.by_role:
        for path, role in manifest.roles():
            replicas = count(role.get("replicas"), DEFAULT_REPLICAS)
            yield from _paused(f"{path}.partition", role.get("partition"), replicas)
    else:
        partition = at(manifest.strategy, "rollingUpdateConfiguration", "partition")
        yield from _paused(f"{_CONFIG}.partition", partition, manifest.replicas)


def _paused(path: str, partition: Json, replicas: int) -> Iterator[Problem]:
    if is_amount(partition) and 0 < replicas <= resolve_up(partition, replicas):
        message = f"paused by partition: {partition} of {replicas} replicas leaves no ordinal that may move"
        yield problem(path, "PAUSED_BY_PARTITION", message)
