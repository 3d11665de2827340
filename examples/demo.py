"""The main job in one go: a merged change becomes a recorded revision, an honest diff and a rollout.

Everything is real: two Git repositories on this disk, the command line of gitops-rollout, and git as
a person would use it. Both repositories are left in demo/ to look at.
"""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.rule import Rule

from gitops_rollout.cli.app import app

HERE = Path(__file__).resolve().parent
PLACE = Path("demo")
SPEC = "specs/chat.yaml"
ROUTED = "specs/rollout.yaml"
ROUTE = """\
apiVersion: gitops-rollout.io/v1alpha1
kind: RevisionRollout
metadata: {name: chat, namespace: serving}
spec:
  workload: ModelServing/chat
  steps:
  - {name: canary, replicas: 1, traffic: {header: true}}
  - {name: all, replicas: 100%}
  gateway:
    parentRefs: [{name: inference-gateway, namespace: gateways}]
    hostnames: [chat.example.com]
    canaryHeader: {name: X-Chat-Canary, value: "true"}
    targetPort: 8000
"""
WHERE = ("--source", "demo/specs.git", "--output", "demo/output.git", "--cache", "demo/.cache")
say = Console(highlight=False, soft_wrap=True)

PERSON = {
    "PATH": os.environ["PATH"],
    "HOME": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.com",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.com",
}


def main() -> None:
    """Play the story; it ends at once where anything is not as it says."""
    shutil.rmtree(PLACE, ignore_errors=True)
    PLACE.mkdir()
    for part in (
        first_publication,
        a_change,
        its_gates,
        a_respelling,
        a_way_back,
        its_requests,
        look_around,
    ):
        part()


def first_publication() -> None:
    """Make both repositories, and publish what runs already."""
    chapter(
        "A team keeps its ModelServing in Git",
        "Four replicas of one model; a policy lets a new revision in by steps.",
    )
    bare("specs.git")
    bare("output.git")
    git(".", "clone", "--quiet", "specs.git", "specs", quiet=True)
    shutil.copytree(HERE / "01-first-rollout" / "specs", PLACE / "specs" / "specs")
    push_specs("Serve chat")
    show(PLACE / "specs" / SPEC)
    once()
    git("output.git", "ls-tree", "-r", "--name-only", "main")


def a_change() -> None:
    """Change the image."""
    chapter(
        "Somebody changes the image",
        "First: what would it do? Then: a pass records it and asks for the first step.",
    )
    edit(spec().replace("0.10.1", "0.10.2"), "Update the engine to 0.10.2")
    rollout("diff", "HEAD~1", "HEAD", "--path", "specs", inside="specs")
    once()


def its_gates() -> None:
    """Merge every gate, to the end."""
    chapter(
        "Every step is a branch to merge",
        "The diff of the branch is what is approved. Merging it moves the partition.",
    )
    git("output.git", "show", "--stat", "--format=%s%n%n%b", gate())
    while gate():
        merge(gate())
        once()
    rollout("status", *WHERE)


def a_respelling() -> None:
    """Spell amounts and blanks otherwise; every value stays the same."""
    chapter(
        "A respelling restarts nothing",
        'GPUs as "1000m" instead of 1, and other blanks: the same amounts, the same revision.',
    )
    gpus = spec().replace("nvidia.com/gpu: 1", 'nvidia.com/gpu: "1000m"')
    edit(gpus.replace("replicas: 4", "replicas:   4"), "Respell the quantities")
    before = head()
    rollout("diff", "HEAD~1", "HEAD", "--path", "specs", inside="specs")
    once()
    if head() != before:
        sys.exit("a respelling must not reach the output")
    say.print("[green]The output branch has not moved.[/]")


def a_way_back() -> None:
    """Take a bad version back when its first step is merged."""
    chapter(
        "A bad version, half way in",
        "Its first step is merged; then the source goes back to what ran before.",
    )
    edit(spec().replace("0.10.2", "0.11.0"), "Update the engine to 0.11.0")
    once()
    merge(gate())
    once()
    git("specs", "revert", "--no-edit", "HEAD", quiet=True)
    git("specs", "push", "--quiet", "origin", "HEAD:main")
    once()
    say.print("The template of stable is back at once, at the same partition: only what moved moves back.")
    git("output.git", "show", "--format=%s", "main", "--", "*modelserving.yaml")
    merge(gate())
    once()
    rollout("status", *WHERE)
    rollout("history", "ms/chat", "-n", "serving", *WHERE)


