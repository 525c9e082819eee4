#!/usr/bin/env python3
"""Tests the changelog of the package and what removing it leaves."""
import datetime
import importlib.util
import os
import pathlib
import subprocess
import tempfile
import unittest

import scripts

specification = importlib.util.spec_from_file_location(
    "changelog", os.path.join(scripts.ROOT, "deploy", "changelog.py"))
changelog = importlib.util.module_from_spec(specification)
specification.loader.exec_module(changelog)

TEXT = """# Changelog

What it is.

## 0.2.0 (2027-01-05)

- One thing that takes
  two lines.
- Another.

## 0.1.0 (2026-11-26)

- The first.
"""


class entries(unittest.TestCase):
    def test_the_newest_is_first(self):
        found = changelog.entries_of(TEXT)
        self.assertEqual([(version, date) for version, date, _ in found],
                         [("0.2.0", datetime.date(2027, 1, 5)),
                          ("0.1.0", datetime.date(2026, 11, 26))])

    def test_items_are_joined_and_folded_as_debian_wants_them(self):
        self.assertEqual(changelog.debian_entry(*changelog.entries_of(TEXT)[0]),
                         "matchcloud (0.2.0) unstable; urgency=medium\n\n"
                         "  * One thing that takes two lines.\n  * Another.\n\n"
                         f" -- {changelog.MAINTAINER}  Tue, 05 Jan 2027 00:00:00 +0000\n")

    def test_a_heading_of_another_form_is_an_error(self):
        for heading in ("## 0.3 (2027-01-05)", "## 0.3.0", "## Unreleased"):
            with self.assertRaises(changelog.Wrong):
                changelog.entries_of(f"{heading}\n\n- Something.\n")

    def test_what_is_not_released_stands_above_the_versions(self):
        unreleased = "# Changelog\n\n## Unreleased\n\n- Next.\n\n"
        self.assertEqual(changelog.entries_of(unreleased + TEXT), changelog.entries_of(TEXT))
        with self.assertRaises(changelog.Wrong):
            changelog.entries_of(TEXT + "\n## Unreleased\n")

    def test_a_changelog_without_versions_is_an_error(self):
        with self.assertRaises(changelog.Wrong):
            changelog.entries_of("# Changelog\n")


class this_tree(unittest.TestCase):
    def test_its_version_is_the_newest_one(self):
        with open(os.path.join(scripts.ROOT, "CHANGELOG.md"), encoding="utf-8") as file:
            newest = changelog.entries_of(file.read())[0][0]
        with open(os.path.join(scripts.ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
            self.assertIn(f"project(matchcloud VERSION {newest} ", file.read())


POSTRM = pathlib.Path(scripts.ROOT) / "deploy/debian/matchcloud.postrm"
DATA = "/var/lib/matchcloud"


class of_data(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "data"
        self.script = self.folder / "postrm"
        self.script.write_text(POSTRM.read_text(encoding="utf-8").replace(DATA, str(self.data)),
                               encoding="utf-8")

    def run_in(self, prepare, check="true"):
        """Runs the script after `prepare` and before `check`; returns what it says. Mounts end
        with their namespace."""
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-euc",
             f"data={self.data}; {prepare}\nsh {self.script} purge\n{check}"],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_a_folder_is_removed(self):
        self.assertEqual(self.run_in("mkdir -p $data/x; touch $data/x/y", "! test -e $data"), "")

    def test_nothing_is_removed_where_there_is_nothing(self):
        self.assertEqual(self.run_in("true"), "")

    def test_a_mount_point_is_emptied_and_stays(self):
        said = self.run_in("mkdir $data; mount -t tmpfs none $data; touch $data/x",
                           "test -d $data; ! test -e $data/x")
        self.assertIn("is a mount point and stays", said)

    def test_where_a_link_leads_is_said(self):
        self.assertIn(f"the data stay in {self.folder}/elsewhere",
                      self.run_in("mkdir ${data%data}elsewhere; "
                                  "touch ${data%data}elsewhere/x; "
                                  "ln -s ${data%data}elsewhere $data",
                                  "! test -L $data; test -e ${data%data}elsewhere/x"))


if __name__ == "__main__":
    unittest.main()
