"""What serves the requests of a workload, as far as its images and commands tell."""

import re
from collections.abc import Sequence
from enum import StrEnum

_DYNAMO_FRONTEND = re.compile(r"dynamo[._/-]frontend")


class Engine(StrEnum):
    """What serves the requests, so whose metrics count them."""

    VLLM = "VLLM"
    SGLANG = "SGLANG"
    DYNAMO = "DYNAMO"


def engine_of(words: Sequence[str]) -> Engine | None:
    """Guess the engine from image names and commands; None when they name none, or two.

    A Dynamo frontend comes before the engine behind it: it is what answers the clients.
    """
    said = " ".join(words).lower()
    if _DYNAMO_FRONTEND.search(said):
        return Engine.DYNAMO
    found = [engine for engine in (Engine.VLLM, Engine.SGLANG) if engine.value.lower() in said]
    return found[0] if len(found) == 1 else None
