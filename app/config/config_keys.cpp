#include "app/config/config.hpp"
#include "model/access/access_token.hpp"
#include "model/catalog/parse_coordinates.hpp"
#include "model/net/host_name.hpp"
#include "model/net/url_parts.hpp"
#include "model/validation/check_rules.hpp"

#include "base/decimal.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <thread>

namespace matchcloud::app {

namespace {

using kind = config_key::kind;
using values = std::vector<std::string>;
using outcome = base::expected<void>;

tl::unexpected<base::error> refuse() {
  return base::fail(base::errc::config_invalid, {});
}

/// Parses a whole number within bounds and passes it to `set`.
template <class Set>
auto number_between(std::uint64_t least, std::uint64_t most, Set set) {
  return [=](serve_config& config, const values& given) -> outcome {
    const auto number = base::parse_decimal<std::uint64_t>(given.front());
    if (!number || *number < least || *number > most) return refuse();
    set(config, *number);
    return {};
  };
}

auto bytes_key(std::size_t base::limits::*member, std::uint64_t least, std::uint64_t most) {
  return number_between(least, most, [member](serve_config& config, std::uint64_t number) {
    config.limits.*member = number;
  });
}

auto milliseconds_key(std::chrono::milliseconds base::limits::*member, std::uint64_t least,
                      std::uint64_t most) {
  return number_between(least, most, [member](serve_config& config, std::uint64_t number) {
    config.limits.*member = std::chrono::milliseconds{number};
  });
}

/// Parses one of a few words and passes its value to `set`.
template <class Value, std::size_t Count, class Set>
auto one_of(std::array<std::pair<std::string_view, Value>, Count> words, Set set) {
  return [=](serve_config& config, const values& given) -> outcome {
    for (const auto& [word, value] : words) {
      if (word != given.front()) continue;
      set(config, value);
      return {};
    }
    return refuse();
  };
}

outcome set_listen(serve_config& config, const values& given) {
  config.listen.clear();
  for (std::string_view text : given) {
    const auto begins = http::take_suffix(text);
    const auto where = http::parse_endpoint(text);
    if (!where) return tl::unexpected(where.error());
    config.listen.push_back({*where, begins});
  }
  return config.listen.empty() ? outcome{refuse()} : outcome{};
}

outcome set_ops_listen(serve_config& config, const values& given) {
  std::string_view text = given.front();
  const auto begins = http::take_suffix(text);
  const auto where = http::parse_endpoint(text);
  if (!where) return tl::unexpected(where.error());
  if (begins.proxy_header) return refuse();
  config.ops_listen = *where;
  config.ops_tls = begins.tls;
  return {};
}

/// Pairs certificates with keys in the order given; `make_config` checks that there are as many.
auto tls_file_key(std::string http::tls_files::pair::*which) {
  return [which](serve_config& config, const values& given) -> outcome {
    auto& pairs = config.tls.pairs;
    pairs.resize(std::max(pairs.size(), given.size()));
    for (std::size_t i = 0; i < pairs.size(); ++i)
      pairs[i].*which = i < given.size() ? given[i] : std::string{};
    return {};
  };
}

/// Whether `text` has a scheme in lower case and a host.
bool is_web_url(std::string_view text) {
  const auto parts = model::split_url(text);
  return parts && (parts->scheme == "http" || parts->scheme == "https") &&
         !parts->authority.empty();
}

/// A URL that paths can be put behind.
auto base_url_key(std::string serve_config::*member) {
  return [member](serve_config& config, const values& given) -> outcome {
    const std::string_view url = given.front();
    const auto parts = model::split_url(url);
    if (parts && parts->authority.find('@') != std::string_view::npos)
      return base::fail(base::errc::config_invalid,
                        "everybody would read the user and the password before the @; leave them "
                        "out");
    if (!is_web_url(url) || url.back() == '/' ||
        url.find_first_of(" ?#\"<>") != std::string_view::npos)
      return refuse();
    config.*member = url;
    return {};
  };
}

outcome set_base_path(serve_config& config, const values& given) {
  const std::string_view path = given.front();
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view{"/-_.~"}.find(c) != std::string_view::npos;
  };
  if (!path.empty() &&
      (path.front() != '/' || path.back() == '/' || path.find("//") != std::string_view::npos ||
       !std::all_of(path.begin(), path.end(), plain)))
    return refuse();
  config.front.base_path = path;
  return {};
}

outcome set_trusted_proxies(serve_config& config, const values& given) {
  config.front.proxies.trusted_proxies.clear();
  for (const auto& text : given) {
    const auto block = model::parse_cidr(text);
    if (!block) return refuse();
    config.front.proxies.trusted_proxies.push_back(*block);
  }
  return {};
}

outcome set_cors_origins(serve_config& config, const values& given) {
  const auto acceptable = [&](const std::string& origin) {
    return (origin == "*" && given.size() == 1) || (is_web_url(origin) && origin.back() != '/');
  };
  if (!std::all_of(given.begin(), given.end(), acceptable)) return refuse();
  config.front.cors_origins = given;
  return {};
}

outcome set_default_namespace(serve_config& config, const values& given) {
  config.default_namespace = model::parse_uuid(given.front());
  return config.default_namespace ? outcome{} : outcome{refuse()};
}

outcome set_fallback_location(serve_config& config, const values& given) {
  if (given.size() != 2) return refuse();
  config.fallback_location = model::parse_coordinates(given[0], given[1]);
  return config.fallback_location ? outcome{} : outcome{refuse()};
}

/// Parses `true` or `false` and passes it to `set`.
template <class Set>
auto true_or_false(Set set) {
  return one_of(std::array{std::pair<std::string_view, bool>{"true", true},
                           std::pair<std::string_view, bool>{"false", false}},
                set);
}

outcome set_data_dir(serve_config& config, const values& given) {
  if (given.front().empty()) return refuse();
  config.store.data_dir = given.front();
  return {};
}

outcome set_geoip(serve_config& config, const values& given) {
  config.geoip_files = given;
  return {};
}

outcome set_faults(serve_config& config, const values& given) {
  auto rules = read_fault_rules(given.front());
  if (!rules) return tl::unexpected(rules.error());
  config.faults = *std::move(rules);
  return {};
}

constexpr std::uint64_t mebibyte = 1024 * 1024;
constexpr std::uint64_t hour_ms = 3'600'000;

/// Where and how the service listens.
std::vector<config_key> listening_keys() {
  const auto set_loops = [](serve_config& config, std::uint64_t n) { config.loops = n; };
  const auto set_transport = [](serve_config& config, transport_kind which) {
    config.transport = which;
  };
  const auto set_open = [](serve_config& config, bool open) { config.insecure_open = open; };
  const auto set_take_over = [](serve_config& config, bool on) { config.take_over = on; };
  const auto set_client_ca = [](serve_config& config, const values& given) -> outcome {
    config.tls.client_ca = given.front();
    return {};
  };
  using transport_word = std::pair<std::string_view, transport_kind>;
  return {
      {"listen", kind::list, "127.0.0.1:8080",
       "ADDRESS:PORT with /tls, /proxy, /proxy/tls or nothing behind it; IPv6 in brackets, port 0 "
       "for the kernel's choice; repeatable",
       "Where the data plane listens. /tls: it speaks TLS. With /proxy each connection must begin "
       "with a PROXY protocol header (version 1 or 2), which tells the client's address where the "
       "peer is in trusted-proxies. Neither with the transport httplib.",
       set_listen},
      {"ops-listen", kind::text, "127.0.0.1:8081", "ADDRESS:PORT or ADDRESS:PORT/tls",
       "Where health, metrics and administration listen; beyond loopback only with /tls.",
       set_ops_listen},
      {"tls-cert", kind::list, "", "PEM files; repeatable",
       "The certificates of listeners with /tls, each with the chain behind it. The client's "
       "server name (SNI) chooses; whoever asks for another gets the first. Followed when they are "
       "replaced.",
       tls_file_key(&http::tls_files::pair::certificate)},
      {"tls-key", kind::list, "", "PEM files without a passphrase; repeatable",
       "The keys of tls-cert, in the same order.", tls_file_key(&http::tls_files::pair::key)},
      {"ops-client-ca", kind::text, "", "a PEM file; empty: no client certificates",
       "Authorities whose client certificates may do on the ops plane what an admin token may, "
       "where it speaks TLS.",
       set_client_ca},
      {"public-url", kind::text, "",
       "http:// or https:// URL without a slash at the end; empty: the first listener",
       "Where clients reach the service; the base of URLs that it hands out, before base-path.",
       base_url_key(&serve_config::public_url)},
      {"base-path", kind::text, "", "/path without a slash at the end, or empty",
       "What every path begins with, for a service that shares its host name.", set_base_path},
      {"loops", kind::number, "0", "0 to 256; 0: one per core", "Event loops, each a thread.",
       number_between(0, 256, set_loops)},
      {"transport", kind::text, "loops", "loops or httplib",
       "How HTTP is spoken. httplib is for comparison, not for the open internet.",
       one_of(std::array{transport_word{"loops", transport_kind::loops},
                         transport_word{"httplib", transport_kind::httplib}},
              set_transport)},
      {"insecure-open", kind::flag, "false", "true or false",
       "Allows a listener of the data plane beyond loopback with auth = open: anybody who reaches "
       "it may use it. The ops plane asks for tokens there all the same.",
       true_or_false(set_open)},
      {"take-over", kind::flag, "false", "true or false",
       "Replaces the process that serves the same listeners from the same data directory, without "
       "losing a request: it hands over its listening sockets once this one is ready, drains and "
       "ends. Where none runs, starts as usual. Not with the transport httplib.",
       true_or_false(set_take_over)},
  };
}

auto session_time_key(std::chrono::milliseconds store::session_limits::*member, std::uint64_t least,
                      std::uint64_t most) {
  return number_between(least, most, [member](serve_config& config, std::uint64_t number) {
    config.store_sessions.*member = std::chrono::milliseconds{number};
  });
}

auto session_count_key(std::size_t store::session_limits::*member, std::uint64_t least,
                       std::uint64_t most) {
  return number_between(least, most, [member](serve_config& config, std::uint64_t number) {
    config.store_sessions.*member = number;
  });
}

/// Of a store in PostgreSQL.
std::vector<config_key> store_keys() {
  using store::session_limits;
  return {
      {"store",
       kind::text,
       "",
       "postgresql://HOST/DATABASE; empty: the data directory",
       "A PostgreSQL database (15 or later) that has the store, which any number of processes on "
       "any number of machines share. A password belongs into ~/.pgpass, a service file or the "
       "environment: as a flag it is refused.",
       [](serve_config& config, const values& given) -> outcome {
         config.store.url = given.front();
         return {};
       },
       config_key::section::service,
       {},
       true},
      {"store-unverified", kind::flag, "false", "true or false",
       "Reaches a PostgreSQL server beyond loopback without sslmode=verify-full: whoever is in "
       "between reads and changes everything.",
       true_or_false([](serve_config& config, bool on) { config.store.allow_unverified = on; })},
      {"master-key-file", kind::text, "",
       "a file with 64 hexadecimal digits; `openssl rand -hex 32`",
       "The key that secrets (of signed URLs and TLS tickets) are encrypted under in PostgreSQL. "
       "Each replica is given the same.",
       [](serve_config& config, const values& given) -> outcome {
         config.store.master_key_file = given.front();
         return {};
       }},
      {"store-connections", kind::number, "16", "4 to 1000",
       "Connections of this process to PostgreSQL at once. Of the server's max_connections each "
       "process needs its share.",
       session_count_key(&session_limits::at_once, 4, 1'000)},
      {"store-idle-connections", kind::number, "4", "0 to 1000",
       "Connections to PostgreSQL that are kept while nobody needs them.",
       session_count_key(&session_limits::idle, 0, 1'000)},
      {"store-wait-ms", kind::number, "5000", "1 to 600000",
       "How long a request waits for a connection to PostgreSQL; then 503 overloaded.",
       session_time_key(&session_limits::patience, 1, 600'000)},
      {"store-connection-lifetime-ms", kind::number, "1800000", "1000 to 86400000",
       "How long a connection to PostgreSQL is used before a new one replaces it, so that all move "
       "to where the name leads now.",
       session_time_key(&session_limits::lifetime, 1'000, 86'400'000)},
      {"store-statement-timeout-ms", kind::number, "5000", "100 to 600000",
       "How long PostgreSQL may take for a statement. A second later its connection is given up.",
       number_between(100, 600'000,
                      [](serve_config& config, std::uint64_t number) {
                        config.store.statement_timeout = std::chrono::milliseconds{number};
                      })},
      {"store-unreachable-ms", kind::number, "30000", "1000 to 86400000",
       "How long the store may be out of reach before administration gets 503 at once.",
       number_between(1'000, 86'400'000,
                      [](serve_config& config, std::uint64_t number) {
                        config.front.store.unreachable_after = std::chrono::milliseconds{number};
                      })},
      {"stale-auth-limit-ms", kind::number, "3600000", "1000 to 604800000",
       "How long tokens are accepted while the store is out of reach, as they were last known; "
       "their expiry counts all the same. Then 503.",
       number_between(1'000, 604'800'000,
                      [](serve_config& config, std::uint64_t number) {
                        config.front.store.stale_auth_limit = std::chrono::milliseconds{number};
                      })},
      {"start-wait-ms", kind::number, "300000", "0 to 86400000",
       "How long the start waits for a PostgreSQL server or a bucket that is out of reach: not "
       "ready, with a line in the log each minute. What waiting cannot mend, such as a wrong "
       "password, ends it at once. 0: so does everything else.",
       number_between(0, 86'400'000,
                      [](serve_config& config, std::uint64_t number) {
                        config.start_wait = std::chrono::milliseconds{number};
                      })},
  };
}

/// A text about the bucket; the settings are checked when it is opened.
auto bucket_text_key(std::string store::s3_settings::*member) {
  return [member](serve_config& config, const values& given) -> outcome {
    config.store.objects.*member = given.front();
    return {};
  };
}

/// Of images and exports in a bucket.
std::vector<config_key> objects_keys() {
  using store::objects_delivery;
  using store::s3_settings;
  using delivery_word = std::pair<std::string_view, objects_delivery>;
  return {
      {"objects", kind::text, "", "s3://BUCKET or s3://BUCKET/PREFIX; empty: the data directory",
       "A bucket that has images and exports, which all processes on a store share. Credentials "
       "are "
       "those of AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or of ~/.aws/credentials.",
       [](serve_config& config, const values& given) -> outcome {
         if (given.front().empty()) return {};
         auto location = store::parse_s3_location(given.front());
         if (!location) return tl::unexpected(location.error());
         config.store.objects.location = *std::move(location);
         return {};
       }},
      {"objects-endpoint", kind::text, "",
       "http:// or https:// with host and port; empty: Amazon's for the region",
       "Where the service of the bucket is.", bucket_text_key(&s3_settings::endpoint)},
      {"objects-public-endpoint", kind::text, "",
       "http:// or https:// with host and port; empty: objects-endpoint",
       "Where clients reach the service of the bucket, when they are redirected to it.",
       bucket_text_key(&s3_settings::public_endpoint)},
      {"objects-region", kind::text, "us-east-1", "a region's name",
       "What requests to the bucket are signed for.", bucket_text_key(&s3_settings::region)},
      {"objects-path-style", kind::flag, "false", "true or false",
       "The bucket stands in the path of URLs and not before the host, as most services but "
       "Amazon's want it.",
       true_or_false(
           [](serve_config& config, bool on) { config.store.objects.is_path_style = on; })},
      {"objects-ca-file", kind::text, "", "a PEM file; empty: the system's authorities",
       "Authorities to trust in place of the system's where the bucket is reached by https.",
       bucket_text_key(&s3_settings::ca_file)},
      {"objects-metadata-credentials", kind::flag, "false", "true or false",
       "Takes the credentials from the instance metadata service (EC2, IMDSv2) and not from the "
       "environment or a file.",
       true_or_false([](serve_config& config, bool on) { config.store.objects_by_metadata = on; })},
      {"objects-delivery", kind::text, "redirect", "redirect or through",
       "How downloads get what is in the bucket: redirect sends them there by a URL that is valid "
       "for a minute; through passes the bytes on.",
       one_of(
           std::array{delivery_word{"redirect", objects_delivery::redirect},
                      delivery_word{"through", objects_delivery::through}},
           [](serve_config& config, objects_delivery which) { config.objects_delivery = which; })},
      {"objects-images-url", kind::text, "",
       "http:// or https:// URL without a slash at the end; empty: public-url",
       "Where everybody may read the images of the bucket, such as a CDN: the base of their URLs "
       "in "
       "avatar lists, before media/..",
       base_url_key(&serve_config::images_url)},
      {"objects-timeout-ms", kind::number, "30000", "1000 to 600000",
       "How long a call to the bucket may take, repetitions included; one that stores a part of an "
       "export or puts parts together, four times as long.",
       number_between(1'000, 600'000,
                      [](serve_config& config, std::uint64_t number) {
                        config.store.objects.call_timeout = std::chrono::milliseconds{number};
                        config.store.objects.long_timeout = std::chrono::milliseconds{4 * number};
                      })},
      {"objects-connections", kind::number, "64", "32 to 1024",
       "Calls to the bucket at once; beyond: 503 overloaded.",
       number_between(32, 1'024,
                      [](serve_config& config, std::uint64_t number) {
                        config.store.objects.calls_limit = number;
                      })},
  };
}

/// What the service knows.
std::vector<config_key> data_keys() {
  const auto set_places = [](serve_config& config, bool on) { config.counts_places = on; };
  return {
      {"data-dir", kind::text, "var", "a directory, created if missing",
       "Where the store lives. Several processes may share it.", set_data_dir},
      {"geoip", kind::list, "", "MMDB files; repeatable",
       "Databases of where addresses are. Of several files the first with coordinates decides, "
       "else "
       "the first with a country. Without one all locations are unknown.",
       set_geoip},
      {"default-namespace", kind::text, "", "a namespace's UUID; empty: none",
       "The namespace of a listing whose Origin says nothing. None: all regions.",
       set_default_namespace},
      {"fallback-location", kind::list, "", "LATITUDE,LONGITUDE in degrees",
       "Where a client of unknown location is taken to be. None: all its distances are 0.",
       set_fallback_location},
      {"count-places", kind::flag, "true", "true or false",
       "Whether requests for listings are counted by where they come from, in cells of 5 degrees, "
       "for the console.",
       true_or_false(set_places)},
  };
}

/// Whom the service believes, and which pages may read its answers.
std::vector<config_key> client_keys() {
  const auto set_forwarded = [](serve_config& config, http::forwarded_header which) {
    config.front.proxies.header = which;
  };
  using forwarded_word = std::pair<std::string_view, http::forwarded_header>;
  return {
      {"trusted-proxies", kind::list, "", "CIDR blocks or addresses; repeatable",
       "Peers whose forwarding headers and PROXY protocol headers tell the client's address. "
       "Everybody else's are ignored.",
       set_trusted_proxies},
      {"forwarded-header", kind::text, "auto", "auto, x-forwarded-for or forwarded",
       "The header that trusted proxies write.",
       one_of(std::array{forwarded_word{"auto", http::forwarded_header::automatic},
                         forwarded_word{"x-forwarded-for", http::forwarded_header::x_forwarded_for},
                         forwarded_word{"forwarded", http::forwarded_header::forwarded}},
              set_forwarded)},
      {"cors-origins", kind::list, "*", "origins (https://play.example), or * for any; repeatable",
       "Pages that may read the regions listing in a browser.", set_cors_origins},
  };
}

outcome set_ops_hosts(serve_config& config, const values& given) {
  constexpr std::string_view tls_scheme = "https://";
  for (std::string_view name : given) {
    if (name.starts_with(tls_scheme)) name.remove_prefix(tls_scheme.size());
    if (!model::is_host_name(name)) return refuse();
  }
  config.front.access.ops_hosts = given;
  return {};
}

outcome set_data_hosts(serve_config& config, const values& given) {
  if (!std::ranges::all_of(given, model::is_host_name)) return refuse();
  config.front.access.data_hosts = given;
  return {};
}

auto rate_key(
    std::array<base::rate_policy, http::cost_class_names.size()> http::access_settings::*of,
    http::cost_class cost) {
  return [=](serve_config& config, const values& given) -> outcome {
    const auto policy = model::parse_rate_policy(given.front());
    if (!policy) return refuse();
    (config.front.access.*of)[static_cast<std::size_t>(cost)] = *policy;
    return {};
  };
}

/// How long what was done, and by whom, is kept.
std::vector<config_key> retention_keys() {
  const auto set_kept = [](serve_config& config, std::uint64_t days) {
    config.audit_kept = std::chrono::hours{24} * days;
  };
  const auto set_tokens_kept = [](serve_config& config, std::uint64_t days) {
    config.tokens_kept = std::chrono::hours{24} * days;
  };
  return {
      {"audit-retention-days", kind::number, "365", "1 to 36500",
       "How long the audit log keeps its entries.", number_between(1, 36'500, set_kept)},
      {"token-retention-days", kind::number, "30", "1 to 36500",
       "How long the store keeps tokens that were revoked or have expired.",
       number_between(1, 36'500, set_tokens_kept)},
  };
}

/// Who may do what, and how often.
std::vector<config_key> access_keys() {
  using base::limits;
  using http::access_settings;
  using http::cost_class;
  using auth_word = std::pair<std::string_view, bool>;
  const auto set_auth = [](serve_config& config, bool required) {
    config.front.access.requires_tokens = required;
  };
  const auto set_ops_auth = [](serve_config& config, bool required) {
    config.front.access.ops_requires_tokens = required;
  };
  const auto set_anonymous = [](serve_config& config, bool on) {
    config.front.access.anonymous_regions = on;
  };
  const auto set_loopback = [](serve_config& config, bool on) {
    config.limits.limits_loopback = config.front.access.limits_loopback = on;
  };
  const auto set_prefix = [](serve_config& config, std::uint64_t bits) {
    config.limits.ipv6_client_prefix = config.front.access.ipv6_client_prefix = bits;
  };
  const auto set_entries = [](serve_config& config, std::uint64_t n) {
    config.rate_limit_entries = n;
  };
  const std::string rate{model::rate_policy_allowed};
  return {
      {"auth", kind::text, "open", "open or required",
       "Whether the data plane asks for tokens (matchcloud token create). open is only for "
       "listeners on loopback, or with insecure-open.",
       one_of(std::array{auth_word{"open", false}, auth_word{"required", true}}, set_auth)},
      {"anonymous-regions", kind::flag, "true", "true or false",
       "With auth = required: whether listing regions and pinging need no token. A player token "
       "names the namespace all the same.",
       true_or_false(set_anonymous)},
      {"ops-auth", kind::text, "beyond-loopback", "beyond-loopback or required",
       "Whether the ops plane asks for tokens also where it listens on loopback and the request "
       "comes from this machine, not through a proxy.",
       one_of(std::array{auth_word{"beyond-loopback", false}, auth_word{"required", true}},
              set_ops_auth)},
      {"ops-hosts", kind::list, "",
       "host names, each with https:// before it where a proxy speaks TLS for it; repeatable",
       "Names by which the ops plane may be asked, besides its addresses and localhost.",
       set_ops_hosts},
      {"data-hosts", kind::list, "", "host names; repeatable",
       "Names by which clients on this machine may ask for exports and avatars with auth = open, "
       "besides its addresses, localhost and the host of public-url.",
       set_data_hosts},
      {"rate-limit-address-cheap", kind::text, "10000/10", rate,
       "Requests that a client address (IPv6: its prefix; a /48 16 times as many) may send to "
       "operations that cost little; beyond: 429. Requests that lead nowhere count, too, and one "
       "without a valid token ten times.",
       rate_key(&access_settings::per_address, cost_class::cheap)},
      {"rate-limit-address-expensive", kind::text, "1000/10", rate,
       "The same for the other operations.",
       rate_key(&access_settings::per_address, cost_class::expensive)},
      {"rate-limit-token-cheap", kind::text, "50000/10", rate,
       "What a token may send to operations that cost little, a player token from each address; "
       "beyond: 429. A token may have limits of its own.",
       rate_key(&access_settings::per_token, cost_class::cheap)},
      {"rate-limit-token-expensive", kind::text, "2000/10", rate,
       "The same for the other operations.",
       rate_key(&access_settings::per_token, cost_class::expensive)},
      {"rate-limit-loopback", kind::flag, "false", "true or false",
       "Whether rate-limit-address-* and max-connections-per-address hold for this machine's own "
       "addresses: behind a proxy on this machine that is not in trusted-proxies they are all "
       "clients.",
       true_or_false(set_loopback)},
      {"rate-limit-entries", kind::number, "262144", "8 to 67108864",
       "How many addresses and tokens the rate limits tell apart, 16 bytes each. Those that owe "
       "nothing make room; where all are in debt, strangers share a limit of a quarter.",
       number_between(8, 67'108'864, set_entries)},
      {"max-connections-per-address", kind::number, "10000", "1 to 1000000",
       "Connections that a client address may hold (a /48 16 times as many); beyond: 503. Trusted "
       "proxies are not bounded.",
       bytes_key(&limits::connections_per_address, 1, 1'000'000)},
      {"client-prefix-bits", kind::number, "64", "48 to 128",
       "The length of the IPv6 prefix that counts as one client address.",
       number_between(48, 128, set_prefix)},
  };
}

/// Faults that are injected on purpose.
std::vector<config_key> fault_keys() {
  const auto set_enabled = [](serve_config& config, bool on) { config.fault_injection = on; };
  const auto set_seed = [](serve_config& config, std::uint64_t seed) { config.fault_seed = seed; };
  return {
      {"enable-fault-injection", kind::flag, "false", "true or false",
       "Lets whoever reaches the ops plane make the service fail (/faults). Not for production.",
       true_or_false(set_enabled)},
      {"faults", kind::text, "", "a TOML file, or TOML text (with a = in it)",
       "Faults that are injected from the beginning; docs/faults.md has the format.", set_faults},
      {"fault-seed", kind::number, "", "0 to 18446744073709551615; empty: by chance",
       "Decides which passes of a fault point are hit; printed at the start.",
       number_between(0, std::numeric_limits<std::uint64_t>::max(), set_seed)},
  };
}

/// The bounds of requests, connections and their memory.
std::vector<config_key> transport_keys() {
  using base::limits;
  const auto set_backlog = [](serve_config& config, std::uint64_t n) {
    config.limits.listen_backlog = static_cast<int>(n);
  };
  return {
      {"head-limit-bytes", kind::number, "8192", "256 to 65536",
       "Request line and header lines together; beyond: 431.",
       bytes_key(&limits::head_limit_bytes, 256, 65'536)},
      {"target-limit-bytes", kind::number, "2048", "64 to 32768",
       "The request target; beyond: 414.", bytes_key(&limits::target_limit_bytes, 64, 32'768)},
      {"body-limit-bytes", kind::number, "1048576", "1024 to 67108864",
       "The request body; beyond: 413.",
       bytes_key(&limits::body_limit_bytes, 1'024, 64 * mebibyte)},
      {"max-connections", kind::number, "100000", "1 to 1000000",
       "Connections of the process; beyond, the one that has been idle longest is closed for each "
       "new one, and where none is idle listeners pause. Also at most the hard RLIMIT_NOFILE "
       "less 512, max-ops-connections, an eighth (at most 4096) for images and another (at most "
       "2048) for exports, or "
       "half of it where that is more.",
       bytes_key(&limits::connection_limit, 1, 1'000'000)},
      {"connection-share-percent", kind::number, "25", "1 to 100",
       "Of max-connections, what one client address (IPv6: its /64) may hold while more than half "
       "are taken; beyond: 503. With PROXY headers it is the announced address that counts; "
       "trusted proxies themselves are not bounded.",
       bytes_key(&limits::connection_share_percent, 1, 100)},
      {"max-tls-handshakes", kind::number, "2048", "1 to 1000000",
       "TLS handshakes in progress, of each plane; beyond, the one that has taken longest ends for "
       "each new one.",
       bytes_key(&limits::tls_handshakes_limit, 1, 1'000'000)},
      {"listen-backlog", kind::number, "4096", "1 to 65535",
       "Connections that wait to be accepted, per listener (also bounded by net.core.somaxconn).",
       number_between(1, 65'535, set_backlog)},
      {"byte-budget-bytes", kind::number, "536870912", "1048576 to 1099511627776",
       "Request and response bytes held by the data plane; beyond: 503.",
       bytes_key(&limits::byte_budget_bytes, mebibyte, mebibyte * mebibyte)},
      {"max-ops-connections", kind::number, "2048", "8 to 100000",
       "Connections of the ops plane; beyond, the one that has been idle longest is closed for "
       "each "
       "new one, or else the one whose request has been incomplete longest. Also at most an eighth "
       "of the hard RLIMIT_NOFILE.",
       bytes_key(&limits::ops_connection_limit, 8, 100'000)},
      {"ops-byte-budget-bytes", kind::number, "134217728", "1048576 to 1099511627776",
       "Request and response bytes held by the ops plane; beyond: 503. Of an ingest they are at "
       "most 384 KiB; its lines that wait to be stored are not among them.",
       bytes_key(&limits::ops_byte_budget_bytes, mebibyte, mebibyte * mebibyte)},
      {"httplib-threads", kind::number, "64", "1 to 1024",
       "Threads of the httplib transport; each serves one connection at a time.",
       bytes_key(&limits::httplib_threads, 1, 1'024)},
  };
}

/// How much may wait for actors, and what happens when they die too often.
std::vector<config_key> actor_keys() {
  using base::limits;
  const auto set_exit = [](serve_config& config, bool ends) {
    config.exit_on_restart_storm = ends;
  };
  const auto set_traced = [](serve_config& config, std::uint64_t n) { config.trace_one_in = n; };
  return {
      {"max-in-flight", kind::number, "4096", "1 to 1000000",
       "Requests per event loop that wait for an actor; beyond: 503. An eighth is kept for those "
       "that cost most to repeat.",
       bytes_key(&limits::in_flight_limit, 1, 1'000'000)},
      {"mailbox-validator", kind::number, "4096", "1 to 1000000",
       "Requests that wait for the event loop's validator; beyond: 503.",
       bytes_key(&limits::validator_mailbox, 1, 1'000'000)},
      {"mailbox-large-validator", kind::number, "256", "1 to 1000000",
       "Requests per event loop that wait for the validator of payloads that take long; beyond: "
       "503.",
       bytes_key(&limits::large_validator_mailbox, 1, 1'000'000)},
      {"mailbox-region-ranking", kind::number, "4096", "1 to 1000000",
       "Requests that wait for the event loop's region ranking; beyond: 503.",
       bytes_key(&limits::region_ranking_mailbox, 1, 1'000'000)},
      {"mailbox-media", kind::number, "4096", "1 to 1000000",
       "Requests that wait for the event loop's images; beyond: 503.",
       bytes_key(&limits::media_mailbox, 1, 1'000'000)},
      {"mailbox-avatar", kind::number, "2048", "1 to 1000000",
       "Requests per event loop that wait for one of the four avatar shards; beyond: 503.",
       bytes_key(&limits::avatar_mailbox, 1, 1'000'000)},
      {"mailbox-lobby-export", kind::number, "1024", "1 to 1000000",
       "Requests per event loop that wait for exports; beyond: 503.",
       bytes_key(&limits::lobby_export_mailbox, 1, 1'000'000)},
      {"mailbox-export-download", kind::number, "1024", "1 to 1000000",
       "Requests per event loop that wait for downloads of exports; beyond: 503.",
       bytes_key(&limits::export_download_mailbox, 1, 1'000'000)},
      {"mailbox-ingestion", kind::number, "256", "1 to 1024",
       "Ingests of lobbies at once, from the head of the request to its answer, each with lines of "
       "up to 2 MiB in memory; beyond: 503.",
       bytes_key(&limits::ingestion_mailbox, 1, 1'024)},
      {"ingest-share-percent", kind::number, "25", "1 to 100",
       "Of mailbox-ingestion, what one token may hold while more than half is taken, or without a "
       "token one client certificate or one address (IPv6: its prefix of client-prefix-bits); "
       "beyond: 503.",
       bytes_key(&limits::ingest_share_percent, 1, 100)},
      {"ingest-least-rate", kind::number, "16384", "1 to 1000000000",
       "Bytes a second that an ingest must send on average while more than half of "
       "mailbox-ingestion is taken; slower, after the first 5 s: 408.",
       bytes_key(&limits::ingest_least_rate, 1, 1'000'000'000)},
      {"mailbox-administration", kind::number, "64", "1 to 1024",
       "Requests about elements of the catalog that wait for the store; beyond: 503.",
       bytes_key(&limits::administration_mailbox, 1, 1'024)},
      {"mailbox-fault-control", kind::number, "64", "1 to 1024",
       "Requests about faults that wait; beyond: 503.",
       bytes_key(&limits::fault_control_mailbox, 1, 1'024)},
      {"mailbox-reports", kind::number, "1200", "16 to 100000",
       "Requests that wait for a report, and watchers of the status, who have at most fifteen "
       "sixteenths of it; beyond: 503.",
       bytes_key(&limits::reports_mailbox, 16, 100'000)},
      {"restart-intensity", kind::number, "5", "1 to 1000",
       "An actor that dies more often than that within restart-window-ms, each time without having "
       "handled anything, makes the service not ready.",
       bytes_key(&limits::restart_intensity, 1, 1'000)},
      {"restart-window-ms", kind::number, "10000", "100 to 3600000",
       "The time in which restart-intensity counts.",
       milliseconds_key(&limits::restart_window, 100, hour_ms)},
      {"exit-on-restart-storm", kind::flag, "false", "true or false",
       "Ends the process where restart-intensity is exceeded, for whoever restarts it elsewhere.",
       true_or_false(set_exit)},
      {"trace-one-in", kind::number, "1000", "0 to 1000000000; 0: none",
       "Of so many requests of the data plane one is traced on its way through actors, for the "
       "console.",
       number_between(0, 1'000'000'000, set_traced)},
  };
}

/// Keys for timeouts.
std::vector<config_key> timeout_keys() {
  using base::limits;
  return {
      {"tls-handshake-timeout-ms", kind::number, "10000", "100 to 600000",
       "From the start of a TLS connection to the end of its handshake; beyond, it is closed.",
       milliseconds_key(&limits::tls_handshake_timeout, 100, 600'000)},
      {"head-timeout-ms", kind::number, "10000", "10 to 3600000",
       "From a request's first byte to the end of its head; beyond: 408.",
       milliseconds_key(&limits::head_timeout, 10, hour_ms)},
      {"body-timeout-ms", kind::number, "30000", "10 to 3600000",
       "From the end of the head to the end of the body; beyond: 408.",
       milliseconds_key(&limits::body_timeout, 10, hour_ms)},
      {"body-least-rate", kind::number, "256", "1 to 1000000000",
       "Bytes a second that a client must send of a streamed body, on average; slower, or pausing "
       "for body-timeout-ms: 408. What it sends at once counts for at most body-timeout-ms.",
       bytes_key(&limits::body_least_rate, 1, 1'000'000'000)},
      {"idle-timeout-ms", kind::number, "75000", "10 to 3600000",
       "How long a connection may be idle between requests; beyond: closed.",
       milliseconds_key(&limits::idle_timeout, 10, hour_ms)},
      {"write-timeout-ms", kind::number, "30000", "10 to 3600000",
       "How long a client may take no byte of its answer, by what its kernel has acknowledged; "
       "beyond: closed.",
       milliseconds_key(&limits::write_timeout, 10, hour_ms)},
      {"write-least-rate", kind::number, "256", "1 to 1000000000",
       "Bytes a second that a client must take of its answer, on average; slower: closed. What it "
       "takes at once counts for at most four times write-timeout-ms.",
       bytes_key(&limits::write_least_rate, 1, 1'000'000'000)},
      {"request-timeout-ms", kind::number, "10000", "10 to 3600000",
       "From a complete request to its answer; beyond: 504.",
       milliseconds_key(&limits::request_timeout, 10, hour_ms)},
      {"ingest-timeout-ms", kind::number, "60000", "10 to 3600000",
       "From the last byte of an ingest of lobbies to its answer, and how long it may wait for the "
       "store in between; beyond: 504.",
       milliseconds_key(&limits::ingest_timeout, 10, hour_ms)},
      {"export-timeout-ms", kind::number, "600000", "10 to 86400000",
       "From a complete request for an export to its answer, and what writing it may take; beyond: "
       "504.",
       milliseconds_key(&limits::export_timeout, 10, 24 * hour_ms)},
      {"drain-delay-ms", kind::number, "0", "0 to 600000",
       "From SIGTERM to the drain: meanwhile /readyz says 503 and requests are accepted as ever. "
       "Longer than a balancer takes to see that, so that it sends nobody to closed listeners.",
       number_between(0, 600'000,
                      [](serve_config& config, std::uint64_t number) {
                        config.drain_delay = std::chrono::milliseconds{number};
                      })},
      {"drain-timeout-ms", kind::number, "15000", "0 to 3600000",
       "From the end of drain-delay-ms to the end; idle connections close in its last third.",
       milliseconds_key(&limits::drain_timeout, 0, hour_ms)},
      {"busy-poll-us", kind::number, "0", "0 to 1000; 0: off",
       "How long an event loop looks for requests again and again before it sleeps. Replies come "
       "sooner by a wake-up, for a whole core of each loop that gets requests more often than "
       "this: give fewer loops than there are cores.",
       number_between(0, 1'000,
                      [](serve_config& config, std::uint64_t number) {
                        config.busy_poll = std::chrono::microseconds{number};
                      })},
  };
}

/// What is kept in memory and in open files, and how far the store may lag.
std::vector<config_key> storage_keys() {
  using base::limits;
  return {
      {"ranking-cache-bytes", kind::number, "67108864", "0 to 1099511627776",
       "Memory per event loop for rankings by location (order and distances), an eighth of it for "
       "compressed listings.",
       bytes_key(&limits::ranking_cache_bytes, 0, mebibyte * mebibyte)},
      {"avatar-cache-bytes", kind::number, "268435456", "0 to 1099511627776",
       "Memory for rendered avatar lists; a quarter for each of the four shards.",
       bytes_key(&limits::avatar_cache_bytes, 0, mebibyte * mebibyte)},
      {"avatar-list-limit-bytes", kind::number, "67108864", "1024 to 1073741824",
       "One game's rendered avatar list; beyond: 500 list_too_large.",
       bytes_key(&limits::avatar_list_limit_bytes, 1'024, 1'024 * mebibyte)},
      {"store-backlog-limit-bytes", kind::number, "1073741824", "1048576 to 1099511627776",
       "What the store has written and not tidied away yet. Where it is more and cannot be tidied "
       "away, ingestion gets 503.",
       bytes_key(&limits::backlog_limit_bytes, mebibyte, mebibyte * mebibyte)},
      {"media-open-files", kind::number, "256", "1 to 65536",
       "Image files kept open for the next reader, per event loop; each is a descriptor.",
       bytes_key(&limits::media_open_files, 1, 65'536)},
  };
}

/// The exports of lobby history.
std::vector<config_key> export_keys() {
  using base::limits;
  return {
      {"export-jobs", kind::number, "2", "1 to 64",
       "Exports that run at once, each on a thread of the lowest priority.",
       bytes_key(&limits::export_jobs, 1, 64)},
      {"export-queue", kind::number, "64", "0 to 1024",
       "Exports that wait for one of export-jobs; beyond: 503. Requests for the same export share "
       "one.",
       bytes_key(&limits::export_queue, 0, 1'024)},
      {"export-limit-bytes", kind::number, "17179869184", "1048576 to 1099511627776",
       "Files of exports in the data directory, compressed and unfinished ones included; beyond: "
       "507, and files whose URL is still valid stay.",
       bytes_key(&limits::export_limit_bytes, mebibyte, mebibyte * mebibyte)},
      {"export-share-percent", kind::number, "50", "1 to 100",
       "Of export-queue, of the requests that wait for exports, and of export-limit-bytes, what "
       "one game may use; beyond: 503, or 507 for files. Games take turns in the queue, whatever "
       "their share.",
       bytes_key(&limits::export_share_percent, 1, 100)},
      {"export-url-lifetime-ms", kind::number, "3600000", "1000 to 86400000",
       "How long the URL of an export is valid, and at least how long its file is kept.",
       milliseconds_key(&limits::export_url_lifetime, 1'000, 24 * hour_ms)},
  };
}

constexpr std::string_view validation_limit_prefix = "limit-";

outcome set_aliases(serve_config& config, const values& given) {
  model::validation_rules only;
  for (const auto& text : given) {
    const auto equals = std::min(text.find('='), text.size());
    const auto alias = equals == text.size() ? std::string{} : text.substr(equals + 1);
    only.further_aliases.push_back({text.substr(0, equals), alias});
  }
  if (auto sound = model::check_rules(only); !sound) return sound;
  config.rules.further_aliases = std::move(only.further_aliases);
  return {};
}

/// Keys for the rules of validation other than limits.
std::vector<config_key> rule_keys() {
  using model::service_edition;
  using model::unknown_members;
  const auto set_unknown = [](serve_config& config, unknown_members which) {
    config.rules.unknown_members = which;
  };
  const auto set_edition = [](serve_config& config, service_edition which) {
    config.rules.edition = which;
  };
  const auto set_complete = [](serve_config& config, bool on) { config.rules.complete = on; };
  using unknown_word = std::pair<std::string_view, unknown_members>;
  using edition_word = std::pair<std::string_view, service_edition>;
  constexpr auto where = config_key::section::rules;
  return {
      {"unknown-members", kind::text, "reject", "reject or ignore",
       "Whether validation reports members that the specification does not know.",
       one_of(std::array{unknown_word{"reject", unknown_members::reject},
                         unknown_word{"ignore", unknown_members::ignore}},
              set_unknown),
       where},
      {"edition", kind::text, "open-source", "open-source, enterprise or hosted",
       "The edition of the service. `hosted` has no containers on the host's network.",
       one_of(std::array{edition_word{"open-source", service_edition::open_source},
                         edition_word{"enterprise", service_edition::enterprise},
                         edition_word{"hosted", service_edition::hosted}},
              set_edition),
       where},
      {"complete", kind::flag, "false", "true or false",
       "Whether validation also asks for what a version needs to run: for services that create "
       "what "
       "they validate.",
       true_or_false(set_complete), where},
      {"alias", kind::list, "", "NEUTRAL=ALIAS, as in container_runtime=oci; repeatable",
       "Words that payloads may use in place of the specification's neutral ones, besides the "
       "built-in aliases.",
       set_aliases, where},
  };
}

/// Turns a row of the limit table into sentences: what is limited, then how.
std::string sentence_about(const model::validation_limit& limit, const std::string& bounded) {
  const std::string_view unit = limit.unit;
  auto text = bounded;
  if (text.front() >= 'a' && text.front() <= 'z') text.front() -= 'a' - 'A';
  if (unit == "port")
    return text + (limit.name.ends_with("-lowest") ? ": the lowest." : ": the highest.");
  if (unit.ends_with(" value")) return text + ": the " + std::string{unit} + ".";
  return text + ": at most so many " + std::string{unit} + ".";
}

/// Keys for the limits of validation.
std::vector<config_key> validation_limit_keys() {
  constexpr std::string_view ditto = "the same";
  const model::validation_limits defaults;
  std::vector<config_key> keys;
  std::string before;
  for (const auto& limit : model::validation_limit_table()) {
    std::string bounded{limit.purpose};
    if (bounded.starts_with(ditto)) bounded.replace(0, ditto.size(), before);
    const auto set = [value = limit.value](serve_config& config, std::uint64_t number) {
      config.rules.limits.*value = number;
    };
    keys.push_back({std::string{validation_limit_prefix} + std::string{limit.name}, kind::number,
                    std::to_string(defaults.*limit.value),
                    std::to_string(limit.lowest) + " to " + std::to_string(limit.highest),
                    sentence_about(limit, bounded),
                    number_between(limit.lowest, limit.highest, set), config_key::section::limits});
    before = std::move(bounded);
  }
  return keys;
}

} // namespace

std::string_view table_of(config_key::section where) noexcept {
  switch (where) {
  case config_key::section::service: return {};
  case config_key::section::rules: return "rules";
  case config_key::section::limits: return "limits";
  }
  return {};
}

std::string_view name_in_table(const config_key& key) noexcept {
  std::string_view name = key.name;
  if (key.where == config_key::section::limits) name.remove_prefix(validation_limit_prefix.size());
  return name;
}

std::span<const config_key> config_keys() {
  static const std::vector<config_key> keys = [] {
    std::vector<config_key> all;
    const auto add = [&all](std::string_view heading, std::vector<config_key> more) {
      for (auto& key : more) {
        key.heading = heading;
        all.push_back(std::move(key));
      }
    };
    add("Listening", listening_keys());
    add("Data", data_keys());
    add("PostgreSQL", store_keys());
    add("Images and exports in a bucket", objects_keys());
    add("Clients and proxies", client_keys());
    add("Tokens and rate limits", access_keys());
    add("Tokens and rate limits", retention_keys());
    add("Limits", transport_keys());
    add("Timeouts", timeout_keys());
    add("Mailboxes and supervision", actor_keys());
    add("Caches and store", storage_keys());
    add("Exports", export_keys());
    add("Validation, also [rules] of the TOML file", rule_keys());
    add("Limits of validation, also [limits] of the TOML file, without limit-",
        validation_limit_keys());
    add("Fault injection", fault_keys());
    return all;
  }();
  return keys;
}

const config_key* find_config_key(std::string_view name) {
  const auto keys = config_keys();
  const auto found = std::ranges::find(keys, name, &config_key::name);
  return found == keys.end() ? nullptr : &*found;
}

} // namespace matchcloud::app
