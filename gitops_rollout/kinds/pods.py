"""Rules about pod templates: what the API server would refuse only once pods are made."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.leaves import listed
from gitops_rollout.kinds.metadata import OUR_PREFIX
from gitops_rollout.kinds.names import bad_dns_1123, bad_label
from gitops_rollout.kinds.written import foreign, problem
from gitops_rollout.semantics.canonical import alias_conflict
from gitops_rollout.semantics.quantity import nano

ALL = ("initContainers", "containers", "ephemeralContainers")

_PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
_HOOKS = ("postStart", "preStop")
_PORT_NAME = re.compile(r"[a-z0-9]([a-z0-9]|-(?!-))*", re.ASCII)
_PORT_NAME_LENGTH = 15
_PORTS = range(1, 65536)


@dataclass(frozen=True, slots=True)
class Template:
    """One pod template and where it stands."""

    path: str
    value: Object
    used: bool
    """False for the template of no pods: nothing is made from it, so it may be empty."""

    @property
    def spec(self) -> Object:
        return mapping(self.value.get("spec"))

    def containers(self, *fields: str) -> Iterator[tuple[str, Object]]:
        """Give path and value of each container in the lists `fields`, in order."""
        for field in fields:
            for index, container in enumerate(listed(self.value, field)):
                yield f"{self.path}.spec.{field}[{index}]", mapping(container)


def containers(templates: Iterable[Template]) -> Iterator[Problem]:
    """A template that makes pods has containers, and all containers of a pod have names of their own."""
    for template in templates:
        if template.used and template.spec.get("containers") in (None, []):
            path = f"{template.path}.spec.containers"
            yield problem(path, "REQUIRED", "a pod needs at least one container")
        yield from named(template.containers(*ALL))


def named(found: Iterable[tuple[str, Object]]) -> Iterator[Problem]:
    """Containers of one pod, each with its path, have names of their own."""
    seen: dict[str, str] = {}
    for path, container in found:
        name = container.get("name")
        if name is None or name == "":
            yield problem(f"{path}.name", "REQUIRED", "a container needs a name")
        elif isinstance(name, str) and (why := bad_dns_1123(name)):
            yield problem(f"{path}.name", "NAME", why)
        yield from unique(f"{path}.name", "container", name, seen)


def unique(path: str, what: str, name: Json, seen: dict[str, str]) -> Iterator[Problem]:
    """Refuse a name that stands in `seen`, and remember it there."""
    if not isinstance(name, str) or not name:
        return
    if name in seen:
        yield problem(path, "DUPLICATE_NAME", f'{what} "{name}" is already at {seen[name]}')
    seen.setdefault(name, path.removesuffix(".name"))


def volumes(templates: Iterable[Template]) -> Iterator[Problem]:
    """Volumes of a pod have names of their own."""
    for template in templates:
        yield from named_volumes(f"{template.path}.spec.volumes", template.spec.get("volumes"))


def named_volumes(path: str, found: Json) -> Iterator[Problem]:
    """The volumes in one list have names of their own."""
    seen: dict[str, str] = {}
    for index, volume in enumerate(sequence(found)):
        yield from unique(f"{path}[{index}].name", "volume", mapping(volume).get("name"), seen)


def images(found: Iterable[tuple[str, Object]]) -> Iterator[Problem]:
    """Image names hold no space and nothing that only looks like nothing."""
    for path, container in found:
        if strange := foreign(text(container.get("image"))):
            yield problem(f"{path}.image", "IMAGE", f"{strange}; image names are plain ASCII, no spaces")


def ports(found: Iterable[tuple[str, Object]]) -> Iterator[Problem]:
    """Container ports are unique by name and in range; probe ports are numbers or real names."""
    for path, container in found:
        seen: dict[str, str] = {}
        for index, entry in enumerate(sequence(container.get("ports"))):
            port, place = mapping(entry), f"{path}.ports[{index}]"
            yield from unique(f"{place}.name", "port", port.get("name"), seen)
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


def labels(path: str, found: Json) -> Iterator[Problem]:
    """Labels of pods are valid, and those under our own prefix are ours."""
    for key, value in mapping(found).items():
        if key.startswith(OUR_PREFIX):
            yield problem(f"{path}[{key}]", "RESERVED_KEY", f'"{key}" is set by gitops-rollout; remove it')
        elif why := bad_label(key, value):
            yield problem(f"{path}[{key}]", "LABEL", why)


def repeated_env(found: Iterable[tuple[str, Object]], field: str = "env") -> Iterator[Problem]:
    """Warn where a variable is written twice: the last one counts, and tools that merge lose one."""
    for path, container in found:
        first: dict[str, int] = {}
        for index, entry in enumerate(sequence(container.get(field))):
            name = text(mapping(entry).get("name"))
            if name in first:
                places = f"{field}[{first[name]}] and {field}[{index}]"
                message = f'"{name}" stands at {places}; the last one counts'
                yield problem(f"{path}.{field}[{index}]", "DUPLICATE_ENV", message)
            first.setdefault(name, index)


def aliases(templates: Iterable[Template]) -> Iterator[Problem]:
    """Warn where a template names two different service accounts."""
    for template in templates:
        yield from (found.under(template.path) for found in alias_conflict(template.value))


def gpus(template: Json) -> int:
    """Count the GPUs of one pod: containers together, or the largest init container."""
    together, largest = (
        [_limits(mapping(container)) for container in listed(template, field)]
        for field in ("containers", "initContainers")
    )
    return max(sum(together), *largest, 0)


def _limits(container: Object) -> int:
    limits = mapping(at(container, "resources", "limits"))
    amounts = [value for name, value in limits.items() if name.endswith("/gpu")]
    return sum(
        nano(value) // 10**9
        for value in amounts
        if isinstance(value, str | int | float) and not isinstance(value, bool)
    )
