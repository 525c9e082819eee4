"""Starts the servers to measure, each pinned to a core, on a port that the kernel chooses."""
import contextlib
import os
import queue
import re
import resource
import shutil
import socket
import subprocess
import tempfile
from collections import namedtuple

import wire
from harness import ROOT, process, refuse_one_core, refuse_other_builds, run

START_SECONDS = 30
CPU_TICK_SECONDS = 1 / os.sysconf("SC_CLK_TCK")
GEOIP = [path for path in (os.path.join(ROOT, "var", "geoip", f"dbip-city-ipv{version}.mmdb")
                           for version in (4, 6)) if os.path.exists(path)]
# One client sends all requests of a part, more than the default limits allow a client.
UNLIMITED = [word for cost in ("cheap", "expensive")
             for word in (f"--rate-limit-address-{cost}", "off")]
NGINX_LITERAL_BYTES = 4000  # nginx refuses a token over 4,096 bytes, including quotes and escapes
TLS_SUITE = "TLS_AES_128_GCM_SHA256"  # which the service prefers, and the only one of nginx

# The files of a server that uses TLS; clients trust the certificate itself.
Certificate = namedtuple("Certificate", "file key")


def warn_of_no_geoip():
    if not GEOIP:
        print("bench: no GeoIP data in var/geoip (script/setup geoip): players have no location, "
              "so ranking costs less than usual", flush=True)


def raise_descriptor_limit():
    """Raises the limit of descriptors to the maximum, also for children. Returns it."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


@contextlib.contextmanager
def ready():
    """Prepares a part with servers. Yields a folder that is removed at the end."""
    refuse_other_builds()
    refuse_one_core()
    raise_descriptor_limit()
    with tempfile.TemporaryDirectory(prefix="matchcloud-bench-") as folder:
        yield folder


def pinned(*cores):
    return ["taskset", "-c", ",".join(map(str, cores))]


def certificate(folder, addresses=("127.0.0.1",)):
    """Makes a certificate for `addresses` of this machine in `folder`, with a P-256 key."""
    made = Certificate(os.path.join(folder, "cert.pem"), os.path.join(folder, "key.pem"))
    names = ",".join(["DNS:localhost", *(f"IP:{each}" for each in addresses)])
    run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
         "-nodes", "-days", "30", "-subj", "/CN=localhost", "-addext", f"subjectAltName={names}",
         "-out", made.file, "-keyout", made.key])
    return made


def wait_for_listener(child, name, log, says="listening on", tls=None):
    """Waits until the server prints its address, and returns that."""
    while True:
        try:
            line = child.lines.get(timeout=START_SECONDS)
        except queue.Empty:
            line = None
        if line is None:
            with open(log, encoding="utf-8") as file:
                raise SystemExit(f"bench: {name} does not listen. Its output:\n{file.read()}")
        found = re.search(rf"{says} https?://([^\s/]+):(\d+)", line)
        if found:
            return wire.Address(found.group(1).strip("[]"), int(found.group(2)),
                                tls.file if tls else None)


@contextlib.contextmanager
def matchcloud(binary, transport, folder, geoip, core, arguments=(), prepare=None, data=None,
               loops=1, more_cores=(), proxies=("127.0.0.0/8",), tls=None, limits=UNLIMITED,
               listen="127.0.0.1:0", scheduled=()):
    """Runs `serve` with the demo's catalog. Yields (child, its address).

    It runs on `core` and `more_cores` with `loops` event loops. Its only rate limits for addresses
    are `limits` and those in `arguments`. `proxies` are its trusted proxies. `prepare` is called
    with the data directory before the start. `data`: an existing data directory, which does not
    get the demo's data. `tls`: the certificate of the listener, which is plain without one.
    `scheduled`: words before the command, such as those of chrt.
    """
    made = tempfile.mkdtemp(prefix=f"{transport}-", dir=folder)
    log = made + ".log"
    if not data:
        data = made
        subprocess.run([binary, "demo", "--data-dir", data], check=True,
                       stdout=subprocess.DEVNULL)
    if prepare:
        prepare(data)
    command = [*scheduled, *pinned(core, *more_cores)] + [
        binary, "serve", "--listen", listen + "/tls" * bool(tls),
        "--ops-listen", "127.0.0.1:0",
        "--data-dir", data, "--transport", transport, "--loops", str(loops),
        *limits]
    for block in proxies:
        command += ["--trusted-proxies", block]
    for path in geoip:
        command += ["--geoip", path]
    if tls:
        command += ["--tls-cert", tls.file, "--tls-key", tls.key]
    with process(transport, command + list(arguments), log) as child:
        child.log = log
        yield child, wait_for_listener(child, transport, log, tls=tls)


def ops_address(child):
    """The address of the ops plane of a matchcloud(). Call it once, before sending requests."""
    return wait_for_listener(child, "the ops plane", child.log, "ops plane on")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def quoted(text):
    """`text` as an nginx string."""
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def literal_of(body):
    """`body` as a literal for nginx's configuration; None if it cannot be one."""
    try:
        literal = quoted(body.decode("utf-8"))
    except UnicodeDecodeError:
        return None
    fits = len(literal.encode("utf-8")) <= NGINX_LITERAL_BYTES and "$" not in literal
    return literal if fits else None


