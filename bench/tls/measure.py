#!/usr/bin/env python3
"""What TLS costs the server, against nginx with the same certificate, suite and curve.

keepalive    listings over --connections, with and without TLS, against a constant of nginx
handshakes   a new connection for each request, with full handshakes and with resumed sessions
memory       --idle connections, with and without TLS
downloads    an image of 2 MB
storm        the p99 of steady requests next to full handshakes, relative to alone. The clients that
             make the handshakes have a lower priority. If other programs use these cores, give
             the benchmark a higher priority than theirs (nice)

Every server has one core and one loop or worker, the load generator has another core. Rounds are
interleaved. Mostly the server's processor time is compared, because the load generator does the
same cryptography and is slower than the server when connections are new.
"""
import handshakes
import kept
import memory
import servers
import storm
from harness import add_parts, parsed, parser_of, positive, processors, run_part, write_result

PARTS = {"keepalive": kept.keepalive, "handshakes": handshakes.measured,
         "memory": memory.measured, "downloads": kept.downloads, "storm": storm.measured}


def parsed_arguments():
    parser = parser_of("tls", __doc__, rounds=9, seconds=2)
    parser.add_argument("--idle", type=positive, default=2_000,
                        help="idle connections (%(default)s)")
    add_parts(parser, PARTS)
    return parsed(parser, idle=300)


def main():
    arguments = parsed_arguments()
    servers.warn_of_no_geoip()
    result, panels, targets = {"geoip": bool(servers.GEOIP)}, [], []
    with servers.ready() as folder:
        tls = servers.certificate(folder)
        for part in arguments.parts:
            result[part], more, judgements = PARTS[part](folder, arguments, tls)
            panels += more
            targets += judgements
    write_result("tls", arguments, processors(), result, panels, targets)


if __name__ == "__main__":
    run_part(main)
