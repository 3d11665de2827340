"""What the whole test run knows: one option, and how much is left to chance."""

import os

import pytest
from hypothesis import HealthCheck, is_hypothesis_test, settings

from tests.drawn import drawn

# No test asserts on time, and a busy machine is no bug. CI plays the same examples each time, so that a
# red run is about the change; everybody else looks for new ones, and the seed is printed.
_PATIENT = drawn(100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("desk", _PATIENT)
settings.register_profile("ci", _PATIENT, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") else "desk")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite the golden trees; read the diff")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much was explored, and from which seed on."""
    said = [
        f"{report.nodeid.rpartition('::')[2]}: {value}"
        for report in terminalreporter.getreports("passed")
        for name, value in report.user_properties
        if name == "explored"
    ]
    if said:
        terminalreporter.section("explored")
        terminalreporter.write("\n".join([*sorted(said), ""]))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if is_hypothesis_test(getattr(item, "obj", None)):
            item.add_marker("law")
