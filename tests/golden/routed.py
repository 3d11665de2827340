"""The second worked example: chat behind a route of its team's, let in by replicas and by requests."""

from dataclasses import dataclass
from pathlib import Path

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from tests.golden.example import FOLDER, IMAGES, OBJECT, document
from tests.passes.world import World
from tests.rollout.routed import ALL_GATES

ROUTE = f"{FOLDER}/traffic/httproute.yaml"
THEIRS = "rollouts/serving/_others/httproute.gateway.networking.k8s.io-chat.yaml"
ROLLOUT = """\
apiVersion: gitops-rollout.io/v1alpha1
kind: RevisionRollout
metadata: {name: chat, namespace: serving}
spec:
  workload: ModelServing/chat
  route: chat
  steps:
  - {name: canary, replicas: 1, traffic: {header: true}}
  - {name: tenth, replicas: 25%, traffic: {header: true, weight: 10}}
  - {name: half, replicas: 50%, traffic: {weight: 50}}
  - {name: all, replicas: 100%}
  gateway:
    canaryHeader: {name: x-chat-canary, value: "true"}
    endpointPicker: {name: "{revision}-picker", port: 9002}
    implementation: istio
  adopt:
    revisionLabel: {key: modelserving.volcano.sh/revision, value: 6d8f9b7c5}
"""
SPEC = """\
apiVersion: workload.serving.volcano.sh/v1alpha1
kind: ModelServing
metadata: {name: chat, namespace: serving}
spec:
  replicas: 4
  template:
    roles:
    - name: server
      replicas: 1
      workerReplicas: 0
      entryTemplate:
        spec:
          containers:
          - {name: main, image: "%s", ports: [{containerPort: 8000}]}
"""
TEAMS = """\
apiVersion: gateway.networking.k8s.io/v1
kind: HTTPRoute
metadata: {name: chat, namespace: serving}
spec:
  parentRefs: [{name: inference-gateway, namespace: gateways}]
  hostnames: [chat.example.com]
  rules:
  - matches:
    - path: {value: /v1}
    - path: {value: /v2}
      headers: [{name: x-tenant, value: beta}]
    filters:
    - type: RequestMirror
      requestMirror: {backendRef: {name: recorder, namespace: lab, port: 80}, percent: 5}
    timeouts: {request: 300s}
    backendRefs: [{name: chat, port: 8000}]
"""
UP = ("attach", "attach-traffic", *ALL_GATES)


@dataclass(frozen=True)
class Stop:
    """A row of the tables; revisions are named rA, rB, rC."""

    pods: str
    """What is rendered, and from which ordinal on the candidate runs."""
    marked: str
    others: str
    pools: str
    """Those with a protection; in brackets the others."""


def source(world: World, revision: str) -> None:
    """Let the source want this revision."""
    world.commit(
        {
            "specs/chat.yaml": SPEC % IMAGES[revision],
            "specs/rollout.yaml": ROLLOUT,
            "specs/route.yaml": TEAMS,
        }
    )


def started(folder: Path) -> World:
    """Publish rA; it is asked whether a route of ours may stand beside the one of the team."""
    world = World(folder)
    source(world, "rA")
    world.settle()
    return world


def through(world: World, *steps: str) -> None:
    """Merge these gates, each when it is asked."""
    for step in steps:
        assert step_of(world) == step
        world.merge()
        world.settle()


def step_of(world: World) -> str:
    """Name the step that is asked: its branch is <attempt>-<step>-<8 hex>."""
    return world.gate().rpartition("/")[2].partition("-")[2].rpartition("-")[0]


def stop(world: World) -> Stop:
    """Read where the workload stands."""
    shown = document(world, OBJECT)
    partition = at(shown, "spec", "rolloutStrategy", "rollingUpdateConfiguration", "partition")
    image = _image(sequence(at(shown, "spec", "template", "roles")))
    return Stop(
        pods=f"{image} {partition}" if partition is not None else image,
        marked=_sent(world, "canary"),
        others=_sent(world, "default"),
        pools=" ".join(name if kept else f"({name})" for name, kept in sorted(_pools(world).values())),
    )


def _pools(world: World) -> dict[str, tuple[str, bool]]:
    """Give the revision of each published pool by its name, and whether it is protected."""
    paths = [path for path in world.tree() if path.startswith(f"{FOLDER}/traffic/pool-")]
    pools = [mapping(document(world, path)["metadata"]) for path in paths]
    return {str(one["name"]): (_called(world, one), _is_protected(one)) for one in pools}


def _sent(world: World, rule: str) -> str:
    if ROUTE not in world.tree():
        return ""
    rules = [mapping(one) for one in sequence(at(document(world, ROUTE), "spec", "rules"))]
    refs = [mapping(ref) for one in rules if one["name"] == rule for ref in sequence(one["backendRefs"])]
    pools = _pools(world)
    return ", ".join(f"{pools[str(ref['name'])][0]} {ref['weight']}" for ref in refs)


def _called(world: World, metadata: Object) -> str:
    revision = text(at(metadata, "labels", "gitops-rollout.io/revision"))
    recorded = document(world, f"{FOLDER}/capacity/revisions/chat-{revision}.yaml")
    return _image(sequence(at(recorded, "data", "spec", "template", "roles")))


def _is_protected(metadata: Object) -> bool:
    return at(metadata, "annotations", "kustomize.toolkit.fluxcd.io/prune") == "disabled"


def _image(roles: list[Json]) -> str:
    image = at(sequence(at(roles[0], "entryTemplate", "spec", "containers"))[0], "image")
    return next(name for name, one in IMAGES.items() if one == image)
