"""A real process that is killed with -9 in the middle of a pass."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import gitrepo
from tests.passes.arranged import two_changes
from tests.passes.test_crashes import settled
from tests.passes.world import World

ROOT = Path(__file__).resolve().parents[2]
ONE_PASS = """
from pathlib import Path
import sys
from tests.passes.world import World
World(Path(sys.argv[1])).poll()
"""

KILLING = {
    "before the branch moves": ("pre-receive", "refs/heads/main"),
    "after the branch has moved": ("post-receive", "refs/heads/main"),
    "before the gates are there": ("pre-receive", "refs/heads/gitops-rollout"),
    "after the gates are there": ("post-receive", "refs/heads/gitops-rollout"),
}


@pytest.mark.parametrize("moment", KILLING)
def test_a_process_that_is_killed_is_finished_by_the_next(world: World, moment: str) -> None:
    two_changes(world)
    world.keep()
    wanted = settled(world)
    world.back()
    hook, ref = KILLING[moment]
    # The server itself kills its client, so the moment is exact.
    kill = f'if grep -q " {ref}"; then kill -9 "$(cat "$GIT_DIR/victim")"; exit 1; fi'
    gitrepo.install_hook(world.output, hook, kill)
    starting = f'echo $$ > "{world.output}/victim"; exec "$0" -c "$1" "$2"'
    command = ["sh", "-c", starting, sys.executable, ONE_PASS, str(world.folder)]
    done = subprocess.run(command, cwd=ROOT, env=dict(os.environ), capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()
    gitrepo.install_hook(world.output, hook, "exit 0")
    assert settled(world) == wanted
