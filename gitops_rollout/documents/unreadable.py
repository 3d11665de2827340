"""Why a file cannot be read, in words for the person who wrote it.

Codes: NOT_TEXT (not UTF-8, control characters), UNREADABLE (not YAML, or YAML that says nothing),
DUPLICATE_KEY, BAD_KEY, BAD_NUMBER, BAD_TAG, TEMPLATED (`{{ }}`), LIMIT (size, depth, nodes, documents).
No message holds a value of the file: it may be a Secret.
"""

import re

import yaml

from gitops_rollout.api.problems import Problem

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ufffe\uffff]")
_BRACES_OUTSIDE_COMMENTS = re.compile(r"^[^#\r\n]*\{\{", re.MULTILINE)
_ALIAS = re.compile(r"\*([^\s,\[\]{}]{1,60})")
TEMPLATED = "holds template braces `{{`; commit the rendered text instead"


class Unreadable(Exception):
    """The whole file is refused; `problem` says where and why (its file is not set)."""

    def __init__(self, document: int, code: str, message: str, *, line: int = 0) -> None:
        self.problem = Problem(
            document=document, code=code, message=f"line {line}: {message}" if line else message
        )
        super().__init__(str(self.problem))


def not_utf8(error: UnicodeDecodeError) -> Unreadable:
    """Say that the bytes are no text, and where they stop being it."""
    return Unreadable(0, "NOT_TEXT", f"not UTF-8 text (byte {error.start})")


def syntax(error: Exception, text: str, document: int) -> Unreadable:
    """Say what the YAML parser has found; a tab, a template and an unknown anchor get their own words."""
    control = _CONTROL.search(text) if isinstance(error, yaml.reader.ReaderError) else None
    if control:
        return Unreadable(0, "NOT_TEXT", f"control character at byte {len(text[: control.start()].encode())}")
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return templated(text, document, Unreadable(document, "UNREADABLE", "not YAML"))
    mark, problem = error.problem_mark, str(error.problem)
    if "undefined alias" in problem:
        return _unknown_anchor(text, mark, document)
    if "\t" in problem or "\\t" in problem or _indented_by_tab(text, mark.line):
        problem = "a tab is used as indentation; use spaces"
    return templated(text, document, Unreadable(document, "UNREADABLE", problem, line=mark.line + 1))


def templated(text: str, document: int, otherwise: Unreadable) -> Unreadable:
    """Give `otherwise`, unless the text is a template: then that is what is wrong with it."""
    match = _BRACES_OUTSIDE_COMMENTS.search(text)
    if match is None:
        return otherwise
    return Unreadable(document, "TEMPLATED", TEMPLATED, line=text.count("\n", 0, match.end()) + 1)


def _unknown_anchor(text: str, mark: yaml.Mark, document: int) -> Unreadable:
    match = _ALIAS.match(text, mark.index)
    name = match[1] if match else "?"
    return Unreadable(
        document,
        "UNREADABLE",
        f"unknown anchor `{name}`; an anchor holds within its own document (this is document {document})",
        line=mark.line + 1,
    )


def _indented_by_tab(text: str, line: int) -> bool:
    lines = text.splitlines()
    written = lines[line] if line < len(lines) else ""
    return "\t" in written[: len(written) - len(written.lstrip())]
