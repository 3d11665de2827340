"""Folders with a kustomization are built, never read file by file."""

from pathlib import Path

import pytest

from gitops_rollout.source.build import Builder
from gitops_rollout.source.source import Source
from tests.source.desk import Desk, builder, codes, config, key, serving, warned

BASE: dict[str, str | bytes | None] = {
    "base/kustomization.yaml": "resources: [chat.yaml]\nconfigMapGenerator: [{name: w, literals: [a=b]}]",
    "base/chat.yaml": serving("chat"),
}


def built(desk: Desk, *paths: str) -> Source:
    return desk.read(desk.reader(*paths, builder=builder()))


def test_an_overlay_is_built_out_of_a_base_outside_the_configured_folders(desk: Desk) -> None:
    desk.write(BASE | {"specs/prod/kustomization.yaml": "resources: [../../base]\nnamespace: prod\n"})
    source = built(desk)
    assert (set(source.specs), source.problems) == ({key("chat", "prod")}, ())
    assert source.specs.file(key("chat", "prod")) == "base/chat.yaml"


def test_nothing_in_the_output_tells_of_the_build(desk: Desk) -> None:
    desk.write(BASE | {"specs/prod/kustomization.yaml": "resources: [../../base]\n"})
    (other,) = built(desk).others.values()
    assert (other.file, other.document) == ("base/kustomization.yaml", 0)
    assert b"config.kubernetes.io" not in other.raw
    assert other.raw.startswith(b"apiVersion: v1\ndata:\n  a: b\nkind: ConfigMap\n")


def test_what_an_overlay_changes_is_what_is_read(desk: Desk) -> None:
    operation = "- {op: replace, path: /spec/replicas, value: 5}"
    patch = f"patches:\n- patch: |\n    {operation}\n  target: {{kind: ModelServing}}\n"
    desk.write(BASE | {"specs/kustomization.yaml": f"resources: [../base]\n{patch}"})
    assert built(desk).specs[key("chat")].controls["replicas"] == 5


def test_a_base_among_the_configured_folders_is_not_built_on_its_own(desk: Desk) -> None:
    overlays = {
        f"specs/{name}/kustomization.yaml": f"resources: [../base]\nnamespace: {name}\n"
        for name in ("one", "two")
    }
    desk.write({f"specs/{path}": content for path, content in BASE.items()} | overlays)
    assert set(built(desk).specs) == {key("chat", "one"), key("chat", "two")}


def test_a_component_is_only_a_part_of_others(desk: Desk) -> None:
    component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -x\n"
    desk.write(
        {f"specs/{path}": content for path, content in BASE.items()}
        | {"specs/part/kustomization.yaml": component}
    )
    desk.write({"specs/top/kustomization.yaml": "resources: [../base]\ncomponents: [../part]\n"})
    source = built(desk)
    assert (set(source.specs), source.problems) == ({key("chat-x")}, ())


@pytest.mark.parametrize("name", ["kustomization.yaml", "kustomization.yml", "Kustomization"])
def test_files_beside_and_below_a_kustomization_are_not_read_on_their_own(desk: Desk, name: str) -> None:
    desk.write(
        {f"specs/{name}": "resources: [a.yaml]", "specs/a.yaml": config("a"), "specs/values/b.yaml": "a: 1"}
    )
    source = built(desk)
    assert (len(source.others), source.problems, source.unreadable) == (1, (), False)


def test_without_a_binary_the_folder_is_refused_as_a_whole(desk: Desk) -> None:
    desk.write(BASE | {"specs/kustomization.yaml": "resources: [../base]", "plain/a.yaml": serving("a")})
    source = desk.read(desk.reader("specs", "plain"))
    assert (set(source.specs), source.unreadable) == ({key("a")}, True)
    assert codes(source) == [("specs/kustomization.yaml", "KUSTOMIZE_MISSING")]


