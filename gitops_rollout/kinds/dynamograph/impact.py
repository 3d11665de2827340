"""What a change of a graph does under today's operator.

Workers carry one hash: an edit of one rolls them all. Everything else rolls on its own, in place.

Warnings
    WORKERS_ROLL_TOGETHER        workers restart that did not change themselves
    MOVES_AS_A_WHOLE             several nodes: Grove or LWS replace pods, without a rolling update of workers
    RECREATES                    all pods of a component go before new ones come
    RESTART_REQUESTED            another restart id restarts pods at once, whatever else is approved
    NO_POD_RESTARTS              a new revision that no running pod sees: contracts, claims, an ingress
    NOT_APPLIED_TO_RUNNING_PODS  no pod exists that could follow, or Grove waits for somebody to delete it
    INACTIVE                     the operator does not read the changed value
    COMBINED_CHANGE              counts and templates change together
"""

from collections.abc import Collection, Iterator

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Object, at, sequence, text
from gitops_rollout.api.verdict import ComponentImpact, Impact, Verdict
from gitops_rollout.api.workload import Spec
from gitops_rollout.kinds.dynamograph.controls import ON_DELETE, replicas
from gitops_rollout.kinds.dynamograph.edits import RESTART_ID, edits
from gitops_rollout.kinds.dynamograph.graph import Component, Graph
from gitops_rollout.kinds.dynamograph.project import projections
from gitops_rollout.kinds.dynamograph.update import check_update
from gitops_rollout.kinds.dynamograph.words import GROVE_STRATEGY
from gitops_rollout.kinds.leaves import Edits, same
from gitops_rollout.kinds.pods import gpus
from gitops_rollout.kinds.written import problem


def impact(old: Spec, new: Spec, *, together: bool = True) -> Impact:
    """Say what publishing `new` over `old` does; the worst that happens names the verdict.

    `together`: a worker that changes draws all others along.
    """
    found, changed = edits(old, new), changed_components(old.text, new.text)
    rejections = check_update(old.text, old.controls, new)
    restart = tuple(restarted(old, new, changed, together=together))
    scale = tuple(scaled(old, new))
    warnings = (*new.warnings, *_warnings(old, new, found, restart), *_combined(scale, restart))
    return Impact(
        Verdict.REJECT if rejections else _verdict(found, scale, restart),
        () if rejections else (*scale, *restart, *_untouched(new, (*scale, *restart))),
        found.all(),
        tuple(warnings),
        rejections,
    )


def _untouched(new: Spec, touched: Collection[ComponentImpact]) -> Iterator[ComponentImpact]:
    """Say of the components to which nothing happens that nothing happens to them."""
    names = Graph(new.text).by_name().keys() - {one.name for one in touched}
    for name in sorted(names):
        yield ComponentImpact(name, Verdict.NO_CHANGE)


def _verdict(
    found: Edits, scale: Collection[ComponentImpact], restart: Collection[ComponentImpact]
) -> Verdict:
    if restart:
        return max((one.verdict for one in restart), key=list(Verdict).index)
    if scale:
        return Verdict.SCALE_ONLY
    # What is a revision of its own but shapes no pod is no more than a control to those that run.
    return Verdict.CONTROL_ONLY if found.controls or found.revision else Verdict.NO_CHANGE


def changed_components(old: Object, new: Object) -> frozenset[str]:
    """Name the components whose projection differs between two texts, or that only one of them has."""
    before, after = projections(old), projections(new)
    return frozenset(
        name
        for name in before.keys() | after.keys()
        if name not in before or name not in after or not same(before[name], after[name])
    )


