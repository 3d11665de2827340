"""What services are told where a cluster is observed: facts or nothing, and never a yes that is none."""

from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.rollout.facts import NOTHING_SEEN, About, Answer, Fact
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.observer import Observer
from gitops_rollout.simulate.sight import observed
from tests.drawn import drawn
from tests.simulate.test_liveness import under_way

WORLD = under_way("new-graph-observed", 3).world


def told(faults: str, seed: int) -> Observer:
    WORLD.faults, WORLD.seed = Faults.named(faults), seed
    return Observer(WORLD)


def test_nothing_is_told_where_people_attest() -> None:
    assert Observer(under_way("new-graph", 3).world).look() == NOTHING_SEEN


def test_without_faults_everything_is_told() -> None:
    seen, state = told("none", 0).look(), WORLD.moment.state
    assert (seen, state is not None) == (observed(WORLD), True)
    assert {seen.of(Fact(about)) for about in (About.LIVE, About.ACCEPTED)} == {Answer.YES}


@given(seed=st.integers(0, 2**32))
@drawn(20, derandomize=True)
def test_what_is_hidden_is_hidden_all_along(seed: int) -> None:
    observer = told("unknown-facts", seed)
    assert len({repr(observer.look()) for _ in range(5)}) == 1
    kinds = {fact.about for fact in observer.look().answers}
    assert all((fact.about in kinds) == (fact in observer.look().answers) for fact in observed(WORLD).answers)


@given(seed=st.integers(0, 2**32))
@drawn(20, derandomize=True)
def test_a_flap_is_never_a_yes_and_counts_nothing(seed: int) -> None:
    seen, real = told("flapping", seed).look(), observed(WORLD)
    assert all(real.of(fact) is Answer.YES for fact, answer in seen.answers.items() if answer is Answer.YES)
    flapped = {
        fact.of for fact in real.answers if fact.about is About.ROUTABLE and seen.of(fact) != real.of(fact)
    }
    assert not flapped & seen.routable.keys()
