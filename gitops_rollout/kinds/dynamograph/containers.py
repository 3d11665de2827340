"""Rules about the pods of components, at the places where each API version writes them."""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds import pods
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.words import MAIN, SIDECAR
from gitops_rollout.kinds.pods import ALL, Template
from gitops_rollout.kinds.written import problem
from gitops_rollout.semantics.canonical import alias_conflict
from gitops_rollout.semantics.quantity import nano


def containers_of(graph: Graph, component: Component) -> Iterator[tuple[str, Object]]:
    """Give path and value of each container that is written out; that of v1alpha1 is `main`."""
    if not graph.alpha:
        if isinstance(component.written.get("podTemplate"), dict):
            yield from _template(component).containers(*ALL)
        return
    extra, path = mapping(component.written.get("extraPodSpec")), f"{component.path}.extraPodSpec"
    if isinstance(extra.get("mainContainer"), dict):
        yield f"{path}.mainContainer", {**mapping(extra["mainContainer"]), "name": MAIN}
    for field in ALL:
        for index, container in enumerate(sequence(extra.get(field))):
            yield f"{path}.{field}[{index}]", mapping(container)
    if isinstance(component.written.get("frontendSidecar"), dict):
        yield (
            f"{component.path}.frontendSidecar",
            {
                **mapping(component.written["frontendSidecar"]),
                "name": SIDECAR,
            },
        )


def _template(component: Component) -> Template:
    return Template(f"{component.path}.podTemplate", component.template, used=True)


def _all(graph: Graph) -> Iterator[tuple[str, Object]]:
    for component in graph.components():
        yield from containers_of(graph, component)


def containers(graph: Graph) -> Iterator[Problem]:
    """Containers of one pod have names of their own."""
    for component in graph.components():
        yield from pods.named(containers_of(graph, component))


def volumes(graph: Graph) -> Iterator[Problem]:
    """Volumes of a pod have names of their own."""
    for component in graph.components():
        field = "extraPodSpec" if graph.alpha else "podTemplate.spec"
        found = at(component.written, *field.split("."), "volumes")
        yield from pods.named_volumes(f"{component.path}.{field}.volumes", found)


def images(graph: Graph) -> Iterator[Problem]:
    """Every container has an image, and image names are plain."""
    for component in graph.components():
        found = list(containers_of(graph, component))
        if MAIN not in [text(container.get("name")) for _, container in found]:
            place = "extraPodSpec.mainContainer" if graph.alpha else "podTemplate.spec.containers"
            message = f'the operator starts the container "{MAIN}"; write it with its image'
            yield problem(f"{component.path}.{place}", "REQUIRED", message)
        for path, container in found:
            if container.get("image") in (None, ""):
                yield problem(f"{path}.image", "REQUIRED", "a container needs an image")
        yield from pods.images(found)


def ports(graph: Graph) -> Iterator[Problem]:
    """Container ports are unique by name and in range; probe ports are numbers or real names."""
    yield from pods.ports(_all(graph))
    if graph.alpha:
        dedicated = ("livenessProbe", "readinessProbe")
        for component in graph.components():
            probes: Object = {field: component.written.get(field) for field in dedicated}
            yield from pods.ports([(component.path, probes)])


def labels(graph: Graph) -> Iterator[Problem]:
    """Labels that reach pods are valid, and those under our own prefix are ours."""
    yield from pods.labels("spec.labels", graph.spec.get("labels"))
    fields = ("labels", "extraPodMetadata.labels") if graph.alpha else ("podTemplate.metadata.labels",)
    for component in graph.components():
        for field in fields:
            found = at(component.written, *field.split("."))
            yield from pods.labels(f"{component.path}.{field}", found)


def amounts(graph: Graph) -> Iterator[Problem]:
    """Resources of v1alpha1 are texts, which the operator drops in silence when they are no amounts."""
    for component in graph.components() if graph.alpha else ():
        for field in ("requests", "limits"):
            item = mapping(at(component.written, "resources", field))
            named = {name: part for name, part in item.items() if name in ("cpu", "memory", "gpu")}
            path = f"{component.path}.resources.{field}"
            for name, amount in {**named, **_custom(item)}.items():
                if isinstance(amount, str) and amount and not _is_amount(amount):
                    yield problem(f"{path}.{name}", "TYPE", f'"{amount}" is no amount such as 500m or 1Gi')


def _custom(item: Object) -> Object:
    return {f"custom[{name}]": part for name, part in mapping(item.get("custom")).items()}


def _is_amount(written: str) -> bool:
    try:
        nano(written)
    except ValueError:
        return False
    return True


def repeated_env(graph: Graph) -> Iterator[Problem]:
    """Warn where a variable is written twice in one list."""
    yield from pods.repeated_env([("spec", graph.spec)], graph.env_field)
    for component in graph.components():
        for path, container in containers_of(graph, component):
            yield from pods.repeated_env([(path, container)])
            yield from pods.repeated_env([(path, container)], "envs")
        if graph.alpha:
            yield from pods.repeated_env([(component.path, component.written)], "envs")


def aliases(graph: Graph) -> Iterator[Problem]:
    """Warn where a pod names two different service accounts."""
    for component in graph.components():
        if not graph.alpha:
            yield from pods.aliases([_template(component)])
        elif alias_conflict(_as_template(component.written.get("extraPodSpec"))):
            message = "differs from serviceAccountName, which counts; remove the deprecated field"
            yield problem(f"{component.path}.extraPodSpec.serviceAccount", "ALIAS_CONFLICT", message)


def _as_template(spec: Json) -> Object:
    return {"spec": mapping(spec)}
