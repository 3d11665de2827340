"""What may go wrong in a run, each by its rate; without any, everybody does their part in turn."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from types import MappingProxyType

NONE, SOME, ALL = "none", "some", "all"


def _fault(rate: float, what: str, *, some: bool = False) -> float:
    """Declare a fault: its usual rate, and what it is; `some`: it belongs to the everyday ones."""
    metadata = MappingProxyType({"rate": rate, "what": what, "some": some})
    return field(default=0.0, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Faults:
    """The rates of all faults, 0 for those that are left out. Rates are per turn of who suffers them."""

    lag: float = _fault(0.5, "whoever applies the output comes late, commit by commit", some=True)
    skip: float = _fault(0.5, "a late consumer passes over commits", some=True)
    reorder: float = _fault(0.5, "objects of one sync are applied in any order", some=True)
    retry_old: float = _fault(0.1, "a sync of an older commit is tried again (argo-cd #11494)")
    partial: float = _fault(0.3, "a sync applies some of its objects and stops", some=True)
    crash: float = _fault(0.1, "the service dies between two pushes and forgets everything", some=True)
    two_services: float = _fault(0.5, "a second service writes, too", some=True)
    clock_jumps: float = _fault(0.02, "the clock is set, by up to three days in either direction")
    late_people: float = _fault(0.4, "people merge days later, looking once more before", some=True)
    careless: float = _fault(0.2, "people merge by habit, whatever is true")
    stale_merges: float = _fault(0.1, "any gate that was ever asked is forced in, over conflicts")
    orders: float = _fault(0.1, "people abort, decline and retry", some=True)
    changes: float = _fault(0.1, "the source changes again: back, or to a third revision", some=True)
    scaling: float = _fault(0.1, "the source changes replicas", some=True)
    reverts: float = _fault(0.1, "a merged gate is reverted")
    edits: float = _fault(0.1, "the output is edited by hand")
    force_push: float = _fault(0.03, "the output branch is set back by force")
    refuse_push: float = _fault(0.2, "the server takes no push", some=True)
    scaler: float = _fault(0.1, "an autoscaler changes replicas, where the policy lets it", some=True)
    unknown_facts: float = _fault(
        0.3, "some kinds of facts, drawn once, are never known (proof: Cluster)", some=True
    )
    stale_facts: float = _fault(
        0.3, "services are told how things stood a while ago (proof: Cluster)", some=True
    )
    flapping: float = _fault(
        0.1, "facts are denied or unknown for one look, whatever is true (proof: Cluster)"
    )
    router_restarts: float = _fault(
        0.1, "routers restart and forget what they were told (ManagementAPI)", some=True
    )
    paused_puts: float = _fault(
        0.5, "who tells routers sleeps between reading and each of them (ManagementAPI)", some=True
    )
    pruned_field: float = _fault(
        0.5, "the live CRD prunes spec.rollout until the faults are over (strategy: InPlace)", some=True
    )
    pod_deaths: float = _fault(0.1, "pods die by themselves", some=True)

    def __bool__(self) -> bool:
        return any(getattr(self, one.name) for one in fields(self))

    @property
    def names(self) -> tuple[str, ...]:
        """Name the faults that are on, as people type them."""
        return tuple(typed(one.name) for one in fields(self) if getattr(self, one.name))

    @classmethod
    def named(cls, words: str) -> "Faults":
        """Read `none`, `some`, `all` or `lag,crash`; ValueError names what there is."""
        known = {typed(one.name): one for one in fields(cls)}
        groups = {
            NONE: [],
            SOME: [name for name, one in known.items() if one.metadata["some"]],
            ALL: list(known),
        }
        wanted = groups.get(words) or [
            word.strip() for word in words.split(",") if word.strip() not in groups
        ]
        unknown = [word for word in wanted if word not in known]
        if unknown:
            raise ValueError(f"{unknown[0]!r} is no fault; there are none, some, all, {', '.join(known)}")
        return cls(**{known[name].name: known[name].metadata["rate"] for name in wanted})


def told() -> Mapping[str, str]:
    """Give every fault with what it is, as people type them."""
    return {typed(one.name): one.metadata["what"] for one in fields(Faults)}


def typed(name: str) -> str:
    """Give a fault's name as people type it."""
    return name.replace("_", "-")
