"""JSON values for property tests, rich in text that readers of YAML stumble over."""

import json

from hypothesis import strategies as st

from gitops_rollout.api.values import Json

WORDS = """
yes No ON off y n TRUE ~ null Null NULL NaN .inf -.INF .nan 1 -1 +1 0 00 007 08 0o12 0x1F 0b101 1_000 _1
1. .5 1e3 1E-3 1e 12:30 190:20:30 1:30.5 2024-01-02 2024-01-02T03:04:05Z = << - -- --- ... ? : # ! & * |
> % @ ` ' " { } [ ] , a:b x#y 8080:80 10.0.0.1 1.2.3 sha256:12ab é 😀
"""
PHRASES = ["", " ", "  a", "a ", "a: b", "a #b", "- a", "? a", "key: v\n", "--- a", "a \nb", "a\tb", "\ta"]
LINES = [
    "\n",
    "\n\n",
    "a\n",
    "a\n\n",
    "\na",
    " a\nb",
    "a\n---\nb\n",
    "a\n\tb\n",
    "\r",
    "a\r\nb",
    "a\u2028b\n",
    "a\x85b\n",
]
CONTROLS = ["\x85", "\u2028", "\ufeff", "\x00", "\x7f"]
MARKS = "01_.:+-eExXoObBaf \n#'\"|>%@&*!?,[]{}~=<\t\r"

awkward = st.sampled_from([*WORDS.split(), *PHRASES, *LINES, *CONTROLS])
readable = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
# Template braces are refused on purpose, see test_refusals.py.
texts = (awkward | readable | st.text(MARKS, max_size=8)).filter(lambda text: "{{" not in text)
integers = st.integers(-(2**63), 2**64 - 1)
scalars = st.none() | st.booleans() | integers | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=15,
)


def same(one: Json, other: Json) -> bool:
    """Compare as JSON does: true is not 1, while 1.0 is."""
    return one == other and _kinds(one) == _kinds(other)


def _kinds(value: Json) -> str:
    """Give the shape of a value: T for booleans, 0 for numbers."""
    if isinstance(value, dict):
        return json.dumps({key: _kinds(item) for key, item in value.items()}, sort_keys=True)
    if isinstance(value, list):
        return json.dumps([_kinds(item) for item in value])
    return "0" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__
