#!/usr/bin/env python3
"""Tests which failed cases .ci/again finds, how it runs them again, and what it makes of that."""
import contextlib
import io
import os
import shutil
import tempfile
import unittest
from unittest import mock

import scripts

again = scripts.loaded("../.ci/again")

CTEST_LOG = """\
1/6 Test #3: base .............................***Failed    0.02 sec
-------------------------------------------------------------------------------
a name, with [brackets] and "quotes"
-------------------------------------------------------------------------------
tests/base/clock_test.cpp:12: FAILED:

    Start 5: slow
2/6 Test #4: crash ............................Subprocess aborted***Exception:   0.01 sec
before the crash

3/6 Test #2: model ............................   Passed    0.01 sec

50% tests passed, 2 tests failed out of 4

Label Time Summary:
programs    =   0.02 sec*proc (1 test)

The following tests FAILED:
\t  3 - base (Failed)
\t  4 - crash (Subprocess aborted)
Errors while running CTest
1/1 Test  #12: e2e_limits .....................***Timeout 450.01 sec

0% tests passed, 1 tests failed out of 1

The following tests FAILED:
\t 12 - e2e_limits (Timeout)    programs
Errors while running CTest
"""

TAP = """\
TAP version 13
# Subtest: passes
ok 1 - passes
  ---
  duration_ms: 1.1
  ...
# Subtest: has a \\# and a \\\\, [and] (more)
not ok 2 - has a \\# and a \\\\, [and] (more)
  ---
  duration_ms: 1.4
  location: '{root}/tests/console/live.test.mjs:7:1'
  error: |-
    not ok 9 - in a message

  ...
    # Subtest: inner
    not ok 1 - inner
      ---
      location: '{root}/tests/console/live.test.mjs:9:3'
      ...
    1..1
not ok 3 - outer
  ---
  type: 'suite'
  location: 'file://{root}/tests/console/live.test.mjs:8:1'
  ...
1..3
# pass 1
# fail 3
"""

# Stands for script/test: the cases in the file "broken" fail again, the others pass.
COMMAND = """\
test=${3#^(} test=${test%)$}
echo "$*" >>runs
case=$(cat "$MATCHCLOUD_AGAIN/$test" 2>/dev/null || echo "$test")
echo "ran $case"
if grep -qxF "$case" broken 2>/dev/null; then
  echo "0% tests passed, 1 tests failed out of 1"
  exit 8
fi
echo "100% tests passed, 0 tests failed out of 1"
"""


