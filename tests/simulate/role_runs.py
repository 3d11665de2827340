"""Runs of a ModelServing that rolls by role: two roles in each group, of which one or both change."""

from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.play import Play
from gitops_rollout.simulate.run import prepared
from gitops_rollout.simulate.wishes import AFTER, BEFORE, Wishes
from tests.simulate.runs import PLAIN, ROUTED

_ROLE = """\
    - name: %s
      replicas: %d
      maxUnavailable: %d
      workerReplicas: 0
      entryTemplate: {spec: {containers: [{name: main, image: "engine:%s", ports: [{containerPort: 8000}]}]}}
"""
Shape = dict[str, tuple[int, int]]
"""Replicas and maxUnavailable by role."""
PAIR: Shape = {"prefill": (2, 1), "decode": (4, 2)}
ALONE: Shape = {"decode": (4, 1)}


def workload(shape: Shape, images: dict[str, str], groups: int = 1, by_role: bool = True) -> bytes:
    """Write a manifest; a role whose image is not given runs engine:a."""
    listed = "".join(_ROLE % (name, *sizes, images.get(name, "a")) for name, sizes in shape.items())
    strategy = "RoleRollingUpdate" if by_role else "ServingGroupRollingUpdate"
    return f"""\
apiVersion: workload.serving.volcano.sh/v1alpha1
kind: ModelServing
metadata: {{name: chat, namespace: serving}}
spec:
  replicas: {groups}
  rolloutStrategy: {{type: {strategy}}}
  template:
    roles:
{listed}""".encode()


def wishes(shape: Shape, changed: tuple[str, ...], groups: int = 1, policy: str = PLAIN) -> Wishes:
    after = workload(shape, dict.fromkeys(changed, "b"), groups)
    manifests = {BEFORE: workload(shape, {}, groups), AFTER: after}
    names = {BEFORE: "before.yaml", AFTER: "after.yaml"}
    return Wishes(manifests, names, {"policy.yaml": policy.encode()})


KNOWN = {
    "decode": wishes(PAIR, ("decode",)),
    "both": wishes(PAIR, ("prefill", "decode")),
    "both in three groups": wishes(PAIR, ("prefill", "decode"), 3),
    "routed": wishes(ALONE, ("decode",), policy=ROUTED),
    "routed in two groups": wishes(ALONE, ("decode",), 2, ROUTED),
}


def run(name: str, faults: str = "none", seed: int = 0, chaos: int = 400) -> Play:
    """Play to the end."""
    play = prepared(KNOWN[name], Faults.named(faults), seed, chaos)
    for _ in play.moments():
        pass
    return play
