"""`run` as a real process: polls two pipelines, survives one that fails, stops cleanly."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests import gitrepo
from tests.cli.shell import Team, start
from tests.passes.specs import serving


def settings(team: Team, *others: Path) -> Path:
    """Write settings with the team's pipeline, and one for each other output."""
    outputs = {"good": team.output} | {f"bad{number}": path for number, path in enumerate(others)}
    lines = ["interval: 1s", "jitter: 0s", f"cache: {team.folder / 'cache'}", "pipelines:"]
    for name, output in outputs.items():
        lines += [f"- name: {name}", f"  source: {{url: '{team.source}'}}", f"  output: {{url: '{output}'}}"]
    path = team.folder / "settings.yaml"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def ended(service: "subprocess.Popen[str]") -> tuple[int, str]:
    """Wait for the end, and give the exit code and the rest of what was said."""
    _, err = service.communicate(timeout=60)
    return service.returncode, err


def lines_until(service: "subprocess.Popen[str]", team: Team, text: str) -> str:
    """Read what the service says until the output branch holds `text`."""
    said = ""
    assert service.stderr is not None
    for line in service.stderr:
        said += line
        if gitrepo.head(team.output) and text in team.published():
            return said
    raise AssertionError(said)


def test_a_failing_pipeline_does_not_stop_the_other(team: Team, tmp_path: Path) -> None:
    team.commit({"chat.yaml": serving()})
    service = start("run", "--config", settings(team, tmp_path / "nowhere"))
    said = lines_until(service, team, "engine:1")
    team.commit({"other.yaml": serving("other"), "chat.yaml": serving(replicas=5)})
    said += lines_until(service, team, "replicas: 5")
    service.send_signal(signal.SIGTERM)
    code, rest = ended(service)
    assert (code, "Traceback" in said + rest) == (0, False)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_the_pass_that_is_on_is_finished(team: Team, number: signal.Signals) -> None:
    for name in ("started", "go"):
        os.mkfifo(team.output / name)
    gitrepo.install_hook(team.output, "pre-receive", "echo on > started; cat go; exit 0")
    team.commit({"chat.yaml": serving()})
    service = start("run", "--config", settings(team))
    (team.output / "started").read_text()
    service.send_signal(number)
    (team.output / "go").write_text("")
    code, said = ended(service)
    assert (code, "Traceback" in said) == (0, False)
    assert "engine:1" in team.published()


def test_an_idle_service_writes_nothing(stable: Team) -> None:
    before = gitrepo.branches(stable.output)
    service = start("run", "--config", settings(stable))
    assert service.stderr is not None
    service.stderr.readline()
    service.send_signal(signal.SIGTERM)
    assert ended(service)[0] == 0
    assert gitrepo.branches(stable.output) == before
