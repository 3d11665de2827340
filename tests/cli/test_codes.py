"""docs/codes.md tells every code that the program can give, and no other."""

import ast
import re
from collections.abc import Iterator

from gitops_rollout import errors
from gitops_rollout.api.verdict import Verdict
from tests.project.checkout import ROOT

PACKAGE = ROOT / "gitops_rollout"
CODE = re.compile(r"[A-Z]{2}[A-Z0-9]*(_[A-Z0-9]+)*")
PAGE = (ROOT / "docs/codes.md").read_text(encoding="utf-8")
ROWS = [line.strip("| \n").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
# Words in capitals that are no codes: YAML's, environment variables, headings, methods, engines.
WORDS = {
    *(verdict.value for verdict in Verdict),
    *("TRUE", "FALSE", "YES", "NO", "ON", "OFF", "NULL", "HEAD"),
    *("HOME", "PATH", "TMPDIR", "LC_ALL", "XDG_CACHE_HOME"),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"),
    *("GROUP_SIZE", "ENTRY_ADDRESS", "WORKER_INDEX"),
    *("DYN_NAMESPACE", "DYN_NAMESPACE_PREFIX"),
    *("WORKLOAD", "STATE", "STABLE", "CANDIDATE", "PARTITION", "REQUESTS"),
    *("BEFORE", "AFTER", "STEP", "TIME", "WHO", "DOES", "REPLICAS"),
    *("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE", "CORS", "TCP"),
    *("VLLM", "SGLANG", "DYNAMO"),
}  # fmt: skip


def constants() -> Iterator[str]:
    """Give every text in the package that could be a code; adapters speak to git and give none."""
    for path in PACKAGE.rglob("*.py"):
        if "adapters" not in path.parts:
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value


def leaves(error: type[Exception]) -> Iterator[str]:
    for one in error.__subclasses__():
        yield from leaves(one)
        if not one.__subclasses__():
            yield one.__name__


def test_every_code_of_the_program_is_told_and_no_other() -> None:
    given = {text for text in constants() if CODE.fullmatch(text)} - WORDS
    told = {row[0].strip("`") for row in ROWS}
    assert {code for code in told if CODE.fullmatch(code)} == given
    assert {code for code in told if not CODE.fullmatch(code)} == set(leaves(errors.RolloutError))


def test_every_code_is_told_once_with_what_it_means_and_what_to_do() -> None:
    assert len({row[0] for row in ROWS}) == len(ROWS)
    assert all(len(row) == 3 and all(cell.strip() for cell in row) for row in ROWS)
