"""Griffe calls this while it reads the package: parameter tables say what the signatures say.

A docstring may describe several parameters in one row ("mu, nu : float"). The parser gives all of them the
type and the default of the first; here each gets its own.
"""

import griffe


class OwnTypesAndDefaults(griffe.Extension):
    """Give every documented parameter the annotation and the default of its signature."""

    def on_package(self, *, pkg: griffe.Module, **_: object) -> None:
        correct_members(pkg)


def correct_members(owner: griffe.Module | griffe.Class) -> None:
    """Correct the functions and classes below an object."""
    for member in owner.members.values():
        if member.is_alias:
            continue
        if member.is_function or member.is_class:
            correct_tables(member)
        if member.is_module or member.is_class:
            correct_members(member)


def correct_tables(member: griffe.Function | griffe.Class) -> None:
    """Correct the parameter table of one docstring."""
    if member.docstring is None:
        return
    known = {parameter.name: parameter for parameter in member.parameters}
    annotations = [parameter.annotation for parameter in known.values()]
    for section in member.docstring.parsed:
        if section.kind is not griffe.DocstringSectionKind.parameters:
            continue
        for row in section.value:
            parameter = known.get(row.name)
            if parameter is None:
                continue
            # a type taken from a signature, not written in the docstring
            if row.annotation is None or any(row.annotation is one for one in annotations):
                row.annotation = parameter.annotation
            row.value = parameter.default
