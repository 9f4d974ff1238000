"""How the public Python methods take their arguments."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator

import graph_memory.memory.api as facades


def public_methods() -> Iterator[tuple[str, Callable[..., object]]]:
    """Give the public methods of all facades, by `Class.method`."""
    for module in pkgutil.iter_modules(facades.__path__):
        result = importlib.import_module(f"{facades.__name__}.{module.name}")
        for _, facade in inspect.getmembers(result, inspect.isclass):
            if facade.__module__ == result.__name__:
                for name, method in inspect.getmembers(facade, inspect.isfunction):
                    if not name.startswith("_"):
                        yield f"{facade.__name__}.{name}", method


def test_all_options_but_the_first_are_keyword_only():
    options = {
        name: [
            parameter.name
            for parameter in inspect.signature(method).parameters.values()
            if is_positional_option(parameter)
        ]
        for name, method in public_methods()
    }
    assert len(options) > 80
    assert {name: names for name, names in options.items() if len(names) > 1} == {}


def is_positional_option(parameter: inspect.Parameter) -> bool:
    """Return whether a parameter with a default can be given by its position."""
    return parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is not parameter.empty