def nginx_location(reply, body_folder, body_file):
    """Configuration that returns the bytes of `reply`: as a literal, or from a file if that is not
    possible. The file is `body_file`, or is made in `body_folder`.
    """
    # nginx writes these headers itself.
    own = {"date", "content-length", "content-type", "connection", "server", "keep-alive"}
    lines = [f"add_header {name} {quoted(value)};"
             for name, value in reply.headers if name.lower() not in own]
    if any("$" in value for _, value in reply.headers):
        raise SystemExit("bench: a header contains $, which nginx cannot send")
    if reply.status in wire.BODILESS:
        return lines + ["default_type '';", f"return {reply.status};"]
    lines.append(f"default_type {quoted(wire.header(reply.headers, 'content-type') or '')};")
    if not body_file:
        literal = literal_of(reply.body)
        if literal:
            return lines + [f"return 200 {literal};"]
        body_file = os.path.join(body_folder, "body")
        with open(body_file, "wb") as file:
            file.write(reply.body)
    return lines + [
        f"root {os.path.dirname(body_file)};", f"try_files /{os.path.basename(body_file)} =404;",
        "open_file_cache max=4 inactive=1h;", "open_file_cache_valid 1h;", "sendfile on;",
        "etag off;", "max_ranges 0;", 'add_header Last-Modified "";']


def nginx_tls(tls):
    """Configuration for TLS as the service has it: with tickets and without a session cache."""
    return f"""  ssl_certificate {tls.file};
  ssl_certificate_key {tls.key};
  ssl_protocols TLSv1.3;
  ssl_conf_command Ciphersuites {TLS_SUITE};
  ssl_ecdh_curve {wire.TLS_CURVE};
  ssl_session_tickets on;
""" if tls else ""


def nginx_listener(port, tls, location, log="off"):
    """Configuration of a server on `port`. `log`: the file of its access log, or "off"."""
    rules = "\n".join("      " + line for line in location)
    return f"""  server {{
    listen 127.0.0.1:{port}{" ssl" * bool(tls)} reuseport;
    access_log {log};
    location / {{
{rules}
    }}
  }}
"""


