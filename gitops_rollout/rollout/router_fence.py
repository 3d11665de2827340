"""What may be sent to routers, and what their answers prove (R18, R19).

A writer may have slept since it read the branch, and a router may have forgotten everything: so the head is
read again just before a policy is sent, and an answer counts for one start of one pod.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from gitops_rollout.api.values import mapping
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.rollout import file as rollout_file
from gitops_rollout.rollout.bindings import RouterPolicy, body, digest
from gitops_rollout.rollout.facts import Answer

BODY = "traffic/router-policy.json"
"""Where the body stands in a workload's folder."""


@dataclass(frozen=True, slots=True)
class RouterAnswer:
    """What one router said when it was sent a body: the version that it holds now, 0 for none.

    `boot` names the start of its process or container, `digest` is that of the body that was sent.
    `refused`: it holds another body for that version (409). Who only asks what it holds has no such answer.
    """

    pod: str
    boot: str
    version: int
    digest: str
    refused: bool = False


def to_put(key: WorkloadKey, files: Mapping[str, bytes]) -> tuple[int, bytes] | None:
    """Give the version and the body that the head holds, as it was read just now; None: nothing is sent.

    `files` are the folder of the workload, by path relative to it. A record that cannot be used, or a body
    that somebody changed by hand, is never sent.
    """
    try:
        state = rollout_file.read(key, files).state
    except rollout_file.BadRolloutFile:
        return None
    policy, bindings, written = state.routerPolicy, state.bindings, files.get(BODY)
    if policy is None or bindings is None or written is None:
        return None
    try:
        found = mapping(json.loads(written))
    except ValueError:
        return None
    meant = body(bindings, policy.version)
    return (policy.version, written) if digest(found) == digest(meant) == policy.digest else None


def acknowledged(
    answers: Iterable[RouterAnswer], selected: Mapping[str, str], policy: RouterPolicy
) -> Answer:
    """Say whether all pods that a pool selects now have accepted exactly this version with this body.

    `selected`: the boot id of each pod's router as it runs now, by pod UID. What was said to another body,
    before a restart, or by a pod that is not selected proves nothing; of no pod nothing is known.
    """
    held = {
        (one.pod, one.boot): one.version == policy.version and not one.refused
        for one in answers
        if one.digest == policy.digest
    }
    found = [held.get(pod) for pod in selected.items()]
    if False in found:
        return Answer.NO
    return Answer.YES if found and None not in found else Answer.UNKNOWN


def reported(answers: Iterable[RouterAnswer]) -> int | None:
    """Give the highest version that any router reports, selected or not; None where none has answered."""
    return max((one.version for one in answers), default=None)


def refused(answers: Iterable[RouterAnswer], policy: RouterPolicy) -> bool:
    """Say whether some router has another body for this version."""
    return any(one.refused and one.digest == policy.digest for one in answers)
