"""The settings file, and what it refuses."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.settings import Kthena, Others, ReadingLimits, Secret, Settings
from gitops_rollout.api.settings_document import read_settings, settings_from_urls
from gitops_rollout.api.values import Json
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.errors import BadSettings

SMALLEST = "pipelines: [{source: {url: /git/specs.git}, output: {url: /git/output.git}}]"
FULL = """
pipelines:
- name: staging
  source: {url: https://git.example.test/specs.git, branch: release/1, paths: [./specs/, specs/team, more]}
  output: {url: 'git@git.example.test:team/output.git', branch: staging, root: rollouts/staging/}
  credentials:
    source: {usernameEnv: GIT_USER, passwordFile: /run/secrets/token}
    output: {sshKeyFile: /run/secrets/key, knownHostsFile: /etc/known_hosts}
  defaultNamespace: serving
  defaultPolicy: standard
  others: Ignore
  secrets: true
  kthena: main
  confirmDeletion: [ms/chat -n serving]
identity: {name: Rollout Bot, mail: bot@example.test}
interval: 5m
jitter: 0s
cache: /var/cache/rollouts
limits: {fileBytes: 1000, nodes: 10}
kustomize: /usr/bin/kustomize
timeout: 2m
"""


def settings(text: str) -> Settings:
    (document,) = load(text.encode(), Limits())
    return read_settings(document.value)


def pipeline(extra: str = "", source: str = "{url: /a}", output: str = "{url: /b}") -> str:
    return f"pipelines: [{{source: {source}, output: {output}{extra}}}]"


def test_two_urls_are_enough() -> None:
    (one,) = settings(SMALLEST).pipelines
    assert (one.name, one.source.branch, one.source.paths) == ("default", "main", ("specs",))
    assert (one.output.branch, one.output.root, one.default_namespace) == ("main", "rollouts", "default")
    assert (one.others, one.secrets, one.kthena) == (Others.PUBLISH, False, Kthena.SEMANTIC)


def test_the_limits_are_those_of_the_loader() -> None:
    ours, theirs = ReadingLimits(), Limits()
    assert [(name, getattr(ours, name)) for name in ReadingLimits.__slots__] == [
        (name, getattr(theirs, name)) for name in Limits.__slots__
    ]


def test_everything_that_is_written_is_read() -> None:
    read = settings(FULL)
    (one,) = read.pipelines
    assert (one.source.branch, one.source.paths, one.output.root) == (
        "release/1",
        ("more", "specs"),
        "rollouts/staging",
    )
    assert (one.others, one.secrets, one.kthena) == (Others.IGNORE, True, Kthena.MAIN)
    assert (one.default_namespace, one.default_policy) == ("serving", "standard")
    assert one.confirm_deletion == ("ms/chat -n serving",)
    assert (read.identity.name, read.identity.mail) == ("Rollout Bot", "bot@example.test")
    assert (read.interval, read.jitter, read.timeout) == (300, 0, 120)
    assert (read.limits.file_bytes, read.limits.nodes, read.limits.depth) == (1000, 10, 64)
    assert (read.cache, read.kustomize) == ("/var/cache/rollouts", "/usr/bin/kustomize")


def test_credentials_are_places_of_secrets() -> None:
    (one,) = settings(FULL).pipelines
    assert one.source.credentials is not None
    assert one.output.credentials is not None
    assert one.source.credentials.username == Secret(env="GIT_USER")
    assert one.source.credentials.password == Secret(file="/run/secrets/token")
    assert one.output.credentials.ssh_key_file == "/run/secrets/key"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("pipelines: []", "pipelines"),
        ("{}", "pipelines"),
        ("[]", ""),
        (f"{SMALLEST}\nintervall: 30s", "intervall"),
        (f"{SMALLEST}\ninterval: 30", "interval"),
        (f"{SMALLEST}\ninterval: 0s", ""),
        (f"{SMALLEST}\nlimits: {{nodes: 0}}", "limits.nodes"),
        (f'{SMALLEST}\nidentity: {{mail: "a\\nb"}}', "identity.mail"),
        (f"{SMALLEST}\nidentity: {{name: Bot <b@c>}}", "identity.name"),
        (pipeline(", name: A"), "pipelines[0].name"),
        (pipeline(", others: Delete"), "pipelines[0].others"),
        (pipeline(", secrets: 'no'"), "pipelines[0].secrets"),
        (pipeline(", forge: {}"), "pipelines[0].forge"),
        (pipeline(source="{url: /a, paths: []}"), "pipelines[0].source.paths"),
        (pipeline(source="{url: /a, paths: [../b]}"), "pipelines[0].source.paths"),
        (pipeline(source="{url: /a, branch: '-f'}"), "pipelines[0].source.branch"),
        (pipeline(source="{url: '--upload-pack=x'}"), "pipelines[0].source.url"),
        (pipeline(output="{url: /b, root: .}"), "pipelines[0].output.root"),
        (pipeline(output="{url: /b, root: a/../..}"), "pipelines[0].output.root"),
        (pipeline(output="{url: /a}"), "pipelines[0]"),
        (pipeline(output="{url: 'file:///a/'}"), "pipelines[0]"),
        (pipeline(", credentials: {source: {token: x}}"), "pipelines[0].credentials.source.token"),
        (pipeline(", credentials: {source: {sshKeyFile: /k}}"), "pipelines[0].credentials.source"),
        (
            pipeline(", credentials: {output: {passwordFile: a, passwordEnv: B}}"),
            "pipelines[0].credentials.output",
        ),
    ],
)
def test_what_cannot_be_done_is_refused_with_its_path(text: str, path: str) -> None:
    with pytest.raises(BadSettings) as refused:
        settings(text)
    assert str(refused.value).startswith(f"{path}: " if path else "")
    assert "\n" not in str(refused.value)


def test_every_fault_has_a_line_of_its_own() -> None:
    with pytest.raises(BadSettings) as refused:
        settings(pipeline(", name: A", source="{}", output="{url: /b, rot: x}"))
    assert len(str(refused.value).splitlines()) == 3


def test_what_is_designed_and_not_built_is_refused_as_such() -> None:
    with pytest.raises(BadSettings, match=r"pipelines\[0\]\.forge: forge is not built yet"):
        settings(pipeline(", forge: {}"))


def test_source_and_output_may_share_a_repository_on_two_branches() -> None:
    (one,) = settings(pipeline(output="{url: /a, branch: deploy}")).pipelines
    assert one.output.branch == "deploy"


@pytest.mark.parametrize(("root", "fine"), [("rollouts", False), ("rollouts/b", False), ("rollouts-b", True)])
def test_two_pipelines_never_write_into_one_folder(root: str, fine: bool) -> None:
    text = f"""pipelines:
- {{name: a, source: {{url: /a}}, output: {{url: /out.git}}}}
- {{name: b, source: {{url: /b}}, output: {{url: 'file:///out', root: {root}}}}}"""
    if fine:
        assert len(settings(text).pipelines) == 2
        return
    with pytest.raises(BadSettings, match="root"):
        settings(text)


def test_pipelines_have_names_of_their_own() -> None:
    one = "{source: {url: /a}, output: {url: /b}}"
    with pytest.raises(BadSettings, match="names"):
        settings(f"pipelines: [{one}, {one}]")


def test_a_command_line_gives_the_same_settings() -> None:
    assert settings_from_urls("/git/specs.git", "/git/output.git") == settings(SMALLEST)
    rest: dict[str, Json] = {"source": {"paths": ["a"]}, "defaultNamespace": "serving"}
    (one,) = settings_from_urls("/a", "/b", rest).pipelines
    assert (one.source.url, one.source.paths, one.default_namespace) == ("/a", ("a",), "serving")


@pytest.mark.parametrize(
    "url", ["https://ada:hush@git.example.test/x", "ada:hush@git.example.test:x", "ftp://hush/x"]
)
def test_a_refused_url_is_never_repeated(url: str) -> None:
    with pytest.raises(BadSettings) as refused:
        settings_from_urls(url, "/b")
    assert "hush" not in str(refused.value)


fields = st.sampled_from(["pipelines", "source", "output", "url", "name", "limits", "interval"])
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(fields, inner),
    max_leaves=10,
)


@given(anything)
def test_nothing_but_bad_settings_comes_out_of_bad_settings(value: Json) -> None:
    with suppress(BadSettings):
        assert read_settings(value).pipelines
