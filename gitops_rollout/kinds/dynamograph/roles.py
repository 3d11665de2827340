"""What each component of a graph does for a request."""

from collections.abc import Mapping

from gitops_rollout.api.values import Object
from gitops_rollout.kinds.dynamograph.graph import Graph
from gitops_rollout.kinds.protocol import ROUTER, WORKER

_ROLES = {"frontend": ROUTER, "epp": ROUTER, "worker": WORKER, "prefill": "prefill", "decode": "decode"}


def roles(text: Object) -> Mapping[str, str]:
    """Give the role of every component by name: router, worker, prefill or decode.

    Beside prefill a worker decodes (v1alpha1 wrote it so). What no request passes through has none.
    """
    found = {one.name: _ROLES[one.type] for one in Graph(text).components() if one.type in _ROLES}
    if "prefill" not in found.values():
        return {name: WORKER if role == "decode" else role for name, role in found.items()}
    return {name: "decode" if role == WORKER else role for name, role in found.items()}
