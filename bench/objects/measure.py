#!/usr/bin/env python3
"""Exports and downloads with exports and images in a bucket, against a data directory.

exports    a running service's export-history of all lobbies, until the file or object is whole.
downloads  that export, by one client.
images     an image of 100 kB, by many.

The service passes the bucket's bytes on (`--objects-delivery through`): with `redirect`, clients
get them from the bucket. script/bench starts Ceph's gateway for this, which keeps everything in
memory on this machine, so it takes processor time from both sides. Therefore also compare the
processor time of the service alone. Rounds are interleaved, so that whatever else happens on the
machine affects both.
"""
import functools
import hashlib
import os
import shutil
import socket
import statistics
import subprocess
import sys
import time

import chart
import openloop
import servers
from harness import (BINARY, CORES, add_parts, parsed, parser_of, positive, processors,
                     processors_line, run, run_part, write_result)
from histories import FAR, history, post_export, serving
from images import stored_image
from load import bars_of, compare_replies

IMAGE_BYTES = 100_000
PARTS = ("exports", "images")
FILES, BUCKET = "data directory", "bucket"


def parsed_arguments():
    parser = parser_of("objects", __doc__, rounds=5, seconds=5, connections=16)
    parser.add_argument("--lobbies", type=positive, default=1_000_000, metavar="COUNT",
                        help="size of the history (%(default)s)")
    add_parts(parser, PARTS)
    return parsed(parser, lobbies=100_000)


def bucket_keys():
    """Makes a bucket. Returns the options with which commands use it."""
    endpoint = os.environ.get("MATCHCLOUD_TEST_S3")
    if not endpoint:
        sys.exit("bench: this part runs in tests/objects/radosgw: use script/bench objects")
    name = f"bench-{os.getpid()}"
    keys = f"{os.environ['AWS_ACCESS_KEY_ID']}:{os.environ['AWS_SECRET_ACCESS_KEY']}"
    # Without the header, curl signs another content than the gateway expects.
    run(["curl", "-sS", "--fail", "-X", "PUT", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user",
         keys, "-H", f"x-amz-content-sha256: {hashlib.sha256().hexdigest()}",
         f"{endpoint}/{name}"])
    return ["--objects", f"s3://{name}/bench", "--objects-endpoint", endpoint,
            "--objects-path-style"]


def download(address, url):
    """How many bytes the body at `url` has, read by one client."""
    with socket.create_connection((address.host, address.port)) as client:
        target = url.split("/", 3)[3]
        client.sendall(f"GET /{target} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n"
                       .encode())
        buffer = bytearray(1 << 18)
        head = b""
        while b"\r\n\r\n" not in head:
            more = client.recv(4096)
            if not more:
                sys.exit(f"bench: a download ended in its head: {head[:300]!r}")
            head += more
        if not head.startswith(b"HTTP/1.1 200"):
            sys.exit(f"bench: a download was refused: {head[:300]!r}")
        length = len(head.split(b"\r\n\r\n", 1)[1])
        while got := client.recv_into(buffer):
            length += got
    return length


def timed(pid, work):
    """What `work` returns, how long it took, and the processor time of the service meanwhile."""
    spent, began = servers.cpu_seconds(pid), time.monotonic()
    got = work()
    return got, {"seconds": time.monotonic() - began,
                 "cpu_seconds": servers.cpu_seconds(pid) - spent}


def compare_exports(folder, arguments, bucket):
    of = history(arguments.lobbies)
    copy = os.path.join(folder, "copy")
    shutil.copytree(of.path, copy)
    results = {what: {FILES: [], BUCKET: []} for what in ("export", "download")}
    with serving(folder, of, 3_600_000) as files, \
            serving(folder, of, 3_600_000, data=copy, more=bucket) as objects:
        sides = {FILES: files, BUCKET: objects}
        for number in range(arguments.rounds + 1):
            sizes = set()
            for name, (child, address) in sides.items():
                # Another end, so that no export is reused.
                url, made = timed(child.pid, lambda at=address: post_export(
                    at, of.game, 0, FAR + number))
                size, got = timed(child.pid, lambda at=address, of_it=url: download(at, of_it))
                sizes.add(size)
                if number == 0:
                    continue  # a warm-up
                results["export"][name].append(made)
                results["download"][name].append(got)
                print(f"round {number}: {name}: {made}, download {got}", file=sys.stderr)
            if len(sizes) != 1:
                sys.exit(f"bench: exports of the same lobbies have {sizes} bytes")
    size = sizes.pop()
    print(f"\n{arguments.lobbies:,} lobbies, {size / 1e6:,.0f} MB, medians of {arguments.rounds} "
          f"rounds\n  {processors_line(processors())}")
    for what, each in results.items():
        for name, rounds in each.items():
            middle = {key: openloop.median(rounds, key) for key in rounds[0]}
            print(f"  {what:8} {name:14} {size / 1e6 / middle['seconds']:8,.0f} MB/s, "
                  f"{middle['cpu_seconds'] * 1e9 / size:6.2f} s of processor time per GB")
        ratio = statistics.median(two["seconds"] / one["seconds"]
                                  for one, two in zip(each[FILES], each[BUCKET]))
        print(f"  {what:8} with a bucket takes {ratio:.2f} times as long")
    return {"bytes": size, **results}


def compare_images(folder, arguments, bucket):
    """Downloads of the same image, by wrk."""
    image = stored_image(IMAGE_BYTES)

    def put_into_bucket(data):
        line = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(image.file))),
                            "avatar.jsonl")
        run([BINARY, "import", "avatars", "--data-dir", data, *bucket, line],
            stdout=subprocess.DEVNULL)

    service = functools.partial(servers.matchcloud, BINARY, "loops", folder, [], core=CORES[0])
    through = [*bucket, "--objects-delivery", "through"]
    with service(prepare=image.lay) as files, \
            service(prepare=put_into_bucket, arguments=through) as objects:
        return compare_replies(f"GET {image.path} ({IMAGE_BYTES} bytes)",
                               {FILES: files, BUCKET: objects}, arguments, FILES, "GET", image.path)


def panels_of(result):
    panels = []
    if "exports" in result:
        panels.append(chart.bars("Exports", "seconds", {
            what: [openloop.bar(name, rounds, "seconds")
                   for name, rounds in result["exports"][what].items()]
            for what in ("export", "download")}))
    if "images" in result:
        panels.append(chart.bars("Images", "requests per second", {"": bars_of(result["images"])}))
    return panels


def main():
    arguments = parsed_arguments()
    result = {}
    with servers.ready() as folder:
        bucket = bucket_keys()
        if "exports" in arguments.parts:
            result["exports"] = compare_exports(
                folder, arguments, [*bucket, "--objects-delivery", "through"])
        if "images" in arguments.parts:
            result["images"] = compare_images(folder, arguments, bucket)
    write_result("objects", arguments, processors(), result, panels_of(result))


if __name__ == "__main__":
    run_part(main)
