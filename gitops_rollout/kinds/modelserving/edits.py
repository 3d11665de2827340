"""Which values an update changes, with paths keyed by names and values as they are written."""

from collections.abc import Iterator
from dataclasses import replace

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.api.verdict import Change
from gitops_rollout.api.workload import Spec
from gitops_rollout.kinds.leaves import Edits, differing, flat, in_order, leaves
from gitops_rollout.kinds.modelserving.fields import (
    DEFAULT_TARGET,
    METADATA,
    POD_SPEC,
    ROLE_CONTROLS,
    TEMPLATES,
    UNKNOWN,
    table,
)
from gitops_rollout.kinds.modelserving.project import (
    applicable,
    effective_template,
    outside_roles,
    plugin_form,
    plugins_of,
    role_name,
    roles_of,
    scheduler_of,
    workers_of,
)
from gitops_rollout.kinds.written import without
from gitops_rollout.semantics.canonical import canonical, canonical_bytes
from gitops_rollout.semantics.changes import changes

PARTITION = "rolloutStrategy/rollingUpdateConfiguration/partition"

_INACTIVE = "inactive"
_LEVELS = (("spec", ""), ("template", "template"), ("object", "object"))
"""Where unknown fields can stand outside the roles, and how their paths begin."""


def edits(old: Spec, new: Spec) -> Edits:
    """Compare two specs of one workload. Empty lists: equal revisions, equal controls."""
    revision, inactive = list(_scheduler(old.text, new.text)), []
    plugins = list(_plugins(old.text, new.text))
    if _reached(old.text) == _reached(new.text):
        inactive += [replace(change, note=_INACTIVE) for change in plugins]
    else:
        revision += plugins
    before, after = _by_name(old.text), _by_name(new.text)
    for name in in_order(before, after):
        if name in before and name in after:
            revision += _role(name, before[name], after[name])
            inactive += _idle_workers(name, before[name], after[name])
        else:
            revision.append(Change(name, before.get(name), after.get(name)))
    unknown = outside_roles(old.text), outside_roles(new.text)
    for level, path in _LEVELS:
        revision += leaves(mapping(unknown[0].get(level)), mapping(unknown[1].get(level)), path)
    both = before.keys() & after.keys()
    return Edits(tuple(revision), tuple(inactive), tuple(_controls(old.controls, new.controls, both)))


def _by_name(source: Object) -> dict[str, Object]:
    return {role_name(role): role for role in roles_of(source)}


def _scheduler(old: Object, new: Object) -> Iterator[Change]:
    if scheduler_of(old) != scheduler_of(new):
        yield Change("schedulerName", at(old, "spec", "schedulerName"), at(new, "spec", "schedulerName"))


def _role(name: str, old: Object, new: Object) -> list[Change]:
    before, after = workers_of(old), workers_of(new)
    found = _template(name, old.get(TEMPLATES[0]), new.get(TEMPLATES[0]))
    if before != after:
        found.append(Change(f"{name}/workerReplicas", before, after))
    if before > 0 or after > 0:
        found += _template(f"{name}/worker", old.get(TEMPLATES[1]), new.get(TEMPLATES[1]))
    known = ("name", "workerReplicas", *TEMPLATES, *ROLE_CONTROLS)
    return found + leaves(_rest(old, known), _rest(new, known), name)


def _template(path: str, old: Json, new: Json) -> list[Change]:
    if old is None or new is None:
        return [] if old is new else [Change(path, old, new)]
    before, after = effective_template(old, ""), effective_template(new, "")
    found = [
        *changes(before.get("metadata"), after.get("metadata"), METADATA, table(), f"{path}/metadata"),
        *changes(before["spec"], after["spec"], POD_SPEC, table(), path),
    ]
    known = ("metadata", "spec")
    return found + leaves(_rest(before, known), _rest(after, known), path)


def _rest(value: Object, known: tuple[str, ...]) -> Json:
    """Give the form of the fields that nobody knows."""
    return canonical(without(value, known), UNKNOWN, table()).form


def _idle_workers(name: str, old: Object, new: Object) -> list[Change]:
    if workers_of(old) > 0 or workers_of(new) > 0:
        return []
    found = _template(f"{name}/worker", old.get(TEMPLATES[1]), new.get(TEMPLATES[1]))
    return [replace(change, note=_INACTIVE) for change in found]


def _reached(source: Object) -> list[tuple[str, bytes]]:
    """Give what plugins say to each role."""
    plugins = plugins_of(source)
    roles = sorted(roles_of(source), key=role_name)
    return [(role_name(role), canonical_bytes(list(applicable(plugins, role)))) for role in roles]


def _plugins(old: Object, new: Object) -> Iterator[Change]:
    before, after = _named(plugins_of(old)), _named(plugins_of(new))
    for name in in_order(before, after):
        yield from leaves(before.get(name), after.get(name), f"plugins[{name}]")
    common = before.keys() & after.keys()
    orders = [[name for name in side if name in common] for side in (before, after)]
    if orders[0] != orders[1]:
        yield Change("plugins", list(orders[0]), list(orders[1]), "order only")


def _named(plugins: list[Object]) -> dict[str, Json]:
    """Give plugins by name, a repeated name with its place; scopes in one spelling."""
    found: dict[str, Json] = {}
    for index, plugin in enumerate(plugins):
        scope = mapping(plugin.get("scope"))
        names = sorted({text(role) for role in sequence(scope.get("roles"))})
        target = text(scope.get("target")) or DEFAULT_TARGET
        spelled: Object = {
            **scope,
            "roles": list(names),
            "target": None if target == DEFAULT_TARGET else target,
        }
        name = text(plugin.get("name"))
        key = f"{name}#{index}" if name in found else name
        found[key] = plugin_form(plugin, spelled if names or target != DEFAULT_TARGET else {})
    return found


def _controls(old: Object, new: Object, roles: set[str]) -> Iterator[Change]:
    """Compare controls by published path; of roles only those that both sides have."""
    yield from differing(dict(_paths(old, roles)), dict(_paths(new, roles)))


def _paths(controls: Object, roles: set[str]) -> Iterator[tuple[str, Json]]:
    for key, value in controls.items():
        if key == "roles":
            for role in roles & mapping(value).keys():
                yield from flat(role, mapping(value)[role])
        elif key == "floor" and isinstance(value, dict):
            yield from ((f"{role}/partition", floor) for role, floor in value.items() if role in roles)
        elif key == "floor":
            yield PARTITION, value
        else:
            yield from flat(key, value)
