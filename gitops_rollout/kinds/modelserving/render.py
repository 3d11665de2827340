"""The object to publish: a recorded text under the controls of today."""

from gitops_rollout.api.values import Json, Object, mapping, sequence
from gitops_rollout.api.workload import WHOLE, Thresholds
from gitops_rollout.kinds.metadata import labelled
from gitops_rollout.kinds.modelserving.controls import foreign, rolls_by_role
from gitops_rollout.kinds.modelserving.fields import SPEC_CONTROLS, TEMPLATES
from gitops_rollout.kinds.modelserving.project import role_name
from gitops_rollout.kinds.protocol import Injection


def render(text: Object, controls: Object, injection: Injection, partition: Thresholds | None) -> Object:
    """Give the object without name, namespace and our annotations; inputs are not mutated.

    Roles stand in the order of `text`. A role that the controls do not know gets no replicas of its
    own, as Kthena does with roles that only its history has.
    """
    spec = mapping(text.get("spec"))
    template = mapping(spec.get("template"))
    thresholds = _thresholds(controls, partition)
    roles: list[Json] = [
        _role(mapping(role), controls, injection, thresholds) for role in sequence(template.get("roles"))
    ]
    overlay = {field: controls[field] for field in SPEC_CONTROLS if field in controls}
    if WHOLE in thresholds:
        overlay["rolloutStrategy"] = _with_partition(overlay.get("rolloutStrategy"), thresholds[WHOLE])
    return {
        **text,
        **({"metadata": controls["metadata"]} if "metadata" in controls else {}),
        "spec": {
            **spec,
            **overlay,
            "template": {**template, **mapping(controls.get("template")), "roles": roles},
        },
    }


def _thresholds(controls: Object, partition: Thresholds | None) -> Object:
    """Give what is to be written as partition, by component; the whole has the key WHOLE."""
    if partition is not None and foreign(controls) and WHOLE in partition:
        return {WHOLE: f"{partition[WHOLE]}%"}
    if partition is not None:
        return dict(partition)
    floor = controls.get("floor")
    if rolls_by_role(controls):
        return mapping(floor)
    return {} if floor is None else {WHOLE: floor}


def _with_partition(strategy: Json, partition: Json) -> Object:
    written = mapping(strategy)
    rolling = {**mapping(written.get("rollingUpdateConfiguration")), "partition": partition}
    return {**written, "rollingUpdateConfiguration": rolling}


def _role(role: Object, controls: Object, injection: Injection, thresholds: Object) -> Object:
    name = role_name(role)
    rendered = {**role, **mapping(mapping(controls.get("roles")).get(name))}
    if name in thresholds:
        rendered["partition"] = thresholds[name]
    labels = {**injection.labels.get(WHOLE, {}), **injection.labels.get(name, {})}
    for field in TEMPLATES:
        if labels and isinstance(rendered.get(field), dict):
            template = mapping(rendered[field])
            rendered[field] = {**template, "metadata": labelled(template.get("metadata"), labels)}
    return rendered
