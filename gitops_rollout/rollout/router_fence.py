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
from gitops_rollout.rollout.bindings import body, digest
from gitops_rollout.rollout.facts import Answer

BODY = "traffic/router-policy.json"
"""Where the body stands in a workload's folder."""


@dataclass(frozen=True, slots=True)
class RouterAnswer:
    """What one router said: the version that it has accepted, 0 for none.

    `boot` names the start of its process or container. `refused`: it was sent this version, and has another
    body for it.
    """

    pod: str
    boot: str
    version: int
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


def acknowledged(answers: Iterable[RouterAnswer], selected: Mapping[str, str], version: int) -> Answer:
    """Say whether all pods that a pool selects now have accepted exactly this version.

    `selected`: the boot id of each pod's routers as they run now, by pod UID. What was said before a restart,
    or by a pod that is not selected, proves nothing; where nothing is selected, nothing is known.
    """
    held = _held(answers)
    found = {held.get((pod, boot)) for pod, boot in selected.items()}
    if any(one is not None and one != (version, False) for one in found):
        return Answer.NO
    return Answer.YES if found == {(version, False)} else Answer.UNKNOWN


def reported(answers: Iterable[RouterAnswer]) -> int | None:
    """Give the highest version that any router reports, selected or not; None where none has answered."""
    return max((one.version for one in answers), default=None)


def refused(answers: Iterable[RouterAnswer], version: int) -> bool:
    """Say whether some router has another body for this version."""
    return any(one.refused and one.version == version for one in answers)


def _held(answers: Iterable[RouterAnswer]) -> dict[tuple[str, str], tuple[int, bool]]:
    """Give the highest that each start of each pod has accepted, and whether it refused a body for it."""
    found: dict[tuple[str, str], tuple[int, bool]] = {}
    for one in answers:
        place = (one.pod, one.boot)
        found[place] = max(found.get(place, (0, False)), (one.version, one.refused))
    return found
