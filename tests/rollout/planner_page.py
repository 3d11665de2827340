"""Writes docs/planner.md from the planner's tables and from rollouts that are played: `make docs`."""

import ast
import inspect
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TypeVar

from gitops_rollout.rollout.facts import ASKED, PROOFS, About, Transition
from tests.rollout.walks import (
    MANUAL,
    REMOVED,
    REST,
    SEEN,
    UNSEEN,
    Arrow,
    Move,
    Part,
    Place,
    Walk,
    graph_in_place,
    graphs_beside,
    in_place_routed,
    model_serving,
    routed_serving,
    routers_alone,
    routers_told,
    the_route,
)

_Key = TypeVar("_Key")

PAGE = Path(__file__).parents[2] / "docs" / "planner.md"
COLOURS = {
    Part.REST: "#e8e8e8",
    Part.ROUTE: "#e6e0f8",
    Part.UP: "#d4edd4",
    Part.RETIRE: "#d6e4f7",
    Part.DOWN: "#fbe3c8",
    Part.DELETE: "#f7d4d4",
}
HEAD = """\
# The planner, drawn

`make docs` writes this page from the tables that the planner decides by (`gitops_rollout/rollout/facts.py`)
and from rollouts that it plays to the end, with every move from every place. A test keeps it true: edit
nothing here.

A box is the transition that is due. Under Manual proof its gate stands open, and who merges it attests its
facts; under Cluster proof what people do not decide follows by itself when its facts are observed. An arrow
without words: it has happened. The words at the others are what else leads there. Green is the way up, blue
how stable retires, orange the way down, violet the route, red deletion. Nothing leads up from a box while a
policy suspends, a component is paused or a step was declined; the way down is never held.
"""
DELETION = """\
It outranks what else is due. A spec that comes back before its folder is removed goes on where it stood.
"""
TRANSITIONS = """\
Under Manual proof every row is a gate. A step with `gate: Automatic` follows, too. Requests follow
when their step was approved: those of a step that moves no replicas are asked for. Where one graph holds both
revisions, whatever gives the candidate more stands on RolloutFieldKept besides.
"""
SAID = """\
What does not come up under a kind of proof has nothing in its column: routers are told under Cluster.
"""
CONDITIONS = """\
Of a rollout that is on, beside Ready, Progressing and Stalled.
"""
FACTS = """\
Each is yes, no or unknown; unknown is never a proof.
"""


def page(walks: Mapping[str, Walk]) -> str:
    """Give the whole page."""
    deletion = {one for walk in walks.values() for one in _about(walk.arrows, Part.DELETE)}
    pictures = {title: picture(walk.arrows - deletion) for title, walk in walks.items()}
    pictures["Deletion"] = f"{DELETION}\n{picture(_as_one(deletion), 'wherever it stands')}"
    tables = {
        "Transitions": f"{TRANSITIONS}\n{transitions(walks)}",
        "Facts": f"{FACTS}\n{known()}",
        "What status says": f"{SAID}\n{statuses(walks)}",
        "Conditions": f"{CONDITIONS}\n{conditions(walks)}",
    }
    return "\n".join([HEAD, *(f"## {title}\n\n{text}" for title, text in {**pictures, **tables}.items())])


def _about(arrows: Iterable[Arrow], part: Part) -> set[Arrow]:
    return {one for one in arrows if part in (one.before.part, one.after.part)}


def _as_one(arrows: Iterable[Arrow]) -> set[Arrow]:
    """Take all places that a spec leaves from, and comes back to, for one."""
    ends = {one: one if one.part is Part.DELETE else REST for arrow in arrows for one in _ends(arrow)}
    return {Arrow(ends[one.before], one.move, ends[one.after]) for one in arrows}


def _ends(arrow: Arrow) -> tuple[Place, Place]:
    return arrow.before, arrow.after


# Pictures


def picture(arrows: Iterable[Arrow], rest: str = "stable alone") -> str:
    """Draw arrows as a Mermaid state diagram."""
    drawn = sorted(arrows, key=_order)
    places = sorted({end for one in drawn for end in _ends(one)} - {REMOVED}, key=_rank)
    lines = ["```mermaid", "stateDiagram-v2"]
    lines += [f"    classDef {part} fill:{colour},color:#111" for part, colour in COLOURS.items()]
    lines += [f'    state "{one.due or rest}" as {box(one)}' for one in places]
    lines += [f"    class {box(one)} {one.part}" for one in places]
    lines += [_line(*ends, [one.move for one in found]) for ends, found in groupby(drawn, _ends)]
    return "\n".join([*lines, "```", ""])


