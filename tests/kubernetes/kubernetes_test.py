"""Tests deploy/kubernetes: by the schemas, by itself, and as a pod in the image's root."""
import dataclasses
import functools
import json
import re
import shutil
import subprocess
import tempfile
import unittest

import built_image
from built_image import PROGRAM, ROOT
from container import Container, User, files, volume

FOLDER = "deploy/kubernetes"
# The time for cleaning up at the end of the drain, by docs/operating.md.
CLEANING_UP_MS = 2000


def check(folder):
    """What manifests.mjs finds in a folder."""
    found = subprocess.run(["node", "build/kubernetes/manifests.mjs", folder], check=True,
                           text=True, capture_output=True)
    return json.loads(found.stdout)


@functools.cache
def checked():
    return check(FOLDER)


def objects(kind):
    return [each["object"] for each in checked()["objects"] if each["object"]["kind"] == kind]


def pod():
    return objects("Deployment")[0]["spec"]["template"]


def container():
    return pod()["spec"]["containers"][0]


def environment():
    """The variables from which kustomize makes a ConfigMap."""
    with open(f"{FOLDER}/matchcloud.env", encoding="utf-8") as file:
        lines = [line.strip() for line in file if line.strip() and not line.startswith("#")]
    return dict(line.split("=", 1) for line in lines)


def ports():
    return {each["name"]: each["containerPort"] for each in container()["ports"]}


@dataclasses.dataclass
class Secret:
    """A Secret as it is mounted."""
    files: dict
    mode: int


def secrets():
    """The folders where Secrets are mounted."""
    contents = {each["metadata"]["name"]: each["stringData"] for each in objects("Secret")}
    volumes = {each["name"]: each for each in pod()["spec"]["volumes"]}
    mounted = {each["mountPath"]: volumes[each["name"]].get("secret")
               for each in container()["volumeMounts"]}
    return {path: Secret(contents[each["secretName"]], each["defaultMode"])
            for path, each in mounted.items() if each}


class Manifests(unittest.TestCase):
    def test_are_valid_by_the_schemas(self):
        self.assertEqual(checked()["problems"], [])

    def test_are_all_in_the_kustomization(self):
        named = set(checked()["kustomization"]["resources"])
        self.assertEqual({each["file"] for each in checked()["objects"]},
                         named | {"secret.example.yaml"})

    def test_kustomization_has_known_fields(self):
        # npm has no schema for it.
        self.assertLessEqual(set(checked()["kustomization"]),
                             {"apiVersion", "kind", "resources", "images", "configMapGenerator"})

    def test_image_is_that_of_this_version(self):
        version = subprocess.run([f"{ROOT}{PROGRAM}", "--version"], check=True, text=True,
                                 capture_output=True).stdout.split()[1]
        self.assertEqual([each["newTag"] for each in checked()["kustomization"]["images"]],
                         [version])

    @unittest.skipUnless(shutil.which("kubectl"), "kubectl is not installed")
    def test_are_what_kubectl_makes_of_them(self):
        made = subprocess.run(["kubectl", "kustomize", FOLDER], check=True, text=True,
                              capture_output=True).stdout
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/made.yaml", "w", encoding="utf-8") as file:
                file.write(made)
            found = check(folder)
        self.assertEqual(found["problems"], [])
        by_kind = {each["object"]["kind"]: each["object"] for each in found["objects"]}
        self.assertEqual(by_kind["ConfigMap"]["data"], environment())

    def test_select_the_pods(self):
        labels = pod()["metadata"]["labels"]
        budget = objects("PodDisruptionBudget")[0]["spec"]["selector"]["matchLabels"]
        for selector in (objects("Service")[0]["spec"]["selector"], budget,
                         objects("Deployment")[0]["spec"]["selector"]["matchLabels"]):
            self.assertEqual(selector, labels)

    def test_lead_to_ports_where_the_program_listens(self):
        listens = {"http": environment()["MATCHCLOUD_LISTEN"],
                   "ops": environment()["MATCHCLOUD_OPS_LISTEN"]}
        for name, listen in listens.items():
            self.assertEqual(ports()[name], int(re.search(r":(\d+)", listen).group(1)))
        for each in objects("Service")[0]["spec"]["ports"]:
            self.assertIn(each["targetPort"], ports())

    def test_give_the_drain_its_time(self):
        grace_ms = pod()["spec"]["terminationGracePeriodSeconds"] * 1000
        drain_ms = sum(int(environment()[f"MATCHCLOUD_DRAIN_{each}_MS"])
                       for each in ("DELAY", "TIMEOUT"))
        self.assertGreaterEqual(grace_ms, drain_ms + CLEANING_UP_MS)
        self.assertNotIn("lifecycle", container())  # a preStop hook would use part of this time

    def test_notice_a_drain_before_it_begins(self):
        probe = container()["readinessProbe"]
        notices_ms = 1000 * probe["periodSeconds"] * (probe["failureThreshold"] + 1)
        self.assertGreater(int(environment()["MATCHCLOUD_DRAIN_DELAY_MS"]), notices_ms)

    def test_are_restricted(self):
        # https://kubernetes.io/docs/concepts/security/pod-security-standards/
        whole, own = pod()["spec"]["securityContext"], container()["securityContext"]
        self.assertTrue(whole["runAsNonRoot"])
        self.assertEqual(whole["seccompProfile"], {"type": "RuntimeDefault"})
        self.assertFalse(own["allowPrivilegeEscalation"])
        self.assertEqual(own["capabilities"], {"drop": ["ALL"]})
        self.assertTrue(own["readOnlyRootFilesystem"])
        for each in pod()["spec"]["volumes"]:
            self.assertTrue({"secret", "emptyDir"} & set(each))

    def test_replace_one_pod_after_the_other(self):
        spec = objects("Deployment")[0]["spec"]
        self.assertEqual(spec["replicas"], 3)
        self.assertEqual(spec["strategy"]["rollingUpdate"]["maxUnavailable"], 0)

    def test_mount_every_file_that_the_environment_names(self):
        mounted = {f"{path}/{name}" for path, each in secrets().items() for name in each.files}
        named = {value for value in environment().values() if value.startswith("/")}
        self.assertLessEqual(named, mounted)

    def test_let_the_group_read_secrets_and_nobody_else(self):
        for path, each in secrets().items():
            self.assertEqual(each.mode, 0o440, path)


