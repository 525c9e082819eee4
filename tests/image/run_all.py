#!/usr/bin/env python3
"""Runs all tests of the image and of deploy/kubernetes. The last line has the counts."""
import sys
import unittest

import image_test

sys.path.insert(0, "tests/kubernetes")
import kubernetes_test  # noqa: E402

load = unittest.defaultTestLoader.loadTestsFromModule
suite = unittest.TestSuite([load(image_test), load(kubernetes_test)])
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2).run(suite)
failed = len(result.failures) + len(result.errors)
print(f"image: {result.testsRun - failed} passed, {failed} failed")
sys.exit(failed > 0)
