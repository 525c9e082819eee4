#!/usr/bin/env python3
"""Tests what script/build says of a build that belongs to another tree."""
import os
import shutil
import subprocess
import tempfile
import unittest

import scripts


class of_a_copied_tree(unittest.TestCase):
    def test_a_build_of_another_tree_is_to_be_removed(self):
        with tempfile.TemporaryDirectory() as tree:
            folder = os.path.join(tree, "build", "debug")
            os.makedirs(folder)
            os.makedirs(os.path.join(tree, "script"))
            shutil.copy(scripts.path_of("build"), os.path.join(tree, "script", "build"))
            with open(os.path.join(folder, "CMakeCache.txt"), "w", encoding="utf-8") as file:
                file.write("# Made by CMake\nCMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere/tree\n")
            done = subprocess.run([os.path.join(tree, "script", "build"), "debug"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stderr, "script/build: build/debug was configured in "
                                          "/elsewhere/tree. Remove it: "
                                          f"rm -r {os.path.realpath(folder)}\n")


if __name__ == "__main__":
    unittest.main()
