#include "model/validation/public_url.hpp"

#include "model/net/punycode.hpp"
#include "model/net/special_addresses.hpp"
#include "model/net/url_host.hpp"
#include "model/net/url_parts.hpp"
#include "model/text/text_length.hpp"
#include "model/text/unicode.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace matchcloud::model {

namespace {

constexpr std::string_view slashes = "//";
constexpr std::string_view advice = " Use an absolute URL, such as `https://example.com/verify`.";

/// Domains that are never public, nor are their subdomains: RFC 6761 section 6.3, RFC 6762, RFC
/// 8375, ICANN's reservation of `internal`, and names that routers and clusters use internally.
constexpr std::array<std::string_view, 7> private_domains{
    "localhost", "local", "internal", "localdomain", "lan", "home.arpa", "svc"};

/// The characters that a URL may contain, percent-encoding included.
constexpr base::character_set url_characters{[](unsigned char c) {
  constexpr std::string_view never = "\"<>\\^`{|}";
  return c > 0x20 && c < 0x7F && never.find(static_cast<char>(c)) == never.npos;
}};

constexpr base::character_set scheme_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '+' || c == '-' || c == '.'; }};

violation invalid(std::string predicate) {
  return {"invalid", std::move(predicate)};
}

/// Whether the text after a colon begins with a port, so that the text before it is a host.
bool begins_with_port(std::string_view text) noexcept {
  constexpr base::character_set digits{base::is_digit};
  const auto port = digits.span(text);
  return port > 0 && (port == text.size() || text.find_first_of("/?#") == port);
}

/// The text before the first colon; empty if it is not a scheme (RFC 3986 section 3.1).
std::string_view scheme_of(std::string_view url) noexcept {
  const auto scheme = url.substr(0, scheme_characters.span(url));
  const bool is_scheme = !scheme.empty() && base::is_alphanumeric(scheme.front()) &&
                         !base::is_digit(scheme.front()) &&
                         url.substr(scheme.size()).starts_with(':');
  return is_scheme && !begins_with_port(url.substr(scheme.size() + 1)) ? scheme
                                                                       : std::string_view{};
}

/// Offset of the first `%` without two hexadecimal digits after it; `npos` if there is none.
std::size_t find_malformed_escape(std::string_view url) noexcept {
  for (auto at = url.find('%'); at != std::string_view::npos; at = url.find('%', at + 1)) {
    const auto digits = url.substr(at + 1, 2);
    if (digits.size() < 2 || base::hex_value(digits[0]) < 0 || base::hex_value(digits[1]) < 0)
      return at;
  }
  return std::string_view::npos;
}

/// Advises percent-encoding only outside `authority`, because a host name has no escapes.
std::optional<violation> check_characters(std::string_view url, std::string_view authority) {
  if (const auto sound = url_characters.span(url); sound < url.size()) {
    const auto begin =
        authority.empty() ? url.size() : static_cast<std::size_t>(authority.data() - url.data());
    if (sound >= begin && sound < begin + authority.size())
      return invalid("contains " + describe_character(url, sound) +
                     ", which a host name cannot contain. Remove it.");
    if (url[sound] == '\\')
      return invalid("contains " + describe_character(url, sound) +
                     ", which a URL cannot contain. Write `/` in its place.");
    return invalid("contains " + describe_character(url, sound) +
                   ", which a URL cannot contain. Remove it, or percent-encode it, such as `%20` "
                   "for a space.");
  }
  if (const auto at = find_malformed_escape(url); at != std::string_view::npos) {
    return invalid("contains " + describe_character(url, at) +
                   " without two hexadecimal digits after it. Write `%25` for the character "
                   "itself.");
  }
  return std::nullopt;
}

/// The parts of a URL that messages may show. If the URL has an `@`, no part is shown: the text
/// before it may contain a password, even beyond the formal authority
/// (`https://me:a/b@example.com`).
class excerpts {
public:
  excerpts(std::string_view url, std::size_t limit)
      : has_secret_(url.find('@') != std::string_view::npos), limit_(limit) {}

  bool has_secret() const noexcept { return has_secret_; }

  /// A phrase for a part: `the host `example.com``, or `a host` if it must not be shown.
  std::string of(std::string_view what, std::string_view part) const {
    const std::string name{what};
    return has_secret_ ? "a " + name : "the " + name + " " + quoted_excerpt(part, limit_);
  }

  /// Whether a message may show all of `part`.
  bool has_room(std::string_view part) const noexcept { return part.size() <= limit_; }

  /// The excerpt of a part that is never secret.
  std::string always(std::string_view part) const { return quoted_excerpt(part, limit_); }

private:
  bool has_secret_;
  std::size_t limit_;
};

violation no_scheme(std::string_view url, std::size_t echo_limit) {
  const excerpts shown{url, echo_limit};
  // The query must not be shown either.
  const auto before_query = url.substr(0, url.find_first_of("?#"));
  const auto found = shown.has_secret()
                         ? "does"
                         : "is " + quoted_excerpt(before_query, echo_limit) + ", which does";
  return invalid(found + " not begin with `https://` or `http://`." + std::string(advice));
}

/// If no `//` follows, the text before the colon may be a user's name.
violation other_scheme(std::string_view scheme, std::string_view rest, const excerpts& shown) {
  const bool is_hidden = !rest.starts_with(slashes) && shown.has_secret();
  const auto found = is_hidden ? "has a scheme that is neither `https` nor `http`."
                               : "has the scheme " + shown.always(scheme) + ".";
  return {"invalid-scheme",
          found + (rest.starts_with(slashes) ? " Use `https` or `http`." : std::string(advice))};
}

