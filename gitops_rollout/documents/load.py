"""Reads a YAML file as Kubernetes does, or refuses the whole of it (codes: documents/unreadable.py).

The C composer of PyYAML makes nodes, this module makes values of them: so every rule about scalars is
ours (documents/scalars.py), duplicate keys are seen, and every refusal knows its line.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import yaml

from gitops_rollout.api.values import Json, Object
from gitops_rollout.documents import scalars
from gitops_rollout.documents.cuts import Cuts
from gitops_rollout.documents.unreadable import Unreadable, not_utf8, syntax, templated

__all__ = ["Document", "Limits", "Unreadable", "load", "lone"]

_OPTIONS = {"file_bytes": "fileBytes"}
_TOO_MANY = "more values, with aliases written out, than"
_BOM = "\ufeff"
_QUOTED, _STANDARD = "quoted", "tag:yaml.org,2002:"
_MAPPING_TAGS = frozenset({"", _STANDARD + "map", _STANDARD + "set"})
_SEQUENCE_TAGS = frozenset({"", _STANDARD + "seq", _STANDARD + "omap"})
_TEXT_TAGS = frozenset({_QUOTED, _STANDARD + "str", _STANDARD + "timestamp"})
_TAGGED: dict[str, tuple[type, ...]] = {
    _STANDARD + "int": (int,),
    _STANDARD + "float": (int, float),
    _STANDARD + "bool": (bool,),
    _STANDARD + "null": (type(None),),
}
# The tag "!" alone means "text, whatever it looks like"; the composer hides it.
_LONE_TAG = re.compile(r"(?:^|[\s\[{,])!(?=[\s,\]}]|$)")


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may cost; messages name the limit by its option, `limits.nodes`."""

    file_bytes: int = 4 * 2**20
    """Size of the file, and of all its text with aliases written out."""
    depth: int = 64
    nodes: int = 200_000
    """Values of all documents, with aliases written out."""
    documents: int = 1_000


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a file. `index` counts from 1, empty documents too; `line` is its first value's."""

    index: int
    line: int
    value: Json
    raw: bytes
    """Its own bytes out of the file, without the separator lines, for what is republished as it is."""
    templated: bool = False
    """Whether some text in it holds `{{`: fine in a dashboard, never in what we render."""


def lone(raw: bytes) -> Json:
    """Give the value of a file of one document; None where it cannot be read, or holds none or several."""
    try:
        documents = load(raw, Limits())
    except Unreadable:
        return None
    return documents[0].value if len(documents) == 1 else None


def load(raw: bytes, limits: Limits) -> tuple[Document, ...]:
    """Read every document that is not empty. Raises Unreadable: a file is read whole or not at all.

    Aliases and merge keys are written out (an explicit key wins over a merged one), so no two places
    of a value are one object.
    """
    if len(raw) > limits.file_bytes:
        raise Unreadable(0, "LIMIT", f"more bytes than {limits.file_bytes} (limits.fileBytes)")
    try:
        text = raw.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as error:
        raise not_utf8(error) from None
    reading = _Reading(text, limits)
    cuts = Cuts(text)
    return tuple(
        Document(
            reading.document,
            node.start_mark.line + 1,
            value,
            cuts.around(node.start_mark.index),
            reading.braces and any("{{" in text for text in texts(value)),
        )
        for node, value in reading.documents()
        if value is not None
    )


class _Composer(yaml.CSafeLoader):
    """Makes nodes without guessing what scalars are: the tag is "" when plain or none is written.

    Stops after `most` nodes: they take a hundred times the memory of their text.
    """

    most = 0

    def resolve(self, _kind: type[yaml.Node], _value: str | None, implicit: tuple[bool, bool] | bool) -> str:
        return _QUOTED if isinstance(implicit, tuple) and not implicit[0] else ""

    def descend_resolver(self, _node: yaml.Node | None, _index: object) -> None:
        """Count: the composer calls this once for every node."""
        self.most -= 1
        if self.most < 0:
            raise _TooManyNodes

    def ascend_resolver(self) -> None:
        """Do nothing: no resolver here depends on the path."""


class _TooManyNodes(Exception):
    """There are more nodes than the values that the limit allows could need."""


