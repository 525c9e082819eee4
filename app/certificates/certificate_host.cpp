#include "app/certificates/certificate_host.hpp"

#include "model/net/host_name.hpp"
#include "model/net/ip_address.hpp"
#include "model/net/url_host.hpp"

#include <optional>

namespace matchcloud::app {

base::expected<certificate_host> parse_certificate_host(std::string_view text) {
  auto address = model::parse_ip_address(text);
  // This recognizes spellings of addresses that look like names, such as 127.1.
  const auto host = model::parse_url_host(text);
  if (!address && host) address = host->address;
  if (address) return certificate_host{true, to_string(*address)};
  auto name = model::to_lower(host ? host->name : std::string_view{});
  if (model::is_host_name(name)) return certificate_host{false, std::move(name)};
  return base::fail(base::errc::config_invalid,
                    "\"" + std::string{text} +
                        "\" is neither a host name nor an address; use one without scheme and "
                        "port, such as play.example, 192.0.2.1 or ::1");
}

} // namespace matchcloud::app
