"""Unchanged files are not read again, and a cache that forgets changes nothing."""

from dataclasses import dataclass, field

from gitops_rollout.kinds.modelserving.kind import ModelServingKind
from gitops_rollout.source.cache import MemoryCache
from gitops_rollout.source.identify import Terms
from gitops_rollout.source.reader import Reader
from gitops_rollout.source.readings import Readings
from gitops_rollout.source.source import Source
from tests.source.desk import Desk, builder, config, serving

FILES: dict[str, str | bytes | None] = {
    "specs/a.yaml": f"{serving('a')}---\n{config('b')}",
    "specs/bad.yaml": "a: 1\na: 2",
    "specs/odd.yaml": serving("odd").replace("replicas: 2", "replicas: yes"),
    "built/kustomization.yaml": "resources: [c.yaml]",
    "built/c.yaml": f"{serving('c')}---\n{config('d')}",
}


@dataclass(frozen=True)
class Forgetful(MemoryCache):
    """A cache that keeps nothing but what begins with `keeps`."""

    keeps: str = "nothing"
    entries: dict[str, bytes] = field(default_factory=dict)

    def put(self, key: str, value: bytes) -> None:
        if key.startswith(self.keeps):
            self.entries[key] = value


def facts(source: Source) -> object:
    return (dict(source.specs), dict(source.others), source.refused, source.problems, source.unreadable)


def reader(desk: Desk, cache: MemoryCache) -> Reader:
    readings = Readings(desk.repository, desk.reader().readings.terms, cache, builder=builder())
    return Reader(readings, ("built", "specs"))


def test_a_second_reading_takes_everything_from_the_cache(desk: Desk) -> None:
    desk.write(FILES)
    first = desk.read(reader(desk, desk.cache))
    known = dict(desk.cache.entries)
    assert facts(desk.read(reader(desk, desk.cache))) == facts(first)
    assert desk.cache.entries == known


def test_only_what_changed_is_added(desk: Desk) -> None:
    desk.write({f"specs/{name}.yaml": serving(name) for name in "abcd"})
    desk.read()
    known = set(desk.cache.entries)
    desk.write({"specs/b.yaml": serving("b", image="engine:2"), "README.md": "words"})
    desk.read()
    added = [key.partition("-")[0] for key in set(desk.cache.entries) - known]
    assert sorted(added) == ["batch", "body", "file"]


def test_a_file_that_moves_is_known_and_has_its_new_place(desk: Desk) -> None:
    desk.write(
        {"specs/a.yaml": "a: 1\na: 2", "specs/b.yaml": serving("b").replace("replicas: 2", "replicas: yes")}
    )
    desk.read()
    desk.write({"specs/a.yaml": None, "specs/b.yaml": None, "specs/x/a.yaml": "a: 1\na: 2"})
    desk.write({"specs/x/b.yaml": serving("b").replace("replicas: 2", "replicas: yes")})
    assert {problem.file for problem in desk.read().problems} == {"specs/x/a.yaml", "specs/x/b.yaml"}


def test_a_cache_may_forget_anything(desk: Desk) -> None:
    desk.write(FILES)
    expected = facts(desk.read(reader(desk, MemoryCache())))
    for keeps in ("nothing", "batch-", "file-", "build-", "body-"):
        cache = Forgetful(keeps=keeps)
        assert facts(desk.read(reader(desk, cache))) == expected
        assert facts(desk.read(reader(desk, cache))) == expected


def test_another_default_namespace_is_another_reading(desk: Desk) -> None:
    desk.write({"specs/a.yaml": "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n"})
    spaces = [
        desk.read(Reader(Readings(desk.repository, Terms({}, space), desk.cache), ("specs",))).others
        for space in ("one", "two")
    ]
    assert [key.namespace for others in spaces for key in others] == ["one", "two"]


def test_a_kind_that_is_told_otherwise_is_another_reading() -> None:
    group = ("workload.serving.volcano.sh", "ModelServing")
    keys = {Terms({group: ModelServingKind(controller)}).key for controller in ("main", "semantic", "main")}
    assert len(keys) == 2


def test_the_digest_tells_a_changed_spec_from_one_that_only_moved(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a")})
    before = desk.read().specs
    desk.write({"specs/a.yaml": None, "specs/b.yaml": f"# moved\n{serving('a')}"})
    moved = desk.read().specs
    desk.write({"specs/b.yaml": serving("a", image="engine:2")})
    changed = desk.read().specs
    (key,) = before
    assert before.digest(key) == moved.digest(key) != changed.digest(key)
