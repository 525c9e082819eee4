#!/usr/bin/env python3
"""Makes geodesics.csv: pairs of places and their distance on WGS-84, to over 30 digits.

    tests/model/regions/geodesics.py > tests/model/regions/geodesics.csv  (python3-mpmath; a minute)

Neither the build nor a test runs this; the file that it makes is committed. The method shares
nothing with GeographicLib's series, and uses no series at all.

Method. Bessel maps a geodesic of the ellipsoid to a great circle of the auxiliary sphere: with
reduced latitudes beta, tan beta = (1-f) tan phi; alpha0 the azimuth at the circle's node,
sin alpha0 = sin alpha1 cos beta1; sigma the arc from the node; k^2 = e'^2 cos^2 alpha0,

    s12      = b * integral over sigma1..sigma2 of sqrt(1 + k^2 sin^2)
    lambda12 = omega12 - f sin alpha0 *
               integral over sigma1..sigma2 of (2-f) / (1 + (1-f) sqrt(1 + k^2 sin^2))

(Bessel 1825; in this notation Karney 2013, "Algorithms for geodesics", equations 7 and 8.) Both
integrals are computed directly, by Gauss-Legendre quadrature at DIGITS digits until it agrees with
itself. Swapping and mirroring brings any pair to phi1 <= 0, |phi2| <= -phi1, 0 <= lambda12 <= pi.
lambda12 then goes from 0 to pi as alpha1 does, through each value once (Karney 2013, section 4), so
the azimuth for the wanted lambda12 is found between brackets that only close. This works near
antipodes, too, where iterations on lambda such as Vincenty's do not converge. Meridians (poles, and
lambda12 of 0 or pi) need no azimuth. Between places on the equator, the path follows the equator up
to lambda12 = (1-f) pi; beyond that it leaves the equator, from node to node.

Before anything is written, these are checked: published values; for some pairs, that integrating
the geodesic's equation of motion in three dimensions from the start ends at the other place; for
nearly antipodal pairs, that none of many detours is shorter.

Coordinates are IEEE doubles, written so that they read back as the doubles whose exact values the
distance belongs to. No distance is so near to half a metre or half a thousandth of a mile that an
accurate computation in doubles could round it to the other side.
"""
import random
import struct
import sys
from decimal import Decimal

from mpmath import mp, mpf

SEED = 6
DIGITS = 60
DECIMALS = 24
TIE_MARGIN = mpf("1e-4")  # of a metre, or of a thousandth of a mile

mp.dps = DIGITS
A = mpf(6378137)
F = 1 / mpf("298.257223563")
B = A * (1 - F)
SECOND_E2 = F * (2 - F) / (1 - F) ** 2  # e'^2
MILE = mpf("1609.344")
RESIDUAL = mpf(10) ** (18 - DIGITS)


def integral(of, begin, end):
    value, error = mp.quad(of, [begin, end], method="gauss-legendre", error=True)
    if error > mpf(10) ** (8 - DIGITS):
        raise ArithmeticError(f"quadrature is off by {error}")
    return value


def arc_length(k2, begin, end):
    """Metres along a geodesic from arc `begin` to arc `end`."""
    return B * integral(lambda sigma: mp.sqrt(1 + k2 * mp.sin(sigma) ** 2), begin, end)


def longitude_lag(sin_alpha0, k2, begin, end):
    """How much less the longitude is on the ellipsoid than on the sphere, in radians."""
    return F * sin_alpha0 * integral(
        lambda sigma: (2 - F) / (1 + (1 - F) * mp.sqrt(1 + k2 * mp.sin(sigma) ** 2)), begin, end)


def reduced(latitude):
    """sin and cos of the reduced latitude, of a latitude in degrees."""
    if abs(latitude) == 90:
        return mp.sign(latitude), mpf(0)
    beta = mp.atan((1 - F) * mp.tan(latitude * mp.pi / 180))
    return mp.sin(beta), mp.cos(beta)


