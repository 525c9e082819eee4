-- For wrk: prints the result as a line of JSON. load.py reads it.

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    'wrk-result {"requests": %d, "microseconds": %d, "bytes": %d, "p50_us": %d, "p99_us": %d, '
      .. '"max_us": %d, "bad_status": %d, "socket_errors": %d, "timeouts": %d}\n',
    summary.requests, summary.duration, summary.bytes, latency:percentile(50),
    latency:percentile(99), latency.max, errors.status,
    errors.connect + errors.read + errors.write, errors.timeout))
end
