#!/usr/bin/env python3
"""Tests what script/path reads from callgrind's output, and the order in which it lists files."""
import os
import unittest

import scripts

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


if __name__ == "__main__":
    unittest.main()