class Pod(unittest.TestCase):
    """A pod that waits for its database, which is out of reach."""

    @classmethod
    def setUpClass(cls):
        context = pod()["spec"]["securityContext"]
        user = User(context["runAsUser"], context["runAsGroup"])
        mounts = ['mount -t tmpfs tmpfs "$root"/run', volume("/var/lib/matchcloud", user)]
        mounts += [files(path, cls.usable(each.files), context["fsGroup"], each.mode)
                   for path, each in secrets().items()]
        cls.pod = Container(ROOT, built_image.command(),
                            built_image.environment(**environment()), user, mounts)
        cls.addClassCleanup(cls.pod.__exit__)
        cls.log = cls.pod.wait_for_log("retrying once a second")

    @staticmethod
    def usable(contents):
        """A Secret's files, with a real certificate in place of the placeholder."""
        if "tls.crt" not in contents:
            return contents
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([f"{ROOT}{PROGRAM}", "tls", "self-signed", "--out-dir", f"{folder}/tls",
                            "--host", "matchcloud"], check=True, capture_output=True)
            pair = []
            for name in ("cert.pem", "key.pem"):
                with open(f"{folder}/tls/{name}", encoding="utf-8") as file:
                    pair.append(file.read())
        return dict(zip(("tls.crt", "tls.key"), pair))

    def probe(self, name):
        """The status that the kubelet gets."""
        asked = container()[name]["httpGet"]
        return self.pod.ask(ports()[asked["port"]], "GET", asked["path"],
                            secure=asked["scheme"] == "HTTPS")

    def test_knows_every_variable(self):
        self.assertNotIn("is not a configuration key", self.log)

    def test_takes_every_file(self):
        self.assertNotIn("access", self.log)  # a warning that all users have access to a secret
        self.assertIn("db.example", self.log)  # from the service file

    def test_is_alive_and_not_ready_while_the_store_is_away(self):
        self.assertEqual(self.probe("startupProbe")[0], 200)
        self.assertEqual(self.probe("livenessProbe")[0], 200)
        status, body = self.probe("readinessProbe")
        self.assertEqual((status, json.loads(body)), (503, {"ready": False, "reason": "starting"}))

    def test_health_needs_no_certificate_for_loopback(self):
        health = self.pod.run(PROGRAM, "health")
        self.assertEqual(health.returncode, 1)
        self.assertIn("https://127.0.0.1:8081/readyz: it returned status 503", health.stderr)

    def test_zz_ends_at_once_while_it_waits(self):
        code, seconds = self.pod.stop()
        self.assertEqual(code, 0, self.pod.errors())
        self.assertLess(seconds, pod()["spec"]["terminationGracePeriodSeconds"])


if __name__ == "__main__":
    unittest.main()
