#include "http/wire/client_address.hpp"

#include "base/decimal.hpp"
#include "http/wire/header_characters.hpp"
#include "model/net/url_parts.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>

namespace matchcloud::http {

namespace {

using model::ip_address;
using std::string_view;
using parsed_address = std::optional<ip_address>;

/// The longest RFC 7239 node with escapes, counted after resolving them; a longer one is malformed.
constexpr std::size_t escaped_node_limit_bytes = 256;
constexpr std::size_t port_digits_limit = 5;

constexpr character_set obfuscated_characters{
    [](unsigned char c) { return is_alphanumeric(c) || c == '.' || c == '_' || c == '-'; }};

bool is_port(string_view text) noexcept {
  return text.size() <= port_digits_limit && base::parse_decimal<std::uint16_t>(text);
}

/// Whether `text` is an `obfport` (RFC 7239 section 6.3).
bool is_obfuscated_port(string_view text) noexcept {
  return text.size() > 1 && text.front() == '_' && obfuscated_characters.contains_all(text);
}

bool is_node_port(string_view text) noexcept {
  return is_port(text) || is_obfuscated_port(text);
}

/// Reads `[v6]`, `[v6]:port`, `v4` and `v4:port`.
parsed_address parse_host_port(string_view text, bool (*accepts_port)(string_view)) noexcept {
  const auto parts = model::split_host_and_port(text);
  if (!parts || (parts->is_bracketed && parts->host.find(':') == string_view::npos))
    return std::nullopt;
  if (!parts->behind.empty() && !accepts_port(parts->port().value_or(""))) return std::nullopt;
  return model::parse_ip_address(parts->host);
}

/// Reads an element of X-Forwarded-For, which has no standard: a plain address, or an address with
/// a port as in a URI.
parsed_address parse_x_forwarded_for_element(string_view element) noexcept {
  if (const auto address = model::parse_ip_address(element)) return address;
  return parse_host_port(element, is_port);
}

/// A parameter's value as written, without quotation marks and with escapes unresolved.
struct written_value {
  string_view text;
  bool escaped = false;
};

/// Takes a quoted string off the front of `rest`, which must start with a quotation mark.
std::optional<written_value> take_quoted(string_view& rest) noexcept {
  written_value value;
  for (std::size_t i = 1; i < rest.size(); ++i) {
    if (rest[i] == '"') {
      value.text = rest.substr(1, i - 1);
      rest.remove_prefix(i + 1);
      return value;
    }
    if (rest[i] == '\\') {
      value.escaped = true;
      if (++i == rest.size()) break;
    }
    // The bytes allowed in `quoted-pair` and in `qdtext` (RFC 9110 section 5.6.4) together.
    if (!value_characters.contains(rest[i])) break;
  }
  return std::nullopt;
}

string_view take_token(string_view& rest) noexcept {
  const auto token = rest.substr(0, token_characters.span(rest));
  rest.remove_prefix(token.size());
  return token;
}

std::optional<written_value> take_value(string_view& rest) noexcept {
  if (rest.starts_with('"')) return take_quoted(rest);
  const auto token = take_token(rest);
  if (token.empty()) return std::nullopt;
  return written_value{token, false};
}

/// The `for` parameter of one forwarded-element (RFC 7239 section 4); nothing unless the whole
/// element is well-formed. Blanks around semicolons are allowed. A second `for` is malformed.
std::optional<written_value> find_for(string_view rest) noexcept {
  std::optional<written_value> found;
  while (true) {
    rest = trim_blanks(rest);
    if (!rest.empty() && rest.front() != ';') {
      const auto name = take_token(rest);
      if (name.empty() || !rest.starts_with('=')) return std::nullopt;
      rest.remove_prefix(1);
      const auto value = take_value(rest);
      const bool is_for = equal_ignoring_case(name, "for");
      if (!value || (is_for && found)) return std::nullopt;
      if (is_for) found = value;
      rest = trim_blanks(rest);
    }
    if (rest.empty()) return found;
    if (rest.front() != ';') return std::nullopt;
    rest.remove_prefix(1);
  }
}

/// Reads the node of an element (RFC 7239 section 6), in which an IPv6 address must be in brackets.
/// Nothing for `unknown` and obfuscated names, which are not addresses.
parsed_address parse_forwarded_element(string_view element) noexcept {
  const auto value = find_for(element);
  if (!value) return std::nullopt;
  const auto written = value->text;
  if (!value->escaped) return parse_host_port(written, is_node_port);
  std::array<char, escaped_node_limit_bytes> buffer;
  std::size_t size = 0;
  for (std::size_t i = 0; i < written.size(); ++i) {
    if (written[i] == '\\') ++i;
    if (size == buffer.size()) return std::nullopt;
    buffer[size++] = written[i];
  }
  return parse_host_port({buffer.data(), size}, is_node_port);
}

/// Whether an odd number of backslashes directly precedes `position`.
bool is_escaped(string_view list, std::size_t position) noexcept {
  std::size_t backslashes = 0;
  while (backslashes < position && list[position - backslashes - 1] == '\\')
    ++backslashes;
  return backslashes % 2 == 1;
}

/// The last comma outside quoted strings, or `npos`. The search runs from the right because the
/// client controls the left part: a quotation mark that it leaves open must not hide the elements
/// that proxies appended.
std::size_t last_unquoted_comma(string_view list) noexcept {
  bool quoted = false;
  for (std::size_t i = list.size(); i-- > 0;) {
    if (list[i] == ',' && !quoted) return i;
    if (list[i] == '"' && !(quoted && is_escaped(list, i))) quoted = !quoted;
  }
  return string_view::npos;
}

/// Walks `list` from the right, starting at the trusted `peer`. Empty elements are skipped (RFC
/// 9110 section 5.6.1.2): they say nothing. A proxy that does not know its client writes `unknown`.
template <class LastSeparator, class Parse>
ip_address walk(const ip_address& peer, string_view list, const proxy_trust& trust,
                LastSeparator last_separator, Parse parse) noexcept {
  auto hop = peer;
  while (true) {
    const auto comma = last_separator(list);
    const auto element = trim_blanks(comma == string_view::npos ? list : list.substr(comma + 1));
    if (!element.empty()) {
      const auto address = parse(element);
      if (!address) return hop;
      hop = *address;
      if (!is_trusted(hop, trust)) return hop;
    }
    if (comma == string_view::npos) return hop;
    list = list.substr(0, comma);
  }
}

/// Whether a list has an element that is not empty.
bool says_something(string_view list) noexcept {
  return take_element(list).has_value();
}

ip_address walk_x_forwarded_for(const ip_address& peer, string_view list,
                                const proxy_trust& trust) noexcept {
  return walk(
      peer, list, trust, [](string_view all) { return all.rfind(','); },
      parse_x_forwarded_for_element);
}

ip_address walk_forwarded(const ip_address& peer, string_view list,
                          const proxy_trust& trust) noexcept {
  return walk(peer, list, trust, last_unquoted_comma, parse_forwarded_element);
}

constexpr std::size_t v6_prefix_bits = 48;

model::ip_address network_of(const model::ip_address& client) noexcept {
  auto network = prefix_of(client, v6_prefix_bits);
  if (network.is_v4()) network.bytes.back() = 0;
  return network;
}

std::string text_of(const model::ip_address& network) {
  return to_string(network) + (network.is_v4() ? "/24" : "/" + std::to_string(v6_prefix_bits));
}

} // namespace

bool is_trusted(const ip_address& peer, const proxy_trust& trust) noexcept {
  return std::any_of(trust.trusted_proxies.begin(), trust.trusted_proxies.end(),
                     [&](const model::cidr& block) { return block.contains(peer); });
}

ip_address client_address(const ip_address& peer, string_view x_forwarded_for,
                          string_view forwarded, const proxy_trust& trust) {
  if (!is_trusted(peer, trust)) return peer;
  const bool may_use_x = trust.header != forwarded_header::forwarded;
  const bool may_use_forwarded = trust.header != forwarded_header::x_forwarded_for;
  const bool has_x = may_use_x && says_something(x_forwarded_for);
  const bool has_forwarded = may_use_forwarded && says_something(forwarded);
  if (!has_x && !has_forwarded) return peer;
  if (!has_forwarded) return walk_x_forwarded_for(peer, x_forwarded_for, trust);
  const auto told = walk_forwarded(peer, forwarded, trust);
  if (!has_x || told == walk_x_forwarded_for(peer, x_forwarded_for, trust)) return told;
  return peer;
}

std::string_view client_address_source(const model::ip_address& peer,
                                       const model::ip_address& client,
                                       std::string_view x_forwarded_for, const proxy_trust& trust) {
  if (client == peer) return "connection";
  if (trust.header == forwarded_header::forwarded) return "Forwarded";
  if (trust.header == forwarded_header::automatic && x_forwarded_for.empty()) return "Forwarded";
  return "X-Forwarded-For";
}

void busiest_networks::note(const model::ip_address& client, base::steady_time now) {
  const auto network = network_of(client);
  const std::lock_guard lock{mutex_};
  if (now - began_ >= window) {
    last_ = now - began_ < 2 * window ? current_ : table{};
    current_ = {};
    began_ = now;
  }
  auto* at = std::ranges::find_if(
      current_, [&](const slot& each) { return each.count > 0 && each.network == network; });
  if (at == current_.end()) {
    at = std::ranges::min_element(current_, {}, &slot::count);
    *at = {network, at->count, at->count};
  }
  ++at->count;
}

void busiest_networks::add_to(std::map<std::string, std::uint64_t>& sums,
                              base::steady_time now) const {
  const std::lock_guard lock{mutex_};
  if (now - began_ >= 2 * window) return;
  for (const auto* of : {&last_, &current_})
    for (const auto& each : *of)
      if (each.count > each.inherited) sums[text_of(each.network)] += each.count - each.inherited;
}

} // namespace matchcloud::http
