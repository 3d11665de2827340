"""Whatever happens, in whatever order: with a memory and without one the same refs come out."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given
from hypothesis import strategies as st

from tests import gitrepo
from tests.drawn import drawn
from tests.passes.specs import config, policy, serving
from tests.passes.world import World

FILE = "rollouts/serving/chat/capacity/modelserving.yaml"
WIDE = "{name: all, annotations: {gitops-rollout.io/folder: specs}}"


def merge(how: str) -> Callable[[World], None]:
    """Merge the first gate there is, unless it would conflict."""

    def event(world: World) -> None:
        for gate in world.gates()[:1]:
            if not gitrepo.conflicts(world.output, "main", gate):
                world.merge(gate, how)

    return event


def write(**files: str | None) -> Callable[[World], object]:
    """Commit files to the source."""
    return lambda world: world.commit({f"specs/{name}.yaml": text for name, text in files.items()})


def edit(path: str, text: str | None) -> Callable[[World], object]:
    """Commit a file to the output, if it is there."""
    return lambda world: world.edit({path: text}) if path in world.tree() else None


def on_gate(files: Mapping[str, str] | None) -> Callable[[World], None]:
    """Commit to the first gate branch; None deletes it."""

    def event(world: World) -> None:
        for gate in world.gates()[:1]:
            if files is None:
                gitrepo.point(world.output, gate, None)
            else:
                gitrepo.commit_files(world.output, gate, files)

    return event


EVENTS: Mapping[str, Callable[[World], object]] = {
    "another image": write(chat=serving(image="engine:2", policy="steps")),
    "a third image": write(chat=serving(image="engine:3", policy="steps")),
    "the first image": write(chat=serving(policy="steps")),
    "more replicas": write(chat=serving(image="engine:2", replicas=6, policy="steps")),
    "no policy": write(chat=serving(image="engine:2")),
    "unreadable": write(chat="}{"),
    "refused": write(chat=serving(replicas=-1)),
    "doubled": write(twin=serving(image="engine:4")),
    "not doubled": write(twin="# nothing\n"),
    "gone": write(chat=None),
    "moved": write(chat=None, moved=serving(image="engine:2", policy="steps")),
    "moved back": write(chat=serving(image="engine:2", policy="steps"), moved="# nothing\n"),
    "other steps": write(steps=policy(spec="{steps: [50%, 100%]}")),
    "a soak": write(steps=policy(spec="{steps: [1, 50%, 100%], soak: 30m}")),
    "suspended": write(steps=policy(spec="{steps: [1, 50%, 100%], suspend: true}")),
    "the first steps": write(steps=policy()),
    "a policy for the folder": write(folder=policy("all").replace("{name: all}", WIDE)),
    "another workload": write(b=serving("b", "engine:2")),
    "another object": write(notes=config(value="two")),
    "no other object": write(notes=None),
    "merged": merge("merge"),
    "squashed": merge("squash"),
    "picked": merge("rebase"),
    "looked at": on_gate({"NOTES.md": "looked at it"}),
    "gate deleted": on_gate(None),
    "edited": edit(FILE, "kind: Other\n"),
    "file deleted": edit(FILE, None),
    "record damaged": edit("rollouts/serving/chat/rollout.yaml", "damaged"),
    "record deleted": edit("rollouts/serving/b/rollout.yaml", None),
    "aggregate deleted": edit("rollouts/_capacity/kustomization.yaml", None),
    "a minute": lambda world: world.later(minutes=1),
    "half an hour": lambda world: world.later(minutes=30),
    "yesterday": lambda world: world.later(days=-1),
}  # fmt: skip


def begun(folder: Path) -> World:
    world = World(folder)
    world.commit({"specs/chat.yaml": serving(policy="steps"), "specs/steps.yaml": policy()})
    world.commit({"specs/b.yaml": serving("b"), "specs/c.yaml": serving("c"), "specs/notes.yaml": config()})
    world.settle()
    return world


def forget(world: World) -> None:
    shutil.rmtree(world.cache, ignore_errors=True)


def lived(events: list[str]) -> None:
    """Let the same happen to two worlds, one of which forgets all the time."""
    with TemporaryDirectory() as folder:
        told, forgetful = begun(Path(folder, "a")), begun(Path(folder, "b"))
        for event in events:
            for world in (told, forgetful):
                EVENTS[event](world)
            told.settle()
            for _ in range(4):
                forget(forgetful)
                if forgetful.poll().settled:
                    break
            assert told.refs() == forgetful.refs(), event


@pytest.mark.slow
@drawn(15, phases=(Phase.explicit, Phase.reuse, Phase.generate))
@given(st.lists(st.sampled_from(sorted(EVENTS)), min_size=4, max_size=14))
def test_a_memory_changes_nothing_in_any_run(events: list[str]) -> None:
    lived(events)


def test_a_memory_changes_nothing_in_a_run_of_everything() -> None:
    lived([
        "another image", "merged", "a soak", "half an hour", "squashed", "looked at", "more replicas",
        "gate deleted", "edited", "unreadable", "the first image", "half an hour", "merged", "doubled",
        "not doubled", "record damaged", "gone", "moved", "no other object", "aggregate deleted", "yesterday",
    ])  # fmt: skip
