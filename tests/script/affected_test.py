#!/usr/bin/env python3
"""Tests which translation units script/affected selects for clang-tidy in CI."""
import os
import subprocess
import sys
import tempfile
import unittest

import scripts

affected = scripts.loaded("affected")


class parts(unittest.TestCase):
    def test_a_part_is_affected_by_what_it_installs_and_tries(self):
        self.assertEqual(affected.affected_parts({"deploy/prometheus/rules.yml"}), ["prometheus"])
        self.assertEqual(affected.affected_parts({"tests/deb/run.py"}), ["deb"])
        self.assertEqual(affected.affected_parts({"deploy/debian/control"}), ["deb", "image"])

    def test_what_drives_the_service_is_affected_by_the_layers_below_app(self):
        driving = ["count", "postgres", "client", "openapi", "objects", "fuzz", "cluster"]
        above = ["asan.model", "asan.store", "asan.http", "asan.load_load"]
        self.assertEqual(affected.affected_parts({"model/net/url.cpp"}), above + driving)

    def test_tests_of_rooms_are_affected_by_what_they_are_built_of(self):
        self.assertEqual(affected.affected_parts({"tests/http/tls/a_test.cpp"}), ["asan.http"])
        self.assertEqual(affected.affected_parts({"cli/print.cpp"}), ["asan.load_load"])
        self.assertEqual(affected.affected_parts({"app/imports/lobby.cpp"}), ["postgres"])

    def test_no_part_is_affected_by_others(self):
        self.assertEqual(affected.affected_parts({"app/reports/line.cpp", "docs/logs.md"}), [])
        self.assertEqual(affected.affected_parts(set()), [])

    def test_all_are_affected_by_what_decides_about_them_or_if_the_base_is_unknown(self):
        every = list(affected.PARTS)
        self.assertEqual(affected.affected_parts({".ci/run"}), every)
        self.assertEqual(affected.affected_parts({"script/affected"}), every)
        self.assertEqual(affected.affected_parts(None), every)


class newest(unittest.TestCase):
    found = {"BASE": ["a", "b", "c"], "HEAD~10": ["a", "b"], "HEAD~5": ["a"], "HEAD~2": ["a"],
             "HEAD~1": ["a", "b", "c"]}

    def test_all_units_are_looked_at_unless_there_are_too_many(self):
        self.assertEqual(affected.newest(self.found.get, "BASE", None), (["a", "b", "c"], "BASE"))
        self.assertEqual(affected.newest(self.found.get, "BASE", 3), (["a", "b", "c"], "BASE"))
        self.assertEqual(affected.newest(self.found.get, "BASE", 2), (["a", "b"], "HEAD~10"))

    def test_of_one_large_commit_some_are_looked_at(self):
        self.assertEqual(affected.newest(lambda _: ["a", "b"], "BASE", 1), (["a"], "HEAD~1"))