def restarted(
    old: Spec, new: Spec, changed: Collection[str], *, together: bool = True
) -> Iterator[ComponentImpact]:
    """Give what restarts, counted with the new replicas; `changed` are `changed_components`."""
    asked = _asked(old, new)
    before, after = Graph(old.text).by_name(), Graph(new.text).by_name()
    workers = (name for name, one in (*before.items(), *after.items()) if one.is_worker)
    rolls = together and any(name in changed for name in workers)
    for name, component in after.items():
        if name not in before:
            yield _impact(component, new.controls, Verdict.TOPOLOGY)
        elif name in changed or name in asked or (rolls and component.is_worker):
            yield _impact(component, new.controls, Verdict.RESTART)
    for name in sorted(before.keys() - after.keys()):
        yield ComponentImpact(name, Verdict.TOPOLOGY)


def _asked(old: Spec, new: Spec) -> frozenset[str]:
    """Name the components that another restart id restarts: all, or those of its order."""
    before, after = (text(at(side.controls, "restart", "id")) for side in (old, new))
    if not after or before == after:
        return frozenset()
    order = sequence(at(new.controls, "restart", "strategy", "order"))
    return frozenset(map(text, order)) or frozenset(Graph(new.text).by_name())


def _impact(component: Component, controls: Object, verdict: Verdict) -> ComponentImpact:
    pods = replicas(controls, component.name) * component.nodes
    part = "leader and worker" if component.multinode and pods else ""
    return ComponentImpact(component.name, verdict, pods, pods * gpus(component.template), part)


def scaled(old: Spec, new: Spec) -> Iterator[ComponentImpact]:
    """Give the components, known to both sides, of which pods are added or removed."""
    known = Graph(old.text).by_name()
    for name in Graph(new.text).by_name():
        if name in known and replicas(old.controls, name) != replicas(new.controls, name):
            yield ComponentImpact(name, Verdict.SCALE_ONLY)


def _warnings(old: Spec, new: Spec, found: Edits, restart: tuple[ComponentImpact, ...]) -> Iterator[Problem]:
    graph, changed = Graph(new.text), changed_components(old.text, new.text)
    moving = {one.name: one for one in restart if one.verdict is Verdict.RESTART}
    asked = _asked(old, new)
    if asked:
        message = f"pods of {', '.join(sorted(asked))} restart as soon as this is published"
        yield problem(RESTART_ID, "RESTART_REQUESTED", message)
    drawn = sorted(name for name in moving if name not in changed and name not in asked)
    if drawn:
        message = f"{', '.join(drawn)} restart too: the operator has one hash for all workers"
        yield problem("", "WORKERS_ROLL_TOGETHER", message)
    for name, component in graph.by_name().items():
        if name in moving:
            yield from _how(graph, component, moving[name])
    strategy = at(new.controls, "metadata", "annotations", GROVE_STRATEGY)
    if moving and strategy == ON_DELETE:
        message = "where Grove runs the graph, pods follow only when somebody deletes them"
        yield problem(f"metadata/annotations[{GROVE_STRATEGY}]", "NOT_APPLIED_TO_RUNNING_PODS", message)
    if found.revision and not restart:
        message = "this is a revision of its own, but no running pod sees it"
        yield problem("", "NO_POD_RESTARTS", message)
    for change in found.inactive:
        yield problem(change.path, "INACTIVE", "inactive: the operator does not read it")


def _how(graph: Graph, component: Component, found: ComponentImpact) -> Iterator[Problem]:
    name = component.name
    if not found.pods:
        message = f"{name} has no replicas: nothing restarts, and pods that come later follow"
        yield problem(name, "NOT_APPLIED_TO_RUNNING_PODS", message)
    elif component.multinode:
        message = (
            f"{name} takes {component.nodes} nodes a replica: Grove or LWS replace its pods, and the "
            "operator's rolling update of workers does not apply to the graph"
        )
        yield problem(name, "MOVES_AS_A_WHOLE", message)
    elif graph.recreates(component):
        message = f"all {found.pods} pods of {name} go before new ones come: it does not serve meanwhile"
        yield problem(name, "RECREATES", message)


def _combined(scale: tuple[ComponentImpact, ...], restart: tuple[ComponentImpact, ...]) -> Iterator[Problem]:
    if scale and restart:
        message = "counts and templates change together; two commits show what each of them does"
        yield problem("", "COMBINED_CHANGE", message)
