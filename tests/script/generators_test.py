"""Tests how script/bench generators reads the output of other load generators."""
import os
import sys
import tempfile
import unittest

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
