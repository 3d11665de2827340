"""Source text and its canonical form: what a revision of a ModelServing is.

The text keeps order, spelling and absence. The canonical form is the list of role projections of
Kthena #1799: each role with its effective scheduler and the plugins that reach its pods, ordered by
name, typed and normalised. Pod API defaults are not filled in: plugins see the pod before admission.
"""

from collections.abc import Iterator, Mapping

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.modelserving.fields import (
    DEFAULT_PLUGIN_TYPE,
    DEFAULT_SCHEDULER,
    DEFAULT_TARGET,
    EMPTY_SCHEDULER,
    OWNED_ENV,
    PLUGIN,
    ROLE,
    ROLE_CONTROLS,
    SPEC_CONTROLS,
    TEMPLATE_CONTROLS,
    UNKNOWN,
    table,
)
from gitops_rollout.kinds.written import count, without
from gitops_rollout.semantics.canonical import canonical

_TOP = ("apiVersion", "kind", "metadata", "spec", "status")
_SPEC = ("schedulerName", "plugins", "template")


def source_text(value: Object) -> Object:
    """Give the revisioned fields of an object exactly as written; shares structure with `value`."""
    top = {key: part for key, part in value.items() if key not in ("metadata", "status")}
    spec = without(mapping(value.get("spec")), SPEC_CONTROLS)
    template = without(mapping(spec.get("template")), TEMPLATE_CONTROLS)
    if "roles" in template:
        template["roles"] = [without(mapping(role), ROLE_CONTROLS) for role in sequence(template["roles"])]
    return {**top, "spec": {**spec, "template": template}}


def roles_of(source: Object) -> list[Object]:
    """Give the roles of a text or an object, in the order in which they are written."""
    return [mapping(role) for role in sequence(at(source, "spec", "template", "roles"))]


def role_name(role: Object) -> str:
    return text(role.get("name"))


def role_names(source: Object) -> frozenset[str]:
    return frozenset(role_name(role) for role in roles_of(source))


def workers_of(role: Object) -> int:
    """Give the number of workers beside each entry pod."""
    return count(role.get("workerReplicas"), 0)


def scheduler_of(source: Object) -> str:
    """Give the effective scheduler: absent is the CRD's default, an explicit "" is the cluster's."""
    written = at(source, "spec", "schedulerName")
    if written is None:
        return DEFAULT_SCHEDULER
    return text(written) or EMPTY_SCHEDULER


def plugins_of(source: Object) -> list[Object]:
    return [mapping(plugin) for plugin in sequence(at(source, "spec", "plugins"))]


def projections(source: Object) -> Mapping[str, Json]:
    """Give the projection of each role by name, ordered by name.

    Two projections are equal (as canonical bytes) iff Kthena #1799 keeps the role's pods. Fields that
    nobody knows are part of every projection that they may reach.
    """
    scheduler, plugins, unknown = scheduler_of(source), plugins_of(source), outside_roles(source)
    found: dict[str, Json] = {}
    for role in sorted(roles_of(source), key=role_name):
        form: Object = {
            "schedulerName": scheduler,
            "plugins": list(applicable(plugins, role)),
            "role": canonical(effective_role(role, scheduler), ROLE, table()).form,
        }
        found[role_name(role)] = {**form, "unknown": unknown} if unknown else form
    return found


def effective_role(role: Object, scheduler: str) -> Object:
    """Give a role as its pods see it: a worker template that no pod uses is left out."""
    effective = without(role, (*ROLE_CONTROLS, "workerTemplate"))
    effective["entryTemplate"] = effective_template(role.get("entryTemplate"), scheduler)
    if workers_of(role) > 0:
        effective["workerTemplate"] = effective_template(role.get("workerTemplate"), scheduler)
    return effective


def effective_template(template: Json, scheduler: str) -> Object:
    """Give a pod template with what Kthena overwrites: the scheduler, and its own variables gone."""
    written = mapping(template)
    spec = {**mapping(written.get("spec")), "schedulerName": scheduler}
    for field in ("containers", "initContainers"):
        if isinstance(spec.get(field), list):
            spec[field] = [_without_owned_env(container) for container in sequence(spec[field])]
    return {**written, "spec": spec}


def _without_owned_env(container: Json) -> Json:
    if not isinstance(container, dict) or not isinstance(container.get("env"), list):
        return container
    env = sequence(container["env"])
    return {**container, "env": [entry for entry in env if mapping(entry).get("name") not in OWNED_ENV]}


def applicable(plugins: list[Object], role: Object) -> Iterator[Json]:
    """Give, in order, the plugins that reach pods of `role`, without what does not matter to it.

    Which other roles a plugin is for is nobody's business here, so a longer list of roles restarts
    only those that are new in it.
    """
    workers = workers_of(role)
    for plugin in plugins:
        scope = mapping(plugin.get("scope"))
        names, target = sequence(scope.get("roles")), text(scope.get("target")) or DEFAULT_TARGET
        if (names and role_name(role) not in names) or (target == "Worker" and not workers):
            continue
        rest = without(scope, ("roles", "target"))
        if target != DEFAULT_TARGET and not (target == "Entry" and not workers):
            rest["target"] = target
        yield plugin_form(plugin, rest)


def plugin_form(plugin: Object, scope: Object) -> Json:
    """Give a plugin in its one spelling: {} as config differs from none, null does not."""
    kind = text(plugin.get("type")) or DEFAULT_PLUGIN_TYPE
    return canonical({**plugin, "type": kind, "scope": dict(scope) or None}, PLUGIN, table()).form


def outside_roles(source: Object) -> Object:
    """Collect what stands outside the roles and is neither known nor a control."""
    spec = mapping(source.get("spec"))
    parts: Object = {
        "object": dict(without(source, _TOP)),
        "spec": dict(without(spec, _SPEC)),
        "template": dict(without(mapping(spec.get("template")), ("roles",))),
    }
    forms = {key: canonical(part, UNKNOWN, table()).form for key, part in parts.items() if part}
    return {key: form for key, form in forms.items() if form}
