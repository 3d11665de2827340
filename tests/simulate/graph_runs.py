"""Graphs to play: a router, prefill and decode, in both versions of the API, from engine:a to engine:b."""

from collections.abc import Callable, Mapping

from gitops_rollout.simulate.wishes import AFTER, BEFORE, Wishes

SIZES = {"Frontend": 2, "Prefill": 4, "Decode": 4}
_TYPES = {"Frontend": "frontend", "Prefill": "prefill", "Decode": "decode"}
_HEAD = """\
apiVersion: gitops-rollout.io/v1alpha1
kind: RevisionRollout
metadata: {name: chat, namespace: serving}
spec:
  workload: DynamoGraphDeployment/chat
"""
WHOLE = f"{_HEAD}  strategy: Whole\n"
_GROUP = """\
  releaseGroups: [{name: serving, components: [Frontend, Prefill, Decode], revisionAffinity: required}]
"""
_ROUTE = """\
  gateway:
    parentRefs: [{name: inference, namespace: gateways}]
    hostnames: [chat.example.com]
    matches: [{path: {type: PathPrefix, value: /v1}}]
    component: Frontend
    backend: Service
"""
_STEPS = """\
  steps:
  - {name: canary, replicas: 1, traffic: {header: true}}
  - {name: half, replicas: 50%, traffic: {weight: 50}, soak: 10m}
  - {name: all, replicas: 100%, traffic: {weight: 100}}
"""
_BESIDE = f"""{_HEAD}\
  strategy: NewGraph
  renamesGraph: Accepted
{_GROUP}"""
NEW_GRAPH = f"{_BESIDE}{_ROUTE}{_STEPS}"
QUICK = f"""{_BESIDE}{_ROUTE}\
  steps:
  - {{name: canary, replicas: 1, traffic: {{weight: 30}}}}
  - {{name: all, replicas: 100%, traffic: {{weight: 100}}}}
"""
CLUSTER = "  proof: Cluster\n"
CONTRACT = "  compatibility: [{edge: [router, worker], contract: kv-events/2}]\n"
TOLD = """\
  routerPolicy:
    mode: ManagementAPI
    port: 9090
    path: /v1/control/revision-routing-policy
    auth: {tokenFile: chat}
"""
IN_PLACE = f"""{_HEAD}\
  strategy: InPlace
  proof: Cluster
{_GROUP}  steps:
  - {{name: canary, replicas: 1}}
  - {{name: half, replicas: 50%, soak: 10m}}
  - {{name: all, replicas: 100%}}
"""
_ADOPTED = "  adopt: {revisionLabel: {key: release, value: a}}\n"
_IN_PLACE = f"{_HEAD}  strategy: InPlace\n{_GROUP}{_ROUTE}{_STEPS}{CLUSTER}{TOLD}{_ADOPTED}"
POLICIES = {
    "whole": WHOLE,
    "new-graph": NEW_GRAPH,
    "whole-observed": WHOLE + CLUSTER,
    "new-graph-observed": NEW_GRAPH + CLUSTER,
    "routers": NEW_GRAPH + CONTRACT,
    "routers-observed": NEW_GRAPH + CONTRACT + CLUSTER,
    "routers-told": NEW_GRAPH + CONTRACT + CLUSTER + TOLD,
    "told": NEW_GRAPH + CLUSTER + TOLD,
    "in-place": IN_PLACE,
    "in-place-told": _IN_PLACE,
    "in-place-routers": _IN_PLACE + CONTRACT,
}
ROUTERS = ("routers", "routers-observed", "routers-told")
"""Under a contract between routers and workers, and a change of the routers alone: a graph of their own."""

ADOPTED = tuple(name for name, policy in POLICIES.items() if _ADOPTED in policy)
"""Those whose route needs a label that the pods of the first manifest alone carry."""


def beta(image: str, sizes: Mapping[str, int] = SIZES) -> bytes:
    """Write the graph as v1beta1 has it."""
    components = "".join(
        f"""\
  - name: {name}
    type: {_TYPES[name]}
    replicas: {count}
    podTemplate: {{spec: {{containers: [{{name: main, image: "engine:{image}"}}]}}}}
"""
        for name, count in sizes.items()
    )
    return f"""\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {{name: chat, namespace: serving}}
spec:
  backendFramework: vllm
  components:
{components}""".encode()


def alpha(image: str, sizes: Mapping[str, int] = SIZES) -> bytes:
    """Write the graph as v1alpha1 has it."""
    types = {
        name: f"componentType: worker\n      subComponentType: {kind}"
        if kind != "frontend"
        else f"componentType: {kind}"
        for name, kind in _TYPES.items()
    }
    services = "".join(
        f"""\
    {name}:
      {types[name]}
      replicas: {count}
      extraPodSpec: {{mainContainer: {{image: "engine:{image}"}}}}
"""
        for name, count in sizes.items()
    )
    return f"""\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata: {{name: chat, namespace: serving}}
spec:
  backendFramework: vllm
  services:
{services}""".encode()


def labelled(image: str, sizes: Mapping[str, int] = SIZES) -> bytes:
    """Write the graph with a label on its pods that says which release they are of."""
    label = f"podTemplate: {{metadata: {{labels: {{release: {image}}}}}, spec:".encode()
    return beta(image, sizes).replace(b"podTemplate: {spec:", label)


def routers(graph: bytes) -> bytes:
    """Change the image of the frontend alone."""
    head, name, rest = graph.partition(b"Frontend")
    rest = rest.replace(b"release: a", b"release: b", 1)
    return head + name + rest.replace(b"engine:a", b"engine:b", 1)


def graph_wishes(policy: str, write: Callable[..., bytes] = beta, sizes: Mapping[str, int] = SIZES) -> Wishes:
    """Give the source, from engine:a to engine:b."""
    write = labelled if policy in ADOPTED else write
    after = routers(write("a", sizes)) if policy in (*ROUTERS, "in-place-routers") else write("b", sizes)
    manifests = {BEFORE: write("a", sizes), AFTER: after}
    names = {BEFORE: "before.yaml", AFTER: "after.yaml"}
    return Wishes(manifests, names, {"policy.yaml": POLICIES.get(policy, policy).encode()})
