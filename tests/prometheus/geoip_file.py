"""A MaxMind database (MaxMind DB specification 2.0) in which all addresses are in London."""
import struct


def _control(kind, size):
    return bytes([(kind if kind < 8 else 0) << 5 | size]) + (bytes([kind - 7]) if kind > 7 else b"")


def _string(text):
    return _control(2, len(text)) + text.encode()


def _number(kind, value, size):
    return _control(kind, size) + value.to_bytes(size, "big")


def _map(**members):
    return _control(7, len(members)) + b"".join(_string(name) + value
                                                for name, value in members.items())


def _double(value):
    return _control(3, 8) + struct.pack(">d", value)


def geoip_file(built):
    """The bytes of the file. `built`: its build time, in seconds since 1970."""
    place = _map(location=_map(latitude=_double(51.5), longitude=_double(-0.1)))
    record = (1 + 16).to_bytes(3, "big")  # in a tree with one node: the start of the data
    about = _map(
        binary_format_major_version=_number(5, 2, 1), binary_format_minor_version=_number(5, 0, 1),
        build_epoch=_number(9, int(built), 4), database_type=_string("test city"),
        description=_map(en=_string("test")), ip_version=_number(5, 4, 1),
        languages=_control(11, 0), node_count=_number(6, 1, 1), record_size=_number(5, 24, 1))
    return record * 2 + bytes(16) + place + b"\xab\xcd\xefMaxMind.com" + about
