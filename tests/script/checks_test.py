#!/usr/bin/env python3
"""Tests script/rules, script/prose and the commands that the test of the pages finds."""
import os
import sys
from unittest import mock
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


sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs"))

import shell_blocks


def commands(text):
    return [(one.text, one.expected) for block in shell_blocks.blocks_of(text)
            for one in shell_blocks.commands_of(block)]


class Commands(unittest.TestCase):
    def test_a_here_document_belongs_to_its_command(self):
        page = "```console\n$ cat > it <<'END'\n$ one\n\n  two\nEND\n$ wc -l it\n3 it\n```\n"
        self.assertEqual(commands(page), [("cat > it <<'END'\n$ one\n\n  two\nEND", []),
                                          ("wc -l it", ["3 it"])])

    def test_a_backslash_continues_a_command(self):
        self.assertEqual(commands("```console\n$ one \\\n  two\nthree\n```\n"),
                         [("one \\\n  two", ["three"])])


class Server(unittest.TestCase):
    def test_a_page_may_start_its_own(self):
        self.assertTrue(shell_blocks.starts_its_own("# It\n\n<!-- server: none -->\n"))
        self.assertEqual(shell_blocks.server_arguments("<!-- server: none -->\n"), [])

    def test_a_page_may_name_arguments(self):
        page = "<!-- server: --loops 1 -->\n"
        self.assertFalse(shell_blocks.starts_its_own(page))
        self.assertEqual(shell_blocks.server_arguments(page), ["--loops", "1"])


if __name__ == "__main__":
    unittest.main()
