#include "store/postgres/postgres.hpp"

#include "model/net/ip_address.hpp"

#include <libpq-fe.h>

#include <array>
#include <memory>
#include <string_view>

namespace matchcloud::store {

namespace {

struct options_freer {
  void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using options = std::unique_ptr<PQconninfoOption, options_freer>;

options parse(const std::string& url, std::string* reason = nullptr) {
  char* message = nullptr;
  options found{PQconninfoParse(url.c_str(), &message)};
  if (reason && message) *reason = message;
  PQfreemem(message);
  return found;
}

std::string_view value_of(const options& in, std::string_view name) {
  for (const auto* each = in.get(); each && each->keyword; ++each)
    if (each->keyword == name && each->val) return each->val;
  return {};
}

/// Whether all of the hosts (comma separated) are this machine.
bool is_local(std::string_view hosts) {
  while (true) {
    const auto end = hosts.find(',');
    const auto host = hosts.substr(0, end);
    const auto address = model::parse_ip_address(host);
    if (!host.empty() && host.front() != '/' && host.front() != '@' && host != "localhost" &&
        !(address && address->is_loopback()))
      return false;
    if (end == std::string_view::npos) return true;
    hosts.remove_prefix(end + 1);
  }
}

} // namespace

bool is_postgres_url(std::string_view text) noexcept {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

base::expected<void> check_postgres_url(const std::string& url) {
  if (parse(url)) return {};
  // libpq's reason would repeat parts of the text, possibly of a password.
  return base::fail(
      base::errc::config_invalid,
      "is not a connection string: use postgresql://[USER@][HOST][:PORT]/DATABASE[?NAME=VALUE&..], "
      "percent-encoded; see \"Connection Strings\" in libpq's manual");
}

bool has_password(const std::string& url) {
  const auto found = parse(url);
  return !value_of(found, "password").empty() || !value_of(found, "sslpassword").empty();
}

std::string server_name_of(const std::string& url) {
  const auto found = parse(url);
  std::string place = "postgresql://";
  const auto service = value_of(found, "service");
  if (!service.empty()) return place.append("?service=").append(service);
  const auto host = value_of(found, "host");
  place.append(host.empty() ? value_of(found, "hostaddr") : host);
  const auto port = value_of(found, "port"); // only commas for several hosts without ports
  if (port.find_first_not_of(',') != std::string_view::npos) place.append(":").append(port);
  return place.append("/").append(value_of(found, "dbname"));
}

base::expected<void> check_verification(const postgres_settings& settings) {
  if (settings.allow_unverified) return {};
  // Includes what services and the environment add. The last value is invalid, so the attempt ends
  // before a name is looked up or a packet sent.
  const std::array names{"dbname", "target_session_attrs", static_cast<const char*>(nullptr)};
  const std::array values{settings.url.c_str(), "nobody", static_cast<const char*>(nullptr)};
  const std::unique_ptr<PGconn, decltype(&PQfinish)> begun{
      PQconnectStartParams(names.data(), values.data(), 1), &PQfinish};
  const options found{begun ? PQconninfo(begun.get()) : nullptr};
  const auto address = value_of(found, "hostaddr");
  if (is_local(address.empty() ? value_of(found, "host") : address)) return {};
  const auto mode = value_of(found, "sslmode");
  if (mode == "verify-full") return {};
  return base::fail(base::errc::config_invalid,
                    server_name_of(settings.url) + ": sslmode=" + std::string{mode} +
                        " does not verify the server; add sslmode=verify-full (and sslrootcert), "
                        "or use --store-unverified if the network is trusted");
}

} // namespace matchcloud::store
