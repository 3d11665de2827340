"""Every state that a workload can be in, and what status says of it: the reason, and who can move it."""

import pytest

from tests import gitrepo
from tests.cli.shell import Team
from tests.passes.specs import policy, serving

CHAT = ("ms/chat", "-n", "serving")


def offer(team: Team, image: str = "engine:2", **fields: object) -> None:
    """Change chat in the source."""
    team.commit({"chat.yaml": serving(image=image, policy="steps", **fields)})  # type: ignore[arg-type]


def stands(team: Team) -> tuple[str, str]:
    """Give what status says of chat: its reason, and the command that moves it."""
    (chat,) = team.json("status")["workloads"]
    waiting = chat["waiting"]
    return chat["reason"], " ".join(waiting["command"].split()[1:3]) if waiting else ""


def test_what_is_not_published_yet_waits_for_a_pass(team: Team) -> None:
    team.commit({"chat.yaml": serving()})
    assert stands(team) == ("PassDue", "once --source")
    assert gitrepo.branches(team.output) == {}


def test_what_is_published_waits_for_nobody(stable: Team) -> None:
    assert stands(stable) == ("Stable", "")
    assert stable("status").last == "Nothing waits for anybody."


def test_a_change_that_no_pass_has_seen_is_not_told_as_done(stable: Team) -> None:
    offer(stable)
    assert stands(stable) == ("PassDue", "once --source")
    assert stable.json("gate", "list") == []
    assert [one["role"] for one in stable.json("history", *CHAT)["revisions"]] == ["stable"]


def test_an_offered_revision_waits_for_its_gate(stable: Team) -> None:
    offer(stable)
    stable("once")
    assert stands(stable) == ("WaitingForGate", "gate approve")
    assert f"merge {stable.gates()[0]}, or gitops-rollout gate approve" in stable("status").last


def test_half_way_the_next_step_is_asked(stable: Team) -> None:
    offer(stable)
    stable("once")
    assert stable("gate", "approve", *CHAT).code == 0
    (chat,) = stable.json("status")["workloads"]
    assert (chat["step"], chat["partition"], chat["gate"]["step"]) == ("1", 3, "50pct")


def test_a_merge_that_no_pass_has_seen_waits_for_a_pass(stable: Team) -> None:
    offer(stable)
    stable("once")
    gitrepo.merge(stable.output, "main", stable.gates()[0])
    assert stands(stable) == ("PassDue", "once --source")
    assert stable("gate", "approve", *CHAT).code == 1


def test_a_soak_waits_for_time_alone(stable: Team) -> None:
    stable.commit({"policy.yaml": policy(spec="{steps: [1, 100%], soak: 30m}")})
    offer(stable)
    stable("once")
    stable("gate", "approve", *CHAT)
    assert stands(stable) == ("Soaking", "")
    assert stable("gate", "approve", *CHAT).code == 1


def test_what_was_declined_can_go_on(stable: Team) -> None:
    offer(stable)
    stable("once")
    assert stable("gate", "decline", *CHAT).code == 0
    assert stands(stable) == ("Declined", "gate retry")
    assert stable("gate", "retry", *CHAT).code == 0
    assert stands(stable) == ("WaitingForGate", "gate approve")


def test_the_way_back_ends_with_a_gate_and_is_then_told_as_aborted(stable: Team) -> None:
    offer(stable)
    stable("once")
    stable("gate", "approve", *CHAT)
    assert stable("abort", *CHAT).code == 0
    assert stands(stable) == ("RollingBack", "gate approve")
    assert stable("gate", "approve", *CHAT).code == 0
    assert stands(stable) == ("Aborted", "gate retry")
    roles = [one["role"] for one in stable.json("history", *CHAT)["revisions"]]
    assert roles == ["aborted", "stable"]


def test_a_suspended_policy_is_named_as_what_holds(stable: Team) -> None:
    stable.commit({"policy.yaml": policy(spec="{steps: [1, 100%], suspend: true}")})
    offer(stable)
    stable("once")
    assert stands(stable) == ("Suspended", "")
    assert stable("status").last.endswith("set suspend: false")


