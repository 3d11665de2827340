"""The file that routers are told from: no Kubernetes resource, and in no kustomization.

What stands in it follows from the state alone; it is sent only as the head holds it (R19).
"""

import json

from gitops_rollout.rollout.bindings import body
from gitops_rollout.rollout.router_fence import BODY
from gitops_rollout.rollout.state import State


def render_policy(state: State) -> dict[str, bytes]:
    """Give the body at its version, nothing where routers are told nothing."""
    policy, bindings = state.routerPolicy, state.bindings
    if policy is None or bindings is None:
        return {}
    return {BODY: (json.dumps(body(bindings, policy.version), indent=2) + "\n").encode()}
