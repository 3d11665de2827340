"""What each Gateway API implementation can do, as far as it was read or measured; unknown is a no.

Header matches and weighted Services are core features of HTTPRoute (Gateway API, support levels); two
weighted InferencePools in one rule have a conformance test since GAIE 1.2 that not everybody passes.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Profile:
    """What an implementation does with our routes; `why` says where that is known from.

    `pools`: InferencePool backends. `weighted_pools`: two of them in one rule, each picked by its own
    endpoint picker. `headers`: header matches. `services`: Service backends. `zero`: a weight of 0 gets
    nothing. `paths_only`: a match with anything but a path is skipped.
    """

    pools: bool = True
    weighted_pools: bool = False
    headers: bool = True
    services: bool = True
    zero: bool = True
    paths_only: bool = False
    why: str = ""

    @property
    def words(self) -> str:
        """Give what it can do, in words."""
        able = (
            (self.headers, "header matches"),
            (self.services, "Services"),
            (self.pools, "InferencePools"),
            (self.weighted_pools, "weighted InferencePools"),
            (self.zero, "weight 0"),
        )
        return ", ".join(what for holds, what in able if holds)


GENERIC = "gateway-api"
"""The profile where nothing is said: what every conformant implementation does."""

PROFILES: Mapping[str, Profile] = {
    GENERIC: Profile(why="core features of HTTPRoute"),
    "agentgateway": Profile(weighted_pools=True, why="1.6.0 passes all of GAIE 1.6.2"),
    "envoy-gateway": Profile(
        zero=False, why="ai-gateway 0.7 takes one InferencePool a rule (#2231, #2657); #2495 on weight 0"
    ),
    "higress": Profile(why="the last pool's picker serves both (#4519)"),
    "istio": Profile(
        weighted_pools=True,
        zero=False,
        why="1.30 passes GAIE 1.5.0; take one with #61601; #31745 on weight 0",
    ),
    "kgateway": Profile(why="two weighted pools answer 503 (#11667)"),
    "kthena-router": Profile(
        weighted_pools=True,
        headers=False,
        services=False,
        paths_only=True,
        why="skips matches with headers, methods or queries; weights since #1471",
    ),
    "nginx-gateway-fabric": Profile(weighted_pools=True, why="#4439; 2.7.0 passes it in GAIE 1.6.0"),
    "traefik": Profile(pools=False, why="an InferencePool gives InvalidKind (3.7)"),
}
