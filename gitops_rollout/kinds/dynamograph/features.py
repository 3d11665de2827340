"""Rules about the experimental features of components: GPU memory service, failover, checkpoints."""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object, at, sequence, text
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.single import amount
from gitops_rollout.kinds.dynamograph.words import (
    ALPHA_MODES,
    DEFAULT_GPU,
    FRAMEWORKS,
    INTER_POD,
    INTRA_POD,
    WORKERS,
)
from gitops_rollout.kinds.names import bad_dns_1123
from gitops_rollout.kinds.written import count, problem

_GMS, _FAILOVER, _CHECKPOINT = "gpuMemoryService", "failover", "checkpoint"


def gpu_memory(graph: Graph) -> Iterator[Problem]:
    """GPU memory service: workers with a GPU, and clients that are containers."""
    for component in graph.components():
        service, path = component.feature(_GMS), component.feature_path(_GMS)
        if service is None:
            continue
        if component.type not in WORKERS:
            yield problem(path, "STRATEGY", f"only {', '.join(WORKERS)} components can have it")
        if _gpus(component) < 1:
            yield problem(path, "REQUIRED", f'the container "main" needs a limit of {DEFAULT_GPU}')
        yield from _mode(graph, component, _GMS)
        if service.get("mode") == INTER_POD and graph.spec.get("backendFramework") != "vllm":
            yield problem(f"{path}.mode", "STRATEGY", "the layout over several pods is for vllm alone")
        if service.get("extraClientPods"):
            yield problem(f"{path}.extraClientPods", "STRATEGY", "reserved: no operator can do it yet")
        yield from _clients(component, service, path)


def _clients(component: Component, service: Object, path: str) -> Iterator[Problem]:
    clients = sequence(service.get("extraClientContainers"))
    if clients and service.get("mode") == INTER_POD:
        yield problem(f"{path}.extraClientContainers", "STRATEGY", f"only with mode {INTRA_POD}")
    names = [text(at(one, "name")) for one in sequence(at(component.template, "spec", "containers"))]
    for index, client in enumerate(clients):
        if text(client) not in names:
            message = f'"{text(client)}" is none of the containers {", ".join(names)}'
            yield problem(f"{path}.extraClientContainers[{index}]", "REQUIRED", message)
        elif clients.index(client) < index:
            yield problem(
                f"{path}.extraClientContainers[{index}]", "DUPLICATE_NAME", f"{client} stands twice"
            )


def _gpus(component: Component) -> int:
    resources = component.main.get("resources")
    found = (at(resources, field, DEFAULT_GPU) for field in ("limits", "requests"))
    return max(amount(limit) // 10**9 for limit in found)


def _mode(graph: Graph, component: Component, name: str) -> Iterator[Problem]:
    """The versions spell the modes differently, and neither takes the words of the other."""
    written = component.written if graph.alpha else at(component.written, "experimental")
    mode, allowed = at(written, name, "mode"), tuple(ALPHA_MODES if graph.alpha else ALPHA_MODES.values())
    if isinstance(mode, str) and mode not in allowed:
        path = f"{component.feature_path(name)}.mode"
        yield problem(path, "ENUM", f'"{mode}" is not one of {", ".join(allowed)}')


def failover(graph: Graph) -> Iterator[Problem]:
    """Failover stands on the GPU memory service, in the same mode."""
    for component in graph.components():
        found, path = component.feature(_FAILOVER), component.feature_path(_FAILOVER)
        if found is None:
            continue
        yield from _mode(graph, component, _FAILOVER)
        service = component.feature(_GMS)
        if service is None:
            yield problem(path, "REQUIRED", f"failover needs {_GMS}")
        elif _mode_of(service) != _mode_of(found):
            message = f"{_mode_of(found)} differs from {_mode_of(service)}, the mode of {_GMS}"
            yield problem(f"{path}.mode", "STRATEGY", message)
        shadows, several = count(found.get("numShadows"), 1), graph.alpha and _mode_of(found) == INTER_POD
        if shadows < 1 or (shadows > 1 and not several):
            yield problem(f"{path}.numShadows", "RANGE", f"{shadows}: one shadow is all that there is")


def _mode_of(feature: Object) -> str:
    return text(feature.get("mode")) or INTRA_POD


def checkpoint(graph: Graph) -> Iterator[Problem]:
    """A checkpoint is either made by a job or referred to."""
    for component in graph.components():
        found, path = component.feature(_CHECKPOINT), component.feature_path(_CHECKPOINT)
        if found is None:
            continue
        if found.get("job") is not None and text(found.get("checkpointRef")):
            yield problem(f"{path}.job", "STRATEGY", "a checkpoint that is referred to needs no job")
        if not graph.alpha and found.get("enabled") is None:
            yield problem(f"{path}.enabled", "REQUIRED", "write true or false")
        target = text(found.get("targetContainerName"))
        if target and (why := bad_dns_1123(target)):
            yield problem(f"{path}.targetContainerName", "NAME", why)
        identity = found.get("identity")
        if isinstance(identity, dict) and text(identity.get("backendFramework")) not in FRAMEWORKS:
            message = f"write one of {', '.join(FRAMEWORKS)}"
            yield problem(f"{path}.identity.backendFramework", "ENUM", message)
        if sequence(at(found, "job", "gmsClientContainers")) and component.feature(_GMS) is None:
            yield problem(f"{path}.job.gmsClientContainers", "REQUIRED", f"it needs {_GMS}")