def its_requests() -> None:
    """Let marked requests reach a canary, and take them back."""
    chapter(
        "Requests, too",
        "With a route of its own a canary gets marked requests first; going back, they leave before pods.",
    )
    (PLACE / "specs" / ROUTED).write_text(ROUTE, encoding="utf-8")
    push_specs("Give chat a route")
    show(PLACE / "specs" / ROUTED)
    once()
    merge(gate())
    once()
    edit(spec().replace("0.10.2", "0.12.0"), "Update the engine to 0.12.0")
    once()
    for _ in ("canary", "canary-traffic"):
        merge(gate())
        once()
    git("output.git", "show", "main:rollouts/serving/chat/traffic/httproute.yaml")
    rollout("abort", "ms/chat", "-n", "serving", *WHERE)
    git("output.git", "show", "--format=%s", "main", "--", "*httproute.yaml")
    for _ in ("drained", "complete"):
        merge(gate())
        once()
    rollout("status", *WHERE)


def look_around() -> None:
    """Say where to look."""
    chapter("Look around", "Both repositories are in demo/:")
    typed("git", "-C", "demo/output.git", "log", "--graph", "--oneline", "main")
    typed("git", "-C", "demo/output.git", "show", "main:rollouts/serving/chat/rollout.yaml")


def chapter(title: str, text: str) -> None:
    """Begin a chapter."""
    say.print()
    say.print(Rule(f"[bold]{title}[/]", align="left"))
    say.print(text, style="dim")
    say.print()


def bare(name: str) -> None:
    """Make an empty repository, as a forge would."""
    git(".", "init", "--quiet", "--bare", "--initial-branch=main", name, quiet=True)


def git(folder: str, *arguments: str, quiet: bool = False) -> str:
    """Run git as a person would, and show it."""
    if not quiet:
        typed("git", "-C", f"demo/{folder}" if folder != "." else "demo", *arguments)
    command = ["git", "-C", str(PLACE / folder), *arguments]
    done = subprocess.run(command, env=PERSON, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"git {' '.join(arguments)}: {done.stderr}")
    if not quiet and done.stdout:
        say.print(done.stdout.rstrip(), markup=False)
    return done.stdout.strip()


def typed(*words: str) -> None:
    """Show a command as somebody would type it."""
    say.print(f"[bold cyan]$ {escape(shlex.join(words))}[/]")


def rollout(*arguments: str, inside: str | None = None) -> None:
    """Run gitops-rollout, in this process for speed, and show it."""
    typed("gitops-rollout", *(one for one in arguments if one not in ("--cache", "demo/.cache")))
    before = Path.cwd()
    os.chdir(PLACE / inside if inside else before)
    try:
        status = app([*arguments], standalone_mode=False)
    finally:
        os.chdir(before)
    if status not in (0, None):
        sys.exit(f"gitops-rollout {arguments[0]} ended with {status}")


def once() -> None:
    """Do one pass."""
    rollout("once", *WHERE)


def push_specs(message: str) -> None:
    """Merge a change into the source, as a team does after its review."""
    git("specs", "add", "--all", quiet=True)
    git("specs", "commit", "--quiet", "-m", message)
    git("specs", "push", "--quiet", "origin", "HEAD:main", quiet=True)


def spec() -> str:
    """Read the spec."""
    return (PLACE / "specs" / SPEC).read_text(encoding="utf-8")


def edit(text: str, message: str) -> None:
    """Change the spec."""
    if text == spec():
        sys.exit(f"{message}: nothing changed")
    (PLACE / "specs" / SPEC).write_text(text, encoding="utf-8")
    push_specs(message)


def gate() -> str:
    """Name the open gate, empty when there is none."""
    gates = ("for-each-ref", "--format=%(refname:short)", "refs/heads/gitops-rollout/")
    listed = git("output.git", *gates, quiet=True)
    return listed.splitlines()[0] if listed else ""


def merge(branch: str) -> None:
    """Approve: merge the gate's branch and push, as a forge's merge button does."""
    if not (PLACE / "output").exists():
        git(".", "clone", "--quiet", "output.git", "output", quiet=True)
    git("output", "fetch", "--quiet", "origin", quiet=True)
    git("output", "checkout", "--quiet", "-B", "main", "origin/main", quiet=True)
    git("output", "merge", "--quiet", "--no-ff", "-m", f"Merge {branch}", f"origin/{branch}")
    git("output", "push", "--quiet", "origin", "main", quiet=True)


def head() -> str:
    """Give the head of the output branch."""
    return git("output.git", "rev-parse", "main", quiet=True)


def show(path: Path) -> None:
    """Show a file."""
    typed("cat", str(path))
    say.print(path.read_text().rstrip(), markup=False)


if __name__ == "__main__":
    main()
