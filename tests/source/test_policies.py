"""Which policy a spec of a source has."""

from gitops_rollout.api.policy import BUILT_IN, Deletion
from tests.source.desk import Desk, codes, key, policy, serving, warned

OWN = """\
apiVersion: gitops-rollout.io/v1alpha1
kind: RevisionRollout
metadata: {name: chat}
spec: {workload: ms/chat, policyRef: standard, soak: 5m}
"""
NAMED = "  annotations: {gitops-rollout.io/policy: standard}\n"
FOLDER = '{gitops-rollout.io/folder: "true"}'


def soak(desk: Desk, name: str = "chat", default: str | None = None) -> int:
    return desk.read().policy(key(name), default).policy.soak


def test_without_any_policy_there_is_one_gate_for_everything(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("chat")})
    assert desk.read().policy(key("chat")).policy == BUILT_IN


def test_a_spec_names_its_policy(desk: Desk) -> None:
    desk.write(
        {"specs/p.yaml": policy("standard", "{soak: 1m}"), "specs/a.yaml": serving("chat", extra=NAMED)}
    )
    assert soak(desk) == 60


def test_a_rollout_of_its_own_comes_first_and_its_policy_fills_in(desk: Desk) -> None:
    desk.write({"specs/p.yaml": policy("standard", "{soak: 1m, deletion: Keep}"), "specs/own.yaml": OWN})
    desk.write({"specs/a.yaml": serving("chat")})
    decided = desk.read().policy(key("chat")).policy
    assert (decided.soak, decided.deletion) == (300, Deletion.KEEP)


def test_the_policy_of_the_nearest_folder_holds(desk: Desk) -> None:
    desk.write(
        {
            "specs/p.yaml": policy("all", "{soak: 1m}", FOLDER),
            "specs/team/p.yaml": policy("team", "{soak: 2m}", FOLDER),
        }
    )
    desk.write(
        {
            "specs/a.yaml": serving("a"),
            "specs/team/x/b.yaml": serving("b"),
            "specs/teams/c.yaml": serving("c"),
        }
    )
    assert [soak(desk, name) for name in "abc"] == [60, 120, 60]


def test_the_pipelines_default_comes_last(desk: Desk) -> None:
    desk.write({"specs/p.yaml": policy("standard", "{soak: 1m}"), "specs/a.yaml": serving("chat")})
    assert (soak(desk), soak(desk, default="standard")) == (0, 60)


def test_a_name_that_nothing_has_is_a_problem_of_this_spec(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("chat", extra=NAMED), "specs/b.yaml": serving("other")})
    source = desk.read()
    assert [problem.code for problem in source.policy(key("chat")).problems] == ["POLICY_UNKNOWN"]
    assert source.policy(key("other")).problems == ()


def test_a_refused_policy_is_not_replaced_by_another_one(desk: Desk) -> None:
    desk.write({"specs/p.yaml": policy("standard", "{soak: soon}", FOLDER), "specs/a.yaml": serving("chat")})
    source = desk.read()
    assert codes(source) == [("specs/p.yaml", "POLICY_INVALID")]
    assert [problem.code for problem in source.policy(key("chat")).problems] == ["POLICY_UNKNOWN"]


def test_a_policy_in_two_files_is_refused_in_both(desk: Desk) -> None:
    desk.write(
        {"specs/p.yaml": policy("standard", "{soak: 1m}"), "specs/q.yaml": policy("standard", "{soak: 1m}")}
    )
    desk.write({"specs/a.yaml": serving("chat", extra=NAMED)})
    source = desk.read()
    assert codes(source) == [("specs/p.yaml", "DUPLICATE"), ("specs/q.yaml", "DUPLICATE")]
    assert source.policy(key("chat")).problems


def test_a_folder_has_one_policy(desk: Desk) -> None:
    desk.write({"specs/p.yaml": policy("one", "{}", FOLDER), "specs/q.yaml": policy("two", "{}", FOLDER)})
    desk.write({"specs/a.yaml": serving("chat")})
    source = desk.read()
    assert [code for _, code in codes(source)] == ["POLICY_INVALID", "POLICY_INVALID"]
    assert source.policy(key("chat")).problems


def test_two_rollouts_of_one_workload_are_refused(desk: Desk) -> None:
    desk.write(
        {"specs/a.yaml": f"{serving('chat')}---\n{OWN}---\n{OWN.replace('name: chat}', 'name: again}')}"}
    )
    source = desk.read()
    assert [code for _, code in codes(source)] == ["DUPLICATE", "DUPLICATE"]
    assert source.policy(key("chat")).problems


def test_a_rollout_of_nothing_is_named(desk: Desk) -> None:
    desk.write({"specs/own.yaml": OWN.replace("ms/chat", "ms/chad"), "specs/a.yaml": serving("chat")})
    assert warned(desk.read()) == [("specs/own.yaml", "POLICY_UNUSED")]


def test_policies_are_not_published(desk: Desk) -> None:
    desk.write(
        {"specs/p.yaml": policy("standard", "{}"), "specs/own.yaml": OWN, "specs/a.yaml": serving("chat")}
    )
    assert len(desk.read().others) == 0


def test_marks_are_the_annotations_that_are_for_us(desk: Desk) -> None:
    extra = "  annotations: {gitops-rollout.io/moved-from: old/chat, team: a}\n"
    desk.write({"specs/a.yaml": serving("chat", extra=extra)})
    assert desk.read().marks == {key("chat"): {"gitops-rollout.io/moved-from": "old/chat"}}
