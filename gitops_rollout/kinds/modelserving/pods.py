"""Rules about pod templates: what the API server or Kthena would refuse only once pods are made."""

import re
from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.modelserving.fields import OUR_PREFIX, OWNED_ENV
from gitops_rollout.kinds.modelserving.manifest import Manifest, Template, foreign, problem
from gitops_rollout.kinds.modelserving.names import bad_dns_1123, bad_label
from gitops_rollout.semantics.canonical import alias_conflict

_ALL = ("initContainers", "containers", "ephemeralContainers")
_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS = ("postStart", "preStop")
_PORT_NAME = re.compile(r"[a-z0-9]([a-z0-9]|-(?!-))*", re.ASCII)
_PORT_NAME_LENGTH = 15
_PORTS = range(1, 65536)


def containers(manifest: Manifest) -> Iterator[Problem]:
    """A template that makes pods has containers, and all containers of a pod have names of their own."""
    for template in manifest.templates():
        if template.used and template.spec.get("containers") in (None, []):
            path = f"{template.path}.spec.containers"
            yield problem(path, "REQUIRED", "a pod needs at least one container")
        seen: dict[str, str] = {}
        for path, container in template.containers(*_ALL):
            name = container.get("name")
            if name is None or name == "":
                yield problem(f"{path}.name", "REQUIRED", "a container needs a name")
            elif isinstance(name, str) and (why := bad_dns_1123(name)):
                yield problem(f"{path}.name", "NAME", why)
            yield from _unique(f"{path}.name", "container", name, seen)


def _unique(path: str, what: str, name: Json, seen: dict[str, str]) -> Iterator[Problem]:
    """Refuse a name that stands in `seen`, and remember it there."""
    if not isinstance(name, str) or not name:
        return
    if name in seen:
        yield problem(path, "DUPLICATE_NAME", f'{what} "{name}" is already at {seen[name]}')
    seen.setdefault(name, path.removesuffix(".name"))


def volumes(manifest: Manifest) -> Iterator[Problem]:
    """Volumes of a pod have names of their own."""
    for template in manifest.templates():
        seen: dict[str, str] = {}
        for index, volume in enumerate(sequence(template.spec.get("volumes"))):
            path = f"{template.path}.spec.volumes[{index}].name"
            yield from _unique(path, "volume", mapping(volume).get("name"), seen)


def images(manifest: Manifest) -> Iterator[Problem]:
    """Image names hold no space and nothing that only looks like nothing."""
    for template in manifest.templates():
        for path, container in template.containers(*_ALL):
            image = text(container.get("image"))
            if strange := foreign(image):
                yield problem(f"{path}.image", "IMAGE", f"{strange}; image names are plain ASCII, no spaces")


def ports(manifest: Manifest) -> Iterator[Problem]:
    """Container ports are unique by name and in range; probe ports are numbers or real names."""
    for template in manifest.templates():
        for path, container in template.containers(*_ALL):
            seen: dict[str, str] = {}
            for index, entry in enumerate(sequence(container.get("ports"))):
                port, place = mapping(entry), f"{path}.ports[{index}]"
                yield from _unique(f"{place}.name", "port", port.get("name"), seen)
                yield from _port_name(f"{place}.name", text(port.get("name")))
                if port.get("containerPort") is None:
                    yield problem(f"{place}.containerPort", "REQUIRED", "write the port as a number")
                yield from _port_number(f"{place}.containerPort", port.get("containerPort"))
            for place, target in _targets(path, container):
                yield from _port_name(place, text(target))
                yield from _port_number(place, target)


def _targets(path: str, container: Object) -> Iterator[tuple[str, Json]]:
    """Give path and value of every port that a probe or a hook of the container asks."""
    asked = [(field, container.get(field)) for field in _PROBES]
    asked += [(f"lifecycle.{hook}", at(container, "lifecycle", hook)) for hook in _HOOKS]
    for field, asking in asked:
        for action in ("httpGet", "tcpSocket", "grpc"):
            if (port := at(asking, action, "port")) is not None:
                yield f"{path}.{field}.{action}.port", port


def _port_number(path: str, port: Json) -> Iterator[Problem]:
    if isinstance(port, int) and not isinstance(port, bool) and port not in _PORTS:
        yield problem(path, "PORT", f"{port} is not between 1 and 65535")


def _port_name(path: str, name: str) -> Iterator[Problem]:
    if not name:
        return
    if name.isdigit():
        yield problem(path, "PORT", f'"{name}" is a name without a letter; remove the quotes')
    elif not _PORT_NAME.fullmatch(name) or name.endswith("-") or len(name) > _PORT_NAME_LENGTH:
        message = f'"{name}": a port name takes at most {_PORT_NAME_LENGTH} of a-z, 0-9 and single "-"'
        yield problem(path, "PORT", message)
    elif not any(character.isalpha() for character in name):
        yield problem(path, "PORT", f'"{name}" is a name without a letter')


def labels(manifest: Manifest) -> Iterator[Problem]:
    """Labels of pods are valid, and those under our own prefix are ours."""
    for template in manifest.templates():
        path = f"{template.path}.metadata.labels"
        for key, value in mapping(at(template.value, "metadata", "labels")).items():
            if key.startswith(OUR_PREFIX):
                yield problem(
                    f"{path}[{key}]", "RESERVED_KEY", f'"{key}" is set by gitops-rollout; remove it'
                )
            elif why := bad_label(key, value):
                yield problem(f"{path}[{key}]", "LABEL", why)


def repeated_env(manifest: Manifest) -> Iterator[Problem]:
    """Warn where a variable is written twice: the last one counts, and tools that merge lose one."""
    for template in manifest.templates():
        for path, container in template.containers(*_ALL):
            first: dict[str, int] = {}
            for index, entry in enumerate(sequence(container.get("env"))):
                name = text(mapping(entry).get("name"))
                if name in first:
                    message = f'"{name}" stands at env[{first[name]}] and env[{index}]; the last one counts'
                    yield problem(f"{path}.env[{index}]", "DUPLICATE_ENV", message)
                first.setdefault(name, index)


def without_effect(manifest: Manifest) -> Iterator[Problem]:
    """Warn about what Kthena overwrites in every pod: the scheduler and its own variables."""
    for template in manifest.templates():
        if template.spec.get("schedulerName") is not None:
            message = "Kthena overwrites it with spec.schedulerName; it has no effect here"
            yield problem(f"{template.path}.spec.schedulerName", "NO_EFFECT", message)
        yield from _owned_env(template)


def aliases(manifest: Manifest) -> Iterator[Problem]:
    """Warn where a template names two different service accounts."""
    for template in manifest.templates():
        yield from (found.under(template.path) for found in alias_conflict(template.value))


def _owned_env(template: Template) -> Iterator[Problem]:
    for path, container in template.containers("initContainers", "containers"):
        for index, entry in enumerate(sequence(container.get("env"))):
            if (name := text(mapping(entry).get("name"))) in OWNED_ENV:
                message = f"Kthena sets {name} itself; this entry has no effect"
                yield problem(f"{path}.env[{index}]", "NO_EFFECT", message)
