"""A team with a route of its own, in few words."""

import re
import shutil
from pathlib import Path

from gitops_rollout.report import Report
from tests.passes.specs import config, routed, serving
from tests.passes.world import World

FOLDER = "rollouts/serving/chat"
OTHERS = "rollouts/serving/_others"
ROUTE = f"{FOLDER}/traffic/httproute.yaml"
THEIRS = f"{OTHERS}/httproute.gateway.networking.k8s.io-chat.yaml"
TO_HALF = ("canary", "canary-traffic", "half", "half-traffic")


def route(name: str = "chat") -> str:
    """Write an HTTPRoute of a team, in a spelling that nobody would generate."""
    return f"""\
apiVersion: gateway.networking.k8s.io/v1
kind:   HTTPRoute   # by hand
metadata: {{namespace: serving, name: {name}}}
spec:
  parentRefs: [{{name: edge}}]
  rules:
  - matches: [{{path: {{value: /v1}}}}]
    filters: [{{type: RequestHeaderModifier, requestHeaderModifier: {{set: [{{name: x-team, value: a}}]}}}}]
    backendRefs: [{{name: legacy, port: 80}}]
"""


def wanted(world: World, named: str = "chat") -> None:
    """Let the source want chat with a route, the HTTPRoute that it names, and far without one."""
    chat = {"specs/chat.yaml": serving(), "specs/rollout.yaml": routed(route=named)}
    world.commit({**chat, "specs/far.yaml": serving("far"), "specs/notes.yaml": config()})
    if named:
        world.commit({"specs/route.yaml": route(named)})


def through(world: World, *steps: str) -> None:
    for step in steps:
        assert step_of(world) == step
        world.merge()
        world.settle()


def step_of(world: World) -> str:
    """Name the step that is asked, "" when nothing is: its branch is <attempt>-<step>-<8 hex>."""
    return "".join(gate.rpartition("/")[2].partition("-")[2][:-9] for gate in world.gates("chat/"))


def below(world: World, *folders: str) -> dict[str, str]:
    return {path: blob for path, blob in world.tree().items() if path.startswith(folders)}


def without_number(route: str) -> str:
    return re.sub(r"seq: .*", "", route)


def not_owned(report: Report) -> list[str]:
    """Name the files that stand where our route belongs."""
    found = [one for workload in report.workloads for one in workload.problems]
    return [one.file for one in found if one.code == "ROUTE_NOT_OWNED"]


def copied(made: Path, folder: Path) -> World:
    for name in ("source.git", "output.git"):
        shutil.copytree(made / name, folder / name)
    return World(folder)


def stands(world: World, where: str, name: str) -> str:
    """Put a route of people where it is in our way, or "gone": away again; give its file."""
    path = {"source": "specs/own.yaml", "others": f"{OTHERS}/own.yaml"}.get(where, ROUTE)
    (world.commit if where == "source" else world.edit)({path: route(name) if name else None})
    return path
