#!/usr/bin/env python3
"""Tests the rules of script/rules for the tree as a whole."""
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


class bounds(unittest.TestCase):
    def findings(self, line):
        return [number for number, _ in rules.bound_findings(line)]

    def test_an_event_may_take_long(self):
        self.assertEqual(self.findings("CHECK(clock::now() - begun < milliseconds{2'499});"), [1])
        self.assertEqual(self.findings("CHECK(clock::now() - begun < milliseconds{5'000});"), [])
        self.assertEqual(
            self.findings("CHECK(eventually([&] { return on(); }, deadline{milliseconds{900}}));"),
            [1])

    def test_what_must_not_happen_is_awaited_briefly(self):
        self.assertEqual(self.findings("CHECK(!exit_code(deadline{milliseconds{50}}));"), [])


class properties(unittest.TestCase):
    def findings(self, text):
        return [number for number, _ in rules.property_findings(text)]

    def test_a_property_that_nobody_looks_at_is_found(self):
        self.assertEqual(
            self.findings('TEST_CASE("a") {\n  // It holds.\n  rc::check([] {});\n}'), [3])
        self.assertEqual(self.findings("f();\n  rc::check(\"name\", [] {});\n"), [2])

    def test_one_below_a_condition_or_a_cast_is_found(self):
        self.assertEqual(
            self.findings("if (a) rc::check(f);\nelse rc::check(f);\n(void)rc::check(f);\n"),
            [1, 2, 3])

    def test_one_that_is_required_is_fine(self):
        self.assertEqual(self.findings("  REQUIRE(\n      rc::check([] {}));\n"), [])
        self.assertEqual(self.findings("const bool held =\n      rc::check([] {});\n"), [])


if __name__ == "__main__":
    unittest.main()
