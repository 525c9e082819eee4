#include "model/net/ascii_host.hpp"

#include "model/net/url_host.hpp"

#include <idn2.h>
#include <unicase.h>

#include <array>
#include <cstdint>
#include <memory>

namespace matchcloud::model {

namespace {

/// Longer hosts are refused before any costly work: RFC 1035 section 2.3.4, in UTF-8.
constexpr std::size_t host_limit_bytes = 4UL * 253;

struct utf8_deleter {
  void operator()(std::uint8_t* text) const noexcept { idn2_free(text); }
};

/// Whether a label begins or ends with a hyphen (RFC 5891 section 4.2.3.1), which libidn2 checks
/// only in names that it maps.
bool has_outer_hyphen(std::string_view host) noexcept {
  return host.starts_with('-') || host.ends_with('-') || host.find(".-") != host.npos ||
         host.find("-.") != host.npos;
}

} // namespace

std::optional<std::string> ascii_host(std::string_view host) {
  if (host.size() > host_limit_bytes || host.find('\0') != host.npos || has_outer_hyphen(host))
    return std::nullopt;
  std::array<std::uint8_t, 2 * host_limit_bytes> lower{};
  auto size = lower.size() - 1;
  // The longest growth, of U+0130, is from two bytes to three.
  if (u8_tolower(reinterpret_cast<const std::uint8_t*>(host.data()), host.size(), nullptr, nullptr,
                 lower.data(), &size) != lower.data())
    return std::nullopt;
  lower[size] = 0;
  std::uint8_t* found = nullptr;
  if (idn2_lookup_u8(lower.data(), &found, IDN2_NO_TR46) != IDN2_OK) return std::nullopt;
  const std::unique_ptr<std::uint8_t, utf8_deleter> owned{found};
  std::string ascii{reinterpret_cast<const char*>(found)};
  const auto parsed = parse_url_host(ascii);
  return parsed && !parsed->address ? std::optional{ascii} : std::nullopt;
}

} // namespace matchcloud::model