class trial:
    """The geodesic that leaves the first place at azimuth alpha1, up to the second's latitude."""

    def __init__(self, first, second, alpha1):
        (sin1, cos1), (sin2, cos2) = first, second
        heading = mp.cos(alpha1) * cos1
        # cos alpha2 cos beta2, not negative because the geodesic crosses that latitude northwards.
        arrival = mp.sqrt(max(heading ** 2 + (cos2 - cos1) * (cos2 + cos1), 0))
        self.sin_alpha0 = mp.sin(alpha1) * cos1
        self.k2 = SECOND_E2 * (1 - self.sin_alpha0 ** 2)
        self.sigma1, self.sigma2 = mp.atan2(sin1, heading), mp.atan2(sin2, arrival)
        omega1 = mp.atan2(self.sin_alpha0 * sin1, heading)
        omega2 = mp.atan2(self.sin_alpha0 * sin2, arrival)
        self.lambda12 = omega2 - omega1 - longitude_lag(self.sin_alpha0, self.k2, self.sigma1,
                                                        self.sigma2)

    def metres(self):
        return arc_length(self.k2, self.sigma1, self.sigma2)


def root(of, low, high):
    """Where `of`, not above 0 at `low` and not below it at `high`, is 0 (Ridder's method).

    `of` is in radians of longitude. Its remaining value times the equatorial radius bounds the
    error of the distance, whatever the error of the azimuth.
    """
    f_low, f_high = of(low), of(high)
    for at, value in (low, f_low), (high, f_high):
        if abs(value) < RESIDUAL:
            return at
    if f_low > 0 or f_high < 0:
        raise ArithmeticError("no root between the brackets")
    while True:
        middle = (low + high) / 2
        f_middle = of(middle)
        better = middle - (middle - low) * f_middle / mp.sqrt(f_middle ** 2 - f_low * f_high)
        for at, value in (middle, f_middle), (better, of(better)):
            if abs(value) < RESIDUAL:
                return at
            if not low < at < high:
                continue
            if value < 0:
                low, f_low = at, value
            else:
                high, f_high = at, value
        if high - low < mpf(10) ** -DIGITS:
            raise ArithmeticError("the brackets closed on no root")


def equator(lambda12):
    """(metres, azimuth at the start) between places on the equator."""
    if lambda12 <= (1 - F) * mp.pi:
        return A * lambda12, mp.pi / 2

    def excess(alpha0):
        sin_alpha0 = mp.sin(alpha0)
        k2 = SECOND_E2 * (1 - sin_alpha0 ** 2)
        return lambda12 - mp.pi + longitude_lag(sin_alpha0, k2, -mp.pi, mpf(0))

    alpha0 = root(excess, mpf(0), mp.pi / 2)
    return arc_length(SECOND_E2 * mp.cos(alpha0) ** 2, -mp.pi, mpf(0)), mp.pi - alpha0


def canonical(latitude1, longitude1, latitude2, longitude2):
    """The pair swapped and mirrored: degrees of both latitudes and of the longitudes between."""
    one, two = mpf(latitude1), mpf(latitude2)
    between = abs(mpf(longitude2) - mpf(longitude1))
    between = min(between, 360 - between)
    if abs(one) < abs(two):
        one, two = two, one
    return (-one, -two, between) if one > 0 else (one, two, between)


def solved(latitude1, longitude1, latitude2, longitude2):
    """(metres, azimuth at the start) of the pair as `canonical` turns it."""
    one, two, between = canonical(latitude1, longitude1, latitude2, longitude2)
    first, second, lambda12 = reduced(one), reduced(two), between * mp.pi / 180
    if one == -90 or between == 0:
        return arc_length(SECOND_E2, mp.atan2(*first), mp.atan2(*second)), mpf(0)
    if between == 180:  # over the nearer pole
        return arc_length(SECOND_E2, -mp.pi - mp.atan2(*first), mp.atan2(*second)), mp.pi
    if one == 0:
        return equator(lambda12)
    alpha1 = root(lambda alpha: trial(first, second, alpha).lambda12 - lambda12, mpf(0), mp.pi)
    return trial(first, second, alpha1).metres(), alpha1


