#!/usr/bin/env python3
"""What removing the package leaves of the data, wherever they are."""
import pathlib
import subprocess
import tempfile
import unittest

import scripts

POSTRM = pathlib.Path(scripts.ROOT) / "deploy/debian/matchcloud.postrm"
DATA = "/var/lib/matchcloud"


class of_data(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.data = self.folder / "data"
        self.script = self.folder / "postrm"
        self.script.write_text(POSTRM.read_text(encoding="utf-8").replace(DATA, str(self.data)),
                               encoding="utf-8")

    def run_in(self, prepare, check="true"):
        """Runs the script after `prepare` and before `check`; returns what it says. Mounts end
        with their namespace."""
        done = subprocess.run(
            ["unshare", "--mount", "sh", "-euc",
             f"data={self.data}; {prepare}\nsh {self.script} purge\n{check}"],
            capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_a_folder_is_removed(self):
        self.assertEqual(self.run_in("mkdir -p $data/x; touch $data/x/y", "! test -e $data"), "")

    def test_nothing_is_removed_where_there_is_nothing(self):
        self.assertEqual(self.run_in("true"), "")

    def test_a_mount_point_is_emptied_and_stays(self):
        said = self.run_in("mkdir $data; mount -t tmpfs none $data; touch $data/x",
                           "test -d $data; ! test -e $data/x")
        self.assertIn("is a mount point and stays", said)

    def test_where_a_link_leads_is_said(self):
        self.assertIn(f"the data stay in {self.folder}/elsewhere",
                      self.run_in("mkdir ${data%data}elsewhere; "
                                  "touch ${data%data}elsewhere/x; "
                                  "ln -s ${data%data}elsewhere $data",
                                  "! test -L $data; test -e ${data%data}elsewhere/x"))


if __name__ == "__main__":
    unittest.main()
