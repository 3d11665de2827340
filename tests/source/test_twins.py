"""One object in two places, and two kinds with one name."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.problems import Problem
from gitops_rollout.kinds.registry import KINDS
from gitops_rollout.source.compare import compare
from gitops_rollout.source.identify import Terms
from gitops_rollout.source.item import Item, Sort
from gitops_rollout.source.source import ObjectKey
from tests.source.desk import Desk, codes, config, key, serving


@pytest.mark.parametrize("paths", [("specs/a.yaml", "specs/b.yaml"), ("specs/z/b.yaml", "specs/c.yml")])
def test_a_spec_in_two_files_is_refused_in_both_with_both_places(desk: Desk, paths: tuple[str, str]) -> None:
    first, second = paths
    desk.write(
        {first: serving("a"), second: serving("a", image="engine:2"), "specs/x.yaml": serving("a", "batch")}
    )
    source = desk.read()
    assert (set(source.specs), set(source.refused)) == ({key("a", "batch")}, {key("a")})
    assert codes(source) == [(path, "DUPLICATE") for path in sorted(paths)]
    assert all(path in problem.message for path in paths for problem in source.problems)
    assert not source.unreadable


def test_the_default_namespace_counts_when_places_are_compared(desk: Desk) -> None:
    bare = serving("a").replace("  namespace: serving\n", "")
    desk.write({"specs/a.yaml": serving("a"), "specs/b.yaml": bare})
    assert set(desk.read().refused) == {key("a")}


def test_a_refused_spec_and_its_good_twin_are_both_refused(desk: Desk) -> None:
    broken = serving("a").replace("replicas: 2", "replicas: yes")
    desk.write({"specs/a.yaml": serving("a"), "specs/b.yaml": broken})
    source = desk.read()
    assert (len(source.specs), set(source.refused)) == (0, {key("a")})


def test_another_object_in_two_files_is_held_and_not_published(desk: Desk) -> None:
    desk.write({"specs/a.yaml": config("a"), "specs/b.yaml": config("a"), "specs/c.yaml": config("c")})
    source = desk.read()
    assert set(source.others) == {ObjectKey("serving", "", "ConfigMap", "c")}
    assert source.held == {ObjectKey("serving", "", "ConfigMap", "a")}


def test_versions_of_one_kind_are_one_object(desk: Desk) -> None:
    route = "apiVersion: gateway.networking.k8s.io/{}\nkind: HTTPRoute\nmetadata: {{name: a}}\n"
    desk.write({"specs/a.yaml": route.format("v1"), "specs/b.yaml": route.format("v1beta1")})
    assert [code for _, code in codes(desk.read())] == ["DUPLICATE", "DUPLICATE"]


def spec(kind: str, name: str, file: str) -> Item:
    return Item(Sort.SPEC, 1, "group.example", kind, "serving", name, file)


def test_two_kinds_with_one_name_in_one_namespace_are_both_refused() -> None:
    items = [spec("One", "a", "a.yaml"), spec("Two", "a", "b.yaml"), spec("Two", "b", "c.yaml")]
    compared = compare(items, Terms(KINDS))
    assert [item.name for item in compared.specs.values()] == ["b"]
    problems: list[Problem] = [problem for found in compared.refused.values() for problem in found]
    assert {problem.code for problem in problems} == {"NAME_SHARED"}
    assert all("a.yaml" in problem.message and "b.yaml" in problem.message for problem in problems)


items = st.builds(
    spec,
    st.sampled_from(["One", "Two"]),
    st.sampled_from("ab"),
    st.sampled_from(["a.yaml", "b.yaml", "c.yaml"]),
)


@given(st.lists(items, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_reading_decides_nothing(found: list[Item], random: Random) -> None:
    shuffled = random.sample(found, len(found))
    one, other = compare(found, Terms(KINDS)), compare(shuffled, Terms(KINDS))
    assert (one.specs, one.refused) == (other.specs, other.refused)


@given(st.lists(items, max_size=6))
def test_every_spec_is_accepted_or_refused_and_no_name_is_accepted_twice(found: list[Item]) -> None:
    compared = compare(found, Terms(KINDS))
    assert {(key.kind, key.name) for key in (*compared.specs, *compared.refused)} == {
        (item.kind, item.name) for item in found
    }
    assert len({key.name for key in compared.specs}) == len(compared.specs)
