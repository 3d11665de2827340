"""The worked example of the design: chat with four replicas under steps [1, 50%, 100%], from rA to rB."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.documents.load import Limits, load
from tests import gitrepo
from tests.passes.world import World

FOLDER = "rollouts/serving/chat"
OBJECT = f"{FOLDER}/capacity/modelserving.yaml"
POLICY = """\
apiVersion: gitops-rollout.io/v1alpha1
kind: RolloutPolicy
metadata: {name: standard}
spec: {steps: [1, 50%, 100%]}
"""
SPEC = """\
apiVersion: workload.serving.volcano.sh/v1alpha1
kind: ModelServing
metadata:
  name: chat
  namespace: serving
  annotations: {gitops-rollout.io/policy: standard}
spec:
  replicas: %d
  template:
    roles:
    - name: decode
      replicas: 1
      workerReplicas: 0
      entryTemplate:
        spec:
          containers:
          - {name: main, image: "%s", resources: {limits: {cpu: "%s"}}}
"""
IMAGES = {"rA": "vllm:0.10.1", "rB": "vllm:0.10.2", "rC": "vllm:0.10.3"}


@dataclass(frozen=True)
class Row:
    """A row of the tables: `fence` is its number, revisions are named rA, rB, rC."""

    fence: int
    seq: int
    stable: str
    candidate: str
    offered: str
    attempt: int
    partition: Json
    lowest: Json
    shown: str


def source(world: World, revision: str, replicas: int = 4, cpu: str = "1") -> None:
    """Let the source want this revision."""
    world.commit({"specs/policy.yaml": POLICY, "specs/chat.yaml": SPEC % (replicas, IMAGES[revision], cpu)})


def started(folder: Path) -> World:
    """Publish rA, and let rB be offered."""
    world = World(folder)
    for revision in ("rA", "rB"):
        source(world, revision)
        world.settle()
    return world


def document(world: World, path: str) -> Object:
    (only,) = load(world.read(path).encode(), Limits())
    return mapping(only.value)


def tree(world: World) -> Mapping[str, bytes]:
    """Give the whole output tree."""
    return {path: world.read(path).encode() for path in gitrepo.paths(world.output)}


def row(world: World) -> Row:
    """Read where the workload stands."""
    file, shown = document(world, f"{FOLDER}/rollout.yaml"), document(world, OBJECT)
    state = mapping(file["state"])
    (role,) = sequence(at(shown, "spec", "template", "roles"))
    written = at(shown, "spec", "rolloutStrategy", "rollingUpdateConfiguration", "partition")
    label = "labelled" if at(role, "entryTemplate", "metadata", "labels") else "plain"
    return Row(
        fence=int(text(file["fence"]).partition("-")[0]),
        seq=int(str(state["seq"])),
        stable=_called(world, state["stable"]),
        candidate=_called(world, state["candidate"]),
        offered=_called(world, state["offered"]),
        attempt=int(str(state["attempt"])),
        partition=at(state, "published", "partition"),
        lowest=at(state, "published", "lowest"),
        shown=f"{_named(role)} {label} {written}",
    )


def _called(world: World, revision: Json) -> str:
    if revision is None:
        return ""
    recorded = document(world, f"{FOLDER}/capacity/revisions/chat-{revision}.yaml")
    return _named(sequence(at(recorded, "data", "spec", "template", "roles"))[0])


def _named(role: Json) -> str:
    image = at(sequence(at(role, "entryTemplate", "spec", "containers"))[0], "image")
    return next(name for name, one in IMAGES.items() if one == image)
