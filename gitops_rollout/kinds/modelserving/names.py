"""Rules about names: of the object, of its roles, and of the pods that Kthena will name after both."""

import re
from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, at, mapping, text
from gitops_rollout.kinds.modelserving.amounts import count
from gitops_rollout.kinds.modelserving.fields import DEFAULT_REPLICAS
from gitops_rollout.kinds.modelserving.manifest import ROLES, Manifest, foreign, problem
from gitops_rollout.kinds.modelserving.project import role_name, workers_of

LABEL_LENGTH = 63
ROLE_LENGTH = 12
ROLE_COUNT = 4

_DNS_1035 = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_DNS_1123 = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_LABEL_VALUE = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?", re.ASCII)
_LABEL_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?", re.ASCII)
_SUBDOMAIN = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*", re.ASCII)


def bad_dns_1035(name: str) -> str:
    """Say why `name` is no DNS-1035 label; length apart, nothing when it is one."""
    if _DNS_1035.fullmatch(name):
        return ""
    rule = 'use lower-case letters, digits and "-", with a letter first'
    strange = foreign(name)
    return f'"{name}" is no DNS-1035 label: {strange + "; " if strange else ""}{rule}'


def bad_dns_1123(name: str) -> str:
    """Say why `name` is no DNS-1123 label of at most 63 characters; nothing when it is one."""
    if _DNS_1123.fullmatch(name) and len(name) <= LABEL_LENGTH:
        return ""
    strange = foreign(name)
    rule = f'use at most {LABEL_LENGTH} lower-case letters, digits and "-"'
    return f'"{name}" is no DNS-1123 label: {strange + "; " if strange else ""}{rule}'


def bad_label(key: str, value: Json) -> str:
    """Say why the API server refuses a label; nothing when it takes it."""
    prefix, slash, name = key.rpartition("/")
    if not _LABEL_NAME.fullmatch(name) or len(name) > LABEL_LENGTH:
        return f'label key "{key}": the name part takes 1 to {LABEL_LENGTH} of letters, digits, "-", "_", "."'
    if slash and not (_SUBDOMAIN.fullmatch(prefix) and len(prefix) <= 253):
        return f'label key "{key}": the part before "/" must be a lower-case DNS name'
    if isinstance(value, str) and not (_LABEL_VALUE.fullmatch(value) and len(value) <= LABEL_LENGTH):
        return f'label value "{value}": at most {LABEL_LENGTH} letters, digits, inside also "-", "_", "."'
    return ""


def identity(manifest: Manifest) -> Iterator[Problem]:
    """The object has a name and a namespace that pods and services can be named after."""
    name = at(manifest.value, "metadata", "name")
    if name is None or name == "":
        yield problem("metadata.name", "REQUIRED", "a ModelServing needs a name; generateName is not enough")
    elif isinstance(name, str) and (why := bad_dns_1035(name)):
        yield problem("metadata.name", "NAME", why)
    namespace = text(at(manifest.value, "metadata", "namespace"))
    if namespace and (why := bad_dns_1123(namespace)):
        yield problem("metadata.namespace", "NAME", why)
    for key, value in mapping(at(manifest.value, "metadata", "labels")).items():
        if why := bad_label(key, value):
            yield problem(f"metadata.labels[{key}]", "LABEL", why)


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
