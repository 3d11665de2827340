"""Rules about names: of the object, of its roles, and of the pods that Kthena will name after both."""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json
from gitops_rollout.kinds import metadata
from gitops_rollout.kinds.modelserving.fields import DEFAULT_REPLICAS
from gitops_rollout.kinds.modelserving.manifest import ROLES, Manifest
from gitops_rollout.kinds.modelserving.project import role_name, workers_of
from gitops_rollout.kinds.names import LABEL_LENGTH, bad_dns_1035
from gitops_rollout.kinds.written import count, problem

ROLE_LENGTH = 12
ROLE_COUNT = 4


def identity(manifest: Manifest) -> Iterator[Problem]:
    """The object has a name and a namespace that pods and services can be named after."""
    return metadata.identity(manifest.value, "a ModelServing", manifest.name)


def roles(manifest: Manifest) -> Iterator[Problem]:
    """Roles: 1 to 4, each with a DNS-1035 name of at most 12 characters that no other has."""
    written = manifest.template.get("roles")
    if written is None or written == []:
        yield problem(ROLES, "REQUIRED", "at least one role is needed")
    if isinstance(written, list) and len(written) > ROLE_COUNT:
        yield problem(ROLES, "RANGE", f"{len(written)} roles: the CRD takes at most {ROLE_COUNT}")
    first: dict[str, int] = {}
    for index, (path, role) in enumerate(manifest.roles()):
        yield from _role_name(f"{path}.name", role.get("name"))
        name = role_name(role)
        if name and name in first:
            message = f'role "{name}" stands at roles[{first[name]}] and roles[{index}]; names must be unique'
            yield problem(f"{path}.name", "DUPLICATE_NAME", message)
        first.setdefault(name, index)


def _role_name(path: str, name: Json) -> Iterator[Problem]:
    if name is None or name == "":
        yield problem(path, "REQUIRED", "a role needs a name")
    if not isinstance(name, str) or not name:
        return
    if why := bad_dns_1035(name):
        yield problem(path, "NAME", why)
    if len(name) > ROLE_LENGTH:
        message = f'"{name}" has {len(name)} characters; a role name takes at most {ROLE_LENGTH}'
        yield problem(path, "NAME_TOO_LONG", message)


def budget(manifest: Manifest) -> Iterator[Problem]:
    """Pods are named after object, counts and role, and that name must fit into a label."""
    for path, role in manifest.roles():
        replicas = count(role.get("replicas"), DEFAULT_REPLICAS)
        generated = (
            f"{manifest.name}-{manifest.replicas}-{role_name(role)}-{replicas}-{max(workers_of(role), 0)}"
        )
        if len(generated) > LABEL_LENGTH:
            message = (
                f'the generated name "{generated}" has {len(generated)} characters, at most {LABEL_LENGTH} '
                "fit into a label; shorten metadata.name or the role's name"
            )
            yield problem(f"{path}.name", "NAME_TOO_LONG", message)
