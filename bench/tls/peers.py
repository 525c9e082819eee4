"""The servers of this part, and the comparison of two of them over interleaved rounds."""
import servers
import wire
from harness import BINARY, CORES, judged
from load import PLAYER

PATH = "/matchmaker/regions"
LOOPS, NGINX, PLAIN_LOOPS, PLAIN_NGINX = "loops, TLS", "nginx, TLS", "loops, plain", "nginx, plain"


def matchcloud(stack, folder, tls, **more):
    return stack.enter_context(servers.matchcloud(
        BINARY, "loops", folder, servers.GEOIP, core=CORES[0], tls=tls, **more))


def pair(stack, folder, tls, **more):
    """matchcloud, started with `more`, and an nginx that returns the bytes of its listing: (child,
    address) of each. Both use TLS with the certificate `tls`, if any."""
    ours = matchcloud(stack, folder, tls, **more)
    reply = wire.fetch(ours[1], path=PATH, headers=[PLAYER])
    theirs = stack.enter_context(servers.nginx(reply, folder, core=CORES[0], tls=tls))
    if tls:
        for _, address in (ours, theirs):
            check_spoken(address)
    return ours, theirs


def check_spoken(address):
    """Checks the protocol and cipher, because both servers must do the same work."""
    with wire.connect(address) as connection:
        spoken = connection.version(), connection.cipher()[0]
    if spoken != ("TLSv1.3", servers.TLS_SUITE):
        raise SystemExit(f"bench: {address.url} uses {spoken}")


def shown(what, quartiles):
    low, middle, high = quartiles
    print(f"  {what:66} {middle:.3f}, half of the rounds {low:.3f} to {high:.3f}")


def compared(what, quartiles, at_least, doubt=""):
    """The verdict on a ratio. Quartiles on both sides of the target also cast doubt on it."""
    low, middle, high = quartiles
    if not doubt and low < at_least <= high:
        doubt = f"half of the rounds have {low:.2f} to {high:.2f}"
    return judged(what, middle, at_least=at_least, doubt=doubt)
