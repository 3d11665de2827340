"""Histories of another age in few words: what an older Kthena wrote, and revisions that are lost."""

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.values import Json, Object
from gitops_rollout.rollout.draft import Order, Word
from tests.rollout.stage import HOME, Stage, groups, pod, steps

A, B, C, D = "engine:a", "engine:b", "engine:c", "engine:d"
UNCERTAIN = "HISTORY_UNKNOWN"


def policy(window: int = 0, **changes: object) -> Policy:
    """Give the policy [1, 50%, 100%] with a rollback window, and what else differs."""
    usual = steps(1, "50%", "100%")
    return Policy(**{"steps": usual.steps, "rollback_window": window, **changes})  # type: ignore[arg-type]


def stable_after(*images: str, under: Policy | None = None) -> Stage:
    """A workload whose stable revision was each of these images, one after the other."""
    first, *rest = images
    stage = Stage(groups(first), policy=under or policy()).settle()
    for image in rest:
        to(stage, image)
        while stage.gate is not None:
            stage.merge()
        assert (stage.image, stage.state.candidate) == (image, None)
    return stage


def to(stage: Stage, image: str, replicas: int = 4) -> Stage:
    """Let the source want an image."""
    return stage.source(groups(image, replicas)).settle()


def back_to(stage: Stage, image: str) -> Order:
    """Give the order to go back to the revision of an image."""
    return Order(Word.ROLLBACK, revision=stage.revision(image))


def asked(stage: Stage) -> str | None:
    """Name the step of the open gate."""
    return stage.gate.step if stage.gate else None


def file_of(stage: Stage, image: str) -> str:
    """Give the path of a recorded revision."""
    return f"{HOME}/capacity/revisions/chat-{stage.revision(image)}.yaml"


def lose(stage: Stage, image: str) -> tuple[str, bytes]:
    """Take a revision out of every version that there ever was; gives what was taken."""
    path = file_of(stage, image)
    raw = stage.line.files[path]
    for version in stage.line.versions:
        version.pop(path, None)
    stage.line.trees.clear()
    return path, raw


def legacy_role(image: str = A) -> Object:
    """Write a role as Go does, with what it always adds."""
    return {
        "name": "decode",
        "replicas": 1,
        "workerReplicas": 0,
        "entryTemplate": {"metadata": {"creationTimestamp": None}, **pod(image)},
    }


def legacy(data: Json = None, name: str = "chat-7d9f", uid: str = "u-1", number: int = 1) -> Object:
    """Write a ControllerRevision as an older Kthena kept it, Roles-only and without a version."""
    return {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {
            "name": name,
            "namespace": "serving",
            "uid": f"cr-{name}",
            "labels": {"modelserving.volcano.sh/name": "chat", "modelserving.volcano.sh/revision": "7d9f"},
            "ownerReferences": [owner(uid)],
        },
        "revision": number,
        "data": {"data": [legacy_role()]} if data is None else data,
    }


def owner(uid: str = "u-1", kind: str = "ModelServing", name: str = "chat") -> Object:
    return {
        "apiVersion": "workload.serving.volcano.sh/v1alpha1",
        "kind": kind,
        "name": name,
        "uid": uid,
        "controller": True,
    }


def importing(*objects: Json) -> Order:
    return Order(Word.IMPORT, legacy=objects)
