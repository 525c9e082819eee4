#!/usr/bin/env python3
"""Tests what script/times reads of ninja."""
import os
import unittest

import scripts

times = scripts.loaded("times")


class of_ninja(unittest.TestCase):
    def test_units_have_the_seconds_of_their_last_build(self):
        log = ("# ninja log v5\n"
               "10\t1510\t1\tCMakeFiles/matchcloud_store.dir/units/store/s3.cpp.o\tab\n"
               "0\t9000\t1\ttests/CMakeFiles/test_base.dir/base/clock_test.cpp.o\tab\n"
               "10\t2010\t2\tCMakeFiles/matchcloud_store.dir/units/store/s3.cpp.o\tab\n"
               "0\t500\t1\tlibmatchcloud_store.a\tab\n")
        self.assertEqual(times.units_of(log),
                         {"units/store/s3.cpp": 2.0, "base/clock_test.cpp": 9.0})

    def test_headers_of_the_tree_count_once_per_unit(self):
        here = os.path.join(times.ROOT, "base", "error.hpp")
        deps = (f"a.cpp.o: #deps 2, deps mtime 1 (VALID)\n    /usr/include/vector\n    {here}\n"
                f"\nb.cpp.o: #deps 1, deps mtime 1 (VALID)\n    {here}\n")
        self.assertEqual(dict(times.includers_of(deps)), {"base/error.hpp": 2})


if __name__ == "__main__":
    unittest.main()
