"""The API server: the live objects of one namespace, as whoever applies the output left them."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from gitops_rollout.simulate.manifests import Manifest, Name


@dataclass
class Cluster:
    """Live objects by kind and name. `live` is replaced by every change and never altered.

    `guarded`: an update that lowers the number of an object is refused, as the admission policy does
    that R1 asks for. A consumer that retries an old sync then does no harm to what is there.
    """

    guarded: bool = True
    live: Mapping[Name, Manifest] = field(default_factory=dict)

    def apply(self, manifest: Manifest) -> bool:
        """Create or update an object; says whether anything changed."""
        before = self.live.get(manifest.name)
        if before is manifest or (before is not None and self.guarded and _is_older(manifest, before)):
            return False
        self.live = {**self.live, manifest.name: manifest}
        return True

    def delete(self, name: Name) -> bool:
        """Delete an object; says whether it was there."""
        if name not in self.live:
            return False
        self.live = {one: manifest for one, manifest in self.live.items() if one != name}
        return True

    def of_kind(self, *kinds: str) -> dict[Name, Manifest]:
        """Give the live objects of some kinds."""
        return {name: manifest for name, manifest in self.live.items() if name[0] in kinds}


def _is_older(new: Manifest, old: Manifest) -> bool:
    return new.seq is not None and old.seq is not None and new.seq < old.seq
