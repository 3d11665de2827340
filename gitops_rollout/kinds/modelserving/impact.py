"""What a change of a ModelServing does.

Warnings
    PARTITION_RAISED             a raised partition takes no pod back
    NOT_APPLIED_TO_RUNNING_PODS  in force only for pods that are made from now on
    INACTIVE                     nobody reads the changed value: workers without replicas, plugins of no role
    COMBINED_CHANGE              counts and templates change together
"""

from collections.abc import Collection, Iterator
from dataclasses import replace

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object
from gitops_rollout.api.verdict import Change, ComponentImpact, Impact, Verdict
from gitops_rollout.api.workload import WHOLE, Spec
from gitops_rollout.kinds.leaves import Edits
from gitops_rollout.kinds.modelserving.controls import counts, floors, groups, rolls_by_role
from gitops_rollout.kinds.modelserving.edits import PARTITION, edits
from gitops_rollout.kinds.modelserving.project import role_names
from gitops_rollout.kinds.modelserving.restarts import changed_roles, restarted, scaled
from gitops_rollout.kinds.modelserving.update import check_update
from gitops_rollout.kinds.written import problem

_TOPOLOGY = ("template/networkTopology", "template/gangPolicy")


def impact(old: Spec, new: Spec, controller: str) -> Impact:
    """Say what publishing `new` over `old` does; the worst that happens names the verdict."""
    found, changed = edits(old, new), changed_roles(old.text, new.text)
    rejections = check_update(old.text, old.controls, new)
    scale, restart = tuple(scaled(old, new)), tuple(restarted(old, new, changed))
    warnings = (*new.warnings, *_warnings(old, new, found, controller), *_combined(scale, restart))
    verdict = _verdict(old, new, changed, scale, found.controls)
    return Impact(
        Verdict.REJECT if rejections else verdict,
        () if rejections else (*scale, *restart, *_untouched(new, scale, restart)),
        tuple(_with_births(change, old, new) for change in found.all()),
        warnings,
        rejections,
    )


def _untouched(
    new: Spec, scale: tuple[ComponentImpact, ...], restart: tuple[ComponentImpact, ...]
) -> Iterator[ComponentImpact]:
    """Say of the roles to which nothing happens that nothing happens to them."""
    touched = {one.name for one in (*scale, *restart)}
    for name in sorted(role_names(new.text)):
        if name not in touched:
            yield ComponentImpact(name, Verdict.NO_CHANGE)


def _verdict(
    old: Spec,
    new: Spec,
    changed: Collection[str],
    scale: Collection[ComponentImpact],
    controls: Collection[Change],
) -> Verdict:
    if role_names(old.text) != role_names(new.text):
        return Verdict.TOPOLOGY
    if changed:
        return Verdict.RESTART
    if scale:
        return Verdict.SCALE_ONLY
    return Verdict.CONTROL_ONLY if controls else Verdict.NO_CHANGE


def _warnings(old: Spec, new: Spec, found: Edits, controller: str) -> Iterator[Problem]:
    yield from _raised(old.controls, new.controls)
    for change in found.controls:
        if change.path.startswith(_TOPOLOGY):
            message = "pods that run stay where they are; only groups made from now on follow it"
            yield problem(change.path, "NOT_APPLIED_TO_RUNNING_PODS", message)
    if controller == "main" and found.revision and all(_of_plugins(change) for change in found.revision):
        message = (
            "this Kthena compares roles alone: pods keep the old plugins until something else restarts them"
        )
        yield problem("plugins", "NOT_APPLIED_TO_RUNNING_PODS", message)
    for change in found.inactive:
        message = "inactive: no pod reads it now, so nothing restarts and the revision stays"
        yield problem(change.path, "INACTIVE", message)


def _of_plugins(change: Change) -> bool:
    return change.path == "plugins" or change.path.startswith("plugins[")


def _raised(old: Object, new: Object) -> Iterator[Problem]:
    before, after, totals = floors(old), floors(new), counts(old)
    for name in before.keys() & after.keys():
        last = min(after[name], totals[name]) - 1
        if before[name] <= last and before[name] < after[name]:
            path = PARTITION if name == WHOLE else f"{name}/partition"
            message = (
                f"partition {before[name]} -> {after[name]}: {_ordinals(before[name], last)} keep the "
                "revision that they run, and come back on the stable one only when they are re-created; "
                "to roll back, revert the template in the source"
            )
            yield problem(path, "PARTITION_RAISED", message)


def _combined(scale: tuple[ComponentImpact, ...], restart: tuple[ComponentImpact, ...]) -> Iterator[Problem]:
    if scale and restart:
        message = (
            "counts and templates change together: pods may be made in outdated groups and thrown away; "
            "two commits avoid it"
        )
        yield problem("", "COMBINED_CHANGE", message)


def _with_births(change: Change, old: Spec, new: Spec) -> Change:
    """Say on which revision the ordinals are born that a scaling adds under a partition."""
    first, total = groups(old.controls), groups(new.controls)
    if change.path != "replicas" or rolls_by_role(new.controls) or total <= first:
        return change
    floor = floors(new.controls)[WHOLE]
    if floor <= first:
        return change
    note = f"{_ordinals(first, min(floor, total) - 1)} on the stable revision"
    if floor < total:
        note += f", {_ordinals(floor, total - 1)} on the newest"
    return replace(change, note=note)


def _ordinals(first: int, last: int) -> str:
    return f"ordinal {first}" if first == last else f"ordinals {first}-{last}"
