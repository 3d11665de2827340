"""diff and validate over files, folders and git revisions: what is compared, said and given back."""

import json
from pathlib import Path

import jsonpatch
import pytest

from tests import gitrepo
from tests.cli.shell import Team, run
from tests.passes.specs import config, serving

NAME = "ModelServing/chat -n serving"


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Give two folders: in the second, chat has another image, one spec is new and one is gone."""
    old = write(tmp_path / "old", chat=serving(), left=serving("left"), notes=config())
    return old, write(tmp_path / "new", chat=serving(image="engine:2"), came=serving("came"), notes=config())


def test_folders_are_compared_workload_by_workload(two: tuple[Path, Path]) -> None:
    told = run("diff", *two, "-o", "json").json["workloads"]
    assert [(one["name"], one["verdict"]) for one in told] == [
        ("came", "NEW"),
        ("chat", "RESTART"),
        ("left", "DELETED"),
    ]


def test_revisions_of_git_are_compared_without_a_checkout(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    team.commit({"chat.yaml": serving()})
    team.commit({"chat.yaml": serving(image="engine:2")})
    monkeypatch.chdir(team.source)
    ran = run("diff", "main~1", "main", "--path", "specs", "--exit-code")
    assert ran.code == 4
    assert "ms/chat -n serving: RESTART" in ran.out


@pytest.mark.parametrize("broken", ["kind: [\n", "a: b\n\tc: d\n"])
def test_a_file_that_cannot_be_read_is_never_told_as_deleted(tmp_path: Path, broken: str) -> None:
    old = write(tmp_path / "old", chat=serving())
    new = write(tmp_path / "new", chat=broken)
    there, back = run("diff", old, new, "-o", "json"), run("diff", new, old, "-o", "json")
    assert (there.code, back.code) == (3, 3)
    assert there.json["workloads"] == back.json["workloads"] == []


def test_the_other_side_is_compared_all_the_same(tmp_path: Path) -> None:
    old = write(tmp_path / "old", chat=serving(), other=serving("other"))
    new = write(tmp_path / "new", chat=serving(replicas=-1), other=serving("other", "engine:2"))
    ran = run("diff", old, new, "-o", "json")
    assert [(one["name"], one["verdict"]) for one in ran.json["workloads"]] == [("other", "RESTART")]
    assert [one["file"] for one in ran.json["errors"]] == [str(new / "chat.yaml")]


def test_a_file_that_is_refused_on_both_sides_is_told_once(tmp_path: Path) -> None:
    place = write(tmp_path, chat=serving(replicas=-1))
    assert len(run("diff", place, place, "-o", "json").json["errors"]) == 1


def test_roles_that_are_renamed_where_roles_roll_alone_are_refused(tmp_path: Path) -> None:
    rolling = "  rolloutStrategy: {type: RoleRollingUpdate}\n"
    old = write(tmp_path / "old", chat=serving(extra=rolling))
    new = write(tmp_path / "new", chat=serving(extra=rolling).replace("decode", "gen"))
    ran = run("diff", old, new, "-o", "json")
    assert (ran.code, ran.json["workloads"][0]["verdict"]) == (3, "REJECT")
    assert [(one["path"], one["code"]) for one in ran.json["errors"]] == [("spec.template.roles", "ROLE_SET")]


def test_a_json_patch_makes_the_new_text_of_the_old_one(two: tuple[Path, Path]) -> None:
    old, new = (place / "chat.yaml" for place in two)
    patch = run("diff", old, new, "-o", "jsonpatch").json
    assert [one["op"] for one in patch] == ["replace"]
    text = {
        "spec": {
            "template": {"roles": [{"entryTemplate": {"spec": {"containers": [{"image": "engine:1"}]}}}]}
        }
    }
    changed = json.dumps(jsonpatch.apply_patch(text, patch))
    assert "engine:2" in changed


def test_a_json_patch_of_several_workloads_is_by_workload(two: tuple[Path, Path]) -> None:
    for place in two:
        write(place, more=serving("more"))
    patches = run("diff", *two, "-o", "jsonpatch").json
    assert (set(patches), patches["ModelServing/more -n serving"]) == (
        {NAME, "ModelServing/more -n serving"},
        [],
    )


def test_two_sides_without_workloads_say_so(tmp_path: Path) -> None:
    ran = run("diff", write(tmp_path / "a", notes=config()), write(tmp_path / "b", notes=config()))
    assert (ran.code, ran.out) == (0, "No workload on either side.\n")


def test_a_side_that_is_nowhere_is_bad_usage_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("diff", "nowhere", tmp_path)
    assert ran.code == 2
    assert "'nowhere' is neither a file nor a folder" in ran.err


def test_validate_tells_every_problem_of_every_file(tmp_path: Path) -> None:
    extra = "  rolloutStrategy: {rollingUpdateConfiguration: {partition: 110%}}\n"
    write(tmp_path, a=serving("a", replicas=-1), b=serving("b", replicas=-1, extra=extra), c=serving("c"))
    ran = run("validate", tmp_path)
    assert ran.code == 3
    assert ran.out == "1 workload fine, 3 problems.\n"


def test_validate_takes_revisions_of_git(team: Team, monkeypatch: pytest.MonkeyPatch) -> None:
    team.commit({"chat.yaml": serving()})
    monkeypatch.chdir(team.source)
    assert run("validate", gitrepo.head(team.source)).out == "1 workload fine, 0 problems.\n"
