"""Tests which commands the docs test finds in a page."""
import os
import sys
import unittest

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
