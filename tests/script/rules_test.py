#!/usr/bin/env python3
"""What script/rules says about the tree as a whole."""
import unittest

import scripts

rules = scripts.loaded("rules")


class folders(unittest.TestCase):
    def findings(self, **counts):
        return list(rules.folder_findings(
            [f"{folder.replace('__', '/')}/{number}.cpp" for folder, count in counts.items()
             for number in range(count)]))

    def test_a_folder_may_have_42_files_and_folders_below_it(self):
        self.assertEqual(self.findings(small=42, small__below=42), [])

    def test_one_file_more_is_too_many(self):
        self.assertEqual(self.findings(small=43),
                         ["small has 43 files, at most 42: split it by subject"])

    def test_a_corpus_may_have_any_number(self):
        self.assertEqual(self.findings(tests__fuzz__corpus__framer=85), [])


class makers(unittest.TestCase):
    def findings(self, path, text):
        return [why for _, why in rules.source_findings(path, text)]

    def test_files_and_folders_are_made_in_one_place(self):
        for text in ("::open(path, O_WRONLY | O_CREAT, 0600);", "::mkdir(path, 0700);",
                     "std::ofstream{path};", "fs::create_directories(path);"):
            found = self.findings("store/files/some_file.cpp", text)
            self.assertEqual(len(found), 1, text)
            self.assertIn("base/files/new_entry.hpp", found[0])
            self.assertEqual(self.findings("base/files/new_entry.cpp", text), [])
            self.assertEqual(self.findings("tests/store/some_test.cpp", text), [])

    def test_words_in_comments_and_texts_make_nothing(self):
        self.assertEqual(self.findings("store/files/some_file.cpp", '// mkdir\nf("mkdir");'), [])


if __name__ == "__main__":
    unittest.main()
