"""Runs to play: two workloads, one with a route, and graphs, from engine:a to engine:b."""

from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.play import Play
from gitops_rollout.simulate.promises import Finding
from gitops_rollout.simulate.run import prepared
from gitops_rollout.simulate.wishes import AFTER, BEFORE, Wishes
from tests.simulate.graph_runs import POLICIES as GRAPHS
from tests.simulate.graph_runs import graph_wishes

_WORKLOAD = """\
apiVersion: workload.serving.volcano.sh/v1alpha1
kind: ModelServing
metadata: {name: chat, namespace: serving}
spec:
  replicas: %d
  template:
    roles:
    - name: decode
      replicas: 1
      workerReplicas: 0
      entryTemplate: {spec: {containers: [{name: main, image: "engine:%s", ports: [{containerPort: 8000}]}]}}
"""
_HEAD = """\
apiVersion: gitops-rollout.io/v1alpha1
kind: RevisionRollout
metadata: {name: chat, namespace: serving}
spec:
  workload: ModelServing/chat
"""
PLAIN = f"{_HEAD}  steps: [1, 50%, 100%]\n  soak: 10m\n"
ROUTED = f"""{_HEAD}\
  steps:
  - {{name: canary, replicas: 1, traffic: {{header: true}}}}
  - {{name: tenth, replicas: 25%, traffic: {{header: true, weight: 10}}, soak: 10m}}
  - {{name: half, replicas: 50%, traffic: {{weight: 50}}}}
  - {{name: all, replicas: 100%}}
  gateway:
    parentRefs: [{{name: inference, namespace: gateways}}]
    hostnames: [chat.example.com]
    matches: [{{path: {{type: PathPrefix, value: /v1}}}}]
    component: decode
    implementation: istio
    targetPort: 8000
    endpointPicker: {{name: "{{revision}}-picker", port: 9002}}
  adopt: {{revisionLabel: {{key: modelserving.volcano.sh/revision, value: 6d8f9b7c5}}}}
"""
GREEDY = "".join(
    line for line in ROUTED.splitlines(keepends=True) if "tenth" not in line and "half" not in line
)
GREEDY = GREEDY.replace("{header: true}", "{header: true, weight: 50}")
QUICK = PLAIN.replace("  soak: 10m\n", "")
OBSERVED = f"{ROUTED}  proof: Cluster\n"
POLICIES = {"plain": PLAIN, "routed": ROUTED}


def workload(image: str, replicas: int = 4) -> bytes:
    return (_WORKLOAD % (replicas, image)).encode()


def wishes(policy: str, replicas: int = 4, after: str = "b") -> Wishes:
    manifests = {BEFORE: workload("a", replicas), AFTER: workload(after, replicas)}
    names = {BEFORE: "before.yaml", AFTER: "after.yaml"}
    policies = {**POLICIES, "greedy": GREEDY, "quick": QUICK, "observed": OBSERVED}
    return Wishes(manifests, names, {"policy.yaml": policies[policy].encode()})


PLAYED = (*POLICIES, "observed", *GRAPHS)
KNOWN = {name: wishes(name) for name in (*POLICIES, "greedy", "observed")}
KNOWN |= {name: graph_wishes(name) for name in GRAPHS}


def run(policy: str, faults: str = "none", seed: int = 0, chaos: int = 400) -> Play:
    """Play to the end."""
    play = prepared(KNOWN[policy], Faults.named(faults), seed, chaos)
    for _ in play.moments():
        pass
    return play


def found(policy: str, faults: str, seed: int) -> list[Finding]:
    return run(policy, faults, seed).world.findings


def first_found(policy: str, faults: str, seed: int) -> list[Finding]:
    """Play until something is found; gives all that is found then."""
    play = prepared(KNOWN[policy], Faults.named(faults), seed)
    for _ in play.moments():
        if play.world.findings:
            break
    return play.world.findings


def explored(policy: str, faults: str, seeds: range, steps: int) -> int:
    """Play seed after seed, until so many steps are made; gives how many, and stops at what is found."""
    made = 0
    for seed in seeds:
        print(f"{policy}, {faults}, seed {seed}")  # what is raised here has no other mark
        play = run(policy, faults, seed)
        broken = [str(one) for one in play.world.findings]
        assert not broken, f"{policy}, {faults}, seed {seed}: {broken}"
        made += play.world.tick
        if made >= steps:
            break
    return made
