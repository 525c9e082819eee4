"""The image that tests/image/run.sh built, and the package in it."""
import functools
import glob
import json
import os
import subprocess
import tarfile

from container import User

HERE = "build/image"
ROOT = os.environ.get("IMAGE_ROOT", "")
PROGRAM = "/usr/bin/matchcloud"


@functools.cache
def config():
    """The image's configuration, in Docker's terms."""
    with open(f"{HERE}/inspect.json", encoding="utf-8") as file:
        return json.load(file)["Docker"]["config"]


def environment(**more):
    return dict(each.split("=", 1) for each in config()["Env"]) | more


def command():
    return [*config()["Entrypoint"], *config()["Cmd"]]


def user():
    uid, gid = config()["User"].split(":")
    return User(int(uid), int(gid))


def layers():
    """The compressed layers, the lowest first."""
    def blob(digest):
        return f"{HERE}/oci/blobs/{digest.replace(':', '/')}"

    with open(f"{HERE}/oci/index.json", encoding="utf-8") as file:
        manifest = json.load(file)["manifests"][0]["digest"]
    with open(blob(manifest), encoding="utf-8") as file:
        return [blob(each["digest"]) for each in json.load(file)["layers"]]


def files_of_layer(layer):
    with tarfile.open(layer) as found:
        return {"/" + each.name.lstrip("./") for each in found if not each.isdir()}


def package():
    return glob.glob(f"{HERE}/context/matchcloud_*.deb")[0]


def files_of_package():
    listing = subprocess.run(["dpkg-deb", "--contents", package()], check=True, text=True,
                             capture_output=True).stdout
    # Mode, owner, size, date, time and name. Names of links are followed by `-> TARGET`.
    lines = [line.split(None, 5) for line in listing.splitlines() if not line.startswith("d")]
    return {line[5].split(" -> ")[0].lstrip(".") for line in lines}


def version_of_package():
    return subprocess.run(["dpkg-deb", "--field", package(), "Version"], check=True, text=True,
                          capture_output=True).stdout.strip()
