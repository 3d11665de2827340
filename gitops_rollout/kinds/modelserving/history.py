"""What Kthena's own ControllerRevisions hold, restored to a source text (Kthena #1799, §legacy).

Roles-only data is `{"data": [roles]}`, `{"data": {"roles": […]}}` or the bare list; data of version v1
is `{"spec": {schedulerName, plugins, template: {roles}}}`. What a snapshot does not hold is taken from
the current text.
"""

from gitops_rollout.api.values import Json, Object, at, mapping
from gitops_rollout.kinds.modelserving.project import role_name

_KEPT = ("name", "entryTemplate", "workerReplicas", "workerTemplate")


def restored(data: Json, current: Object) -> Object | None:
    """Give the source text that a snapshot stands for, None when it cannot be told."""
    spec = mapping(at(data, "spec")) or mapping(at(data, "data")) or mapping(data)
    roles = _roles(data, spec)
    if not roles:
        return None
    now = mapping(current.get("spec"))
    template = {**mapping(now.get("template")), "roles": roles}
    parts: Object = {name: spec[name] for name in ("schedulerName", "plugins") if name in spec}
    return {**current, "spec": {**now, **parts, "template": template}}


def _roles(data: Json, spec: Object) -> list[Json]:
    for found in (at(spec, "template", "roles"), spec.get("roles"), at(data, "data"), data):
        if isinstance(found, list):
            return _checked(found)
    return []


def _checked(roles: list[Json]) -> list[Json]:
    """Keep of each role what a revision is made of; one bad role makes all of them unknown."""
    kept: list[Json] = []
    for role in roles:
        if (
            not isinstance(role, dict)
            or not isinstance(role.get("entryTemplate"), dict)
            or not role_name(role)
        ):
            return []
        kept.append({name: role[name] for name in _KEPT if name in role})
    names = [role_name(mapping(role)) for role in kept]
    return kept if len(set(names)) == len(names) else []
