"""From a commit to what people wrote. Open this first: find, read, compare.

Cost follows the change: see readings.py. The codes of problems are listed where they are made:
discover.py, identify.py, kustomization.py, compare.py and documents/unreadable.py.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from gitops_rollout.api.calendar import Freeze
from gitops_rollout.api.calendar_document import UNREADABLE
from gitops_rollout.api.problems import Problem
from gitops_rollout.source.compare import Compared, compare
from gitops_rollout.source.discover import discover
from gitops_rollout.source.hydrator import read_dry
from gitops_rollout.source.identify import Terms
from gitops_rollout.source.item import Sort
from gitops_rollout.source.kustomize import Kustomizations
from gitops_rollout.source.readings import Bodies, Readings
from gitops_rollout.source.source import Others, Policies, Source, Specs


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the source of one pipeline, at any commit that has been fetched.

    `paths` are normal, none inside another (api/settings.py). `others` False: the objects beside
    the workloads are somebody else's to publish.
    """

    readings: Readings
    paths: tuple[str, ...]
    others: bool = True

    def read(self, commit: str) -> Source:
        """Read everything at `commit`; BadSettings when there is nothing at one of the paths."""
        repository, limits = self.readings.repository, self.readings.limits

        # Find.
        found = discover(repository, commit, self.paths, limits.file_bytes)
        kustomizations = Kustomizations(repository, commit, found.kustomizations, limits)
        folders, not_built = kustomizations.roots()

        # Read.
        readings = self.readings.files(found.files)
        readings += [self.readings.folder(kustomizations, folder) for folder in folders]

        # Compare.
        compared = compare((item for one in readings for item in one.items), self.readings.terms)
        files = {file.path: file for file in found.files}
        content = Bodies(self.readings, kustomizations, files, {folder.path: folder for folder in folders})
        compared = compared.excusing(self.readings.terms, content)
        unseen = [*found.problems, *not_built, *(one.problem for one in readings if one.problem)]
        specs, items = compared.specs, compared.items
        source = Source(
            commit=commit,
            specs=Specs(specs, content),
            refused=compared.refused,
            others=Others(compared.published, content),
            publishes=self.others,
            held=compared.held,
            policies=_with_unread_freezes(compared, self.readings.terms, unseen),
            marks={key: item.marks for key, item in specs.items() if item.marks},
            problems=tuple(sorted({*unseen, *(problem for item in items for problem in item.problems)})),
            warnings=tuple(sorted({*found.warnings, *(word for item in items for word in item.warnings)})),
            unreadable=bool(unseen) or any(item.sort is Sort.UNKNOWN for item in compared.rest),
            dry=read_dry(repository, commit, self.paths),
        )
        return source.heeding()


def _with_unread_freezes(compared: Compared, terms: Terms, unseen: Sequence[Problem]) -> Policies:
    """Give the policies; a file called freeze.yaml that cannot be read freezes everything.

    What stands in any other file that cannot be read is not known to be a freeze.
    """
    unknown = [item.file for item in compared.rest if item.sort is Sort.UNKNOWN]
    files = {*unknown, *(problem.file for problem in unseen)}
    unread = sorted(file for file in files if file.rpartition("/")[2] in ("freeze.yaml", "freeze.yml"))
    policies = compared.policies(terms)
    return replace(policies, freezes=(*policies.freezes, *(Freeze(one, reason=UNREADABLE) for one in unread)))
