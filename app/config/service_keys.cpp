#include "app/config/service_keys.hpp"

#include "model/net/http_url.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace matchcloud::app {

namespace {

using base::choice_row;
using base::config_values;
using base::flag_row;
using base::number_row;
using base::text_row;
using text_kind = base::config_text::kind;
using outcome = base::expected<void>;

outcome set_listen(serve_config& config, const config_values& given) {
  config.listen.clear();
  for (std::string_view text : given) {
    const auto begins = http::take_suffix(text);
    const auto where = http::parse_endpoint(text);
    if (!where) return tl::unexpected(where.error());
    config.listen.push_back({*where, begins});
  }
  return config.listen.empty() ? base::not_allowed() : outcome{};
}

outcome set_ops_listen(serve_config& config, const config_values& given) {
  std::string_view text = given.front();
  const auto begins = http::take_suffix(text);
  const auto where = http::parse_endpoint(text);
  if (!where) return tl::unexpected(where.error());
  if (begins.proxy_header) return base::not_allowed();
  config.ops_listen = *where;
  config.ops_tls = begins.tls;
  return {};
}

outcome set_faults(serve_config& config, const config_values& given) {
  return read_fault_rules(given.front()).map([&](fault_rules rules) {
    config.faults = std::move(rules);
  });
}

std::string subjects_text() {
  std::string text;
  for (const auto name : base::log_subject_names)
    text.append(text.empty()                             ? ""
                : name == base::log_subject_names.back() ? " and "
                                                         : ", ")
        .append(name);
  return text;
}

outcome set_log_levels(serve_config& config, const config_values& given) {
  config.log_levels.clear();
  for (const std::string_view text : given) {
    if (text.empty()) continue;
    const auto at = std::min(text.find('='), text.size());
    const auto subject = base::find_log_subject(text.substr(0, at));
    const auto level = base::find_log_level(text.substr(std::min(at + 1, text.size())));
    const bool is_level = level && *level != base::log_level::critical;
    if (!subject || !is_level)
      return base::fail(base::errc::config_invalid,
                        "`" + std::string{text} + "`: " +
                            (subject ? "the level must be debug, info, warning or error"
                                     : "this subject does not exist"));
    config.log_levels.emplace_back(*subject, *level);
  }
  return {};
}

} // namespace

base::log_levels log_levels_of(const serve_config& config) {
  auto levels = base::log_levels_of(config.log_level);
  for (const auto& [subject, level] : config.log_levels)
    levels[subject] = level;
  return levels;
}

base::config_rows<serve_config> listening_keys() {
  using word = std::pair<std::string_view, transport_kind>;
  return {
      {{"listen", text_kind::list, "127.0.0.1:8080",
        "ADDRESS:PORT, optionally followed by /tls, /proxy or /proxy/tls; IPv6 in brackets, port 0 "
        "for the kernel's choice; repeatable",
        "Where the data plane listens. With /tls it speaks TLS. With /proxy each connection must "
        "begin with a PROXY protocol header (version 1 or 2); the client's address in it counts if "
        "the peer is in trusted-proxies. The transport httplib supports neither."},
       set_listen},
      {{"ops-listen", text_kind::text, "127.0.0.1:8081", "ADDRESS:PORT or ADDRESS:PORT/tls",
        "Where the ops plane listens: health, metrics and administration. Beyond loopback only "
        "with /tls."},
       set_ops_listen},
      text_row("public-url", &serve_config::public_url,
               "http:// or https:// URL without a slash at the end; empty: the first listener",
               "Where clients reach the service. URLs that it hands out start with this, followed "
               "by base-path.",
               model::check_base_url),
      number_row("loops", &serve_config::loops, 0, 256, "Event loops, each a thread.",
                 "; 0: one per processor that the process may use"),
      choice_row("transport", &serve_config::transport,
                 std::array{word{"loops", transport_kind::loops},
                            word{"httplib", transport_kind::httplib}},
                 "The HTTP implementation. httplib is for comparison, not for the open internet."),
      base::reloadable(
          flag_row("insecure-open", &serve_config::insecure_open,
                   "Allows a listener of the data plane beyond loopback with auth = open. Anybody "
                   "who reaches it may then use it. The ops plane still requires tokens there.")),
      flag_row("take-over", &serve_config::take_over,
               "Replaces the process that serves the same listeners and data directory. No request "
               "is lost: once this process is ready, the other hands over its listening sockets, "
               "drains and ends. If no such process is running, starts as usual. Not with the "
               "transport httplib."),
  };
}

