"""The ways back and forward by command, and what is recorded restored whole."""

from pathlib import Path

import pytest
import yaml

from tests.cli.shell import Team
from tests.cli.test_states import CHAT, offer, stands
from tests.passes.specs import policy, serving

LEGACY = """\
apiVersion: v1
kind: List
items:
- apiVersion: apps/v1
  kind: ControllerRevision
  metadata:
    name: chat-5f6
    namespace: serving
    labels: {modelserving.volcano.sh/name: chat, modelserving.volcano.sh/revision: 5f6}
    ownerReferences: [{kind: ModelServing, name: chat, uid: u-1, controller: true}]
  revision: 1
  data:
    data:
    - name: decode
      replicas: 1
      workerReplicas: 0
      entryTemplate: {spec: {containers: [{name: main, image: "engine:0"}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: chat-0-decode-0-0, namespace: serving}}
"""


@pytest.fixture
def moved(stable: Team) -> Team:
    """Give chat on its second revision, complete."""
    offer(stable)
    stable("once")
    while stable.gates():
        assert stable("gate", "approve", *CHAT).code == 0
    return stable


def revisions(team: Team) -> list[str]:
    """Name what is recorded, the oldest first."""
    return [one["revision"] for one in reversed(team.json("history", *CHAT)["revisions"])]


def test_a_rollback_is_let_in_by_steps_and_holds(moved: Team) -> None:
    assert moved("rollback", *CHAT, "--to", revisions(moved)[0]).code == 0
    while moved.gates():
        moved("gate", "approve", *CHAT)
    assert stands(moved) == ("Held", "resume ms/chat")
    assert "engine:1" in moved.published()


def test_a_rollback_ends_with_resume(moved: Team) -> None:
    moved("rollback", *CHAT, "--to", revisions(moved)[0])
    assert moved("resume", *CHAT).code == 0
    assert stands(moved) == ("Stable", "")


def test_a_rollback_to_nowhere_names_what_is_known(moved: Team) -> None:
    ran = moved("rollback", *CHAT, "--to", "r0000000000")
    assert (ran.code, all(name in ran.err for name in revisions(moved))) == (1, True)


def test_a_promotion_goes_to_a_later_step_at_once(stable: Team) -> None:
    offer(stable)
    stable("once")
    assert stable("promote", *CHAT, "--to", "50pct").code == 0
    assert stable.json("status")["workloads"][0]["step"] == "50pct"


def test_a_soak_is_passed_over_only_with_a_reason(team: Team) -> None:
    team.commit(
        {"p.yaml": policy("steps", "{steps: [1, 100%], soak: 1h}"), "chat.yaml": serving(policy="steps")}
    )
    team("once")
    offer(team)
    team("once")
    team("gate", "approve", *CHAT)
    codes = [team("promote", *CHAT, "--to", "100pct", *more).code for more in ((), ("--skip-soak",))]
    codes.append(team("promote", *CHAT, "--to", "100pct", "--skip-soak", "--reason", "urgent").code)
    assert codes == [1, 1, 0]


def test_legacy_history_is_kept_and_can_be_gone_back_to(stable: Team, tmp_path: Path) -> None:
    (tmp_path / "legacy.yaml").write_text(LEGACY)
    before = stable.published()
    assert stable("import-history", *CHAT, tmp_path / "legacy.yaml").code == 0
    assert stable.published() == before
    texts = [stable("history", *CHAT, "--show", name).out for name in revisions(stable)]
    assert any("engine:0" in text for text in texts)


def test_files_without_history_of_the_workload_are_refused(stable: Team, tmp_path: Path) -> None:
    (tmp_path / "pod.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: chat-0}\n")
    assert stable("import-history", *CHAT, tmp_path / "pod.yaml").code == 1
    assert stable("import-history", *CHAT, tmp_path / "nothing.yaml").code == 2


def test_two_revisions_are_compared_as_specs_are(moved: Team) -> None:
    found = moved.json("history", *CHAT, "--diff", *revisions(moved))
    assert (found["verdict"], [one["new"] for one in found["changes"]]) == ("RESTART", ["engine:2"])


def test_an_ordinal_is_restored_by_the_partition(stable: Team) -> None:
    offer(stable)
    stable("once")
    stable("gate", "approve", *CHAT)
    images = ["engine:2" in stable("render", *CHAT, "--ordinal", at).out for at in range(4)]
    assert images == [False, False, False, True]


def test_a_revision_is_restored_under_the_controls_of_today(moved: Team) -> None:
    offer(moved, replicas=7)
    moved("once")
    value = yaml.safe_load(moved("render", *CHAT, "--revision", revisions(moved)[0]).out)
    assert (value["metadata"]["name"], value["spec"]["replicas"]) == ("chat", 7)
    assert "engine:1" in str(value)


def test_render_wants_one_of_both(moved: Team) -> None:
    codes = [moved("render", *CHAT).code, moved("render", *CHAT, "--ordinal", 1, "--revision", "r1").code]
    assert (codes, moved("render", *CHAT, "--revision", "r1").code) == ([2, 2], 1)