def nginx_config(folder, listeners, tls):
    """`listeners`: results of nginx_listener()."""
    temporary = "\n".join(
        f"  {name}_temp_path {folder}/{name};"
        for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    user = "user root;\n" if os.geteuid() == 0 else ""
    return f"""{user}daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr warn;
events {{ worker_connections 4096; }}
http {{
{temporary}
  log_format tls '$ssl_protocol $ssl_cipher $ssl_curve $ssl_session_reused';
  server_tokens off;
  tcp_nodelay on;
  keepalive_timeout 75s;
  keepalive_requests 1000000000;
{nginx_tls(tls)}{"".join(listeners)}}}
"""


@contextlib.contextmanager
def nginx(reply, folder, core, body_file=None, tls=None):
    """Runs an nginx that answers every request with `reply`. Yields (child, its address).

    `body_file`: a file with the body, which is sent from its place. `tls`: the certificate. With
    it, child.logged is (address, file) of a second listener, which logs the protocol, cipher and
    curve of each request, and whether its session was resumed.
    """
    body_folder = tempfile.mkdtemp(prefix="matchcloud-bench-", dir="/dev/shm")
    folder = tempfile.mkdtemp(prefix="nginx-", dir=folder)
    try:
        config, log = os.path.join(folder, "nginx.conf"), os.path.join(folder, "nginx.log")
        location = nginx_location(reply, body_folder, body_file)
        ca_file = tls.file if tls else None
        at = wire.Address("127.0.0.1", free_port(), ca_file)
        listeners = [nginx_listener(at.port, tls, location)]
        if tls:
            logged = wire.Address("127.0.0.1", free_port(), ca_file), os.path.join(folder, "spoken")
            listeners.append(nginx_listener(logged[0].port, tls, location, f"{logged[1]} tls"))
        with open(config, "w", encoding="utf-8") as file:
            file.write(nginx_config(folder, listeners, tls))
        binary = shutil.which("nginx") or "/usr/sbin/nginx"
        # -e: until it has read its configuration, it would write to the log of the system's nginx.
        command = pinned(core) + [binary, "-p", folder, "-e", "stderr", "-c", config]
        with process("nginx", command, log) as child:
            wait_for_port(child, at.port, log)
            if tls:
                child.logged = logged
            yield child, at
    finally:
        shutil.rmtree(body_folder)


@contextlib.contextmanager
def peer(name, command, folder, core):
    """Runs a program that prints where it listens. Yields (child, its address)."""
    log = os.path.join(folder, f"{name}.log")
    with process(name, pinned(core) + command, log) as child:
        yield child, wait_for_listener(child, name, log)


def wait_for_port(child, port, log):
    """Connects until nginx accepts or has ended: it does not print that it is ready."""
    for _ in range(START_SECONDS * 20):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            pass
        try:
            child.wait(0.05)
            break
        except subprocess.TimeoutExpired:
            pass
    with open(log, encoding="utf-8") as file:
        raise SystemExit(f"bench: nginx does not listen. Its output:\n{file.read()}")


def cpu_seconds(pid):
    """The processor time of a process and its children so far."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    total = (int(fields[11]) + int(fields[12])) * CPU_TICK_SECONDS
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return total + sum(cpu_seconds(int(child)) for child in file.read().split())


def cpu_wait_seconds(pid):
    """How long the threads of a process have been ready while their core ran something else."""
    total = 0
    for thread in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{thread}/schedstat", encoding="utf-8") as file:
            total += int(file.read().split()[1])
    return total / 1e9


def core_busy_seconds(core):
    """How long a core has been busy so far, including interrupts."""
    with open("/proc/stat", encoding="utf-8") as file:
        line = re.search(rf"^cpu{core} (.*)$", file.read(), re.MULTILINE).group(1)
    user, nice, system, _, _, interrupts, soft, *_ = map(int, line.split())
    return (user + nice + system + interrupts + soft) * CPU_TICK_SECONDS


def proportional_bytes(pid):
    """The memory of a process and its children, with shared memory divided among them (PSS)."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        total = int(re.search(r"^Pss:\s+(\d+) kB", file.read(), re.MULTILINE).group(1)) * 1024
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as file:
        return total + sum(proportional_bytes(int(child)) for child in file.read().split())


def resident_bytes(pid):
    with open(f"/proc/{pid}/status", encoding="utf-8") as file:
        return int(re.search(r"VmRSS:\s+(\d+) kB", file.read()).group(1)) * 1024
