"""ModelServings that roll by role: the controller as Kthena #1799 says, and whole rollouts under it (R10)."""

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.values import Object, mapping
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.simulate.controllers import Why
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.kthena_roles import KthenaRoles
from gitops_rollout.simulate.manifests import Library, Manifest
from gitops_rollout.simulate.run import prepared
from gitops_rollout.simulate.wishes import AFTER, BEFORE, NotPlayable, Wishes
from tests.drawn import drawn
from tests.simulate.role_runs import KNOWN, PAIR, run, workload

LIBRARY = Library()
FAULTS = {
    "consumers": "lag,skip,reorder,partial,retry-old",
    "services": "crash,two-services,refuse-push,clock-jumps",
    "people": "late-people,orders,scaling",
    "hands": "careless,stale-merges,reverts,edits,force-push",
    "cluster": "pod-deaths,scaling",
}


def manifest(images: dict[str, str], groups: int = 1, **partitions: int) -> Manifest:
    """Give the live object; `decode=3` is the partition of a role."""
    value = mapping(load(workload(PAIR, images, groups), Limits())[0].value)
    for role in roles(value):
        role.update({"partition": partitions[str(role["name"])]} if role["name"] in partitions else {})
    found = LIBRARY.read(emit(value).encode())
    assert found is not None
    return found


def roles(value: Object) -> list[Object]:
    return value["spec"]["template"]["roles"]  # type: ignore[index, call-overload, return-value]


def settled(controller: KthenaRoles, live: Manifest) -> KthenaRoles:
    while controller.tick([live]):
        pass
    return controller


def serving(groups: int = 1) -> KthenaRoles:
    return settled(KthenaRoles(), manifest({}, groups))


def runs(controller: KthenaRoles, live: Manifest, role: str) -> list[tuple[int, int]]:
    """Give the (group, ordinal) of the instances of a role that are made from what is live."""
    made = controller.made_from(live.value)[role]
    places = [place for place, one in controller.instances.items() if one.made_from == made]
    return sorted((group, ordinal) for group, name, ordinal in places if name == role)


def uids(controller: KthenaRoles, role: str) -> Mapping[tuple[int, int], int]:
    return {place[::2]: one.uid for place, one in controller.instances.items() if place[1] == role}


def test_a_role_that_did_not_change_is_left_alone() -> None:
    controller = serving()
    before = uids(controller, "prefill")
    settled(controller, manifest({"decode": "b"}))
    assert uids(controller, "prefill") == before
    assert {death.pod.component for death in controller.deaths} == {"decode"}


def test_the_lowest_ordinals_are_protected_in_each_group() -> None:
    controller, live = serving(groups=2), manifest({"decode": "b"}, 2, decode=3)
    settled(controller, live)
    assert runs(controller, live, "decode") == [(0, 3), (1, 3)]


def test_no_more_are_replaced_at_once_than_the_role_allows() -> None:
    controller, live = serving(), manifest({"prefill": "b", "decode": "b"})
    controller.tick([live])
    gone = [(death.pod.component, death.pod.place) for death in controller.deaths]
    assert gone == [("prefill", 1), ("decode", 3), ("decode", 2)]


def test_a_raised_partition_pulls_nothing_back() -> None:
    controller = settled(serving(), manifest({"decode": "b"}, decode=1))
    raised = manifest({"decode": "b"}, decode=4)
    settled(controller, raised)
    assert runs(controller, raised, "decode") == [(0, 1), (0, 2), (0, 3)]


@pytest.mark.parametrize(("ordinal", "new"), [(0, False), (3, True)])
def test_what_dies_below_the_partition_comes_back_as_it_was(ordinal: int, new: bool) -> None:
    live = manifest({"decode": "b"}, decode=2)
    controller = settled(serving(), live)
    controller.die(controller.instances[0, "decode", ordinal].uid)
    settled(controller, live)
    assert ((0, ordinal) in runs(controller, live, "decode")) is new


def test_it_comes_back_as_its_siblings_are_where_the_current_revision_is_the_new_one() -> None:
    live = manifest({"decode": "b"}, decode=2)
    controller = settled(serving(), live)
    controller.current = dict(controller.made_from(live.value))
    controller.die(controller.instances[0, "decode", 0].uid)
    settled(controller, live)
    assert runs(controller, live, "decode") == [(0, 2), (0, 3)]


def test_unprotected_instances_go_first_when_there_are_to_be_fewer() -> None:
    controller = settled(serving(), manifest({"decode": "b"}, decode=2))
    fewer = mapping(load(workload({"prefill": (2, 1), "decode": (2, 1)}, {}), Limits())[0].value)
    live = LIBRARY.read(emit(fewer).encode())
    assert live is not None
    controller.tick([live])
    gone = [death.pod.place for death in controller.deaths if death.why is Why.SCALED]
    assert gone == [3, 2]


def test_a_group_that_is_left_alone_high_up_stays_there_and_all_comes_to_rest() -> None:
    controller = serving(groups=3)
    for ordinal in (0, 1):
        controller.die(controller.instances[ordinal, "decode", 0].uid)
    controller.tick([manifest({}, 3)])
    settled(controller, manifest({}))
    assert {place[0] for place in controller.instances} == {2}


def test_roles_and_groups_that_are_no_more_go_at_once() -> None:
    controller = serving(groups=2)
    alone = LIBRARY.read(workload({"decode": (4, 1)}, {}))
    assert alone is not None
    controller.tick([alone])
    assert sorted(controller.instances) == [(0, "decode", ordinal) for ordinal in range(4)]
    controller.tick([])
    assert controller.instances == {}


@pytest.mark.parametrize("name", KNOWN)
def test_a_rollout_by_role_ends_and_breaks_nothing(name: str) -> None:
    play = run(name)
    assert play.world.findings == []
    assert len(play.world.moment.counts) == 1


def test_pods_of_the_other_role_see_nothing_of_a_rollout() -> None:
    world = run("decode").world
    assert {death.pod.component for death in world.controller.deaths} == {"decode"}


def test_a_threshold_that_a_third_revision_left_on_an_untouched_role_ends_with_the_rollout() -> None:
    assert run("decode", "some", 4).world.findings == []


@pytest.mark.parametrize("group", FAULTS)
@given(name=st.sampled_from([*KNOWN]), seed=st.integers(0, 2**32))
@drawn(3)
def test_no_fault_of_one_group_breaks_an_invariant_by_role(group: str, name: str, seed: int) -> None:
    assert run(name, FAULTS[group], seed).world.findings == []


def test_a_source_that_changes_how_it_rolls_is_refused() -> None:
    manifests = {BEFORE: workload(PAIR, {}), AFTER: workload(PAIR, {}, by_role=False)}
    wishes = Wishes(manifests, {BEFORE: "before.yaml", AFTER: "after.yaml"})
    with pytest.raises(NotPlayable, match="a change of how it rolls cannot be played yet"):
        prepared(wishes, Faults())
