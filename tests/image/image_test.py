"""The image, and the service in its unpacked root."""
import json
import os
import unittest

import built_image
from built_image import PROGRAM, ROOT
from container import Container, User, volume

SIZE_LIMIT_BYTES = 60_000_000
DATA = "/var/lib/matchcloud"
OPS = 8081
SERVED = {"MATCHCLOUD_LISTEN": "127.0.0.1:8080"}
# A user that the image does not have, in root's group like OpenShift's users.
STRANGER = User(12345, 0)


def serve(user=STRANGER, owner=None, **environment):
    """Runs the image's service, with a data directory of the owner."""
    return Container(ROOT, built_image.command(), built_image.environment(**environment), user,
                     [volume(DATA, owner or user)])


class Image(unittest.TestCase):
    def test_is_small(self):
        sizes = [os.path.getsize(layer) for layer in built_image.layers()]
        print(f"{sum(sizes) / 1e6:.1f} MB compressed:", *(f"{each / 1e6:.1f}" for each in sizes))
        self.assertLess(sum(sizes), SIZE_LIMIT_BYTES)

    def test_has_nothing_of_the_package_manager(self):
        layers = built_image.layers()
        above = set().union(*(built_image.files_of_layer(layer) for layer in layers[1:]))
        left = [each for each in above
                if each.startswith(("/var/lib/apt/lists/", "/var/cache/", "/var/log/", "/tmp/"))
                or each.endswith(".deb")]
        # Overlays mark removed files by files whose names begin with .wh.
        self.assertEqual([each for each in left if "/.wh." not in each], [])

    def test_has_of_the_package_what_runs(self):
        added = built_image.files_of_layer(built_image.layers()[-1])
        self.assertIn(PROGRAM, added)
        self.assertLessEqual(added, built_image.files_of_package())

    def test_has_a_data_directory_for_its_user_and_group(self):
        found = os.stat(ROOT + DATA)
        self.assertEqual(User(found.st_uid, found.st_gid), built_image.user())
        self.assertEqual(found.st_mode & 0o7777, 0o770)

    def test_says_how_to_run_it(self):
        config = built_image.config()
        self.assertNotEqual(built_image.user().uid, 0)
        self.assertEqual(config["Healthcheck"]["Test"], ["CMD", PROGRAM, "health"])
        self.assertEqual(list(config["Volumes"]), [DATA])
        self.assertEqual(config["Labels"]["org.opencontainers.image.version"],
                         built_image.version_of_package())


class Service(unittest.TestCase):
    def test_serves_as_any_user_without_capabilities(self):
        for user in (STRANGER, built_image.user(), User(65534, 65534)):
            with self.subTest(user), serve(user, **SERVED) as service:
                service.wait_for_output("ops plane on")
                self.assertEqual(service.status("Uid"), [str(user.uid)] * 4)
                for capabilities in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
                    self.assertEqual(int(service.status(capabilities)[0], 16), 0)
                self.assertEqual(service.status("NoNewPrivs"), ["1"])
                self.assertEqual(service.ask(8080, "GET", "/matchmaker/regions")[0], 200)
                status, body = service.ask(8080, "POST", "/cloud/groups/validate",
                                           '{"display_name": ""}',
                                           headers={"Content-Type": "application/json"})
                self.assertEqual(status, 200)
                self.assertTrue(json.loads(body)["errors"])
                self.assertEqual(service.run("/usr/bin/touch", "/usr/written").returncode, 1)

    def test_serves_from_a_volume_of_its_group(self):
        with serve(STRANGER, User(0, 0), **SERVED) as service:
            service.wait_for_output("ops plane on")
            self.assertEqual(service.run(PROGRAM, "demo").returncode, 0)
            service.wait_until(
                lambda: '"lon"' in service.ask(8080, "GET", "/matchmaker/regions")[1])

    def test_refuses_to_be_open_to_all_unless_that_is_said(self):
        with serve() as service:
            self.assertEqual(service.wait(), 2)
            self.assertIn("--insecure-open", service.errors())
        with serve(MATCHCLOUD_INSECURE_OPEN="true") as service:
            service.wait_for_output("listening on http://0.0.0.0:8080")

    def test_health_check_follows_readiness(self):
        with serve(MATCHCLOUD_DRAIN_DELAY_MS="60000", **SERVED) as service:
            service.wait_for_output("ops plane on")
            check = built_image.config()["Healthcheck"]["Test"][1:]
            well = service.run(*check)
            self.assertEqual((well.returncode, well.stderr), (0, ""))
            os.kill(service.pid, 15)
            service.wait_for_log("not ready any more")
            ill = service.run(*check)
            self.assertEqual(ill.returncode, 1)
            self.assertIn('"reason":"draining"', ill.stderr)

    def test_sigterm_ends_process_one_in_time(self):
        with serve(**SERVED) as service:
            service.wait_for_output("ops plane on")
            code, seconds = service.stop()
            self.assertEqual(code, 0, service.errors())
            self.assertLess(seconds, 10)  # when Docker would kill it


if __name__ == "__main__":
    unittest.main()
