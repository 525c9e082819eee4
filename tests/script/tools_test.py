#!/usr/bin/env python3
"""Tests script/build, script/path and what script/bench reads of other load generators."""
import os
import shutil
import subprocess
import sys
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


path = scripts.loaded("path")

# Two requests. The loop was entered before counting. A library calls back into the tree. A helper
# in two.hpp is inlined into one.cpp and calls a function, too. There is one tick.
TEXT = f"""\
# callgrind format
events: Ir

ob=/usr/lib/libcaf.so
fl=???
fn=caf::resume()
0 20
cob=/matchcloud
cfi={scripts.ROOT}/http/two.cpp
cfn=matchcloud::http::two::answer(int)
calls=2 0
0 60

ob=/matchcloud
fl={scripts.ROOT}/http/loop.cpp
fn=matchcloud::http::loop::run()
10 8
cfi={scripts.ROOT}/http/one.cpp
cfn=matchcloud::http::one::late()
calls=2 0
13 8
cfn=matchcloud::http::one::read(std::vector<int, std::allocator<int> > const&)
calls=2 0
11 80
cob=/usr/lib/libcaf.so
cfi=???
cfn=caf::resume()
calls=2 0
12 80
cfi={scripts.ROOT}/http/tick.cpp
cfn=matchcloud::http::tick()
calls=1 0
9 500

fl={scripts.ROOT}/http/one.cpp
fn=matchcloud::http::one::read(std::vector<int, std::allocator<int> > const&)
20 6
fi={scripts.ROOT}/http/two.hpp
5 10
cfn=matchcloud::http::two::answer(int)
calls=2 0
6 60
fi={scripts.ROOT}/http/inlined.hpp
7 4
fe={scripts.ROOT}/http/one.cpp
21 2

fn=matchcloud::http::one::late()
30 8

fl={scripts.ROOT}/http/two.cpp
fn=matchcloud::http::two::answer(int)
40 120

fl={scripts.ROOT}/http/tick.cpp
fn=matchcloud::http::tick()
50 500
"""


class graph(unittest.TestCase):
    def setUp(self):
        path.REQUESTS = 2
        self.pieces, self.inlined = path.passed(path.call_graph(TEXT))

    def test_files_stand_in_the_order_of_calls_by_line(self):
        self.assertEqual([(piece, [path.shown(each) for each in functions])
                          for piece, functions in self.pieces.items()], [
            ("http/loop", ["http::loop::run"]),
            ("http/one", ["http::one::read", "http::one::late"]),
            ("http/two", ["http::two::answer"])])

    def test_instructions_are_those_of_one_request_with_inlined_code(self):
        self.assertEqual({path.shown(function): cost for functions in self.pieces.values()
                          for function, cost in functions.items()},
                         {"http::loop::run": 4, "http::one::read": 11, "http::one::late": 4,
                          "http::two::answer": 60})

    def test_files_of_inlined_code_alone_are_apart(self):
        self.assertEqual(self.inlined, {"http/inlined": 2})

    def test_a_function_of_the_tree_that_only_a_library_calls_is_reached(self):
        text = TEXT.replace("cfn=matchcloud::http::two::answer(int)\ncalls=2 0\n6 60\n", "")
        pieces, _ = path.passed(path.call_graph(text.replace("12 80", "9 80")))
        self.assertEqual(list(pieces), ["http/loop", "http/two", "http/one"])


class names(unittest.TestCase):
    def test_names_have_no_parameters_and_arguments(self):
        for name, short in {
                "matchcloud::http::(anonymous namespace)::walk(char const*)": "http::walk",
                "void std::f<int, std::g<3> >(int) const": "std::f",
                "matchcloud::a::operator()(int) const::{lambda(int)#1}::operator()(int) const":
                    "a::operator()::{lambda#1}::operator()",
                "matchcloud::a::operator<=>(matchcloud::a const&) const": "a::operator<=>",
                "matchcloud::a::b(int) [clone .part.0]": "a::b"}.items():
            self.assertEqual(path.shown(name), short)

    def test_a_file_outside_of_the_sources_is_not_of_the_tree(self):
        for name in "???", "/usr/include/c++/12/vector", f"{scripts.ROOT}/build/path/made.cpp":
            self.assertIsNone(path.in_tree(name))
        self.assertEqual(path.in_tree(os.path.join(scripts.ROOT, "base", "clock.hpp")),
                         "base/clock.hpp")


ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
for folder in ("bench", "bench/generators", "tests/fixtures/servers"):
    sys.path.append(os.path.join(ROOT, folder))

import tools

WRK = """Running 5s test @ http://127.0.0.1:1
  1 threads and 11 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency     6.05ms    5.89ms  54.79ms   97.61%
    Req/Sec     1.83k    97.26     1.91k    90.00%
  Latency Distribution
     50%    5.12ms
     75%    5.20ms
     90%    980.00us
     99%    1.21s
  9085 requests in 5.00s, 0.87MB read
Requests/sec:   1816.70
"""
AB = """Complete requests:      9197
Percentage of the requests served within a certain time (ms)
  99%     13
 100%     58 (longest request)
"""
HEY = """
Summary:
  Total:\t5.0071 secs
  Slowest:\t0.0555 secs
Latency distribution:
  50%% in 0.0051 secs
  99%% in 0.0501 secs

Status code distribution:
  [200]\t9900 responses
"""
AUTOCANNON = '{"2xx":10195,"latency":{"p50":5,"p99":47,"max":70}}\n'


class ReadsOthers(unittest.TestCase):
    def read(self, make, text, **files):
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                with open(os.path.join(folder, name.replace("_", ".")), "w",
                          encoding="utf-8") as file:
                    file.write(content)
            return make("/bin/true").read(text, folder)

    def test_wrk(self):
        self.assertEqual(self.read(tools.wrk, WRK), (9085, 5.12, 1210.0, 54.79))

    def test_ab(self):
        table = "Percentage served,Time in ms\n" + "".join(
            f"{each},{each / 10}\n" for each in range(100))
        self.assertEqual(self.read(tools.ab, AB, ab_csv=table), (9197, 5.0, 9.9, 58.0))

    def test_hey(self):
        said = self.read(tools.hey, HEY)
        for found, wanted in zip(said, (9900, 5.1, 50.1, 55.5)):
            self.assertAlmostEqual(found, wanted)

    def test_autocannon(self):
        self.assertEqual(self.read(tools.autocannon, AUTOCANNON), (10195, 5.0, 47.0, 70.0))

    def test_ours(self):
        report = '{"answered":7,"latency_us":{"p50":5000,"p99":5100.5,"max":6000}}'
        said = self.read(tools.ours, "", report_json=report)
        for found, wanted in zip(said, (7, 5.0, 5.1005, 6.0)):
            self.assertAlmostEqual(found, wanted)


if __name__ == "__main__":
    unittest.main()
