"""Requests and downloads over keep-alive connections: rate, and the server's processor time."""
import contextlib

import chart
import servers
import wire
from harness import CORES
from images import stored_image
from load import PLAYER, bars_of, compare_replies, quotients
from peers import (LOOPS, NGINX, PATH, PLAIN_LOOPS, PLAIN_NGINX, compared, matchcloud, pair,
                   shown)

IMAGE_BYTES = 2_000_000
REQUEST_TARGET, DOWNLOAD_TARGET = 0.95, 0.9
BY_CPU = "requests_per_cpu_second"


def cpu_quotients(results, dividend, divisor):
    return quotients(results[dividend]["rounds"], results[divisor]["rounds"], BY_CPU)


def keepalive(folder, arguments, tls):
    """Listings with and without TLS, by matchcloud and (a constant) by nginx."""
    with contextlib.ExitStack() as stack:
        listening = dict(zip((LOOPS, NGINX, PLAIN_LOOPS, PLAIN_NGINX),
                             (*pair(stack, folder, tls), *pair(stack, folder, None))))
        results = compare_replies(f"GET {PATH}", listening, arguments, NGINX, "GET", PATH,
                                  headers=[PLAYER])
    ratios = {f"{dividend} to {divisor}": cpu_quotients(results, dividend, divisor)
              for dividend, divisor in ((LOOPS, NGINX), (PLAIN_LOOPS, PLAIN_NGINX),
                                        (LOOPS, PLAIN_LOOPS), (NGINX, PLAIN_NGINX))}
    print("  requests per second of the server's processor")
    for what, quartiles in ratios.items():
        shown(what, quartiles)
    verdict = compared("TLS requests per second of the server's processor, to nginx",
                       cpu_quotients(results, LOOPS, NGINX), REQUEST_TARGET)
    panel = chart.bars(f"GET {PATH}", "requests per second", {"": bars_of(results)})
    return {"rounds": results, "cpu_ratios": ratios}, [panel], [verdict]


def downloads(folder, arguments, tls):
    """Downloads of an image, the same file for both servers."""
    image = stored_image(IMAGE_BYTES)
    with contextlib.ExitStack() as stack:
        ours = matchcloud(stack, folder, tls, prepare=image.lay)
        reply = wire.fetch(ours[1], path=image.path)
        theirs = stack.enter_context(servers.nginx(reply, folder, core=CORES[0],
                                                   body_file=image.file, tls=tls))
        results = compare_replies(f"GET an image of {IMAGE_BYTES:,} bytes",
                                  {LOOPS: ours, NGINX: theirs}, arguments, NGINX, "GET",
                                  image.path)
    ratio = cpu_quotients(results, LOOPS, NGINX)
    shown("downloads per second of the server's processor, to nginx", ratio)
    verdict = compared("TLS downloads per second of the server's processor, to nginx", ratio,
                       DOWNLOAD_TARGET)
    panel = chart.bars(f"An image of {IMAGE_BYTES:,} bytes", "downloads per second",
                       {"": bars_of(results)})
    return {"rounds": results, "cpu_ratio": ratio}, [panel], [verdict]
