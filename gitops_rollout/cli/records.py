"""What is recorded of one workload, read from the output branch alone."""

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.errors import Refused
from gitops_rollout.output.heads import read_head
from gitops_rollout.output.ours import Ours
from gitops_rollout.output.versions import Place
from gitops_rollout.rollout.draft import Head
from gitops_rollout.wiring import Opened


def recorded(pipeline: Opened, key: WorkloadKey) -> Head | None:
    """Read a workload's rollout file and history, None when nothing of it is published.

    Refused when there is a record that cannot be trusted.
    """
    branch = f"refs/heads/{pipeline.pipeline.output.branch}"
    refs = pipeline.output.refs(branch)
    kind = pipeline.kinds.get(key.kind)
    if branch not in refs or kind is None:
        return None
    pipeline.output.fetch(refs)
    place = Place(pipeline.output, pipeline.pipeline.output.root, key, kind)
    ours = Ours(pipeline.output, place.root, pipeline.us, refs[branch])
    head = read_head(place, refs[branch], None, ours)
    if isinstance(head, Problem):
        raise Refused(f"{key}: {head}")
    return head if isinstance(head, Head) else None
