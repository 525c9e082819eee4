#!/usr/bin/env python3
"""Tests what script/prose finds in pages, messages and comments."""
import unittest
from unittest import mock

import scripts

prose = scripts.loaded("prose")


def lines_of(findings):
    return [number for number, _ in findings]


class pages(unittest.TestCase):
    def test_old_words_are_found_outside_code(self):
        page = ["It is seldom so.", "", "`seldom` is a word.", "", "```", "seldom", "```", "",
                "    seldom"]
        self.assertEqual(lines_of(prose.page_findings(page)), [1])

    def test_a_table_that_the_program_prints_is_not_the_pages(self):
        page = ["<!-- keys -->", "| seldom |", "", "| seldom |"]
        self.assertEqual(lines_of(prose.page_findings(page)), [4])

    def test_a_line_that_ends_early_is_found(self):
        long = "word " * 20
        self.assertEqual(lines_of(prose.page_findings(["Short", "line.", "", long, "end."])), [1])

    def test_items_tables_and_links_begin_lines(self):
        link = "[a long link](https://example.com/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)"
        page = ["Items:", "- one", "- two", "", "| a |", "|---|", "", "See also", link]
        self.assertEqual(lines_of(prose.page_findings(page)), [])


class sources(unittest.TestCase):
    def test_messages_are_searched_and_names_are_not(self):
        source = ['const auto beside = fail("It is not beside the file.");', "beside();"]
        self.assertEqual(lines_of(prose.source_findings(source)), [1])

    def test_comments_are_searched(self):
        source = ["/// Whoever calls this.", "int called();", "// `whoever` is an argument."]
        self.assertEqual(lines_of(prose.comment_findings(source)), [1])

    def test_tests_and_benchmarks_are_searched(self):
        source = '// It is seldom so.\nTEST_CASE("a file is made anew") {\n'
        for path, lines in (("tests/a/a_test.cpp", [1, 2]), ("bench/a.hpp", [1, 2]), ("a.cpp", [])):
            with mock.patch("builtins.open", mock.mock_open(read_data=source)):
                self.assertEqual(lines_of(prose.findings(path)), lines, path)

    def test_words_in_comments_of_scripts_are_searched_without_their_code(self):
        source = ["// It is seldom so; `a", "// seldom` is code.", 'const seldom = "seldom";',
                  "/** It is made anew. */", "/**", " * Mends nothing.",
                  ' * @param {import("./mends.js").Mend} mend', " *   mends", " */"]
        self.assertEqual(lines_of(prose.script_findings(source)), [1, 4, 6, 8])

    def test_a_comment_that_ends_early_is_found(self):
        source = ["/// One two", "/// three.", "/// Another sentence", "///   code", "/// - item"]
        self.assertEqual(lines_of(prose.comment_findings(source)), [1])


if __name__ == "__main__":
    unittest.main()