def _order(arrow: Arrow) -> tuple[object, ...]:
    return _rank(arrow.before), _rank(arrow.after), [*Move].index(arrow.move)


def _rank(place: Place) -> tuple[int, int]:
    due = -1 if place.due is None else [*Transition].index(place.due)
    return [*Part].index(place.part), due


def box(place: Place) -> str:
    """Name the box of a place."""
    if place == REMOVED:
        return "[*]"
    return str(place.part) if place.due is None else f"{place.part}_{place.due.name.lower()}"


def _line(before: Place, after: Place, moves: list[Move]) -> str:
    words = [str(move) for move in moves if move is not Move.MERGED]
    joined = " or ".join(words)
    said = f": or {joined}" if len(words) < len(moves) else f": {joined}"
    return f"    {box(before)} --> {box(after)}{said if words else ''}"


# Tables


def table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """Write a table."""
    lines = [f"| {' | '.join(row)} |" for row in ([*head], *rows)]
    lines.insert(1, "|" + "---|" * len([*head]))
    return "\n".join([*lines, ""])


def transitions(walks: Mapping[str, Walk]) -> str:
    """Say of every transition what it stands on, who decides, its gates, and whose rollouts have it."""
    rows = []
    for one in Transition:
        gates = {gate for walk in walks.values() for gate in walk.gates.get(one, ())}
        stands_on = ", ".join(map(str, PROOFS[one])) or "nothing: people decide"
        drawn = [title for title, walk in walks.items() if one in walk.gates]
        decides = "is asked" if one in ASKED else "follows"
        rows.append([one, _words(gates), stands_on, decides, ", ".join(drawn) or "no picture yet"])
    return table(["transition", "gate", "stands on", "under Cluster proof", "drawn in"], rows)


def known() -> str:
    """Say what every fact is."""
    return table(["fact", "what it says"], [(one, said.rstrip(".")) for one, said in _documented(About)])


def _documented(enum: type[About]) -> Iterator[tuple[str, str]]:
    """Give each member's value with the string below it."""
    (tree,) = ast.parse(inspect.getsource(enum)).body
    assert isinstance(tree, ast.ClassDef)
    said = {
        ast.unparse(name.targets[0]): ast.literal_eval(doc.value)
        for name, doc in zip(tree.body, tree.body[1:], strict=False)
        if isinstance(name, ast.Assign) and isinstance(doc, ast.Expr)
    }
    return ((one, " ".join(said[one.name].split())) for one in enum)


def statuses(walks: Mapping[str, Walk]) -> str:
    """Say what `status` tells at each place, by what is known there."""
    found = _joined(walk.said for walk in walks.values())
    known_as = (MANUAL, UNSEEN, SEEN)
    rows = [
        [place.part, place.due or "nothing", *(_words(found.get((place, proof), ())) for proof in known_as)]
        for place in sorted({place for place, _ in found}, key=_rank)
    ]
    return table(["part", "due", *known_as], rows)


def conditions(walks: Mapping[str, Walk]) -> str:
    """Say the conditions of a rollout that is on, with their reasons."""
    found = _joined(walk.conditions for walk in walks.values())
    own = sorted(found.keys() - {"Ready", "Progressing", "Stalled"})
    return table(["condition", "its status and reason"], [[f"`{one}`", _words(found[one])] for one in own])


def _joined(many: Iterable[Mapping[_Key, set[str]]]) -> dict[_Key, set[str]]:
    found: dict[_Key, set[str]] = {}
    for one in many:
        for key, words in one.items():
            found[key] = found.get(key, set()) | words
    return found


def _words(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in sorted(words))


def walks() -> dict[str, Walk]:
    """Play everything; it takes minutes."""
    return {
        "A ModelServing without a route": model_serving().all(),
        "A ModelServing with a route": routed_serving().all(),
        "Graphs beside each other": graphs_beside().all(),
        "A graph whose routers change alone": routers_alone().all(),
        "Graphs whose routers are told": routers_told().all(),
        "A graph in place": graph_in_place().all(),
        "A graph in place whose routers are told": in_place_routed().all(),
        "The route": the_route().all(),
    }


if __name__ == "__main__":
    PAGE.write_text(page(walks()), encoding="utf-8")
