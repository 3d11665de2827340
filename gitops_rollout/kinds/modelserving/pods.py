"""Rules about pod templates of roles: those of every kind, and what Kthena overwrites."""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object, at, mapping, sequence, text
from gitops_rollout.kinds import pods
from gitops_rollout.kinds.modelserving.fields import OWNED_ENV
from gitops_rollout.kinds.modelserving.manifest import Manifest
from gitops_rollout.kinds.pods import ALL, Template
from gitops_rollout.kinds.written import problem


def containers(manifest: Manifest) -> Iterator[Problem]:
    """A template that makes pods has containers, and all containers of a pod have names of their own."""
    return pods.containers(manifest.templates())


def volumes(manifest: Manifest) -> Iterator[Problem]:
    """Volumes of a pod have names of their own."""
    return pods.volumes(manifest.templates())


def images(manifest: Manifest) -> Iterator[Problem]:
    """Image names hold no space and nothing that only looks like nothing."""
    return pods.images(_all(manifest))


def ports(manifest: Manifest) -> Iterator[Problem]:
    """Container ports are unique by name and in range; probe ports are numbers or real names."""
    return pods.ports(_all(manifest))


def labels(manifest: Manifest) -> Iterator[Problem]:
    """Labels of pods are valid, and those under our own prefix are ours."""
    for template in manifest.templates():
        yield from pods.labels(f"{template.path}.metadata.labels", at(template.value, "metadata", "labels"))


def repeated_env(manifest: Manifest) -> Iterator[Problem]:
    """Warn where a variable is written twice: the last one counts, and tools that merge lose one."""
    return pods.repeated_env(_all(manifest))


def aliases(manifest: Manifest) -> Iterator[Problem]:
    """Warn where a template names two different service accounts."""
    return pods.aliases(manifest.templates())


def without_effect(manifest: Manifest) -> Iterator[Problem]:
    """Warn about what Kthena overwrites in every pod: the scheduler and its own variables."""
    for template in manifest.templates():
        if template.spec.get("schedulerName") is not None:
            message = "Kthena overwrites it with spec.schedulerName; it has no effect here"
            yield problem(f"{template.path}.spec.schedulerName", "NO_EFFECT", message)
        yield from _owned_env(template)


def _all(manifest: Manifest) -> Iterator[tuple[str, Object]]:
    for template in manifest.templates():
        yield from template.containers(*ALL)


def _owned_env(template: Template) -> Iterator[Problem]:
    for path, container in template.containers("initContainers", "containers"):
        for index, entry in enumerate(sequence(container.get("env"))):
            if (name := text(mapping(entry).get("name"))) in OWNED_ENV:
                message = f"Kthena sets {name} itself; this entry has no effect"
                yield problem(f"{path}.env[{index}]", "NO_EFFECT", message)
