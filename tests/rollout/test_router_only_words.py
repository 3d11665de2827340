"""What people are told of a candidate of routers alone: they see that workers serve both."""

from gitops_rollout.api.values import at, mapping, sequence
from gitops_rollout.render.question import Question
from gitops_rollout.render.questions import asked
from tests.rollout.graphs import ALL_GATES, KEY, GraphStage
from tests.rollout.graphs import going as going_whole
from tests.rollout.router_only import NEW, NEWER, OLD, OTHERS, UP, going, graph, policy, promoted
from tests.rollout.stage import FILE
from tests.rollout.traffic_play import read


def words(stage: GraphStage) -> str:
    """Give the text of the open gate."""
    assert stage.last is not None
    assert stage.gate is not None
    draft, kind = stage.last, stage.kind.under(stage.state.strategy)
    question = Question(draft.state, None, "", "dgd/chat", kind, draft.plan.kept)
    return "\n".join(asked(KEY, question, stage.gate))


def name_of(stage: GraphStage, router: str) -> str:
    graph = stage.state.graph(stage.revision_of(router))
    return graph.name if graph is not None else ""


def test_the_first_gate_says_whose_workers_serve() -> None:
    said = words(going())
    assert "- it is routers only: the workers of chat serve both" in said
    assert "- Frontend: 0 → 1 of 2 replicas" in said
    assert "Decode" not in said


def test_a_later_gate_says_it_again() -> None:
    assert "- it is routers only: the workers of chat serve both" in words(going(*UP[:4]))


def test_a_whole_graph_is_not_called_so() -> None:
    assert "routers only" not in words(going(terms=policy(), wanted=graph(NEW, OTHERS)))


def test_routers_that_go_leave_their_workers() -> None:
    said = words(going(*UP[:6]))
    assert "Then chat keeps its workers, which serve both: Frontend 1 → 0." in said


def test_the_last_gate_asks_for_the_routers_alone() -> None:
    stage = going(*UP[:7])
    assert "- none of the pods of Frontend is left in chat;" in words(stage)
    assert f"Then {stage.revision_of(NEW)} serves alone, by the workers of chat, which stay." in words(stage)


def test_second_routers_leave_with_their_graph() -> None:
    stage = promoted().source(graph(NEWER)).settle().through(*UP[:6])
    assert f"Then {name_of(stage, NEW)} is scaled to nothing" in words(stage)
    stage.merge()
    assert f"- {name_of(stage, NEW)} without prune protection has been applied;" in words(stage)


def test_routers_that_come_back_grow_in_their_old_graph() -> None:
    stage = promoted().source(graph(OLD)).settle()
    assert "chat grows:" in words(stage)
    assert "- it is routers only: the workers of chat serve both" in words(stage)


def test_a_whole_revision_names_both_graphs_that_go() -> None:
    stage = promoted().source(graph(NEWER, OTHERS)).settle().through(*ALL_GATES[:7])
    assert f"Then {name_of(stage, NEW)} and chat are scaled to nothing" in words(stage)
    stage.through("drained", "drained")
    both = {name_of(stage, NEW), "chat"}
    assert any(f"{one} without prune protection have been applied;" in words(stage) for one in orders(both))


def orders(names: set[str]) -> list[str]:
    one, other = sorted(names)
    return [f"{one} and {other}", f"{other} and {one}"]


def test_a_share_of_stable_is_named_where_it_is() -> None:
    stage = promoted().source(graph(NEWER, OTHERS)).settle().through(*ALL_GATES[:4])
    assert f"Then chat and {name_of(stage, NEW)} keep what its requests need" in words(stage)


def test_whole_graphs_are_asked_about_as_before() -> None:
    stage = going_whole(*ALL_GATES[:7])
    assert "Then chat is scaled to nothing: what others need until the end last." in words(stage)
    stage.through("drained", "drained")
    assert "- chat without prune protection has been applied;" in words(stage)
    assert "- none of its pods is left;" in words(stage)


def test_the_record_says_what_a_graph_is_bound_to_and_nothing_of_others() -> None:
    graphs = sequence(at(read(going().line.files[FILE]), "state", "graphs"))
    assert [at(one, "workers") for one in graphs] == [None, "chat"]
    assert ["holds" in mapping(one) for one in graphs] == [False, True]


def test_the_record_of_whole_graphs_has_nothing_new() -> None:
    graphs = sequence(at(read(going_whole().line.files[FILE]), "state", "graphs"))
    assert [sorted(mapping(one)) for one in graphs] == [
        ["name", "replicas", "restart", "revision", "stage"],
        ["name", "replicas", "restart", "revision", "stage"],
    ]


def test_a_first_step_asks_whether_stable_answers() -> None:
    stage = going_whole()
    stable = stage.revision_of("engine:1.0.0")
    said = words(stage)
    assert f"- what is published is applied, and every replica of {stable} runs and answers." in said
    assert "Accepted" not in said


def test_a_later_step_asks_whether_both_answer() -> None:
    stage = going_whole(*ALL_GATES[:2])
    said = words(stage)
    assert f"- every replica that {stage.revision_of('engine:2.0.0')} was given runs and answers;" in said
    assert "Accepted and ResolvedRefs" in said


def test_the_end_asks_whether_the_new_graph_is_whole_and_the_old_one_gone() -> None:
    stage = going_whole(*ALL_GATES[:-1])
    said, graph = words(stage), stage.state.graph(stage.revision_of("engine:2.0.0"))
    assert graph is not None
    assert "- none of its pods is left;" in said
    assert f"- every replica of {graph.name} runs, is updated and answers." in said
