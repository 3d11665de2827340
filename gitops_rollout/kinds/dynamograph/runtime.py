"""Rules that depend on which Dynamo runtime an image holds, as far as image and override tell."""

import re
from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import text
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.written import problem

_VERSIONED = re.compile(r"v?(\d+)\.(\d+)\.(\d+)([-+._].*)?", re.ASCII)
_NATIVE_PICKER = (1, 5, 0)
"""From this runtime on an endpoint picker reads no eppConfig."""


def version_of(component: Component) -> tuple[int, int, int] | None:
    """Give the runtime version that the override or else the image's tag says, None when neither does."""
    image = text(component.main.get("image"))
    tag = image.partition("@")[0].rpartition(":")[2] if ":" in image.rpartition("/")[2] else ""
    match = _VERSIONED.fullmatch(text(component.value.get("runtimeVersionOverride")) or tag)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def runtime_version(graph: Graph) -> Iterator[Problem]:
    """Warn where the operator cannot tell which runtime it starts: from 1.5 on it refuses that."""
    for component in graph.components():
        if version_of(component) is None:
            message = (
                "the image's tag is no version such as 1.4.0: newer operators refuse it when it is new or "
                "changed; set runtimeVersionOverride"
            )
            yield problem(f"{component.path}.runtimeVersionOverride", "RUNTIME_VERSION", message)


def native_picker(graph: Graph) -> Iterator[Problem]:
    """Warn about a configuration that a newer endpoint picker does not take."""
    for component in graph.components():
        version = version_of(component)
        if component.type != "epp" or version is None or version < _NATIVE_PICKER:
            continue
        if component.value.get("eppConfig") is not None:
            message = "endpoint pickers from runtime 1.5.0 on take no eppConfig; newer operators refuse it"
            yield problem(f"{component.path}.eppConfig", "RUNTIME_VERSION", message)


def bare_picker(graph: Graph) -> Iterator[Problem]:
    """Refuse an endpoint picker without configuration, unless its runtime takes none."""
    for component in graph.components():
        version = version_of(component)
        bare = component.type == "epp" and component.value.get("eppConfig") is None
        if bare and (version is None or version < _NATIVE_PICKER):
            message = "an endpoint picker before runtime 1.5.0 needs its configuration"
            yield problem(f"{component.path}.eppConfig", "REQUIRED", message)
