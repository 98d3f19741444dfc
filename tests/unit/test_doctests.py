"""The examples in docstrings run, on the installed package."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

import unbraid

NAMES = ["unbraid", *(module.name for module in walk_packages(unbraid.__path__, "unbraid."))]


@pytest.mark.parametrize("name", NAMES)
def test_examples(name: str) -> None:
    failures, _ = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert failures == 0
