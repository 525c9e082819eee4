#pragma once

#include "base/characters.hpp"

#include <optional>
#include <string_view>

namespace matchcloud::model {

/// An absolute URL with an authority, split as in RFC 3986 section 3, without validation.
struct url_parts {
  std::string_view scheme;
  std::string_view authority;
  /// Path, query and fragment: empty, or begins with `/`, `?` or `#`.
  std::string_view rest;
};

/// Splits `url`; empty if it has no `://`.
constexpr std::optional<url_parts> split_url(std::string_view url) noexcept {
  const auto end = url.find("://");
  if (end == url.npos) return std::nullopt;
  const auto behind = url.substr(end + 3);
  const auto authority = behind.substr(0, behind.find_first_of("/?#"));
  return url_parts{url.substr(0, end), authority, behind.substr(authority.size())};
}

constexpr bool is_web_scheme(std::string_view scheme) noexcept {
  return base::equal_ignoring_case(scheme, "http") || base::equal_ignoring_case(scheme, "https");
}

/// Whether `text` has the scheme http or https, in lower case, and a host.
constexpr bool is_web_url(std::string_view text) noexcept {
  const auto parts = split_url(text);
  return parts && (parts->scheme == "http" || parts->scheme == "https") &&
         !parts->authority.empty();
}

/// A host with what follows it: `HOST`, `HOST:PORT`, `[V6]`, `[V6]:PORT`.
struct host_and_port {
  /// Without brackets.
  std::string_view host;
  bool is_bracketed = false;
  /// The unparsed rest: empty, the colon and port, or invalid text after a bracket.
  std::string_view behind;

  /// The text after the colon; empty if `behind` does not begin with one.
  constexpr std::optional<std::string_view> port() const noexcept {
    if (!behind.starts_with(':')) return std::nullopt;
    return behind.substr(1);
  }
};

/// Splits `text`; empty if a bracket is not closed.
constexpr std::optional<host_and_port> split_host_and_port(std::string_view text) noexcept {
  const bool is_bracketed = text.starts_with('[');
  const auto end = is_bracketed ? text.find(']') : text.find(':');
  if (is_bracketed && end == text.npos) return std::nullopt;
  if (is_bracketed) return host_and_port{text.substr(1, end - 1), true, text.substr(end + 1)};
  return host_and_port{text.substr(0, end), false,
                       end == text.npos ? std::string_view{} : text.substr(end)};
}

} // namespace matchcloud::model
