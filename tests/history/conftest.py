"""The one fixture: an empty world."""

from tests.passes.conftest import world

__all__ = ["world"]
