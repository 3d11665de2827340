"""Rules about single components: what the CRD or the operator's webhook refuses of one."""

import re
from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, at, mapping, sequence, text
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.words import SIDECAR
from gitops_rollout.kinds.written import count, negative, problem
from gitops_rollout.semantics.quantity import nano

_VERSION = re.compile(r"(0|[1-9][0-9]{0,3})(\.(0|[1-9][0-9]{0,3})){2}", re.ASCII)


def counts(graph: Graph) -> Iterator[Problem]:
    """Replicas from 0, minAvailable from 1 and no more than these, nodes from 2."""
    for component in graph.components():
        if negative(component.value.get("replicas")):
            yield problem(f"{component.path}.replicas", "RANGE", f"{component.value['replicas']} is negative")
        least = component.value.get("minAvailable")
        if least is not None and count(least, 1) < 1:
            yield problem(f"{component.path}.minAvailable", "RANGE", f"{least} is less than 1")
        elif component.replicas > 0 and count(least, 1) > component.replicas:
            message = f"{least} is more than the {component.replicas} replicas"
            yield problem(f"{component.path}.minAvailable", "RANGE", message)
        if component.multinode:
            yield from _nodes(graph, component)


def _nodes(graph: Graph, component: Component) -> Iterator[Problem]:
    path, nodes = f"{component.path}.multinode.nodeCount", at(component.value, "multinode", "nodeCount")
    if nodes is None and graph.alpha:
        yield problem(path, "REQUIRED", "write how many nodes one replica takes")
    if nodes is not None and count(nodes, 2) < 2:
        yield problem(path, "RANGE", f"{nodes} is less than 2; leave multinode out for one node")


def picker(graph: Graph) -> Iterator[Problem]:
    """An endpoint picker has its configuration, one replica and one node; nothing else has one."""
    for component in graph.components():
        path, config = f"{component.path}.eppConfig", component.value.get("eppConfig")
        if component.type != "epp":
            if config is not None:
                yield problem(path, "STRATEGY", "only a component of type epp has an eppConfig")
            continue
        if component.value.get("replicas") is not None and component.replicas != 1:
            message = f"an endpoint picker has exactly 1 replica, not {component.replicas}"
            yield problem(f"{component.path}.replicas", "RANGE", message)
        if component.multinode:
            yield problem(f"{component.path}.multinode", "STRATEGY", "an endpoint picker takes one node")
        yield from _picker_config(path, config)


def _picker_config(path: str, config: Json) -> Iterator[Problem]:
    reference, inline = (at(config, field) for field in ("configMapRef", "config"))
    if config is None:
        return
    if (reference is None) == (inline is None):
        yield problem(path, "REQUIRED", "write either config or configMapRef")
    for field in ("key", "name"):
        if isinstance(reference, dict) and not text(reference.get(field)):
            yield problem(
                f"{path}.configMapRef.{field}", "REQUIRED", f"the {field} of the ConfigMap is missing"
            )
    for field in ("plugins", "schedulingProfiles"):
        if isinstance(inline, dict) and inline.get(field) is None:
            yield problem(f"{path}.config.{field}", "REQUIRED", "an endpoint picker needs it")


def references(graph: Graph) -> Iterator[Problem]:
    """What names something else names it, and a sidecar is one of the containers."""
    for component in graph.components():
        path, value = component.path, component.value
        if isinstance(value.get("modelRef"), dict) and not text(at(value, "modelRef", "name")):
            yield problem(f"{path}.modelRef.name", "REQUIRED", "name the model")
        cache = value.get("compilationCache")
        if isinstance(cache, dict) and not graph.alpha and not text(cache.get("pvcName")):
            yield problem(f"{path}.compilationCache.pvcName", "REQUIRED", "name the claim")
        yield from _sidecar(graph, component)
        if (version := text(value.get("runtimeVersionOverride"))) and not _VERSION.fullmatch(version):
            message = f'"{version}": write three numbers such as 1.4.0'
            yield problem(f"{path}.runtimeVersionOverride", "RANGE", message)
        yield from provider(f"{path}.providerOverride", value.get("providerOverride"))
        for role in ("leader", "worker"):
            override = at(value, "multinode", role, "providerOverride")
            yield from provider(f"{path}.multinode.{role}.providerOverride", override)


def _sidecar(graph: Graph, component: Component) -> Iterator[Problem]:
    name, path = component.written.get("frontendSidecar"), f"{component.path}.frontendSidecar"
    own = at(
        component.written, *(("extraPodSpec",) if graph.alpha else ("podTemplate", "spec")), "containers"
    )
    names = [text(at(container, "name")) for container in sequence(own)]
    if graph.alpha and name is not None and SIDECAR in names:
        message = f'a container "{SIDECAR}" stands in extraPodSpec already; remove one of the two'
        yield problem(path, "DUPLICATE_NAME", message)
    if isinstance(name, str) and name not in names:
        yield problem(path, "REQUIRED", f'"{name}" is none of the containers {", ".join(names)}')


def provider(path: str, override: Json) -> Iterator[Problem]:
    """An override for the workload's provider says in which version it speaks, and what."""
    if not isinstance(override, dict):
        return
    if not text(override.get("apiVersion")):
        yield problem(f"{path}.apiVersion", "REQUIRED", "say in which version the override speaks")
    if override.get("value") is None:
        yield problem(f"{path}.value", "REQUIRED", "an override needs a value")


def memory(graph: Graph) -> Iterator[Problem]:
    """Shared memory has a size; claims that are mounted say where."""
    for component in graph.components():
        if not graph.alpha:
            if amount(component.value.get("sharedMemorySize")) < 0:
                yield problem(
                    f"{component.path}.sharedMemorySize", "RANGE", "the size is negative; 0 is none"
                )
            continue
        shared = component.written.get("sharedMemory")
        if (
            isinstance(shared, dict)
            and shared.get("disabled") is not True
            and amount(shared.get("size")) <= 0
        ):
            message = "write a size above 0, or disabled: true"
            yield problem(f"{component.path}.sharedMemory.size", "REQUIRED", message)
        for index, mount in enumerate(sequence(component.written.get("volumeMounts"))):
            path, written = f"{component.path}.volumeMounts[{index}]", mapping(mount)
            if not text(written.get("name")):
                yield problem(f"{path}.name", "REQUIRED", "name the claim")
            if not written.get("useAsCompilationCache") and not text(written.get("mountPoint")):
                yield problem(f"{path}.mountPoint", "REQUIRED", "say where the claim is mounted")
        ingress = mapping(component.written.get("ingress"))
        if ingress.get("enabled") is True and not text(ingress.get("host")):
            yield problem(f"{component.path}.ingress.host", "REQUIRED", "an ingress needs a host")


def amount(written: Json) -> int:
    if isinstance(written, bool) or not isinstance(written, str | int | float):
        return 0
    try:
        return nano(written)
    except ValueError:
        return 1  # told as TYPE
