"""The output branch as other hands and other versions leave it, over real git (R3, R26, R28)."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from gitops_rollout.api.values import Object
from gitops_rollout.rollout import file as rollout_file
from gitops_rollout.rollout.draft import Order
from gitops_rollout.rollout.file import write
from gitops_rollout.rollout.state import RolloutFile
from tests import gitrepo
from tests.passes.arranged import STEPS, merged_gate
from tests.passes.specs import serving
from tests.passes.world import World, codes, image, key, partition

RECORD = "rollouts/serving/chat/rollout.yaml"


def two(world: World) -> None:
    """Chat has shown the first step of engine:2, b is idle."""
    world.commit({"specs/b.yaml": serving("b")})
    merged_gate(world)
    world.settle()


def wants(world: World, image: str, name: str = "chat") -> None:
    world.commit(
        {f"specs/{name}.yaml": serving(name, image, policy="steps" if name == "chat" else ""), **STEPS}
    )


def revision_of(world: World, image: str) -> str:
    """Give the path of the recorded revision of an image."""
    paths = [path for path in world.tree() if "/chat/capacity/revisions/" in path]
    return next(path for path in paths if f"image: {image}\n" in world.read(path))


def rewritten_from_the_start(world: World, path: str, content: str | None) -> str:
    """Make a branch of one commit that has another file at `path`; gives what stood there."""
    before = world.read(path)
    files: dict[str, str | bytes | None] = {one: world.read(one) for one in world.tree()}
    files[path] = content
    gitrepo.commit_files(world.output, "anew", {one: raw for one, raw in files.items() if raw is not None})
    gitrepo.point(world.output, "main", gitrepo.head(world.output, "anew"))
    gitrepo.point(world.output, "anew", None)
    return before


@pytest.fixture
def lost(world: World) -> tuple[World, str, str]:
    """Chat's stable revision is in no version of the branch any more; gives its path and content."""
    two(world)
    path = revision_of(world, "engine:1")
    return world, path, rewritten_from_the_start(world, path, None)


def test_33_a_lost_revision_blocks_its_workload_alone(lost: tuple[World, str, str]) -> None:
    world, _, _ = lost
    wants(world, "engine:3")
    wants(world, "engine:3", "b")
    report = world.settle()
    assert "HISTORY_UNKNOWN" in codes(report)
    assert (image(world), partition(world)) == ("engine:2", "3")
    assert "ms-b/" in world.gate("b")


def test_33_it_goes_on_when_the_revision_comes_back(lost: tuple[World, str, str]) -> None:
    world, path, content = lost
    world.settle()
    assert world.gates("chat/") == []
    world.edit({path: content})
    assert "HISTORY_UNKNOWN" not in codes(world.settle())
    assert "50pct" in world.gate()


def test_41_the_way_back_to_a_known_stable_needs_no_other_history(world: World) -> None:
    two(world)
    rewritten_from_the_start(world, revision_of(world, "engine:2"), None)
    wants(world, "engine:1")
    world.settle()
    assert (image(world), partition(world)) == ("engine:1", "3")


def test_41_nor_does_an_abort(world: World) -> None:
    two(world)
    rewritten_from_the_start(world, revision_of(world, "engine:2"), None)
    world.poll(Order.ABORT)
    assert (image(world), partition(world)) == ("engine:1", "3")


def changed_record(world: World, old: str, new: str) -> None:
    text = world.read(RECORD)
    assert old in text
    world.edit({RECORD: text.replace(old, new)})


@pytest.mark.parametrize(
    ("old", "new"), [("  format: 1\n", "  format: 2\n"), ("  renderer: 1\n", "  renderer: 2\n")]
)
def test_a_record_of_a_later_version_is_left_byte_for_byte(world: World, old: str, new: str) -> None:
    two(world)
    changed_record(world, old, new)
    wants(world, "engine:3")
    before = world.refs()
    assert "NEWER_FORMAT" in codes(world.settle())
    assert world.refs() == before


