"""What differs between two typed values, for people: paths by names, values as they were written."""

from collections.abc import Iterator
from dataclasses import dataclass

from gitops_rollout.api.values import Json, Object, mapping, sequence, text
from gitops_rollout.api.verdict import Change
from gitops_rollout.semantics.canonical import canonical, canonical_bytes
from gitops_rollout.semantics.quantity import plain
from gitops_rollout.semantics.scalars import ZEROS
from gitops_rollout.semantics.types import Table, TypeRef

ORDER_ONLY = "order only"
ORDER = "order"

# The field that tells the elements of a list apart, where it is not `name`.
_KEYS = {"core.VolumeMount": "mountPath"}
# Levels that everybody knows are there and nobody wants to read.
_UNSHOWN = {("core.PodTemplateSpec", "spec")}


def changes(old: Json, new: Json, type_: TypeRef, types: Table, path: str) -> tuple[Change, ...]:
    """Give every leaf whose canonical form differs, below `path`; empty iff the forms are equal.

    Paths read `path/containers[main]/env[TOKEN]/value`: list elements by name where all have one of
    their own, else by position; the level `spec` of a pod template is left out. An element that came
    or went is one change. Elements that only moved are one change of the list, noted "order only";
    if others changed beside, it lists the names and is noted "order". Amounts are noted in plain.
    """
    forms = canonical(old, type_, types).form, canonical(new, type_, types).form
    return tuple(_Comparison(types).walk(_Pair(old, new, *forms), type_, path))


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two values as written, None when absent, each with its canonical form."""

    old: Json
    new: Json
    old_form: Json
    new_form: Json

    def same(self) -> bool:
        # Python calls 1 and true equal; bytes do not.
        return self.old_form == self.new_form and canonical_bytes(self.old_form) == canonical_bytes(
            self.new_form
        )

    def fits(self, python_type: type) -> bool:
        """Say whether both sides are of that type, or absent."""
        return all(value is None or isinstance(value, python_type) for value in (self.old, self.new))

    def field(self, name: str) -> "_Pair":
        return _Pair(
            *(mapping(side).get(name) for side in (self.old, self.new, self.old_form, self.new_form))
        )

    def item(self, old_at: int, new_at: int) -> "_Pair":
        old, old_form = sequence(self.old)[old_at], sequence(self.old_form)[old_at]
        new, new_form = sequence(self.new)[new_at], sequence(self.new_form)[new_at]
        return _Pair(old, new, old_form, new_form)


@dataclass(frozen=True, slots=True)
class _Comparison:
    types: Table

    def walk(self, pair: _Pair, type_: TypeRef, path: str) -> Iterator[Change]:
        if pair.same():
            return
        if isinstance(type_, str):
            yield _leaf(pair, path, type_)
            return
        kind, of = type_
        python_type = list if kind == "[]" else dict
        if kind == "*" and pair.old is not None and pair.new is not None:
            yield from self.walk(pair, of, path)
        elif kind == "*" or not pair.fits(python_type):
            yield _leaf(pair, path, "")
        elif kind == "struct":
            yield from self._struct(pair, str(of), path)
        elif kind == "map":
            yield from self._map(pair, of, path)
        else:
            yield from self._list(pair, of, path)

    def _struct(self, pair: _Pair, name: str, path: str) -> Iterator[Change]:
        fields = self.types[name]
        for step in sorted(mapping(pair.old_form).keys() | mapping(pair.new_form).keys()):
            below = path if (name, step) in _UNSHOWN else _below(path, step)
            yield from self.walk(pair.field(step), fields.get(step, "raw"), below)

    def _map(self, pair: _Pair, of: TypeRef, path: str) -> Iterator[Change]:
        old, new = mapping(pair.old_form), mapping(pair.new_form)
        for step in sorted(old.keys() | new.keys()):
            inner = _Pair(
                _entry(mapping(pair.old), step, of),
                _entry(mapping(pair.new), step, of),
                old.get(step),
                new.get(step),
            )
            if step in old and step in new:
                yield from self.walk(inner, of, _below(path, step))
            else:
                yield _leaf(inner, _below(path, step), "")

    def _list(self, pair: _Pair, of: TypeRef, path: str) -> Iterator[Change]:
        old, new = sequence(pair.old_form), sequence(pair.new_form)
        if sorted(map(canonical_bytes, old)) == sorted(map(canonical_bytes, new)):
            yield Change(path, pair.old, pair.new, ORDER_ONLY)
            return
        old_names, new_names = self._names(old, of), self._names(new, of)
        if old_names is not None and new_names is not None:
            yield from self._by_name(pair, of, path, (old_names, new_names))
        else:
            yield from self._by_position(pair, of, path)

    def _names(self, forms: list[Json], of: TypeRef) -> dict[str, int] | None:
        """Give the position of each element by its name; None unless every element has its own."""
        if isinstance(of, str) or of[0] != "struct":
            return None
        key = _KEYS.get(str(of[1]), "name")
        names = [text(mapping(form).get(key)) for form in forms]
        own = all(names) and len(set(names)) == len(names)
        return {name: at for at, name in enumerate(names)} if own else None

    def _by_name(
        self, pair: _Pair, of: TypeRef, path: str, names: tuple[dict[str, int], dict[str, int]]
    ) -> Iterator[Change]:
        old, new = names
        for name, at in old.items():
            if name in new:
                yield from self.walk(pair.item(at, new[name]), of, f"{path}[{name}]")
            else:
                yield Change(f"{path}[{name}]", sequence(pair.old)[at], None)
        for name, at in new.items():
            if name not in old:
                yield Change(f"{path}[{name}]", None, sequence(pair.new)[at])
        if [name for name in old if name in new] != [name for name in new if name in old]:
            yield Change(path, list(old), list(new), ORDER)

    def _by_position(self, pair: _Pair, of: TypeRef, path: str) -> Iterator[Change]:
        """Set equal heads and tails aside, then compare what is left one by one."""
        old, new = sequence(pair.old_form), sequence(pair.new_form)
        head = _alike(old, new)
        tail = _alike(old[head:][::-1], new[head:][::-1])
        old_end, new_end = len(old) - tail, len(new) - tail
        both = min(old_end, new_end)
        for at in range(head, both):
            yield from self.walk(pair.item(at, at), of, f"{path}[{at}]")
        for at in range(both, old_end):
            yield Change(f"{path}[{at}]", _written(sequence(pair.old)[at], of), None)
        for at in range(both, new_end):
            yield Change(f"{path}[{at}]", None, _written(sequence(pair.new)[at], of))


def _leaf(pair: _Pair, path: str, kind: str) -> Change:
    note = ""
    if kind == "q" and isinstance(pair.old_form, str) and isinstance(pair.new_form, str):
        note = f"{plain(pair.old_form + 'n')} -> {plain(pair.new_form + 'n')}"
    return Change(path, pair.old, pair.new, note)


def _entry(values: Object, key: str, of: TypeRef) -> Json:
    return _written(values[key], of) if key in values else None


def _written(value: Json, of: TypeRef) -> Json:
    """Give an element as written; null, which is there but looks absent, as the zero that it means."""
    if value is not None:
        return value
    if isinstance(of, str):
        return ZEROS[of]
    zeros: Object = {"[]": [], "map": {}, "struct": {}}
    return zeros.get(str(of[0]))


def _below(path: str, step: str) -> str:
    if "/" in step:
        return f"{path}[{step}]"
    return f"{path}/{step}" if path else step


def _alike(one: list[Json], other: list[Json]) -> int:
    """Count the elements at the beginning that are the same on both sides."""
    pairs = enumerate(zip(one, other, strict=False))
    unlike = (at for at, (a, b) in pairs if canonical_bytes(a) != canonical_bytes(b))
    return next(unlike, min(len(one), len(other)))
