"""Where a workload stands in the output."""

from collections.abc import Mapping
from dataclasses import dataclass

from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.kinds.protocol import Kind


@dataclass(frozen=True, slots=True)
class Folder:
    """A workload's place in the output: `before` are its files as they stand in the head."""

    key: WorkloadKey
    kind: Kind
    before: Mapping[str, bytes]
