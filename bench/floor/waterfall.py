"""Where the processor time of one request goes, from socket to socket: perf's samples of the
server, by stage. A sample in the kernel belongs to its system call. A sample in the program or a
library belongs to the stage of its innermost function; inlined functions count for the function
around them."""
import os
import re
import subprocess
import sys

import flame
import load
import servers

SAMPLES_PER_SECOND = 2_500
PERF_LEAD_SECONDS = 1  # wrk makes its requests before it sends them

KERNEL = (("kernel: wait for events", r"epoll_wait"),
          ("kernel: receive", r"sys_(recv|read)"),
          ("kernel: send", r"sys_(send|writev)"),
          ("kernel: accept, close, shut down", r"sys_(accept|close|shutdown|epoll_ctl)"),
          ("kernel: other", r""))
PROGRAM = (("allocation", r"^(malloc|cfree|_int_|unlink_chunk|operator (new|delete)|tcache)"),
           ("clock", r"clock_gettime|steady_clock|machine::now"),
           ("messages", r"caf::|intrusive_ptr"),
           ("read the request", r"framer|parse_(request|field)|request_reader|find_header|pick|"
                                r"is_(authority|proxy_header)|http::request::|memchr"),
           ("access and rate limits", r"access_gate|rate_limit|siphash|client_address|inet_pton|"
                                      r"ip_address|x_forwarded|is_trusted"),
           ("find the operation", r"find_route|find_operation|front::|routes"),
           ("rank", r"region_ranking|address_table|geoip|second_chance|maxminddb|MMDB|place_table"),
           ("write the answer", r"region_listing|write_head|regions_response|request_id|"
                                r"hexadecimal|http::response|deflate|mem(move|cpy|set)"),
           ("connection and loop", r"connection|reply_sender|socket_stream|loop_transport|"
                                   r"event_loop|timer|permit|byte_"),
           ("other", r""))


def stage_of(stack):
    """`stack`: pairs (function, whether it is in the kernel), the outermost first."""
    name, is_kernel = stack[-1]
    if not is_kernel:
        return next(stage for stage, of in PROGRAM if re.search(of, name))
    callers = " ".join(name for name, _ in stack)
    return next(stage for stage, of in KERNEL if re.search(of, callers))


def of_request(target, folder, arguments):
    """{stage: nanoseconds}, in the order of the tables above."""
    data = os.path.join(folder, "perf.data")
    load.warm_up(target, arguments.connections)
    recorder = subprocess.Popen(
        ["perf", "record", "-q", "-F", str(SAMPLES_PER_SECOND), "-g", "-p", str(target.child.pid),
         "-o", data, "--", "sleep", str(arguments.seconds + PERF_LEAD_SECONDS)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    before = servers.cpu_seconds(target.child.pid)
    found = load.wrk(target, 1, arguments.connections, arguments.seconds)
    took_ns = 1e9 * (servers.cpu_seconds(target.child.pid) - before) / found["requests"]
    said = recorder.communicate()[1]
    if recorder.returncode:
        sys.exit(f"bench: perf could not sample the server: {said}")
    lines = subprocess.run(["perf", "script", "-i", data], capture_output=True, text=True,
                           errors="replace").stdout.splitlines()
    counts = dict.fromkeys([stage for stage, _ in KERNEL + PROGRAM], 0)
    for stack in flame.stacks(lines):
        counts[stage_of(stack)] += 1
    whole = sum(counts.values())
    if not whole:
        sys.exit("bench: perf has no samples of the server")
    return {stage: took_ns * count / whole for stage, count in counts.items()}


def show(name, stages):
    print(f"\n{name}: {sum(stages.values()):,.0f} ns of processor time per request")
    for stage, took_ns in stages.items():
        print(f"  {stage:34} {took_ns:7,.0f} ns", flush=True)
