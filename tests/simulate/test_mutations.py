"""What the invariants are worth: each of these faults of the planner, one of them must catch."""

from dataclasses import replace
from typing import Any

import pytest

from gitops_rollout import drafts
from gitops_rollout.render import traffic, workload
from gitops_rollout.rollout import approvals, asking, follow, leaving, pools, routing, timing
from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.state import Routed
from tests.simulate.graph_mutations import GRAPHS
from tests.simulate.mutations import Mutation, found_out, partition_falls
from tests.simulate.told_mutations import TOLD


def _gate_off_by_one(real: Any) -> Any:
    def of_step(history: Any, state: Any, step: Any, partition: Any, land: Any) -> Any:
        lower = {name: max(0, number - 1) for name, number in partition.items()}
        return real(history, state, step, lower, land)

    return of_step


def _weight_with_capacity(real: Any) -> Any:
    def taken(scene: Any, draft: Any, gate: Any) -> Any:
        draft = real(scene, draft, gate)
        step = gates.step_in_force(draft.state)
        weight = step.traffic.weight if step is not None and step.traffic is not None else None
        return draft.with_published(weight=weight or draft.state.published.weight)

    return taken


def _lowest_is_forgotten(real: Any) -> Any:
    def hold(scene: Any, draft: Any) -> Any:
        draft = real(scene, draft)
        counts = scene.kind.counts(draft.state.accepted.controls)
        return draft if draft.state.candidate is None else draft.at_partition(draft.state.partition, counts)

    return hold


def _pools_go_at_once(real: Any) -> Any:
    def published(draft: Any, routed: Routed) -> Any:
        return real(draft, replace(routed, retiring=()))

    return published


def _touched(real: Any) -> Any:
    def render_workload(folder: Any, state: Any, history: Any, seq: int) -> dict[str, bytes]:
        files: dict[str, bytes] = real(folder, state, history, seq)
        label = b"entryTemplate:\n        metadata: {labels: {touched: by-us}}\n"
        changed = {path: raw.replace(b"entryTemplate:\n", label) for path, raw in files.items()}
        return files if seq < 4 else changed

    return render_workload


def _data_is_rewritten(real: Any) -> Any:
    written = []

    def controller_revision(key: Any, revision: Any) -> Any:
        written.append(revision)
        value = real(key, revision)
        return {**value, "data": {**value["data"], **({"touched": True} if len(written) > 6 else {})}}

    return controller_revision


def _with_its_reference(real: Any) -> Any:
    def asked(draft: Any) -> Any:
        state = draft.state
        return [
            (terms, one) for terms, one in real(draft) if one != state.candidate or state.published.traffic
        ]

    return asked


def _selects_something_else(real: Any) -> Any:
    def pool_object(key: Any, pool: Any) -> Any:
        counted.append(pool)
        more = {"touched": "by-us"} if len(counted) > 9 else {}
        return real(key, replace(pool, selector={**pool.selector, **more}))

    counted: list[Any] = []
    return pool_object


MUTATIONS = {
    "a gate's partition is off by one": Mutation(
        asking, "of_step", _gate_off_by_one, "no gate moves more replicas than its step allows"
    ),
    "weight comes with capacity": Mutation(
        approvals,
        "_step_taken",
        _weight_with_capacity,
        "a share of requests rises as far as a step says that was let in",
    ),
    "lowest is raised": Mutation(
        follow, "hold_partition", _lowest_is_forgotten, "the lowest partition shown never rises in a rollout"
    ),
    "a pool goes with its protection on": Mutation(
        pools, "_published", _pools_go_at_once, "nothing is removed with its protection on"
    ),
    "the drain is skipped": Mutation(
        leaving,
        "waiting",
        lambda _real: lambda _scene, draft: draft,
        "one commit moves pods or requests, never both",
        faults="lag,changes,orders",
    ),
    "a way back waits for people": Mutation(
        leaving,
        "leave",
        lambda _real: lambda _scene, draft: draft,
        "a way back takes the requests first, at once",
    ),
    "a candidate is rendered before its gate": Mutation(
        workload,
        "_rendered",
        lambda real: lambda kind, state: state.offered or real(kind, state),
        "no revision is published that nobody let in",
    ),
    "a number is used again": Mutation(
        drafts,
        "numbered",
        lambda real: lambda plan, seq, commit, now: real(plan, max(1, seq - 1), commit, now),
        "seq grows and is never used again",
    ),
    "recorded data is rewritten": Mutation(
        workload, "controller_revision", _data_is_rewritten, "the data of a recorded revision never changes"
    ),
    "the template of stable is touched": Mutation(
        workload, "_workload", _touched, "no revision is published that nobody let in"
    ),
    "nothing soaks": Mutation(
        timing,
        "_soaked",
        lambda _real: lambda _draft, _gate: None,
        "no gate opens before its step has soaked",
    ),
    "a share is larger than its replicas": Mutation(
        routing.Split,
        "carries",
        lambda _real: lambda _self, _floor: 100,
        "no share is larger than the replicas that carry it",
        policy="greedy",
        faults="none",
    ),
    "a pool comes with its reference": Mutation(
        pools, "_asked", _with_its_reference, "what a route names was published in an earlier commit"
    ),
    "a pool selects something else": Mutation(
        traffic, "pool_object", _selects_something_else, "what a published pool selects never changes"
    ),
    "an idle pass writes": Mutation(
        drafts,
        "changed",
        lambda _real: lambda _plan, _head: True,
        "passes that nobody disturbs come to rest and then write nothing",
        policy="plain",
        faults="none",
    ),
    "a partition falls by itself": Mutation(
        follow, "hold_partition", partition_falls, "a partition falls by a merged gate alone"
    ),
}
EVERY = {**MUTATIONS, **GRAPHS, **TOLD}


def test_no_two_faults_are_called_alike() -> None:
    assert len(EVERY) == len(MUTATIONS) + len(GRAPHS) + len(TOLD)


@pytest.mark.parametrize("mutation", EVERY.values(), ids=list(EVERY))
def test_a_broken_planner_is_found_out(mutation: Mutation, monkeypatch: pytest.MonkeyPatch) -> None:
    assert mutation.told in found_out(mutation, monkeypatch)