@dataclass(slots=True)
class _Reading:
    """One pass over one text; `document` and `nodes` count what has been read, `size` its text."""

    text: str
    limits: Limits
    document: int = 0
    nodes: int = 0
    size: int = 0

    @property
    def braces(self) -> bool:
        """Say whether the text may hold braces of a template, perhaps escaped."""
        return "{{" in self.text or "\\" in self.text

    def documents(self) -> Iterator[tuple[yaml.Node, Json]]:
        """Give the root node and the value of every document."""
        if "!" in self.text and _LONE_TAG.search(self.text):
            self._refuse_lone_tags()
        aliases = "*" in self.text and "&" in self.text
        for node in self._roots():
            value = self._value(node, 1)
            self.size += sum(map(len, texts(value))) if aliases else 0
            if self.size > self.limits.file_bytes:
                raise self._over("more bytes, with aliases written out, than", "file_bytes")
            yield node, value

    def _roots(self) -> Iterator[yaml.Node]:
        try:
            composer = _Composer(self.text.encode())
            composer.most = 2 * self.limits.nodes + self.limits.documents  # keys, values, roots
            while composer.check_node():
                if self.document == self.limits.documents:
                    raise self._over("more documents than", "documents")
                node = composer.get_node()
                self.document += 1
                if node is not None:
                    yield node
        except _TooManyNodes:
            raise self._over(_TOO_MANY, "nodes", ahead=1) from None
        except RecursionError:
            raise self._over("nested deeper than", "depth", ahead=1) from None
        except yaml.YAMLError as error:
            if "maximum nesting depth" in str(error):
                raise self._over("nested deeper than", "depth", ahead=1) from None
            raise syntax(error, self.text, self.document + 1) from None

    def _value(self, node: yaml.Node, depth: int) -> Json:
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        if depth > self.limits.depth:
            raise self._over("nested deeper than", "depth", node)
        self._spend(node)
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, depth)
        if node.tag not in _SEQUENCE_TAGS:
            raise self._bad_tag(node)
        return [self._value(item, depth + 1) for item in node.value]

    def _mapping(self, node: yaml.MappingNode, depth: int) -> Object:
        if node.tag not in _MAPPING_TAGS:
            raise self._bad_tag(node)
        result: Object = {}
        merged: list[yaml.Node] = []
        for key_node, value_node in node.value:
            if key_node.value == "<<" and key_node.tag == "":
                merged.append(value_node)
                continue
            key = self._key(key_node)
            if key in result:
                raise self._duplicate(node, key, key_node)
            result[key] = self._value(value_node, depth + 1)
        for source in merged:
            self._merge(source, result, depth + 1)
        return result

    def _merge(self, source: yaml.Node, result: Object, depth: int) -> None:
        """Add what a merge key brings and nobody has said yet; the first of several sources wins."""
        sources = source.value if isinstance(source, yaml.SequenceNode) else [source]
        self._spend(source)
        for mapping in sources:
            if not isinstance(mapping, yaml.MappingNode):
                raise self._at(
                    mapping, "UNREADABLE", "a merge key `<<` takes a mapping or a list of mappings"
                )
            merged = self._value(mapping, depth)
            if isinstance(merged, dict):
                result |= {key: value for key, value in merged.items() if key not in result}

    def _spend(self, node: yaml.Node) -> None:
        self.nodes += len(node.value)
        if self.nodes > self.limits.nodes:
            raise self._over(_TOO_MANY, "nodes", node)

    def _scalar(self, node: yaml.ScalarNode) -> Json:
        if node.tag in _TEXT_TAGS:
            return str(node.value)
        try:
            value = scalars.plain(node.value)
        except scalars.NotJson as error:
            raise self._at(node, "BAD_NUMBER", str(error)) from None
        if node.tag == "" or type(value) in _TAGGED.get(node.tag, ()):
            return value
        raise self._bad_tag(node)

    def _key(self, node: yaml.Node) -> str:
        if not isinstance(node, yaml.ScalarNode):
            message = "a key is a list or a mapping; keys are names"
            raise templated(self.text, self.document, self._at(node, "BAD_KEY", message))
        if node.tag in _TEXT_TAGS:
            return str(node.value)
        if node.tag != "" and node.tag not in _TAGGED:
            raise self._bad_tag(node)
        try:
            return scalars.key(node.value)
        except scalars.NotJson as error:
            raise self._at(node, "BAD_KEY", str(error)) from None

    def _duplicate(self, mapping: yaml.MappingNode, key: str, second: yaml.Node) -> Unreadable:
        first = next(
            node
            for node, _ in mapping.value
            if node.tag != "" or node.value != "<<"
            if self._key(node) == key
        )
        lines = f"lines {first.start_mark.line + 1} and {second.start_mark.line + 1}"
        return Unreadable(
            self.document, "DUPLICATE_KEY", f"key `{key[:60]}` stands twice, on {lines}; keep one"
        )

    def _bad_tag(self, node: yaml.Node) -> Unreadable:
        tag = node.tag.replace(_STANDARD, "!!")[:60]
        return self._at(
            node, "BAD_TAG", f"tag `{tag}` does not fit here or is not known; write the plain value"
        )

    def _refuse_lone_tags(self) -> None:
        try:
            for token in yaml.scan(self.text, Loader=_Composer):
                if isinstance(token, yaml.TagToken) and token.value in ((None, "!"), ("!", "")):
                    raise Unreadable(
                        0, "BAD_TAG", "tag `!` is ambiguous; quote text", line=token.start_mark.line + 1
                    )
        except yaml.YAMLError:
            return  # the composer will say it better

    def _at(self, node: yaml.Node, code: str, message: str) -> Unreadable:
        return Unreadable(self.document, code, message, line=node.start_mark.line + 1)

    def _over(self, what: str, limit: str, node: yaml.Node | None = None, ahead: int = 0) -> Unreadable:
        line = node.start_mark.line + 1 if node is not None else 0
        option = _OPTIONS.get(limit, limit)
        message = f"{what} {getattr(self.limits, limit)} (limits.{option})"
        return Unreadable(self.document + ahead, "LIMIT", message, line=line)


def texts(value: Json) -> Iterator[str]:
    """Give every text of a value, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from texts(item)
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from texts(item)
