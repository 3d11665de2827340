"""Histories: revisions are found by content, numbered, and pruned with care (cases 35, 36, 39)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.values import Object
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING as KIND
from gitops_rollout.kinds.protocol import Injection
from gitops_rollout.revision.history import REVISION_LABEL, ROLE_LABEL, History, free_name, injected
from gitops_rollout.revision.identity import digest, revision_id
from gitops_rollout.revision.record import UNTOUCHED, Revision
from tests.kinds.manifests import accepted, pod, role, serving


def text(image: str = "engine:1", other: str = "router:1") -> Object:
    return accepted(serving(role(entry=pod(image)), role("router", entry=pod(other)))).text


def revision(
    image: str = "engine:1", number: int = 1, name: str = "", injection: Injection = UNTOUCHED
) -> Revision:
    full = digest(KIND.canonical(text(image)))
    return Revision(name or revision_id(full), full, number, text(image), injection, "c0ffee")


def history(*revisions: Revision) -> History:
    found = History()
    for one in revisions:
        found = found.record(one)
    return found


TWELVE = history(*[revision(f"engine:{number}", number, f"r{number}") for number in range(1, 13)])


def names(found: History) -> list[int]:
    return [int(one.id[1:]) for one in found]


def test_a_revision_is_found_however_it_is_spelled() -> None:
    respelled = text()
    respelled["spec"]["template"]["roles"][0]["entryTemplate"]["spec"]["volumes"] = []  # type: ignore[index,call-overload]
    assert history(revision()).equal(KIND, respelled) == revision()
    assert history(revision()).equal(KIND, text("engine:2")) is None


def test_of_equal_revisions_the_newest_is_found() -> None:
    twice = history(revision(name="ra"), revision(number=2, name="rb"))
    found = twice.equal(KIND, text())
    assert found is not None
    assert found.id == "rb"


def test_numbers_begin_at_one_and_each_is_the_highest() -> None:
    assert History().next_number == 1
    assert TWELVE.next_number == 13
    assert TWELVE.raised("r3").next_number == 14


def test_case_36_an_older_revision_comes_back_under_the_next_number() -> None:
    raised = TWELVE.raised("r3")
    assert (names(raised)[-1], raised["r3"].number, len(list(raised))) == (3, 13, 12)
    assert raised["r3"].text == TWELVE["r3"].text


def test_the_newest_revision_keeps_its_number() -> None:
    assert TWELVE.raised("r12") == TWELVE


def test_what_is_not_there_is_said() -> None:
    assert TWELVE.get("r99") is None
    with pytest.raises(KeyError):
        TWELVE["r99"]


@pytest.mark.parametrize("collisions", [0, 1, 2, 3])
def test_case_35_a_taken_name_is_passed_over_the_same_each_time(collisions: int) -> None:
    full = digest(KIND.canonical(text()))
    taken = history(*[revision(f"other:{n}", n + 1, revision_id(full, n)) for n in range(collisions)])
    assert free_name(taken, full) == free_name(taken, full) == revision_id(full, collisions)
    assert list(taken.record(revision(number=9, name=free_name(taken, full))))[:-1] == list(taken)


def test_a_name_is_r_and_ten_hex_and_collisions_give_others() -> None:
    full = digest(KIND.canonical(text()))
    found = {revision_id(full, number) for number in range(20)}
    assert len(found) == 20
    assert all(len(one) == 11 and one[0] == "r" and int(one[1:], 16) >= 0 for one in found)


def test_case_39_the_limit_counts_only_what_is_not_live() -> None:
    assert names(TWELVE.pruned({"r2", "r9", "r12"}, 3)) == [2, 8, 9, 10, 11, 12]


def test_case_39_a_limit_of_zero_keeps_what_is_live() -> None:
    assert names(TWELVE.pruned({"r2", "r9", "r12"}, 0)) == [2, 9, 12]


@given(live=st.sets(st.integers(1, 12)), limit=st.integers(0, 15))
def test_nothing_live_is_ever_pruned_and_the_oldest_go_first(live: set[int], limit: int) -> None:
    kept = names(TWELVE.pruned({f"r{number}" for number in live}, limit))
    rest = [number for number in range(1, 13) if number not in live]
    assert kept == sorted([*live, *rest[max(0, len(rest) - limit) :]])


def test_r23_a_whole_workload_carries_the_name_of_its_revision() -> None:
    assert injected(KIND, revision(), text("engine:2"), "rnew") == Injection({"*": {REVISION_LABEL: "rnew"}})


def test_r10_by_role_only_what_changed_carries_a_label() -> None:
    labels = injected(KIND, revision(), text("engine:2"), None).labels
    assert list(labels) == ["decode"]
    assert list(labels["decode"]) == [ROLE_LABEL]


@pytest.mark.parametrize("stable", [Injection({"*": {"a": "1"}}), Injection({"router": {"a": "1"}})])
def test_r10_by_role_what_did_not_change_carries_what_stable_carries(stable: Injection) -> None:
    assert injected(KIND, revision(injection=stable), text("engine:2"), None).labels["router"] == {"a": "1"}


def test_by_role_equal_roles_of_two_revisions_carry_the_same_label() -> None:
    second, third = (
        injected(KIND, revision(), text("engine:2", other), None) for other in ("router:1", "router:2")
    )
    assert second.labels["decode"] == third.labels["decode"]