@pytest.mark.parametrize(
    ("kustomization", "code"),
    [
        ("resources: [https://example.com/base.yaml]", "KUSTOMIZE_REMOTE"),
        ("resources: ['http://127.0.0.1:1/a.yaml']", "KUSTOMIZE_REMOTE"),
        ("Re\u017fources: ['http://127.0.0.1:1/a.yaml']", "KUSTOMIZE_REMOTE"),
        ("resources: [github.com/example/base]", "KUSTOMIZE_REMOTE"),
        ("resources: ['git@example.com:team/base']", "KUSTOMIZE_REMOTE"),
        ("resources: ['ssh://example.com/team/base']", "KUSTOMIZE_REMOTE"),
        ("resources: [../../../etc]", "KUSTOMIZE_REMOTE"),
        ("resources: [/etc/passwd]", "KUSTOMIZE_REMOTE"),
        ("components: ['../base?ref=main']", "KUSTOMIZE_REMOTE"),
        ("patches: [{path: 'https://example.com/p.yaml'}]", "KUSTOMIZE_REMOTE"),
        ("configMapGenerator: [{name: a, files: ['k=http://127.0.0.1:1/a']}]", "KUSTOMIZE_REMOTE"),
        ("openapi: {path: 'http://127.0.0.1:1/a'}", "KUSTOMIZE_REMOTE"),
        ("helmCharts: [{name: a, repo: 'https://example.com'}]", "KUSTOMIZE_FORBIDDEN"),
        ("HelmCharts: []", "KUSTOMIZE_FORBIDDEN"),
        ("transformers: [a.yaml]", "KUSTOMIZE_FORBIDDEN"),
        ("generators: [a.yaml]", "KUSTOMIZE_FORBIDDEN"),
        ("resources: [a.yaml]\nresources: [b.yaml]", "DUPLICATE_KEY"),
        ("resources: [a.yaml]\n---\nresources: [b.yaml]", "KUSTOMIZE_FAILED"),
        ("- a", "KUSTOMIZE_FAILED"),
        ("configMapGenerator: [{name: a, files: [../plain/a.yaml]}]", "KUSTOMIZE_FAILED"),
        ("nonsense: true", "KUSTOMIZE_FAILED"),
    ],
)
def test_what_may_not_be_built_is_refused_alone(desk: Desk, kustomization: str, code: str) -> None:
    desk.write({"specs/x/kustomization.yaml": kustomization, "plain/a.yaml": serving("a")})
    source = built(desk, "specs", "plain")
    assert (set(source.specs), source.unreadable) == ({key("a")}, True)
    assert codes(source) == [("specs/x/kustomization.yaml", code)]


def test_a_failing_build_says_why_in_paths_of_the_repository_and_always_alike(desk: Desk) -> None:
    desk.write({"specs/kustomization.yaml": "resources: [a.yaml]", "specs/a.yaml": "kind: Odd\n"})
    first, second = built(desk).problems, built(desk).problems
    assert first == second
    assert "a.yaml" in first[0].message
    assert "/tmp" not in first[0].message


def test_a_build_that_takes_too_long_is_given_up(desk: Desk) -> None:
    desk.write(BASE | {"specs/kustomization.yaml": "resources: [../base]"})
    source = desk.read(desk.reader(builder=builder(timeout=0.001)))
    assert codes(source) == [("specs/kustomization.yaml", "KUSTOMIZE_FAILED")]
    assert set(built(desk).specs) == {key("chat")}


def test_a_base_of_a_kustomization_that_cannot_be_read_is_not_built_on_its_own(desk: Desk) -> None:
    desk.write({f"specs/{path}": content for path, content in BASE.items()})
    desk.write({"specs/top/kustomization.yaml": "resources: [../base]\nresources: [../base]\n"})
    source = built(desk)
    assert (len(source.specs), source.unreadable) == (0, True)
    assert {file for file, _ in codes(source)} == {
        "specs/base/kustomization.yaml",
        "specs/top/kustomization.yaml",
    }


