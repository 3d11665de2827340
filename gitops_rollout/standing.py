"""What stands beside each other after a pass: folders that aggregates list, routes that others took over."""

import re
from collections.abc import Collection, Iterator, Mapping

from gitops_rollout.api.gateway import Gateway
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import at
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.documents.load import Limits, Unreadable, load
from gitops_rollout.output.heads import Absent
from gitops_rollout.output.versions import Place
from gitops_rollout.render.root import OTHERS, OtherObject
from gitops_rollout.render.traffic import ROUTE
from gitops_rollout.rollout import routing
from gitops_rollout.rollout.draft import Head
from gitops_rollout.rollout.state import State
from gitops_rollout.source.source import ObjectKey
from gitops_rollout.traffic.explicit import GATEWAY_GROUP
from gitops_rollout.world import World

HALVES = ("capacity", "traffic")
_WOULD_BE_OURS = re.compile(
    r"traffic/((httproute|kustomization|(pool|service|referencegrant)-.*)\.yaml|router-policy\.json)$"
)
States = Mapping[WorkloadKey, State | None]
"""Every workload that was decided on, with its state after this pass; None: it is removed."""


def folders_after(world: World, half: str, states: States, quiet: Collection[str]) -> list[str]:
    """Name the workloads' folders that have this half after the pass, as namespace/name.

    What was quiet stands as it is; what else nobody planned may hold nothing to apply, and listing it
    would break the build of all.
    """
    output = world.output
    after = {
        (key.namespace, key.name)
        for key, state in states.items()
        if state is not None and (half == "capacity" or state.routed is not None)
    }
    decided = {(key.namespace, key.name) for key in states}
    quiet_ones = {(key.namespace, key.name) for key in world.keys if str(key) in quiet}
    still = quiet_ones & output.folders.keys()
    if half == "traffic":
        asks = {(key.namespace, key.name) for keys in world.owned_routes.values() for key in keys}
        listed = output.routed()
        unlisted = {one for one in still & (asks - listed) if output.applies(*one, half)}
        still = (still & listed) | unlisted
    others = output.folders.keys() - decided - quiet_ones
    after |= still | {one for one in others if output.applies(*one, half)}
    return [f"{namespace}/{name}" for namespace, name in after]


def replaced_routes(world: World, states: States) -> set[str]:
    """Name the routes of the source, as folder/file, that are not to be published: an owned one stands in
    their place, or under their name. Where nothing was decided, what is published stays so.
    """
    source, output = world.source, world.output
    found = set(filter(None, (_replaced(key, state) for key, state in states.items() if state is not None)))
    undecided = (source.policies.own.keys() & world.keys.keys()) - states.keys()
    listed = output.routed() if undecided else frozenset()
    stays = [source.route_key(key) for key in undecided if (key.namespace, key.name) in listed]
    # Nor is one published that bears the name of an owned route that stands already.
    standing = [
        named
        for named, asked in world.owned_routes.items()
        if named in source.others and any(output.holds(one.namespace, one.name, ROUTE) for one in asked)
    ]
    paths = {_path(one.namespace, one.name) for one in [*stays, *standing] if one is not None}
    return found | {path for path in paths if not _published(world, path)}


def _published(world: World, path: str) -> bool:
    folder, _, file = path.rpartition("/")
    listing = world.aside.listings.get(folder)
    return listing is not None and file in listing.ours


def _replaced(key: WorkloadKey, state: State) -> str | None:
    """Name the route that an owned one replaces: it answers alone, and still is to."""
    terms, wanted, routed = routing.terms(state), routing.wanted(state), state.routed
    if terms is None or wanted is None or routed is None or routed.stage != "alone":
        return None
    taken = bool(terms.replaces) and wanted.replaces == terms.replaces
    return _path(key.namespace, terms.replaces) if taken else None


def _path(namespace: str, name: str) -> str:
    one = OtherObject(namespace, GATEWAY_GROUP, "HTTPRoute", name, b"")
    return f"{one.folder}/{one.filename}"


def in_the_way(world: World, place: Place, head: Head | Absent, gateway: Gateway) -> Problem | None:
    """Find what people have where a route of ours belongs: it is never taken over, nor written over."""
    file = next(_taken(world, place, head, gateway), None)
    if file is None:
        return None
    message = (
        f"the route {gateway.name} of {place.key} would be written here, and this is not ours: "
        "it stays as it is. Move it, or name it under route"
    )
    return Problem(file=file, code="ROUTE_NOT_OWNED", message=message)


def _taken(world: World, place: Place, head: Head | Absent, gateway: Gateway) -> Iterator[str]:
    key, output, source = place.key, world.output, world.source
    named = ObjectKey(key.namespace, GATEWAY_GROUP, "HTTPRoute", gateway.name)
    if named in source.others:
        yield source.others.file(named)
    yield from (source.policies.own[one].file for one in world.owned_routes.get(named, ()) if one != key)
    if output.head is None:
        return
    ours = head.file.files if isinstance(head, Head) else {}
    for path, raw in place.files(output.head).items():
        if path not in ours and (_WOULD_BE_OURS.match(path) or _is_route(raw, gateway.name)):
            yield f"{place.folder}/{path}"
    folder = f"{key.namespace}/{OTHERS}"
    for name, raw in output.listing(folder).files.items():
        if _is_route(raw, gateway.name):
            yield output.path(folder, name)


def _is_route(raw: bytes, name: str) -> bool:
    if b"HTTPRoute" not in raw:
        return False
    try:
        documents = load(raw, Limits())
    except Unreadable:
        return False
    return any(
        (at(one.value, "kind"), at(one.value, "metadata", "name")) == ("HTTPRoute", name) for one in documents
    )
