"""InferencePool v1: all that the API server refuses, before it is asked.

Source: the InferencePool CRD of v1.6.0: its schema with defaults applied and its CEL rules.
"""

from collections.abc import Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object, mapping
from gitops_rollout.gateway.forms import (
    GROUP,
    KIND,
    LABEL_KEY,
    LABEL_VALUE,
    METADATA,
    NAME,
    PORT,
    STATUS,
    kind,
    versions,
)
from gitops_rollout.gateway.structure import Choice, Fields, Items, Table, problem, repeated, whole

POOL_GROUP = "inference.networking.k8s.io"


def pool_problems(value: Object) -> tuple[Problem, ...]:
    """Find everything for which the API server refuses this InferencePool."""
    return tuple(POOL.problems(value))


def _repeated_ports(ports: list[Json]) -> Iterator[Problem]:
    numbers = ((index, mapping(port).get("number")) for index, port in enumerate(ports))
    for index, first in repeated((i, number) for i, number in numbers if whole(number)):
        yield problem(f"[{index}].number", "DUPLICATE", f"this port already stands at [{first}]; remove one")


def _picker_port(ref: Object) -> Iterator[Problem]:
    """A picker that is a Service, of whatever group, is asked at a port."""
    if ref.get("kind", "Service") == "Service" and "port" not in ref:
        yield problem("port", "REQUIRED", "a Service needs a port; write port.number")


_PORT = Fields({"number": PORT}, ("number",))

_PICKER = Fields(
    {
        "group": GROUP,
        "kind": KIND,
        "name": NAME,
        "port": _PORT,
        "failureMode": Choice(("FailOpen", "FailClose")),
    },
    ("name",),
    rules=(_picker_port,),
)

POOL = Fields(
    {
        "apiVersion": versions(f"{POOL_GROUP}/v1"),
        "kind": kind("InferencePool"),
        "metadata": METADATA,
        "spec": Fields(
            {
                "selector": Fields({"matchLabels": Table(LABEL_KEY, LABEL_VALUE, 1, 64)}, ("matchLabels",)),
                "targetPorts": Items(_PORT, 8, 1, rules=(_repeated_ports,)),
                "appProtocol": Choice(("http", "kubernetes.io/h2c")),
                "endpointPickerRef": _PICKER,
            },
            ("selector", "targetPorts"),
        ),
        "status": STATUS,
    },
    ("apiVersion", "kind", "metadata", "spec"),
)
