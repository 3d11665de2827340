"""Configuration that changes under running pods: it is published at once, and no gate asks (DESIGN 3)."""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, text
from gitops_rollout.aside import Aside
from gitops_rollout.render.root import OtherObject
from gitops_rollout.source.source import Source

# Where a pod template names a ConfigMap or Secret: the field, and the member that holds the name.
_NAMES = {
    "configMap": ("ConfigMap", "name"),
    "configMapRef": ("ConfigMap", "name"),
    "configMapKeyRef": ("ConfigMap", "name"),
    "secret": ("Secret", "secretName"),
    "secretRef": ("Secret", "name"),
    "secretKeyRef": ("Secret", "name"),
}


def ungated(aside: Aside, source: Source) -> Iterator[Problem]:
    """Warn of every ConfigMap or Secret that changes although pods of a workload use it."""
    for folder, wanted in aside.wanted.items():
        listing = aside.listings.get(folder)
        for one in wanted:
            before = listing.files.get(one.filename) if listing is not None else None
            if one.group or one.kind not in ("ConfigMap", "Secret") or before in (None, one.raw):
                continue
            users = _users(one, source)
            if users:
                yield _warning(one, users)


def _users(one: OtherObject, source: Source) -> list[str]:
    """Name the workloads whose pods use an object. Specs are read only where one has changed."""
    keys = sorted(key for key in source.specs if key.namespace == one.namespace)
    return [str(key) for key in keys if (one.kind, one.name) in set(used(source.specs[key].text))]


def used(value: Json) -> Iterator[tuple[str, str]]:
    """Give (kind, name) of every ConfigMap and Secret that a text names."""
    if isinstance(value, list):
        for member in value:
            yield from used(member)
    if isinstance(value, dict):
        for name, member in value.items():
            kind, field = _NAMES.get(name, ("", ""))
            if kind and isinstance(member, dict) and text(member.get(field)):
                yield kind, text(member.get(field))
            yield from used(member)


def _warning(one: OtherObject, users: list[str]) -> Problem:
    shown = ", ".join(users[:3]) + (f" and {len(users) - 3} more" if len(users) > 3 else "")
    message = (
        f"{one.kind} {one.name} changes at once, and pods of {shown} use it: no gate asks. To let it in by "
        "steps, give it a new name and name that in the spec"
    )
    return Problem(file=f"{one.folder}/{one.filename}", code="UNGATED_CONFIG", message=message)