def distance(*pair):
    return solved(*pair)[0]


# --- checks -----------------------------------------------------------------------------------

TAYLOR_ORDER = 60
TAYLOR_STEP = mpf("0.25")  # of an equatorial radius


def place(latitude, longitude):
    """Earth-centred, in equatorial radii."""
    phi, lam = mpf(latitude) * mp.pi / 180, mpf(longitude) * mp.pi / 180
    e2 = F * (2 - F)
    n = 1 / mp.sqrt(1 - e2 * mp.sin(phi) ** 2)
    return [n * mp.cos(phi) * mp.cos(lam), n * mp.cos(phi) * mp.sin(lam),
            n * (1 - e2) * mp.sin(phi)]


def product(left, right, n):
    """Coefficient n of the product of two power series of vectors."""
    return sum(left[j][i] * right[n - j][i] for j in range(n + 1) for i in range(3))


def moved(position, velocity, step):
    """One step of a particle that moves on the ellipsoid under no force: the Taylor series of
    x'' = -m G x with G = diag(1, 1, (a/b)^2) and m = (x' G x') / (G x . G x), made coefficient by
    coefficient from that equation."""
    g = (1, 1, 1 / (1 - F) ** 2)
    x, m, norms = [position, velocity], [], []
    scaled = [[g[i] * c[i] for i in range(3)] for c in x]
    speed = [velocity]
    scaled_speed = [scaled[1]]
    for n in range(TAYLOR_ORDER):
        norms.append(product(scaled, scaled, n))
        rest = sum(m[j] * norms[n - j] for j in range(n))
        m.append((product(speed, scaled_speed, n) - rest) / norms[0])
        pull = [sum(m[j] * scaled[n - j][i] for j in range(n + 1)) for i in range(3)]
        x.append([-c / ((n + 1) * (n + 2)) for c in pull])
        scaled.append([g[i] * c for i, c in enumerate(x[-1])])
        speed.append([(n + 2) * c for c in x[-1]])
        scaled_speed.append([(n + 2) * c for c in scaled[-1]])
    return ([mp.polyval([c[i] for c in reversed(series)], step) for i in range(3)]
            for series in (x, speed))


def missed_by(*pair):
    """Metres between the second place and the end of the motion from the first place, with the
    azimuth and length of the solution."""
    metres, alpha1 = solved(*pair)
    one, two, between = canonical(*pair)
    phi = one * mp.pi / 180
    position, goal = place(one, 0), place(two, between)
    north = [-mp.sin(phi), mpf(0), mp.cos(phi)]
    velocity = [mp.cos(alpha1) * c for c in north]
    velocity[1] += mp.sin(alpha1)
    left = metres / A
    while left > 0:
        step = min(left, TAYLOR_STEP)
        position, velocity = moved(position, velocity, step)
        left -= step
    return A * mp.sqrt(sum((p - q) ** 2 for p, q in zip(position, goal)))


def expect(what, found, wanted, within):
    if not abs(found - mpf(wanted)) <= mpf(within):
        sys.exit(f"geodesics: {what}: {mp.nstr(found, 20)} is not {wanted}")


def check_published():
    # The quarter meridian of WGS-84; a degree of the equator is pi a / 180.
    expect("quarter meridian", distance(0, 0, 90, 0), "10001965.729313", "1e-6")
    expect("quarter meridian by the elliptic integral", distance(0, 0, 90, 0),
           A * mp.ellipe(F * (2 - F)), "1e-35")
    expect("equatorial degree", distance(0, 10, 0, 11), mp.pi * A / 180, "1e-35")
    # Karney 2013, tables 2 and 3 (a direct problem of 10,000 km) and 4 to 6 (nearly antipodal).
    expect("Karney's direct problem", distance(40, 0, "41.79331020506", "137.84490004377"),
           "10000000", "2e-5")
    metres, alpha1 = solved(-30, 0, "29.9", "179.8")
    expect("Karney's nearly antipodal pair", metres, "19989832.82761", "1e-5")
    expect("its azimuth", alpha1 * 180 / mp.pi, "161.89052473633", "1e-11")