base::config_rows<serve_config> geoip_keys() {
  return {{{"geoip", text_kind::list, "", "MMDB files; repeatable",
            "Databases that map IP addresses to locations. With several files, the first that has "
            "coordinates for an address decides, else the first that has a country. Without one "
            "all locations are unknown."},
           [](serve_config& config, const config_values& given) -> outcome {
             config.geoip_files = given;
             return {};
           }},
          text_row("geoip-asn", &serve_config::geoip_asn_file, "an MMDB or CSV file; empty: none",
                   "A database that maps IP addresses to autonomous systems, which explanations of "
                   "a ranking name.")};
}

base::config_rows<serve_config> start_keys() {
  return {number_row(
      "start-wait-ms", &serve_config::start_wait, 0, 86'400'000,
      "How long the start waits for a PostgreSQL server or bucket that is out of reach. Until then "
      "the service is not ready and logs a line each minute. Failures that waiting cannot fix, "
      "such as a wrong password, end the start at once. 0: do not wait.")};
}

base::config_rows<serve_config> process_keys() {
  base::config_rows<serve_config> keys{
      number_row("drain-delay-ms", &serve_config::drain_delay, 0, 600'000,
                 "Time from SIGTERM to the drain. During it /readyz returns 503 and requests are "
                 "still accepted. Make it longer than your load balancer takes to notice, so that "
                 "it sends no client to closed listeners."),
      number_row("drain-timeout-ms", &serve_config::drain_timeout, 0, 3'600'000,
                 "Time from the end of drain-delay-ms to the end of the process. Idle connections "
                 "close in its last third, or after 250 ms if drain-delay-ms is 0. Keep the sum of "
                 "both below the time after which the process is killed: docker 10 s, Kubernetes "
                 "30 s, systemd 90 s."),
      number_row("busy-poll-us", &serve_config::busy_poll, 0, 1'000,
                 "How long an event loop polls for requests before it sleeps. This saves a wake-up "
                 "per reply, but a loop that receives requests more often than this keeps a whole "
                 "core busy: use fewer loops than cores.",
                 "; 0: off"),
  };
  return reloadable(std::move(keys), {"busy-poll-us"});
}

base::config_rows<serve_config> log_keys() {
  using base::log_level;
  using level = std::pair<std::string_view, log_level>;
  using format = std::pair<std::string_view, base::log_format>;
  base::config_rows<serve_config> keys{
      choice_row("log-format", &serve_config::log_format,
                 std::array{format{"text", base::log_format::text},
                            format{"json", base::log_format::json}},
                 "The format of log lines. json: an object with ts, level, subject, event, "
                 "message, and left_out if the line stands for others."),
      choice_row("log-level", &serve_config::log_level,
                 std::array{level{"debug", log_level::debug}, level{"info", log_level::info},
                            level{"warning", log_level::warning}, level{"error", log_level::error}},
                 "The least severe level that is logged."),
      {{"log-levels", text_kind::list, "",
        "SUBJECT=LEVEL with a level as in log-level; subjects: " + subjects_text() + "; repeatable",
        "Subjects whose level differs from log-level, such as store=debug,http=error."},
       set_log_levels},
  };
  return reloadable(std::move(keys));
}

base::config_rows<serve_config> trace_keys() {
  return {number_row("trace-one-in", &serve_config::trace_one_in, 0, 1'000'000'000,
                     "One in this many requests of the data plane is traced on its way through the "
                     "actors, for the console.",
                     "; 0: none")};
}

base::config_rows<serve_config> fault_keys() {
  return {
      flag_row("enable-fault-injection", &serve_config::fault_injection,
               "Lets anybody who reaches the ops plane make the service fail (/faults). Not for "
               "production."),
      {{"faults", text_kind::text, "", "a TOML file, or TOML text (with a = in it)",
        "Faults that are injected from the start; docs/faults.md describes the format."},
       set_faults},
      base::count_row<serve_config>(
          "fault-seed", "", 0, std::numeric_limits<std::uint64_t>::max(),
          "Decides which passes through a fault point trigger a fault; printed at the start.",
          [](serve_config& config, std::uint64_t seed) { config.fault_seed = seed; },
          "; empty: chosen at random"),
  };
}

} // namespace matchcloud::app
