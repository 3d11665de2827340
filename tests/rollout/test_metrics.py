"""What a gate asks people to ask of metrics."""

from dataclasses import replace

from gitops_rollout.api.checks import Check, Preset
from gitops_rollout.api.policy import Policy, Step
from gitops_rollout.api.steps import Share
from gitops_rollout.api.values import Object
from gitops_rollout.render.metrics import metrics
from tests.rollout.stage import KEY, Stage, groups, roles, steps

ERRORS = Check("errors", preset=Preset.ERRORS, maximum=0.01)
OWN = Check("busy", query="sum(rate(busy_total{{pods}}[{window}]))", minimum=1)


def checked(*checks: Check, soak: int = 1800) -> Policy:
    policy = steps(1, "100%", soak=soak)
    return replace(policy, steps=tuple(replace(one, checks=checks) for one in policy.steps))


def asked(stage: Stage) -> str:
    assert stage.last is not None
    return "\n".join(metrics(KEY, stage.last.state, stage.last.plan.kept))


def on_its_way(policy: Policy, image: str = "vllm:2") -> Stage:
    stage = Stage(groups("vllm:1"), policy).settle()
    return stage.source(groups(image)).settle().through("1").settle()


def test_a_gate_shows_each_query_with_the_candidate_and_the_soak_filled_in() -> None:
    stage = on_its_way(checked(OWN))
    revision = stage.revision("vllm:2")
    matchers = f'namespace="serving",gitops_rollout_io_revision="{revision}"'
    assert f"sum(rate(busy_total{{{matchers}}}[30m]))" in asked(stage)
    assert "busy: its query at least 1 over 30m" in asked(stage)


def test_a_preset_reads_the_metrics_of_the_engine_that_the_image_names() -> None:
    assert "vllm:request_success_total" in asked(on_its_way(checked(ERRORS)))


def test_an_engine_that_nothing_names_has_to_be_written() -> None:
    assert "write engine: VLLM, SGLANG, DYNAMO" in asked(on_its_way(checked(ERRORS), "engine:2"))


def test_without_a_soak_the_last_five_minutes_count() -> None:
    assert "[5m]" in asked(on_its_way(checked(OWN, soak=0)))


def test_without_a_candidate_there_is_nothing_to_ask() -> None:
    assert asked(Stage(groups("vllm:1"), checked(OWN)).settle()) == ""


def test_role_by_role_only_the_role_that_changed_is_asked_about() -> None:
    both: dict[str, Object] = {"decode": {"image": "vllm:1", "replicas": 2}, "prefill": {"image": "vllm:1"}}
    policy = Policy((Step("1", Share(1), checks=(OWN,)), Step("all", Share(100, percent=True))))
    stage = Stage(roles(both), policy).settle()
    changed: Object = {"image": "vllm:2", "replicas": 2}
    stage.source(roles({**both, "decode": changed})).settle().through("1")
    assert 'gitops_rollout_io_role_revision=~"r' in asked(stage)
    assert "|" not in asked(stage)
