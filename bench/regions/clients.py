"""Addresses of clients, and more regions to rank, both determined by a seed."""
import ipaddress
import random

# Addresses that no player can have: IANA's special IPv4 addresses (RFC 6890) and multicast.
NOT_PUBLIC = [ipaddress.ip_network(block) for block in (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
    "192.0.0.0/24", "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24",
    "192.168.0.0/16", "192.175.48.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
    "224.0.0.0/3")]
PROVIDERS = ("Demo Cloud", "Northern Metal", "Edge Nine")
SYLLABLES = ("al", "bo", "ca", "den", "el", "far", "gra", "hol", "in", "ka", "lin", "mo", "nor",
             "os", "per", "ro", "san", "ta", "ur", "ver", "win", "zu")


def addresses(seed, count):
    """`count` distinct public unicast IPv4 addresses, uniformly random."""
    dice = random.Random(seed)
    found = {}
    while len(found) < count:
        address = ipaddress.IPv4Address(dice.getrandbits(32))
        if not any(address in block for block in NOT_PUBLIC):
            found[str(address)] = None
    return list(found)


def catalog(seed, count):
    """A catalog document with `count` regions, at places where cities could be."""
    dice = random.Random(seed)
    return {"regions": [{
        "region_id": f"city-{number:03}",
        "region_display_name": "".join(dice.choices(SYLLABLES, k=dice.randint(2, 4))).title(),
        "provider_display_name": dice.choice(PROVIDERS),
        "datacenter_coord": {"latitude": round(dice.triangular(-50, 65, 35), 4),
                             "longitude": round(dice.uniform(-180, 180), 4)}}
        for number in range(count)]}
