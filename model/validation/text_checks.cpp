#include "model/validation/text_checks.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "model/net/ascii_host.hpp"
#include "model/net/special_addresses.hpp"
#include "model/net/url_host.hpp"
#include "model/net/url_parts.hpp"
#include "model/text/hidden_characters.hpp"
#include "model/text/unicode.hpp"
#include "model/text/violation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace matchcloud::model {

namespace {

/// The characters of most names; they need no further checks.
constexpr base::character_set printable_ascii{[](unsigned char c) { return c >= ' ' && c < 0x7f; }};

/// The defect of `c` after `previous`, both visible or white space; empty if there is none.
std::string_view visible_defect(char32_t previous, char32_t c) noexcept {
  if (c == U' ') return {};
  if (is_white_space(c)) return "which is white space but not a plain space";
  if (is_blank(c)) return "a character that looks like a space";
  if (previous == U' ' && is_combining_mark(c)) return "a combining mark with no letter before it";
  return {};
}

/// What to do about the character `c` of a defect.
std::string_view advice_on(char32_t c) noexcept {
  if (is_white_space(c) || is_blank(c)) return "Remove it, or replace it with a plain space.";
  if (is_combining_mark(c) && !is_invisible(c)) return "Remove it, or put the letter before it.";
  return "Remove it.";
}

/// The first character that is not allowed at its position in a name.
std::optional<hidden_character> find_defect(std::string_view name) noexcept {
  const auto hidden = find_hidden(name);
  char32_t previous = U' ';
  for (std::size_t at = 0; at < (hidden ? hidden->offset : name.size());) {
    const auto [c, bytes] = decode_utf8(name.substr(at));
    if (const auto what = visible_defect(previous, c); !what.empty())
      return hidden_character{at, what};
    previous = c;
    at += bytes;
  }
  // Line ends are both control characters and white space. They are reported as white space.
  if (hidden && is_white_space(decode_utf8(name.substr(hidden->offset)).value))
    return hidden_character{hidden->offset, visible_defect(U' ', U'\t')};
  return hidden;
}

violation describe_defect(std::string_view name, const hidden_character& defect) {
  const auto character = decode_utf8(name.substr(defect.offset)).value;
  return {"invalid", "contains " + describe_character(name, defect.offset) + ", " +
                         std::string(defect.what) + ". " + std::string(advice_on(character))};
}

violation describe_spaces(std::string_view name, std::size_t at) {
  return {"invalid", "has two spaces in a row, the second at character " +
                         std::to_string(count_code_points(name.substr(0, at + 1)) + 1) +
                         ". Write a single space."};
}

} // namespace

std::optional<violation> check_display_name(std::string_view name, std::size_t limit) {
  if (name.empty())
    return violation{"too-short",
                     "is empty. Write " + counted_up_to(limit, length_unit::characters) + "."};
  if (auto violation = check_longest(name, limit, length_unit::characters)) return violation;
  if (name.front() == ' ') return violation{"invalid", "starts with a space. Remove the space."};
  if (name.back() == ' ') return violation{"invalid", "ends with a space. Remove the space."};
  const auto defect = printable_ascii.contains_all(name) ? std::nullopt : find_defect(name);
  const auto spaces = name.find("  ");
  if (defect && defect->offset < spaces) return describe_defect(name, *defect);
  if (spaces != name.npos) return describe_spaces(name, spaces);
  return std::nullopt;
}

namespace {

constexpr std::array<std::string_view, 4> reserved_fields{"Host", "Content-Length",
                                                          "Transfer-Encoding", "Connection"};
} // namespace

std::optional<violation> check_field_name(std::string_view name, std::size_t limit_bytes) {
  if (name.empty()) {
    return violation{"too-short", "is empty. Write the name of a header, " +
                                      counted_up_to(limit_bytes, length_unit::bytes) + "."};
  }
  if (auto violation = check_longest(name, limit_bytes, length_unit::bytes)) return violation;
  const auto sound = base::token_characters.span(name);
  if (sound == name.size()) return std::nullopt;
  return violation{"invalid",
                   "contains " + describe_character(name, sound) +
                       ", which a header name cannot contain. Use letters, digits, dashes "
                       "and underscores, such as `X-Game-Token`."};
}

std::optional<violation> check_field_value(std::string_view value, std::size_t limit_bytes) {
  if (auto violation = check_longest(value, limit_bytes, length_unit::bytes)) return violation;
  const auto sound = base::value_characters.span(value);
  if (sound == value.size()) return std::nullopt;
  return violation{"invalid",
                   "contains " + describe_character(value, sound) +
                       ", a control character. Remove it: a header's value is one line of "
                       "visible characters, spaces and tabs."};
}

bool is_reserved_field(std::string_view name) noexcept {
  return std::ranges::any_of(reserved_fields, [name](std::string_view reserved) {
    return base::equal_ignoring_case(name, reserved);
  });
}

namespace {

constexpr std::string_view any_depth = "**";

/// Splits off the text up to the next `/`; `rest` becomes empty after the last segment.
std::string_view take_segment(std::optional<std::string_view>& rest) noexcept {
  const auto slash = rest->find('/');
  const auto segment = rest->substr(0, slash);
  if (slash == std::string_view::npos)
    rest.reset();
  else
    rest->remove_prefix(slash + 1);
  return segment;
}

} // namespace

std::optional<violation> check_glob(std::string_view glob, std::size_t echo_limit) {
  if (glob.empty())
    return violation{"invalid", "is empty. Write a pattern, such as `**` for every path."};
  for (std::optional rest{glob}; rest;) {
    const auto segment = take_segment(rest);
    if (segment == any_depth || segment.find(any_depth) == std::string_view::npos) continue;
    return violation{
        "invalid", "has two `*` in a row in the segment " + quoted_excerpt(segment, echo_limit) +
                       ". Write `*` for any text within a segment, or `**` as a segment of its own "
                       "for any depth, such as `assets/**`."};
  }
  return std::nullopt;
}

std::string folded_glob(std::string_view glob) {
  std::string folded;
  folded.reserve(glob.size());
  bool after_any_depth = false;
  for (std::optional rest{glob}; rest;) {
    const auto segment = take_segment(rest);
    const bool is_any_depth = segment == any_depth;
    if (is_any_depth && after_any_depth) continue;
    after_any_depth = is_any_depth;
    folded.append(segment).append("/");
  }
  folded.pop_back();
  return folded;
}

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
  const auto authority = is_absolute ? split_url(url)->authority : std::string_view{};
  if (auto violation = check_international(authority, url, shown)) return violation;
  if (auto violation = check_characters(url, authority)) return violation;
  if (!is_absolute) return no_scheme(url, echo_limit);
  return check_authority(authority, shown);
}

} // namespace matchcloud::model
