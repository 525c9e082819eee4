#include "http/wire/proxy_header.hpp"

#include "base/decimal.hpp"
#include "http/wire/header_characters.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

namespace matchcloud::http {

namespace {

using model::ip_address;
using std::string_view;

constexpr string_view line_beginning = "PROXY ";
constexpr string_view block_signature{"\r\n\r\n\0\r\nQUIT\n", 12};
constexpr std::size_t command_position = 12;
constexpr std::size_t family_position = 13;
constexpr std::size_t length_position = 14;
/// The bytes of a version 2 header up to and including its length.
constexpr std::size_t block_head_bytes = 16;

/// Values of the half-bytes of a version 2 header.
constexpr unsigned version_2 = 2;
constexpr unsigned command_local = 0;
constexpr unsigned command_proxy = 1;
constexpr unsigned family_v4 = 1;
constexpr unsigned family_v6 = 2;
constexpr unsigned family_unix = 3;
constexpr unsigned transport_stream = 1;
constexpr unsigned transport_datagram = 2;

/// The size in bytes of both addresses of a family, with both ports where it has ports.
constexpr std::size_t addresses_bytes(unsigned family) noexcept {
  switch (family) {
  case family_v4: return 2 * 4 + 4;
  case family_v6: return 2 * 16 + 4;
  case family_unix: return 2 * 108;
  default: return 0;
  }
}

string_view name_of(unsigned family) noexcept {
  return family == family_v4 ? "IPv4" : family == family_v6 ? "IPv6" : "AF_UNIX";
}

/// Takes the text before the next space, and that space, off `rest`.
string_view take_word(string_view& rest) noexcept {
  const auto end = std::min(rest.find(' '), rest.size());
  const auto word = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return word;
}

/// Reads an address in the family's notation: an IPv4 address in IPv6 notation belongs to TCP6.
std::optional<ip_address> parse_address(string_view text, bool v6) noexcept {
  if (v6 != (text.find(':') != text.npos)) return std::nullopt;
  return model::parse_ip_address(text);
}

bool is_canonical_port(string_view text) noexcept {
  return base::parse_decimal<std::uint16_t>(text) && (text.size() == 1 || text.front() != '0');
}

/// Reads the addresses and ports of a line and stores the source. Returns what is wrong with them;
/// empty: nothing.
std::string read_addresses(string_view rest, bool v6, ip_address& source) {
  // Four parts with exactly one space between them, and none at the end.
  if (std::count(rest.begin(), rest.end(), ' ') != 3)
    return "not source, destination and both ports with one space before each";
  const auto from = take_word(rest);
  const auto to = take_word(rest);
  const std::string notation = v6 ? "IPv6" : "IPv4";
  const auto address = parse_address(from, v6);
  if (!address)
    return "the source " + in_quotes(from) + ", which is not an " + notation + " address";
  if (!parse_address(to, v6))
    return "the destination " + in_quotes(to) + ", which is not an " + notation + " address";
  const auto from_port = take_word(rest);
  for (const auto port : {from_port, rest})
    if (!is_canonical_port(port))
      return "the port " + in_quotes(port) + ", which is not 0 to 65535";
  source = *address;
  return {};
}

} // namespace

proxy_header_result proxy_header_reader::feed(string_view bytes) {
  std::size_t consumed = 0;
  while (status_ == proxy_header_status::need_more && consumed < bytes.size())
    parse(bytes[consumed++]);
  return {status_, consumed};
}

void proxy_header_reader::parse(char c) {
  if (taken_ < kept_.size()) kept_[taken_] = c;
  ++taken_;
  if (kept_[0] == line_beginning[0])
    parse_of_line(c);
  else
    parse_block();
}

string_view proxy_header_reader::kept() const noexcept {
  return {kept_.data(), std::min(taken_, kept_.size())};
}

unsigned proxy_header_reader::byte_at(std::size_t position) const noexcept {
  return static_cast<unsigned char>(kept_[position]);
}

void proxy_header_reader::complete(proxied_client whom) noexcept {
  client_ = whom;
  status_ = proxy_header_status::complete;
}

void proxy_header_reader::fail(std::string found) {
  failure_ = {base::errc::request_malformed,
              "This listener expects a PROXY protocol header before the first request, but got " +
                  std::move(found) +
                  ". Connect through its proxy, and let it send the header (version 1 or 2)."};
  status_ = proxy_header_status::failed;
}

void proxy_header_reader::fail_beginning() {
  const auto seen = kept();
  const bool visible =
      std::all_of(seen.begin(), seen.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  fail(visible ? in_quotes(seen)
               : byte_name(seen.back()) + " at position " + std::to_string(seen.size() - 1));
}

// -- version 1 ----------------------------------------------------------------

void proxy_header_reader::parse_of_line(char c) {
  if (taken_ <= line_beginning.size()) {
    if (c != line_beginning[taken_ - 1]) fail_beginning();
    return;
  }
  const bool after_cr = kept_[taken_ - 2] == '\r';
  if (after_cr && c == '\n') return read_line();
  if (after_cr || c == '\n') return fail("a PROXY line that does not end in CRLF");
  if (taken_ == proxy_line_limit_bytes)
    fail("a PROXY line of more than " + std::to_string(proxy_line_limit_bytes) + " bytes");
}

void proxy_header_reader::read_line() {
  constexpr string_view line_end = "\r\n";
  auto rest = kept().substr(line_beginning.size());
  rest.remove_suffix(line_end.size());
  // A receiver must ignore everything between UNKNOWN and the CRLF (specification, section 2.1).
  if (rest == "UNKNOWN" || rest.starts_with("UNKNOWN ")) return complete(proxied_client::unknown);
  const auto protocol = take_word(rest);
  if (protocol != "TCP4" && protocol != "TCP6")
    return fail("a PROXY line of the protocol " + in_quotes(protocol) +
                ", which is not TCP4, TCP6 or UNKNOWN");
  if (const auto fault = read_addresses(rest, protocol == "TCP6", address_); !fault.empty())
    return fail("a PROXY line with " + fault);
  complete(proxied_client::named);
}

// -- version 2 ----------------------------------------------------------------

void proxy_header_reader::parse_block() {
  const auto position = taken_ - 1;
  if (position < block_signature.size()) {
    if (kept_[position] != block_signature[position]) fail_beginning();
    return;
  }
  const auto command = byte_at(command_position);
  if (position == command_position) {
    if (command >> 4 != version_2)
      return fail("version " + std::to_string(command >> 4) + " of its binary form");
    if ((command & 15) > command_proxy)
      return fail("the command " + std::to_string(command & 15) +
                  ", which is not 0 (LOCAL) or 1 (PROXY)");
  }
  // With LOCAL, the family, addresses and TLVs have no meaning and are not checked.
  if (position == family_position && (command & 15) != command_local)
    return check_family(byte_at(family_position) >> 4, byte_at(family_position) & 15);
  if (taken_ == block_head_bytes) check_length();
  if (status_ == proxy_header_status::need_more && taken_ == length_) read_block();
}

void proxy_header_reader::check_family(unsigned family, unsigned transport) {
  if (family > family_unix) return fail("the address family " + std::to_string(family));
  if (transport > transport_datagram) fail("the transport " + std::to_string(transport));
}

void proxy_header_reader::check_length() {
  const auto length = byte_at(length_position) << 8 | byte_at(length_position + 1);
  const auto family = byte_at(family_position) >> 4;
  const bool local = (byte_at(command_position) & 15) == command_local;
  if (length > proxy_block_limit_bytes)
    return fail("one of " + std::to_string(length) + " bytes after the first 16; at most " +
                std::to_string(proxy_block_limit_bytes) + " are allowed");
  if (!local && length < addresses_bytes(family))
    return fail("one of " + std::to_string(length) + " bytes after the first 16; " +
                std::string{name_of(family)} + " addresses take " +
                std::to_string(addresses_bytes(family)));
  length_ = block_head_bytes + length;
}

void proxy_header_reader::read_block() {
  if ((byte_at(command_position) & 15) == command_local) return complete(proxied_client::none);
  const auto family = byte_at(family_position) >> 4;
  const auto source = kept().substr(block_head_bytes);
  if ((byte_at(family_position) & 15) != transport_stream) return complete(proxied_client::unknown);
  if (family == family_v4) {
    std::array<std::uint8_t, 4> octets{};
    std::copy_n(source.begin(), octets.size(), octets.begin());
    address_ = ip_address::from_v4(octets);
  } else if (family == family_v6) {
    std::copy_n(source.begin(), address_.bytes.size(), address_.bytes.begin());
  } else {
    return complete(proxied_client::unknown);
  }
  complete(proxied_client::named);
}

} // namespace matchcloud::http
