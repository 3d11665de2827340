"""Approving in plain git: merge a gate branch into the output branch, as a person would."""

from gitops_rollout.api.settings import Pipeline
from gitops_rollout.drafts import difference
from gitops_rollout.errors import Refused
from gitops_rollout.kinds.registry import kind_named
from gitops_rollout.output.gates import is_ours
from gitops_rollout.output.versions import Place
from gitops_rollout.ports import NewCommit, RefUpdate, Repository
from gitops_rollout.report import WorkloadReport


def approve(output: Repository, pipeline: Pipeline, report: WorkloadReport, us: str) -> str:
    """Merge the gate that `report` names; gives the merge commit.

    Refused when the branch is not exactly our question on what is published now: then git, and a
    person, must merge it. The push is a compare-and-swap like every other one.
    """
    kind = kind_named(report.key.kind)
    if kind is None:
        raise Refused(f"{report.key} is of a kind that is not known")
    place = Place(output, pipeline.output.root, report.key, kind)
    branch, gate = f"refs/heads/{pipeline.output.branch}", f"refs/heads/{report.branch}"
    refs = output.refs(branch, gate)
    if branch not in refs or gate not in refs:
        raise Refused(f"{report.branch} is not there any more; look again with `gitops-rollout gate list`")
    output.fetch(refs)
    head, asked = refs[branch], refs[gate]
    if not is_ours(output, asked, us):
        raise Refused(f"{report.branch} holds commits of people: merge it with git, if that is meant")
    base = output.info(asked).parents[0]
    if output.tree(base, place.folder) != output.tree(head, place.folder):
        raise Refused(f"{report.branch} does not stand on what is published now; do a pass and look again")
    before, after = place.files(base), place.files(asked)
    changes = {f"{place.folder}/{path}": part for path, part in difference(before, after).items()}
    date = max(output.info(head).committed, output.info(asked).committed)
    message = f"Merge {report.branch}\n"
    merge = output.write(NewCommit((head, asked), changes, message, date))
    output.push([RefUpdate(branch, head, merge)])
    return merge
