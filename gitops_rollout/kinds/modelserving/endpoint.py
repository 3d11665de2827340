"""Which pods of a ModelServing answer requests: the entry pods of one role, by the labels of Kthena."""

from gitops_rollout.api.values import Object, at, mapping, sequence
from gitops_rollout.kinds.modelserving.fields import TEMPLATES
from gitops_rollout.kinds.modelserving.project import role_name, roles_of
from gitops_rollout.kinds.protocol import Endpoint

_TEMPLATE = TEMPLATES[0]
LABELS = "modelserving.volcano.sh"
"""The prefix of the labels that Kthena puts on pods; not the group of its API."""
TELLING = frozenset({f"{LABELS}/revision", f"{LABELS}/role-template-hash"})
"""Hashes of what pods are made from (Kthena labels)."""


def endpoint(text: Object, name: str, role: str) -> Endpoint | None:
    """Give the entry pods of `role`; workers of a group of several nodes have no server (Kthena docs)."""
    found = next((one for one in roles_of(text) if role_name(one) == role), None)
    if found is None:
        return None
    labels = {f"{LABELS}/name": name, f"{LABELS}/role": role, f"{LABELS}/entry": "true"}
    written = mapping(at(found, _TEMPLATE, "metadata", "labels"))
    return Endpoint(
        labels,
        {key: value for key, value in written.items() if isinstance(value, str)},
        _ports(mapping(found.get(_TEMPLATE))),
        f"{LABELS}/",
        TELLING,
    )


def _ports(template: Object) -> dict[int, bool]:
    """Give the declared ports; the first container is the one that serves."""
    found: dict[int, bool] = {}
    for index, container in enumerate(sequence(at(template, "spec", "containers"))):
        for port in sequence(mapping(container).get("ports")):
            number = mapping(port).get("containerPort")
            if isinstance(number, int) and not isinstance(number, bool):
                found[number] = found.get(number, False) or index == 0
    return found