def check_motion():
    for pair in ((51.5, -0.125, 35.6875, 139.75), (-30, 0, 29.9, 179.8), (0, 0, 0, 179.5),
                 (0.5, 0, -0.5, 179.7), (-89.999, 10, 89.99, -120), (12.5, 179.9, -3.25, -179.9),
                 (48.8566, 2.3522, 48.8567, 2.3523), (64.5, 7, 64.5, 97)):
        expect(f"where the motion from {pair} ends", missed_by(*pair), 0, "1e-30")


def check_shortest():
    """Nearly antipodal places have geodesics that are not the shortest path."""
    for pair in ((-30, 0, 29.9, 179.8), (0, 0, 0, 179.5), (0.5, 0, -0.5, 179.7),
                 (20, 0, -20, 179.999)):
        direct = distance(*pair)
        for degrees in range(15, 360, 30):
            bearing = mp.radians(degrees)
            over = (pair[0] + 40 * mp.cos(bearing), pair[1] + 50 * mp.sin(bearing))
            around = distance(*pair[:2], *over) + distance(*over, *pair[2:])
            if around < direct:
                sys.exit(f"geodesics: {pair} is shorter by way of {over}")


# --- pairs ------------------------------------------------------------------------------------

CITIES = (
    (40.7128, -74.006), (34.0522, -118.2437), (41.8781, -87.6298), (43.6532, -79.3832),
    (19.4326, -99.1332), (4.711, -74.0721), (-12.0464, -77.0428), (-33.4489, -70.6693),
    (-34.6037, -58.3816), (-22.9068, -43.1729), (38.7223, -9.1393), (40.4168, -3.7038),
    (48.8566, 2.3522), (52.52, 13.405), (59.3293, 18.0686), (52.2297, 21.0122), (41.0082, 28.9784),
    (55.7558, 37.6173), (30.0444, 31.2357), (6.5244, 3.3792), (-1.2921, 36.8219),
    (-33.9249, 18.4241), (24.4539, 54.3773), (28.6139, 77.209), (23.8103, 90.4125),
    (13.7563, 100.5018), (21.0278, 105.8342), (-6.2088, 106.8456), (14.5995, 120.9842),
    (31.2304, 121.4737), (37.5665, 126.978), (43.0618, 141.3545), (-31.9505, 115.8605),
    (-37.8136, 144.9631), (-36.8509, 174.7645), (21.3069, -157.8583), (61.2181, -149.9003),
    (64.1466, -21.9426), (69.6492, 18.9553), (-54.8019, -68.303))
DATACENTERS = (
    (51.5074, -0.1278), (50.1109, 8.6821), (39.0438, -77.4874), (45.5946, -121.1787),
    (35.6762, 139.6503), (1.3521, 103.8198), (-33.8688, 151.2093), (-23.5505, -46.6333),
    (19.076, 72.8777), (-26.2041, 28.0473))


class dice:
    """Uses only `random()`, whose sequence Python promises to keep (documentation of `random`)."""

    def __init__(self, seed):
        self.random = random.Random(seed).random

    def between(self, low, high, decimals=4):
        return round(low + (high - low) * self.random(), decimals)

    def sign(self):
        return 1 if self.random() < 0.5 else -1

    def small(self, largest_exponent, smallest_exponent):
        """A power of ten between these exponents, with either sign."""
        exponent = self.between(smallest_exponent, largest_exponent, 6)
        return self.sign() * round(10 ** exponent, 9)


def opposite(longitude):
    return longitude - 180 if longitude > 0 else longitude + 180


def wrapped(longitude):
    if abs(longitude) > 180:
        longitude += -360 if longitude > 0 else 360
    return longitude


