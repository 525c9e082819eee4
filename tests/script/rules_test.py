#!/usr/bin/env python3
"""What script/rules says about the tree as a whole."""
import unittest

import scripts

rules = scripts.loaded("rules")


class folders(unittest.TestCase):
    def setUp(self):
        rules.LARGER_FOLDERS = ["large"]

    def findings(self, **counts):
        return list(rules.folder_findings(
            [f"{folder.replace('__', '/')}/{number}.cpp" for folder, count in counts.items()
             for number in range(count)]))

    def test_a_folder_may_have_42_files_and_folders_below_it(self):
        self.assertEqual(self.findings(large=43, small=42, small__below=42), [])

    def test_one_file_more_is_too_many(self):
        self.assertEqual(self.findings(large=43, small=43),
                         ["small has 43 files, at most 42: split it by subject"])

    def test_an_exception_that_is_no_longer_needed_is_told(self):
        self.assertEqual(self.findings(large=42),
                         ["LARGER_FOLDERS: large has 42 files, at most 42: take it out"])
        self.assertEqual(self.findings(),
                         ["LARGER_FOLDERS: large has 0 files, at most 42: take it out"])

    def test_a_corpus_may_have_any_number(self):
        self.assertEqual(self.findings(large=43, tests__fuzz__corpus__framer=85), [])


if __name__ == "__main__":
    unittest.main()
