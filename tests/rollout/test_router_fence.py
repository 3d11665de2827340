"""Policies on their way to routers: two writers, rewinds and restarts between any two effects (R18, R19)."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.values import mapping
from gitops_rollout.render.router_policy import render_policy
from gitops_rollout.rollout import router_policy
from gitops_rollout.rollout.bindings import Binding, Bindings, RouterPolicy, digest
from gitops_rollout.rollout.facts import Answer
from gitops_rollout.rollout.file import NAME, fenced
from gitops_rollout.rollout.router_fence import (
    BODY,
    RouterAnswer,
    acknowledged,
    refused,
    reported,
    to_put,
)
from gitops_rollout.rollout.state import Fence, RolloutFile, State
from tests.drawn import drawn
from tests.rollout.graphs import KEY
from tests.rollout.told import Router, attached

POLICY = RouterPolicy(2, "digest")


@cache
def first() -> State:
    return attached().state


def files_of(state: State) -> dict[str, bytes]:
    file = RolloutFile(KEY, Fence(state.seq, ""), None, state, "")
    return fenced(file, render_policy(state))


def telling(state: State, image: str, reported_: int = 0) -> State:
    """Give the state that binds routers of `image` at a version of its own."""
    bound = Bindings.of("serving", Binding(state.stable, {}), [Binding(image, {"worker": image})])
    policy, bindings = router_policy.told(state, bound, reported_)
    return replace(state, routerPolicy=policy, bindings=bindings, seq=state.seq + 1)


@dataclass
class World:
    """The branch, its routers, and writers that stop between any two effects."""

    heads: list[dict[str, bytes]] = field(default_factory=lambda: [files_of(first())])
    states: dict[bytes, State] = field(default_factory=lambda: {files_of(first())[NAME]: first()})
    routers: list[Router] = field(default_factory=lambda: [Router("a", "rA"), Router("b", "rB")])
    sent: list[tuple[int, bytes]] = field(default_factory=list)
    count: int = 0

    @property
    def head(self) -> dict[str, bytes]:
        return self.heads[-1]

    @property
    def policy(self) -> RouterPolicy:
        found = self.states[self.head[NAME]].routerPolicy
        assert found is not None
        return found

    def writer(self) -> Iterator[None]:
        """Read, decide by what was answered, commit by compare-and-swap, read again, put, and so on."""
        answers: list[RouterAnswer] = []
        while True:
            read = self.head
            yield
            self.count += 1
            after = telling(self.states[read[NAME]], f"r{self.count}", reported(answers) or 0)
            yield
            if self.head is read:
                files = files_of(after)
                self.states[files[NAME]] = after
                self.heads.append(files)
            yield
            answers = []
            for router in self.routers:
                found = to_put(KEY, self.head)
                yield
                if found is not None:
                    self.sent.append(found)
                    answers.append(router.put(*found))
                yield

    def rewind(self, by: int) -> None:
        self.heads = self.heads[: max(1, len(self.heads) - by)]

    def tell(self) -> list[RouterAnswer]:
        found = to_put(KEY, self.head)
        assert found is not None
        return [one.put(*found) for one in self.routers]


moves = st.lists(
    st.tuples(st.sampled_from(["one", "one", "other", "other", "rewind", "restart"]), st.integers(0, 3)),
    max_size=60,
)


@drawn(60)
@given(moves)
def test_no_router_goes_back_or_hears_two_bodies_of_one_version(made: list[tuple[str, int]]) -> None:
    world = played(made)
    for router in world.routers:
        for (boot, version, raw), (later, above, other) in pairwise(router.accepted):
            if boot == later:
                assert version < above or (version, raw) == (above, other)


@drawn(60)
@given(moves)
def test_what_is_acknowledged_is_the_body_that_the_head_holds(made: list[tuple[str, int]]) -> None:
    world = played(made)
    selected = {one.pod: str(one.boot) for one in world.routers}
    if acknowledged(world.tell(), selected, world.policy) is Answer.YES:
        assert all(one.body == json.loads(world.head[BODY]) for one in world.routers)


@drawn(60)
@given(moves)
def test_nothing_is_sent_that_no_head_held(made: list[tuple[str, int]]) -> None:
    world = played(made)
    held = {files[BODY] for files in map(files_of, world.states.values())}
    assert {raw for _, raw in world.sent} <= held


@drawn(60)
@given(moves)
def test_routers_come_to_hold_what_the_head_holds(made: list[tuple[str, int]]) -> None:
    world = played(made)
    for _ in range(2):
        answers = world.tell()
        if (reported(answers) or 0) > world.policy.version or refused(answers, world.policy):
            state = world.states[world.head[NAME]]
            after = telling(state, "last", reported(answers) or 0)
            world.states[files_of(after)[NAME]] = after
            world.heads.append(files_of(after))
    assert all(one.body == json.loads(world.head[BODY]) for one in world.routers)


def played(made: list[tuple[str, int]]) -> World:
    world = World()
    writers = {"one": world.writer(), "other": world.writer()}
    for name, number in made:
        if name in writers:
            next(writers[name])
        elif name == "rewind":
            world.rewind(number)
        else:
            world.routers[number % 2].restart()
    return world


def test_a_writer_that_slept_sends_what_the_head_holds_now() -> None:
    old = files_of(telling(first(), "rB"))
    new = files_of(telling(telling(first(), "rB"), "rC"))
    router = Router("a", "rA")
    router.put(*sent_of(new))
    assert router.put(*sent_of(old)).version == sent_of(new)[0]


def sent_of(files: dict[str, bytes]) -> tuple[int, bytes]:
    found = to_put(KEY, files)
    assert found is not None
    return found


def test_a_respelled_body_is_still_the_one_that_was_recorded() -> None:
    files = files_of(first())
    spelled = json.dumps(json.loads(files[BODY])).encode()
    assert sent_of({**files, BODY: spelled}) == (1, spelled)


@pytest.mark.parametrize(
    "broken",
    [
        lambda files: {**files, BODY: files[BODY].replace(b'"1"', b'"2"')},
        lambda files: {**files, BODY: b"{"},
        lambda files: {NAME: files[NAME]},
        lambda files: {BODY: files[BODY]},
        lambda files: {**files, NAME: files[NAME].replace(b"version: 1", b"version: 2")},
        lambda files: {},
    ],
)
def test_what_is_not_exactly_recorded_is_never_sent(broken) -> None:  # type: ignore[no-untyped-def]
    assert to_put(KEY, files_of(first()))
    assert to_put(KEY, broken(files_of(first()))) is None


def answer(pod: str, boot: str = "1", version: int = 2, **other: object) -> RouterAnswer:
    return RouterAnswer(pod, boot, version, str(other.get("digest", "digest")), bool(other.get("refused")))


@pytest.mark.parametrize(
    ("answers", "selected", "said"),
    [
        ([answer("a"), answer("b")], {"a": "1", "b": "1"}, Answer.YES),
        ([answer("a"), answer("b"), answer("gone", version=1)], {"a": "1", "b": "1"}, Answer.YES),
        ([answer("a")], {"a": "1", "new": "1"}, Answer.UNKNOWN),
        ([answer("a")], {"a": "2"}, Answer.UNKNOWN),
        ([answer("a"), answer("a", "2")], {"a": "2"}, Answer.YES),
        ([answer("a", digest="other")], {"a": "1"}, Answer.UNKNOWN),
        ([answer("a", version=1), answer("b")], {"a": "1", "b": "1"}, Answer.NO),
        ([answer("a", version=3)], {"a": "1"}, Answer.NO),
        ([answer("a", refused=True)], {"a": "1"}, Answer.NO),
        ([answer("a")], {}, Answer.UNKNOWN),
        ([], {"a": "1"}, Answer.UNKNOWN),
    ],
)
def test_r18_an_acknowledgement_is_of_every_pod_since_it_started(
    answers: list[RouterAnswer], selected: dict[str, str], said: Answer
) -> None:
    assert acknowledged(answers, selected, POLICY) is said


def test_versions_rise_above_whatever_any_router_reports() -> None:
    policy = telling(first(), "rB", 41).routerPolicy
    assert policy is not None
    assert policy.version == 42
    assert policy.digest == digest(mapping(json.loads(files_of(telling(first(), "rB", 41))[BODY])))