def single(value):
    """A coordinate as a database with 32-bit floats stores it."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def city_pairs(_):
    return [(*city, *DATACENTERS[number % len(DATACENTERS)]) for number, city in enumerate(CITIES)]


def same_places(_):
    return [(51.5074, -0.1278, 51.5074, -0.1278), (0, 0, 0, 0), (0, 180, 0, -180),
            (-16.5, -180, -16.5, 180), (90, 0, 90, 180), (-90, 12.5, -90, -140.25),
            (45, 90, 45, 90), (-89.9999, 33.3, -89.9999, 33.3)]


def few_metres(dice):
    pairs = [(0, 0, 0, 0.00002), (0, 0, 0.00002, 0), (89.99999, 0, 89.99999, 180),
             (10, 179.99999, 10, -179.99999)]
    while len(pairs) < 12:
        latitude, longitude = dice.between(-80, 80, 5), dice.between(-179, 179, 5)
        pairs.append((latitude, longitude, round(latitude + dice.between(-9e-5, 9e-5, 5), 5),
                      round(longitude + dice.between(-9e-5, 9e-5, 5), 5)))
    return pairs


def antipodes(dice):
    pairs = [(0, 0, 0, 180), (0, 90, 0, -90), (90, 0, -90, 0), (45, 0, -45, 180),
             (-89.5, 20, 89.5, -160), (0.0001, 5, -0.0001, -175)]
    while len(pairs) < 16:
        latitude, longitude = dice.between(-85, 85), dice.between(-180, 180)
        pairs.append((latitude, longitude, -latitude, round(opposite(longitude), 4)))
    return pairs


def nearly_antipodes(dice):
    pairs = [(-30, 0, 29.9, 179.8), (0, 0, 0.5, 179.5), (0, 0, 0.5, 179.7), (0.5, 0, -0.5, 179.7),
             (30, 0, -30, 179.999999), (1e-9, 0, 0, 179.99), (20, 0, -20, 179.4),
             (60, 30, -60.00001, -150.00001), (5, -90, -5.2, 89.7), (0.1, 0, -0.1, 179.396)]
    while len(pairs) < 40:
        latitude, longitude = dice.between(-80, 80), dice.between(-180, 180)
        pairs.append((latitude, longitude, round(-latitude + dice.small(0, -7), 9),
                      round(wrapped(opposite(longitude) + dice.small(0, -7)), 9)))
    return pairs


def poles(dice):
    pairs = [(90, 0, -90, 180), (90, 0, 0, 0), (-90, 0, 0, 77.7), (90, -180, 89.9999, 45)]
    while len(pairs) < 14:
        pole = (90 * dice.sign(), dice.between(-180, 180))
        other = (dice.between(-90, 90), dice.between(-180, 180))
        pairs.append(pole + other if dice.random() < 0.5 else other + pole)
    return pairs


def date_line(dice):
    pairs = [(0, 179.9, 0, -179.9), (0, -179.9, 0, 179.9), (52, 180, 52, -179.9),
             (-17.7134, 178.065, -13.8333, -171.7667), (64.7337, 177.4968, 64.5011, -165.4064),
             (10, 180, 20, -180), (-44, -180, 12.25, 180)]
    while len(pairs) < 16:
        west, east = dice.between(170, 180), dice.between(-180, -170)
        pairs.append((dice.between(-75, 75), west, dice.between(-75, 75), east))
    return pairs


def equatorial(dice):
    pairs = [(0, 0, 0, 1), (0, 0, 0, 90), (0, 0, 0, 179.39), (0, 0, 0, 179.397), (0, 0, 0, 179.5),
             (0, 0, 0, 179.9), (0, -90, 0, 89.99999)]
    while len(pairs) < 12:
        pairs.append((0, dice.between(-180, 180), 0, dice.between(-180, 180)))
    return pairs


def meridional(dice):
    pairs = [(-90, 0, 90, 0), (0, 15, 89.75, 15), (-45, 45, 45, 45), (30, 10, 60, -170),
             (-80, 0, -80, 180)]
    while len(pairs) < 12:
        longitude = dice.between(-180, 180)
        pairs.append((dice.between(-90, 90), longitude, dice.between(-90, 90),
                      longitude if dice.random() < 0.5 else round(opposite(longitude), 4)))
    return pairs


def extreme_latitudes(dice):
    pairs = [(89.999999, 0, 89.999999, 90), (89.9, -170, -89.9, 10.5), (-89.99, 5, -89.98, -5)]
    while len(pairs) < 12:
        pairs.append((dice.sign() * dice.between(85, 90, 6), dice.between(-180, 180, 6),
                      dice.sign() * dice.between(85, 90, 6), dice.between(-180, 180, 6)))
    return pairs


def single_precision(dice):
    return [(*map(single, city), *(datacenter if dice.random() < 0.5 else map(single, datacenter)))
            for city, datacenter in
            (((dice.between(-60, 70, 5), dice.between(-180, 180, 5)),
              DATACENTERS[int(dice.random() * len(DATACENTERS))]) for _ in range(18))]


GROUPS = (
    ("cities and datacenters", city_pairs), ("the same place", same_places),
    ("a few metres", few_metres), ("antipodes", antipodes),
    ("nearly antipodes", nearly_antipodes), ("poles", poles), ("across the date line", date_line),
    ("on the equator", equatorial), ("on a meridian", meridional),
    ("extreme latitudes", extreme_latitudes),
    ("coordinates that were 32-bit floats", single_precision))


def addresses():
    """One address per row, each in its own /28 (IPv4) or /48 (IPv6): two of IPv4, then one of
    IPv6. They are from the blocks for documentation (RFC 5737, 3849), then from others."""
    def ipv4():
        for block in ("192.0.2", "198.51.100", "203.0.113"):
            for part in range(16):
                yield f"{block}.{16 * part + part}"
        for number in range(1, 200):
            yield f"{20 + number % 60}.{(37 * number) % 256}.{(101 * number) % 256}.{number}"

    def ipv6():
        for number in range(40):
            yield f"2001:db8:{number:x}::{number + 1:x}"
        for number in range(200):
            yield f"2a0{number % 10}:{0x1000 + 419 * number:x}:{number + 1:x}::1"

    four, six = ipv4(), ipv6()
    while True:
        yield next(four)
        yield next(four)
        yield next(six)


def plain(value):
    """The shortest decimal without an exponent that reads back as the same double."""
    text = format(Decimal(repr(float(value))), "f")
    return text.removesuffix(".0")


def in_decimals(metres):
    whole = mp.nint(metres * mpf(10) ** DECIMALS)
    digits = str(int(whole)).rjust(DECIMALS + 1, "0")
    return f"{digits[:-DECIMALS]}.{digits[-DECIMALS:]}"


def refuse_tie(pair, metres):
    for unit in (metres, metres / MILE * 1000):
        if abs(unit - mp.floor(unit) - mpf("0.5")) < TIE_MARGIN:
            sys.exit(f"geodesics: {pair} is too near to a tie: {mp.nstr(unit, 20)}")


def main():
    check_published()
    check_motion()
    check_shortest()
    source, chance = addresses(), dice(SEED)
    lines = [
        "# How far clients are from regions along the WGS-84 ellipsoid, made by",
        f"# tests/model/regions/geodesics.py (seed {SEED}), which says how; always the same bytes.",
        "# Per row: client's address, its latitude and longitude, the region's latitude and",
        "# longitude (degrees; the doubles that they read as are meant), distance in metres."]
    for name, pairs in GROUPS:
        lines.append(f"# {name}")
        for pair in pairs(chance):
            pair = tuple(map(float, pair))
            metres = distance(*pair)
            refuse_tie(pair, metres)
            lines.append(",".join([next(source), *map(plain, pair), in_decimals(metres)]))
    if sum(not line.startswith("#") for line in lines) != 200:
        sys.exit("geodesics: there are not 200 rows")
    print("\n".join(lines))


if __name__ == "__main__":
    main()
