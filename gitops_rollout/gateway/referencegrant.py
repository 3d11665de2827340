"""ReferenceGrant: all that the API server refuses, before it is asked.

Source: the ReferenceGrant CRD of Gateway API v1.6.1; v1 and v1beta1 have one schema.
"""

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object
from gitops_rollout.gateway.forms import GROUP, KIND, METADATA, NAME, NAMESPACE, kind, versions
from gitops_rollout.gateway.httproute import GATEWAY_GROUP
from gitops_rollout.gateway.structure import Fields, Items


def grant_problems(value: Object) -> tuple[Problem, ...]:
    """Find everything for which the API server refuses this ReferenceGrant."""
    return tuple(GRANT.problems(value))


_FROM = Fields({"group": GROUP, "kind": KIND, "namespace": NAMESPACE}, ("group", "kind", "namespace"))
_TO = Fields({"group": GROUP, "kind": KIND, "name": NAME}, ("group", "kind"))

GRANT = Fields(
    {
        "apiVersion": versions(f"{GATEWAY_GROUP}/v1", f"{GATEWAY_GROUP}/v1beta1"),
        "kind": kind("ReferenceGrant"),
        "metadata": METADATA,
        "spec": Fields({"from": Items(_FROM, 16, 1), "to": Items(_TO, 16, 1)}, ("from", "to")),
    },
    ("apiVersion", "kind", "metadata", "spec"),
)