/// The text between `//` and the path (RFC 3986 section 3.2).
std::string_view authority_of(std::string_view rest) noexcept {
  rest.remove_prefix(slashes.size());
  return rest.substr(0, rest.find_first_of("/?#"));
}

std::size_t find_beyond_ascii(std::string_view text) noexcept {
  return static_cast<std::size_t>(
      std::ranges::find_if(text, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }) -
      text.begin());
}

/// A violation for a host with letters beyond ASCII, which suggests its ASCII form.
std::optional<violation> check_international(std::string_view authority, std::string_view url,
                                             const excerpts& shown) {
  const auto host = authority.substr(0, authority.find(':'));
  const auto beyond = find_beyond_ascii(host);
  if (beyond == host.size() || authority.find('@') != std::string_view::npos) return std::nullopt;
  // An invalid character before the host has its own violation.
  const auto before_host = static_cast<std::size_t>(host.data() - url.data());
  if (url_characters.span(url) != before_host + beyond) return std::nullopt;
  const auto ascii = shown.has_secret() ? std::nullopt : ascii_host(host);
  return invalid("names " + shown.of("host", host) +
                 ", which has letters beyond ASCII. Write its `xn--` form" +
                 (ascii && shown.has_room(*ascii) ? ", `" + *ascii + "`."
                                                  : ", as browsers and registrars show it."));
}

bool is_port(std::string_view text) noexcept {
  return base::parse_decimal<std::uint16_t>(text).value_or(0) != 0;
}

bool is_within(std::string_view name, std::string_view domain) noexcept {
  if (name.size() < domain.size()) return false;
  const auto before = name.size() - domain.size();
  return base::equal_ignoring_case(name.substr(before), domain) &&
         (before == 0 || name[before - 1] == '.');
}

/// Why the host cannot be reached from the internet; empty if it can be.
std::string why_not_public(const url_host& host) {
  if (host.address) return is_globally_reachable(*host.address) ? "" : "not a public address";
  if (host.name.find('.') == std::string_view::npos) return "a name without a dot";
  const auto* const domain = std::ranges::find_if(
      private_domains, [&host](std::string_view each) { return is_within(host.name, each); });
  if (domain == private_domains.end()) return {};
  return "a name in the private domain `" + std::string(*domain) + "`";
}

/// The address in its usual form if it was written differently; empty otherwise and for names.
std::string spelled_out(std::string_view written, const url_host& host) {
  if (!host.address) return {};
  const auto address = to_string(*host.address);
  return written.find(address) != std::string_view::npos ? "" : ", the address " + address;
}

std::optional<violation> check_host(std::string_view written, const excerpts& shown) {
  const auto named = "names " + shown.of("host", written);
  const auto host = parse_url_host(written);
  if (!host) return invalid(named + ", " + std::string(host.error()) + "." + std::string(advice));
  const auto why = why_not_public(*host);
  if (why.empty()) return std::nullopt;
  const auto address = shown.has_secret() ? std::string{} : spelled_out(written, *host);
  return violation{"not-public", named + address + ", which cannot be reached from the internet (" +
                                     why + "). Use a host with a public name or address."};
}

/// A colon without a port means the scheme's port (RFC 3986 section 3.2.3).
std::optional<violation> check_port(std::string_view port, const excerpts& shown) {
  if (port.empty() || is_port(port)) return std::nullopt;
  return invalid("has " + shown.of("port", port) +
                 ", which is not a port. Use 1 to 65535, or leave out the port and its colon.");
}

std::optional<violation> check_authority(std::string_view authority, const excerpts& shown) {
  if (authority.find('@') != std::string_view::npos) {
    return invalid("contains a user name or password before `@`. Remove it, and send credentials "
                   "in `headers`.");
  }
  const bool bracketed = authority.starts_with('[');
  const auto colon = authority.find(':', bracketed ? authority.find(']') : 0);
  const auto host = authority.substr(0, colon);
  if (host.empty()) return invalid("has no host." + std::string(advice));
  if (colon == std::string_view::npos) return check_host(host, shown);
  const auto port = authority.substr(colon + 1);
  if (!bracketed && port.find(':') != std::string_view::npos) {
    return invalid(
        "has more than one colon in its host and port. Put an IPv6 address in brackets, such as "
        "`https://[2606:4700::1111]/`.");
  }
  // Checked before the host, because a malformed URL does not name a private host.
  if (auto violation = check_port(port, shown)) return violation;
  return check_host(host, shown);
}

} // namespace

std::optional<violation> check_public_url(std::string_view url, std::size_t limit_bytes,
                                          std::size_t echo_limit) {
  if (url.empty()) return violation{"too-short", "is empty." + std::string(advice)};
  if (auto violation = check_longest(url, limit_bytes, length_unit::bytes)) return violation;
  const auto scheme = scheme_of(url);
  const auto rest = scheme.empty() ? url : url.substr(scheme.size() + 1);
  const excerpts shown{url, echo_limit};
  if (!scheme.empty() && !is_web_scheme(scheme)) return other_scheme(scheme, rest, shown);
  const bool is_absolute = !scheme.empty() && rest.starts_with(slashes);
  const auto authority = is_absolute ? authority_of(rest) : std::string_view{};
  if (auto violation = check_international(authority, url, shown)) return violation;
  if (auto violation = check_characters(url, authority)) return violation;
  if (!is_absolute) return no_scheme(url, echo_limit);
  return check_authority(authority, shown);
}

} // namespace matchcloud::model
