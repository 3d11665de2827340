"""What a process remembers makes it faster and never changes what it does (DESIGN 2, 11)."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from gitops_rollout.api.settings import Others, ReadingLimits, Settings
from tests import gitrepo
from tests.passes.arranged import merged_gate, two_changes
from tests.passes.moments import Moments, crash
from tests.passes.specs import config, policy, serving
from tests.passes.test_crashes import settled
from tests.passes.world import NOON, World, codes, image


def memory(world: World) -> Path:
    (found,) = world.cache.glob("*/memory.json")
    return found


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def spoil(path: Path) -> None:
    """Overwrite everything but the beginning."""
    whole = path.read_bytes()
    path.write_bytes(whole[:100] + b"\xa5" * (len(whole) - 100))


def flip(path: Path) -> None:
    """Change one letter of everything that was read."""
    path.write_bytes(path.read_bytes().replace(b"engine:", b"ENGINE:"))


def folder(path: Path) -> None:
    path.unlink()
    (path / "full").mkdir(parents=True)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "gone": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    **{done.__name__: done for done in (cut, spoil, flip, folder)},
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("file", ["memory.json", "read.sqlite"])
def test_a_damaged_cache_changes_nothing(world: World, file: str, damage: str) -> None:
    two_changes(world)
    world.keep()
    wanted = settled(world)
    world.back()
    (path,) = world.cache.glob(f"*/{file}")
    DAMAGES[damage](path)
    assert settled(world) == wanted


@pytest.mark.parametrize(
    "words",
    ["null", "[]", '"x"', "{", '{"settings": 1}', "[" * 100_000, "\ud800".encode("utf-8", "surrogatepass")],
)
def test_a_memory_of_nonsense_is_no_memory(world: World, words: str | bytes) -> None:
    two_changes(world)
    world.settle()
    wanted = world.refs()
    memory(world).write_bytes(words if isinstance(words, bytes) else words.encode())
    assert settled(world) == wanted


@pytest.mark.parametrize("field", ["heads", "wake", "source", "refused"])
@pytest.mark.parametrize("value", [None, 7, "x", [], {"ModelServing/chat": 7}, "2026-01-01T00:00:00"])
def test_a_memory_with_a_wrong_field_stops_nothing(world: World, field: str, value: object) -> None:
    world.commit({"specs/chat.yaml": serving()})
    world.settle()
    kept = json.loads(memory(world).read_text())
    memory(world).write_text(json.dumps({**kept, field: value}))
    world.commit({"specs/chat.yaml": serving(image="engine:2")})
    world.settle()
    assert len(world.gates()) == 1


def test_an_idle_pass_asks_and_reads_nothing(world: World) -> None:
    two_changes(world)
    world.settle()
    assert world.poll().idle
    moments = Moments(crash, 0)
    assert world.poll(around=moments).idle
    assert moments.passed == 0


def test_other_settings_are_taken_up_at_once(world: World) -> None:
    world.commit({"specs/chat.yaml": serving(), "specs/p.yaml": policy("slow", "{steps: [1, 100%]}")})
    world.commit({"specs/notes.yaml": config()})
    world.settle()
    world.told(default_policy="slow")
    assert world.poll().workloads[0].words == "follow its policy"
    world.told(others=Others.IGNORE)
    assert not world.poll().idle


def test_a_raised_limit_is_taken_up_at_once(world: World) -> None:
    world.settings = _limited(world, 300)
    world.commit({"specs/chat.yaml": serving(), "specs/b.yaml": serving("b", "e:2" + "x" * 200)})
    assert "LIMIT" in codes(world.settle())
    assert world.poll().idle
    world.settings = _limited(world, 4000)
    world.settle()
    assert image(world, name="b").startswith("e:2")


def test_a_refused_spec_is_said_at_every_pass(world: World) -> None:
    world.commit({"specs/chat.yaml": serving(), "specs/b.yaml": serving("b", replicas=-1)})
    assert [world.poll().refused for _ in range(4)] == [True] * 4


def test_a_soak_wakes_an_idle_service(world: World) -> None:
    merged_gate(world)
    world.commit({"specs/steps.yaml": policy(spec="{steps: [1, 50%, 100%], soak: 30m}")})
    report = world.settle()
    assert world.gates() == []
    assert report.workloads[0].gate_from is not None
    world.later(minutes=29, seconds=59)
    assert world.poll().idle
    world.later(seconds=1)
    world.poll()
    assert "50pct" in world.gate()


def test_a_clock_that_was_set_back_starts_the_soak_again_and_does_not_wait_for_years(world: World) -> None:
    merged_gate(world)
    world.commit({"specs/steps.yaml": policy(spec="{steps: [1, 50%, 100%], soak: 30m}")})
    world.settle()
    world.now = NOON.replace(year=2020)
    world.settle()
    world.later(minutes=29)
    assert world.poll().idle
    world.later(minutes=1)
    world.poll()
    assert "50pct" in world.gate()


def test_a_deleted_gate_branch_is_made_again(world: World) -> None:
    two_changes(world)
    world.settle()
    before = world.refs()
    gitrepo.point(world.output, world.gate("b"), None)
    world.poll()
    assert world.refs() == before


def _limited(world: World, size: int) -> Settings:
    return replace(world.settings, limits=ReadingLimits(file_bytes=size))