def test_a_record_of_a_later_version_stops_no_other_workload(world: World) -> None:
    two(world)
    changed_record(world, "  format: 1\n", "  format: 2\n")
    folder = {path: oid for path, oid in world.tree().items() if "/chat/" in path}
    wants(world, "engine:3", "b")
    world.settle()
    world.merge(world.gate("b"))
    world.settle()
    assert image(world, name="b") == "engine:3"
    assert {path: oid for path, oid in world.tree().items() if "/chat/" in path} == folder


def test_a_record_of_a_later_version_outlives_its_spec(world: World) -> None:
    two(world)
    changed_record(world, "  format: 1\n", "  format: 2\n")
    before = world.tree()
    world.commit({"specs/chat.yaml": None})
    world.settle()
    assert world.tree() == before


def test_r28_the_record_of_another_installation_is_left_alone(world: World) -> None:
    two(world)
    other = world.replica()
    other.told(name="other")
    wants(world, "engine:3")
    before = world.refs()
    assert "OTHER_INSTALLATION" in codes(other.poll())
    assert world.refs() == before


def rewound(world: World) -> None:
    """The branch is set back to before anything was published."""
    first = gitrepo.commits(world.output)[-1]
    gitrepo.point(world.output, "main", gitrepo.commit_files(world.output, "aside", {"README.md": "anew"}))
    gitrepo.point(world.output, "aside", None)
    assert first


def deleted(world: World) -> None:
    gitrepo.point(world.output, "main", None)


@pytest.mark.parametrize("hand", [rewound, deleted])
def test_r3_a_branch_that_lost_its_record_publishes_nothing_new(
    world: World, hand: Callable[[World], None]
) -> None:
    two(world)
    published = world.tree()
    hand(world)
    wants(world, "engine:3")
    assert "HISTORY_REWRITTEN" in codes(world.poll())
    world.settle()
    assert (image(world), partition(world), image(world, name="b")) == ("engine:2", "3", "engine:1")
    assert {path for path in published if "/capacity/" in path} <= world.tree().keys()


@pytest.mark.parametrize("hand", [rewound, deleted])
def test_r3_the_rollout_goes_on_where_it_was(world: World, hand: Callable[[World], None]) -> None:
    two(world)
    hand(world)
    world.settle()
    for step in ("50pct", "100pct", "complete"):
        assert step in world.gate()
        world.merge()
        world.settle()
    assert (image(world), partition(world), world.gates("chat/")) == ("engine:2", None, [])


def test_r3_a_branch_that_is_set_back_by_a_step_shows_no_more_than_it_did(world: World) -> None:
    two(world)
    back = world.head()
    world.merge()
    world.settle()
    gitrepo.point(world.output, "main", back)
    report = world.poll()
    assert "HISTORY_REWRITTEN" in codes(report)
    world.settle()
    assert (image(world), "50pct" in world.gate() or "100pct" in world.gate()) == ("engine:2", True)


def test_r3_a_number_is_never_used_twice(world: World) -> None:
    two(world)
    seen = seq(world)
    deleted(world)
    world.settle()
    assert seq(world) > seen


def test_an_idle_branch_that_only_grew_is_no_rewritten_one(world: World) -> None:
    two(world)
    world.edit({"README.md": "words"})
    assert "HISTORY_REWRITTEN" not in codes(world.poll())


def seq(world: World) -> int:
    return _record(world).state.seq


def _record(world: World) -> RolloutFile:
    return rollout_file.read(key(), {"rollout.yaml": world.read(RECORD).encode()})


def test_a_policy_with_fields_of_a_later_version_is_read_without_them(world: World) -> None:
    two(world)
    record = _record(world)
    policy: Object = {**record.state.accepted.policy, "laterField": {"a": 1}}
    state = replace(record.state, accepted=replace(record.state.accepted, policy=policy))
    world.edit({RECORD: write(replace(record, state=state))})
    wants(world, "engine:2")
    world.settle()
    assert "50pct" in world.gate()
    assert (image(world), partition(world)) == ("engine:2", "3")