class in_a_tree(unittest.TestCase):
    def setUp(self):
        self.root = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.root)
        patch = mock.patch.object(again, "ROOT", self.root)
        patch.start()
        self.addCleanup(patch.stop)
        self.write("command", COMMAND)

    def write(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def ctest_failed(self, part, tests):
        """A part whose tests failed, each with a list of failed cases, which may be empty."""
        lines = [f"\t {number} - {test} (Failed)\n" for number, test in enumerate(tests)]
        self.write(f"build/ci/{part}.log", "The following tests FAILED:\n" + "".join(lines))
        for test, cases in tests.items():
            if cases:
                self.write(f"build/ci/failed/{part}/{test}", "".join(f"{each}\n" for each in cases))

    def main(self, *parts):
        """The exit code and the text."""
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            code = again.main([f"{part}=bash command" for part in parts])
        return code, text.getvalue()


class ctest_parts(in_a_tree):
    def test_the_lists_of_all_runs_of_ctest_name_the_tests(self):
        self.assertEqual(again.tests_of_ctest(CTEST_LOG), ["base", "crash", "e2e_limits"])

    def test_a_log_without_a_list_names_none(self):
        self.assertEqual(again.tests_of_ctest("ninja: build stopped\n 3 - base (Failed)\n"), [])

    def test_a_test_that_wrote_no_names_runs_again_as_a_whole(self):
        self.write("build/ci/asan.log", CTEST_LOG)
        self.write("build/ci/failed/asan/base", "one, two\nthree\n")
        self.assertEqual(
            [(case.name, case.command[-1]) for case in again.cases_of("asan", ["test", "asan"])],
            [("base: one, two", "^(base)$"), ("base: three", "^(base)$"),
             ("crash", "^(crash)$"), ("e2e_limits", "^(e2e_limits)$")])

    def test_the_output_of_a_case_begins_with_its_name_and_ends_with_its_test(self):
        case = again.Case("asan", "", [], "base", 'a name, with [brackets] and "quotes"')
        lines = again.excerpt(CTEST_LOG, case).splitlines()
        self.assertEqual(lines[0], '    a name, with [brackets] and "quotes"')
        self.assertNotIn("    before the crash", lines)
        self.assertIn("    before the crash",
                      again.excerpt(CTEST_LOG, again.Case("asan", "", [], "crash")).splitlines())


class node_parts(in_a_tree):
    def test_failed_tests_are_named_with_their_files(self):
        file = "tests/console/live.test.mjs"
        self.assertEqual(again.tests_of_node(TAP.format(root=self.root)),
                         [("has a # and a \\, [and] (more)", file), ("outer", file)])

    def test_a_run_that_was_cut_off_names_none(self):
        self.assertEqual(again.tests_of_node(TAP.partition("1..3")[0]), [])

    def test_the_file_runs_again_or_the_part_of_the_suite(self):
        self.write("build/console/test/results.tap", TAP.format(root=self.root))
        self.write("build/openapi/results.tap", "not ok 1 - a refusal\n  ---\n  location: "
                   f"'{self.root}/build/openapi/matrix.mjs:51:3'\n  ...\n# fail 1\n")
        self.assertEqual(again.cases_of("console", [])[0].command,
                         ["tests/console/run.sh", "tests/console/live.test.mjs"])
        self.assertEqual(again.cases_of("openapi", [])[0].command,
                         ["tests/openapi/run.sh", "matrix"])

    def test_tests_of_one_file_run_again_together(self):
        self.write("build/console/test/results.tap", TAP.format(root=self.root))
        with mock.patch.object(again, "run", return_value=again.Output(True, "")) as run:
            code, text = self.main("console")
        self.assertEqual((run.call_count, code, text.count("ci: unsteady: ")), (1, 0, 2))

    def test_the_output_of_a_test_is_among_the_failing_ones(self):
        log = "✖ slow (5ms)\n✔ good\n✖ failing tests:\n\n✖ other (3ms)\n  a\n\n✖ slow (5ms)\n  b\n"
        self.assertEqual(again.excerpt(log, again.Case("console", "slow", [])),
                         "    ✖ slow (5ms)\n      b\n")


class decision(in_a_tree):
    odd = 'a, [b] * "c" \\ and ~d'

    def test_cases_that_pass_again_are_unsteady(self):
        self.ctest_failed("asan", {"base": [self.odd], "crash": []})
        code, text = self.main("asan")
        self.assertEqual(code, 0)
        self.assertIn(f"ci: unsteady: asan: base: {self.odd}\n", text)
        self.assertIn(f"    ran {self.odd}\n", text)
        self.assertIn("ci: unsteady: asan: crash\n", text)
        with open(os.path.join(self.root, "runs"), encoding="utf-8") as runs:
            self.assertEqual(runs.read(), "-- -R ^(base)$\n-- -R ^(crash)$\n")

    def test_a_case_that_fails_again_fails(self):
        self.ctest_failed("asan", {"base": [self.odd, "late"]})
        self.write("broken", self.odd + "\n")
        code, text = self.main("asan")
        self.assertEqual(code, 1)
        self.assertIn(f"ci: failed again: asan: base: {self.odd}\n", text)
        self.assertIn("ci: unsteady: asan: base: late\n", text)

    def test_what_a_sanitizer_found_does_not_run_again(self):
        self.write("build/ci/asan.log", CTEST_LOG.replace(
            "before the crash", "==7==ERROR: AddressSanitizer: heap-use-after-free"))
        with mock.patch.object(again, "run", return_value=again.Output(True, "")) as run:
            code, text = self.main("asan")
        self.assertEqual(code, 1)
        self.assertIn("ci: failed again: asan: crash\n", text)
        self.assertEqual(run.call_count, 2)

    def test_three_cases_of_all_parts_may_be_unsteady(self):
        self.ctest_failed("asan", {"base": ["a", "b"]})
        self.ctest_failed("postgres", {"store": ["c"]})
        self.assertEqual(self.main("asan", "postgres")[0], 0)
        self.ctest_failed("postgres", {"store": ["c", "d"]})
        code, text = self.main("asan", "postgres")
        self.assertEqual((code, text.count("ci: unsteady: ")), (1, 4))

    def test_a_part_without_a_failed_case_stays_failed(self):
        self.ctest_failed("asan", {"base": ["a"]})
        self.write("build/ci/tidy.log", "lint: 0 passed, 1 failed\n")
        code, text = self.main("asan", "tidy")
        self.assertEqual((code, text.count("ci: unsteady: ")), (1, 1))

    def test_a_broken_change_is_not_run_again(self):
        self.ctest_failed("asan", {"base": [str(number) for number in range(11)]})
        self.assertEqual(self.main("asan")[0], 1)
        self.assertFalse(os.path.exists(os.path.join(self.root, "runs")))

    def test_a_run_of_nothing_does_not_pass(self):
        for output in ("No tests were found!!!\n", "openapi: 0 passed, 0 failed\n"):
            case = again.Case("asan", "base", ["echo", output])
            self.assertFalse(again.run(case).passed)

    def test_the_second_run_does_not_write_names(self):
        case = again.Case("asan", "base", ["bash", "-c", "echo ${MATCHCLOUD_FAILED-none}"])
        with mock.patch.dict(os.environ, {"MATCHCLOUD_FAILED": "/somewhere"}):
            self.assertEqual(again.run(case).text, "none\n")


if __name__ == "__main__":
    unittest.main()