def test_kustomizations_in_a_circle_are_named_and_not_lost(desk: Desk) -> None:
    desk.write(
        {"specs/a/kustomization.yaml": "resources: [../b]", "specs/b/kustomization.yaml": "resources: [../a]"}
    )
    source = built(desk)
    assert [code for _, code in codes(source)] == ["KUSTOMIZE_FAILED", "KUSTOMIZE_FAILED"]


def test_a_kustomization_that_is_a_link_is_refused_as_a_whole(desk: Desk) -> None:
    desk.write({"specs/x/a.yaml": serving("a"), "base/kustomization.yaml": "resources: [a.yaml]"})
    desk.link("specs/x/kustomization.yaml", "../../base/kustomization.yaml")
    source = built(desk)
    assert (len(source.specs), codes(source)) == (0, [("specs/x/kustomization.yaml", "OUT_OF_BOUNDS")])


def test_links_are_not_followed_by_a_build(desk: Desk) -> None:
    desk.write({"specs/kustomization.yaml": "configMapGenerator: [{name: a, files: [x.txt]}]"})
    desk.link("specs/x.txt", "/etc/hostname")
    source = built(desk)
    assert (len(source.others), codes(source)) == (0, [("specs/kustomization.yaml", "KUSTOMIZE_FAILED")])


def test_one_object_out_of_two_builds_names_both(desk: Desk) -> None:
    overlays = {f"specs/{name}/kustomization.yaml": "resources: [../../base]" for name in ("one", "two")}
    desk.write(BASE | overlays)
    source = built(desk)
    assert set(source.refused) == {key("chat")}
    assert all(place in source.problems[0].message for place in ("specs/one", "specs/two"))
    assert [held.kind for held in source.held] == ["ConfigMap"]


def test_a_build_changes_when_anything_it_reads_does(desk: Desk) -> None:
    desk.write(BASE | {"specs/kustomization.yaml": "resources: [../base]"})
    built(desk)
    desk.write({"base/chat.yaml": serving("chat", image="engine:2")})
    assert "engine:2" in str(built(desk).specs[key("chat")].text)


def test_a_secret_out_of_a_generator_is_still_a_secret(desk: Desk) -> None:
    desk.write({"specs/kustomization.yaml": "secretGenerator: [{name: a, literals: [a=b]}]"})
    source = built(desk)
    assert (len(source.others), [code for _, code in warned(source)]) == (0, ["SECRET_NOT_PUBLISHED"])


@pytest.mark.parametrize(
    "program", ["#!/bin/sh\nexec /bin/sleep 60\n", "#!/bin/sh\nwhile :; do echo a: b; done\n", "", "\x7fELF"]
)
def test_a_binary_that_misbehaves_refuses_the_folder_and_nothing_else(
    desk: Desk, tmp_path: Path, program: str
) -> None:
    binary = tmp_path / "kustomize"
    binary.write_text(program)
    binary.chmod(0o755)
    desk.write(
        {
            "specs/x/kustomization.yaml": "resources: [a.yaml]",
            "specs/x/a.yaml": config("a"),
            "plain/a.yaml": serving("a"),
        }
    )
    source = desk.read(desk.reader("specs", "plain", builder=Builder(binary, timeout=2.0, most=10_000)))
    assert set(source.specs) == {key("a")}
    assert [file for file, _ in codes(source)] == ["specs/x/kustomization.yaml"]


def test_a_binary_that_is_gone_refuses_the_folder(desk: Desk, tmp_path: Path) -> None:
    desk.write(BASE | {"specs/kustomization.yaml": "resources: [../base]"})
    source = desk.read(desk.reader(builder=Builder(tmp_path / "kustomize")))
    assert codes(source) == [("specs/kustomization.yaml", "KUSTOMIZE_FAILED")]
