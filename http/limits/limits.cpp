#include "http/limits/limits.hpp"

#include <algorithm>
#include <utility>

namespace matchcloud::http {

namespace {

using base::mebibyte;
using base::number_row;
using base::tebibyte;

constexpr std::uint64_t hour_ms = 3'600'000;

/// The key of the mailbox of an owner.
base::config_row<limits> mailbox_key(base::owner of) {
  const auto& row = row_of(of);
  std::string name{name_of(of)};
  std::ranges::replace(name, '_', '-');
  return base::count_row<limits>(
      "mailbox-" + name, std::to_string(row.mailbox), row.least_mailbox, row.most_mailbox,
      std::string{row.what_waits},
      [of](limits& set, std::uint64_t number) { set.mailbox(of) = number; });
}

} // namespace

base::config_rows<limits> limit_keys() {
  base::config_rows<limits> keys{
      number_row("head-limit-bytes", &limits::head_limit_bytes, 256, 65'536,
                 "Request line and header lines together; beyond: 431."),
      number_row("target-limit-bytes", &limits::target_limit_bytes, 64, 32'768,
                 "The request target; beyond: 414."),
      number_row("body-limit-bytes", &limits::body_limit_bytes, 1'024, 64 * mebibyte,
                 "The request body; beyond: 413."),
      number_row(
          "max-connections", &limits::connection_limit, 1, 1'000'000,
          "Connections of the data plane. Beyond that, each new connection closes the one that has "
          "been idle longest; if none is idle, listeners pause. A low hard RLIMIT_NOFILE lowers "
          "the limit: of its descriptors, 512, max-ops-connections, an eighth (at most 4096) for "
          "images and an eighth (at most 2048) for exports are reserved, but never more than "
          "half."),
      number_row(
          "connection-share-percent", &limits::connection_share_percent, 1, 100,
          "The share of max-connections that one client address (IPv6: its /64) may hold while "
          "more than half are in use; beyond: 503. With PROXY headers, the announced address "
          "counts. Trusted proxies themselves are not limited."),
      number_row("max-tls-handshakes", &limits::tls_handshakes_limit, 1, 1'000'000,
                 "TLS handshakes in progress on each plane. Beyond that, each new one ends the one "
                 "that has taken longest."),
      number_row("listen-backlog", &limits::listen_backlog, 1, 65'535,
                 "Connections that may wait to be accepted, per listener (also limited by "
                 "net.core.somaxconn)."),
      number_row("byte-budget-bytes", &limits::byte_budget_bytes, mebibyte, tebibyte,
                 "Request and response bytes held by the data plane; beyond: 503."),
      number_row(
          "max-ops-connections", &limits::ops_connection_limit, 8, 100'000,
          "Connections of the ops plane. Beyond that, each new connection closes the one that has "
          "been idle longest, or else the one whose request has been incomplete longest. Also at "
          "most an eighth of the hard RLIMIT_NOFILE."),
      number_row("ops-byte-budget-bytes", &limits::ops_byte_budget_bytes, mebibyte, tebibyte,
                 "Request and response bytes held by the ops plane; beyond: 503. An ingest holds "
                 "at most 384 KiB of them; its lines that wait to be stored do not count."),
  };
  // Sockets, threads and budgets are created at the start.
  return reloadable(std::move(keys),
                    {"listen-backlog", "byte-budget-bytes", "ops-byte-budget-bytes"});
}

base::config_rows<limits> timeout_keys() {
  base::config_rows<limits> keys{
      number_row("tls-handshake-timeout-ms", &limits::tls_handshake_timeout, 100, 600'000,
                 "From the start of a TLS connection to the end of its handshake; beyond: closed."),
      number_row("head-timeout-ms", &limits::head_timeout, 10, hour_ms,
                 "From a request's first byte to the end of its head; beyond: 408."),
      number_row("body-timeout-ms", &limits::body_timeout, 10, hour_ms,
                 "From the end of the head to the end of the body; beyond: 408."),
      number_row("body-least-rate", &limits::body_least_rate, 1, 1'000'000'000,
                 "Bytes per second that a client must send of a streamed body, on average; slower, "
                 "or a pause of body-timeout-ms: 408. A burst counts for at most "
                 "body-timeout-ms."),
      number_row("idle-timeout-ms", &limits::idle_timeout, 10, hour_ms,
                 "How long a connection may be idle between requests; beyond: closed."),
      number_row("write-timeout-ms", &limits::write_timeout, 10, hour_ms,
                 "How long a client may receive no byte of its answer, judged by its kernel's "
                 "acknowledgements; beyond: closed."),
      number_row("write-least-rate", &limits::write_least_rate, 1, 1'000'000'000,
                 "Bytes per second that a client must receive of its answer, on average; slower: "
                 "closed. A burst counts for at most four times write-timeout-ms."),
      number_row("request-timeout-ms", &limits::request_timeout, 10, hour_ms,
                 "From a complete request to its answer; beyond: 504."),
      number_row("ingest-timeout-ms", &limits::ingest_timeout, 10, hour_ms,
                 "From the last byte of an ingest of lobbies to its answer, and how long it may "
                 "wait for the store in between; beyond: 504."),
      number_row("export-timeout-ms", &limits::export_timeout, 10, 24 * hour_ms,
                 "From a complete request for an export to its answer, and how long writing it may "
                 "take; beyond: 504."),
  };
  // Running exports keep the value from their start.
  return reloadable(std::move(keys), {"export-timeout-ms"});
}

base::config_rows<limits> mailbox_keys() {
  base::config_rows<limits> keys{base::reloadable(
      number_row("max-in-flight", &limits::in_flight_limit, 1, 1'000'000,
                 "Requests per event loop that wait for an actor; beyond: 503. An eighth is "
                 "reserved for the requests that cost most to repeat."))};
  for (std::size_t i = 1; i < base::owner_count; ++i)
    keys.push_back(mailbox_key(static_cast<base::owner>(i)));
  return keys;
}

base::config_rows<limits> client_keys() {
  base::config_rows<limits> keys{
      base::flag_row("rate-limit-loopback", &limits::limits_loopback,
                     "Whether rate-limit-address-* and max-connections-per-address apply to this "
                     "machine's own addresses. If a proxy on this machine is not in "
                     "trusted-proxies, all of its clients have these addresses."),
      number_row("max-connections-per-address", &limits::connections_per_address, 1, 1'000'000,
                 "Connections that a client address may hold (a /48: 16 times as many); beyond: "
                 "503. Trusted proxies are not limited."),
      number_row("client-prefix-bits", &limits::ipv6_client_prefix, 48, 128,
                 "The length of the IPv6 prefix that counts as one client address."),
  };
  // Connections and debts are counted by prefixes.
  return reloadable(std::move(keys), {"client-prefix-bits"});
}

} // namespace matchcloud::http
