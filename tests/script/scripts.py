"""Loads scripts of script/ as modules, so that tests can call their functions."""
import importlib.machinery
import importlib.util
import os
import sys

sys.dont_write_bytecode = True
ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def path_of(name):
    return os.path.join(ROOT, "script", name)


def loaded(name):
    """script/`name` as a module, without running its main()."""
    loader = importlib.machinery.SourceFileLoader(name, path_of(name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module
