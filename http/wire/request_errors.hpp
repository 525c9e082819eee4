#pragma once

#include "base/expected.hpp"
#include "http/wire/header_characters.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::http {

// The errors of a request that several parts can find: the framer, a front and a transport. All of
// them take the errors from here, so that the wording is the same. They are not inlined, because
// that costs the framer 1.5 % of its instructions.

/// The body of a data plane request is over `body-limit-bytes`.
[[gnu::noinline]] inline base::error body_too_large(std::uint64_t limit_bytes) {
  return {base::errc::body_too_large,
          "The body has more than " + std::to_string(limit_bytes) +
              " bytes, the limit. Send less, or split it into several requests if possible. The "
              "service's operator can raise body-limit-bytes."};
}

[[gnu::noinline]] inline base::error content_coding_unsupported() {
  return {base::errc::content_coding_unsupported,
          "The body has a Content-Encoding. Send it without one (identity)."};
}

[[gnu::noinline]] inline base::error method_not_implemented(std::string_view token) {
  return {base::errc::method_not_implemented,
          "No path of the service supports the method " + in_quotes(token) +
              ". Methods are upper-case: GET, HEAD, POST, OPTIONS."};
}

/// What is wrong with a line of a request.
[[gnu::noinline]] inline tl::unexpected<base::error> malformed(std::string detail) {
  return base::fail(base::errc::request_malformed, std::move(detail));
}

} // namespace matchcloud::http
