"""What people see: whole words and colours on a terminal of any width, plain and whole text in a pipe."""

import os
import pty
import re
import subprocess
import sys

import pytest

from tests.cli.shell import Team
from tests.passes.specs import policy, serving

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


def on_a_terminal(columns: int, *arguments: str) -> str:
    """Run a command whose streams are a terminal of this width; give all that it shows."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"}
    command = [sys.executable, "-m", "gitops_rollout", *arguments]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment):
        os.close(theirs)
        shown = b""
        while part := _read(ours):
            shown += part
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other end is closed: all was read
        return b""


@pytest.fixture
def asked(stable: Team) -> Team:
    """Give a team with one workload that waits for a gate, one that soaks, and one that is refused."""
    stable.commit(
        {
            "policy2.yaml": policy("slow", "{steps: [1, 100%], soak: 30m}"),
            "slow.yaml": serving("a-rather-long-name", policy="slow"),
            "bad.yaml": serving("bad"),
        }
    )
    stable("once")
    stable.commit(
        {
            "chat.yaml": serving(image="engine:2", policy="steps"),
            "slow.yaml": serving("a-rather-long-name", "engine:2", policy="slow"),
            "bad.yaml": serving("bad", replicas=-1),
        }
    )
    stable("once")
    stable("gate", "approve", "ms/a-rather-long-name", "-n", "serving")
    return stable


@pytest.mark.parametrize("columns", [40, 80, 140])
def test_no_word_of_the_table_is_cut(asked: Team, columns: int) -> None:
    shown = ESCAPES.sub("", on_a_terminal(columns, "status", *asked.where))
    words = shown.split()
    assert {"ms/a-rather-long-name", "WaitingForGate", "Soaking", "Refused"} <= set(words)
    assert ("CANDIDATE" in words, "WAITS" in words) == (columns >= 80, columns >= 140)


def test_a_terminal_gets_colours_and_a_sign_of_life(asked: Team) -> None:
    shown = on_a_terminal(80, "status", *asked.where)
    assert "\x1b[33mWaitingForGate\x1b[0m" in shown
    assert "Reading both repositories" in shown


def test_a_pipe_gets_every_column_on_one_line_and_no_colours(asked: Team) -> None:
    ran = asked("status")
    rows = {line.split()[0]: line.split()[3:] for line in ran.out.splitlines()[1:4]}
    assert "\x1b" not in ran.out + ran.err
    assert rows["ms/chat"][0] == "WaitingForGate"
    assert rows["ms/chat"][-2:] == ["gate", "1"]
    assert rows["ms/bad"][0] == "Refused"


def test_what_needs_somebody_stands_last_next_to_the_closing_line(asked: Team) -> None:
    asked.commit({"zz.yaml": serving("zz")})
    asked("once")
    lines = asked("status").out.splitlines()
    assert lines[1].startswith("ms/zz ")
    assert "2 workloads wait; the longest: ms/" in lines[-1]


def test_a_terminal_gets_an_extract_of_very_many_and_a_pipe_all(team: Team) -> None:
    team.commit({f"w{number}.yaml": serving(f"w{number}") for number in range(40)})
    shown = ESCAPES.sub("", on_a_terminal(80, "plan", *team.where))
    assert shown.count(": Stable, ") == 30
    assert "… and 10 more workloads; all of them: gitops-rollout status" in shown
    ran = team("once")
    assert ran.out.count(": Stable, ") == 40
    assert ran.err.count("ADOPTED_UNSEEN") == 1