class selection(unittest.TestCase):
    # base.hpp <- middle.hpp <- far.cpp, base.hpp <- near.cpp, and a cycle of two headers.
    includes = {
        "base/base.hpp": [],
        "base/near.cpp": ["base/base.hpp"],
        "base/middle.hpp": ["base/base.hpp"],
        "base/far.cpp": ["base/middle.hpp"],
        "base/alone.cpp": [],
        "base/left.hpp": ["base/right.hpp"],
        "base/right.hpp": ["base/left.hpp"],
        "base/circle.cpp": ["base/left.hpp"],
        "tests/base/far_test.cpp": ["base/middle.hpp"],
    }

    def select(self, *differ):
        return affected.selected(self.includes, set(differ), self.is_unit)

    @staticmethod
    def is_unit(path):
        return path.startswith("base/") and path.endswith(".cpp")

    def test_a_source_that_differs_is_looked_at_alone(self):
        self.assertEqual(self.select("base/alone.cpp"), ["base/alone.cpp"])

    def test_a_header_brings_one_that_includes_it_through_others(self):
        self.assertEqual(self.select("base/base.hpp"), ["base/far.cpp"])
        self.assertEqual(self.select("base/middle.hpp"), ["base/far.cpp"])

    def test_a_header_brings_its_own_source_rather_than_another(self):
        includes = {**self.includes, "base/base.cpp": ["base/base.hpp"]}
        self.assertEqual(affected.selected(includes, {"base/base.hpp"}, self.is_unit),
                         ["base/base.cpp"])

    def test_a_header_that_is_seen_anyway_brings_no_other(self):
        self.assertEqual(self.select("base/base.hpp", "base/near.cpp"), ["base/near.cpp"])

    def test_a_header_that_is_gone_brings_those_that_still_name_it(self):
        includes = {**self.includes, "base/late.cpp": ["base/gone.hpp"]}
        self.assertEqual(affected.selected(includes, {"base/gone.hpp"}, self.is_unit),
                         ["base/late.cpp"])

    def test_circles_of_includes_end(self):
        self.assertEqual(self.select("base/right.hpp"), ["base/circle.cpp"])

    def test_what_is_no_unit_is_left_out(self):
        self.assertEqual(self.select("tests/base/far_test.cpp", "docs/architecture.md"), [])
        self.assertEqual(self.select(), [])

    def test_all_where_the_base_is_unknown_or_the_checks_differ(self):
        every = ["base/alone.cpp", "base/circle.cpp", "base/far.cpp", "base/near.cpp"]
        self.assertEqual(affected.selected(self.includes, None, self.is_unit), every)
        self.assertEqual(self.select(".clang-tidy"), every)
        self.assertEqual(self.select("CMakeLists.txt"), [])


class of_a_repository(unittest.TestCase):
    """Runs the script in a small repository that contains it."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for name in ("affected", "rules"):
            with open(scripts.path_of(name), encoding="utf-8") as file:
                self.write(f"script/{name}", file.read())
        self.write("base/one.hpp", "#pragma once\n")
        self.write("base/one.cpp", '#include "base/one.hpp"\n')
        self.write("base/two.cpp", "")
        self.git("init", "--quiet")
        self.commit()

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def git(self, *words):
        # Without this machine's settings, such as hooks.
        settings = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        subprocess.run(["git", "-C", self.root, "-c", "user.name=test", "-c",
                        "user.email=test@localhost", *words], check=True,
                       env={**os.environ, **settings})

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "a commit")

    def units(self, *words):
        """The units that the script prints, and its line about their number."""
        done = subprocess.run([sys.executable, os.path.join(self.root, "script", "affected"),
                               *words], capture_output=True, text=True, check=True)
        return done.stdout.split(), done.stderr

    def test_commits_edits_and_new_files_since_the_base_count(self):
        self.write("base/two.cpp", "// committed\n")
        self.commit()
        self.assertEqual(self.units("HEAD"), (
            [], "affected: 0 of 2 translation units, for what differs from HEAD\n"))
        self.assertEqual(self.units("HEAD~1")[0], ["base/two.cpp"])
        self.write("base/one.hpp", "#pragma once\n// edited\n")
        self.assertEqual(self.units("HEAD")[0], ["base/one.cpp"])
        self.write("base/three.cpp", "// new\n")
        self.assertEqual(self.units("HEAD")[0], ["base/one.cpp", "base/three.cpp"])

    def test_a_file_counts_under_the_name_that_it_was_given(self):
        self.git("mv", "base/two.cpp", "base/moved.cpp")
        self.commit()
        self.assertEqual(self.units("HEAD~1")[0], ["base/moved.cpp"])

    def test_all_where_the_base_is_no_commit(self):
        every = ["base/one.cpp", "base/two.cpp"]
        self.assertEqual(self.units(), (
            every, "affected: 2 of 2 translation units, because HEAD~20 is not a commit in "
            "this clone\n"))
        self.assertEqual(self.units("--", "-x")[0], every)
        self.assertEqual(self.units("--all", "HEAD")[0], every)


if __name__ == "__main__":
    unittest.main()
