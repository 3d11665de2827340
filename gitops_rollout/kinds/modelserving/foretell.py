"""The names that Kthena itself will give to the revisions of an object: its hashes, foretold.

The identity of #1799: FNV-1 (32 bit) over canonical snapshots as Go prints them, salted with the
collision count for the whole object, unsalted for a role.
"""

from collections.abc import Mapping

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.modelserving.fields import (
    DEFAULT_PLUGIN_TYPE,
    DEFAULT_TARGET,
    PLUGIN,
    ROLE,
    TEMPLATES,
)
from gitops_rollout.kinds.modelserving.gojson import go_bytes, go_value
from gitops_rollout.kinds.modelserving.project import (
    applicable,
    effective_template,
    plugins_of,
    role_name,
    roles_of,
    scheduler_of,
    workers_of,
)

_BASIS, _PRIME, _MASK = 0x811C9DC5, 0x01000193, 0xFFFFFFFF
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


def revision_hash(data: bytes, collisions: int | None) -> str:
    """Hash a snapshot as Kthena does; `collisions` None is unsalted, which 0 is not."""
    total = _BASIS
    for byte in data + (b"" if collisions is None else str(collisions).encode()):
        total = (total * _PRIME & _MASK) ^ byte
    return "".join(_ALPHABET[ord(digit) % len(_ALPHABET)] for digit in str(total))


def revision(published: Object, collisions: int = 0) -> str:
    """Foretell the revision of a whole object; `collisions` is the collisionCount of its status."""
    return revision_hash(snapshot(published), collisions)


def role_revisions(published: Object) -> Mapping[str, str]:
    """Foretell the role template hash of each role."""
    return {
        role_name(role): revision_hash(role_snapshot(published, role), None) for role in roles_of(published)
    }


def legacy_role_revision(role: Object) -> str:
    """Foretell the hash that #1799 keeps for histories without scheduler and plugins."""
    return revision_hash(go_bytes(go_value(role, ROLE)), None)


def snapshot(published: Object) -> bytes:
    """Give what Kthena records for a whole object: all plugins and templates, inactive ones too."""
    scheduler = scheduler_of(published)
    roles: list[Json] = [_role(role, scheduler) for role in sorted(roles_of(published), key=role_name)]
    plugins: list[Json] = [_plugin(plugin, _scope(plugin)) for plugin in plugins_of(published)]
    template: Object = {"roles": roles}
    return go_bytes({"spec": {"schedulerName": scheduler, "plugins": plugins, "template": template}})


def role_snapshot(published: Object, role: Object) -> bytes:
    """Give what Kthena compares for one role: its own template and the plugins that reach it."""
    scheduler = scheduler_of(published)
    plugins: list[Json] = [
        _plugin(mapping(plugin), mapping(at(plugin, "scope")))
        for plugin in applicable(plugins_of(published), role)
    ]
    form = mapping(_role(role, scheduler))
    if workers_of(role) == 0:
        form.pop(TEMPLATES[1], None)
    return go_bytes({"schedulerName": scheduler, "plugins": plugins, "role": form})


def _role(role: Object, scheduler: str) -> Json:
    templates: Object = {
        field: _template(role[field], scheduler) for field in TEMPLATES if role.get(field) is not None
    }
    return go_value({**role, **templates}, ROLE)


def _template(template: Json, scheduler: str) -> Object:
    effective = effective_template(template, scheduler)
    metadata = mapping(effective.get("metadata"))
    return {**effective, "metadata": metadata if any(metadata.values()) else None}


def _plugin(plugin: Object, scope: Object) -> Json:
    kind = text(plugin.get("type")) or DEFAULT_PLUGIN_TYPE
    return go_value({**plugin, "type": kind, "scope": scope or None}, PLUGIN)


def _scope(plugin: Object) -> Object:
    written = mapping(plugin.get("scope"))
    roles = sorted({text(role) for role in sequence(written.get("roles"))})
    target = text(written.get("target")) or DEFAULT_TARGET
    if not roles and target == DEFAULT_TARGET:
        return {}
    return {"roles": list(roles), "target": target}