def test_the_partition_of_the_source_is_named_as_what_holds(stable: Team) -> None:
    extra = "  rolloutStrategy: {rollingUpdateConfiguration: {partition: 4}}\n"
    offer(stable, extra=extra)
    stable("once")
    assert stands(stable) == ("PausedByPartition", "")


def test_where_nothing_runs_nothing_can_be_proven(stable: Team) -> None:
    offer(stable, replicas=0)
    stable("once")
    assert stable("gate", "approve", *CHAT).code == 0
    assert stands(stable) == ("NothingRuns", "")


def test_roles_without_replicas_run_nothing_either(team: Team) -> None:
    extra = "  rolloutStrategy: {type: RoleRollingUpdate}\n"
    for image in ("engine:1", "engine:2"):
        chat = serving(image=image, extra=extra).replace("      replicas: 1\n", "      replicas: 0\n")
        team.commit({"chat.yaml": chat})
        assert team("once").code == 0
    assert team("gate", "approve", *CHAT).code == 0
    assert stands(team) == ("NothingRuns", "")


def test_a_spec_that_left_is_withdrawn_by_two_gates(stable: Team) -> None:
    stable.commit({"other.yaml": serving("other"), "third.yaml": serving("third")})
    stable.commit({name: serving(name.partition(".")[0]) for name in ("a.yaml", "b.yaml", "c.yaml")})
    stable("once")
    stable.commit({"chat.yaml": None})
    stable("once")
    chat = stable.json("status", *CHAT)["workloads"][0]
    assert (chat["reason"], chat["gate"]["step"]) == ("Withdrawing", "delete")
    assert stable("gate", "approve", *CHAT).code == stable("gate", "approve", *CHAT).code == 0
    assert stable("status", *CHAT).code == 1
    assert not any("serving/chat/" in path for path in gitrepo.paths(stable.output))


def test_a_withdrawal_is_held_while_a_file_cannot_be_read(stable: Team) -> None:
    stable.commit({"chat.yaml": None, "broken.yaml": "a: [\n"})
    assert stable("once").code == 3
    assert stands(stable) == ("DeletionHeld", "")
    assert "engine:1" in stable.published()


def test_a_history_that_nothing_can_mend_blocks_and_names_the_file(stable: Team) -> None:
    (path,) = (one for one in gitrepo.paths(stable.output) if "/revisions/" in one)
    gitrepo.commit_files(stable.output, "main", {path: "kind: Nonsense\n"})
    tree = gitrepo.git(stable.output, "rev-parse", "main^{tree}")
    alone = gitrepo.git(stable.output, "commit-tree", tree, "-m", "without ancestors")
    gitrepo.point(stable.output, "main", alone)
    ran = stable("once")
    assert (ran.code, stands(stable)) == (0, ("Blocked", ""))
    assert "  blocked " in ran.err
    assert gitrepo.head(stable.output) == alone


def test_several_that_wait_are_counted_and_the_longest_is_named(stable: Team) -> None:
    stable.commit({"other.yaml": serving("other")})
    stable("once")
    stable.commit({"other.yaml": serving("other", "engine:2")})
    stable("once")
    offer(stable)
    stable("once")
    last = stable("status").last
    assert last.startswith("2 workloads wait; the longest: ms/")
    assert "gitops-rollout gate approve" in last


def test_an_empty_pipeline_says_so(team: Team) -> None:
    team.commit({"notes.yaml": "# nothing\n"})
    assert team("status").last == "There is no workload in this pipeline yet."


@pytest.mark.parametrize("order", [["gate", "approve"], ["gate", "decline"], ["gate", "retry"], ["abort"]])
def test_an_order_that_cannot_be_followed_writes_nothing_and_exits_1(stable: Team, order: list[str]) -> None:
    before = gitrepo.branches(stable.output)
    ran = stable(*order, *CHAT)
    assert (ran.code, gitrepo.branches(stable.output)) == (1, before)
    assert ran.err.startswith("error: ")


def test_a_name_in_another_namespace_is_suggested(stable: Team) -> None:
    ran = stable("abort", "ms/chat")
    assert ran.code == 1
    assert "is it ms/chat -n serving?" in ran.err
