#include "http/wire/request_errors.hpp"

#include "http/wire/header_characters.hpp"

#include <utility>

namespace matchcloud::http {

using base::errc;

base::error body_too_large(std::uint64_t limit_bytes) {
  return {errc::body_too_large,
          "The body has more than " + std::to_string(limit_bytes) +
              " bytes, the limit. Send less, or split it into several requests if possible. The "
              "service's operator can raise body-limit-bytes."};
}

base::error content_coding_unsupported() {
  return {errc::content_coding_unsupported,
          "The body has a Content-Encoding. Send it without one (identity)."};
}

base::error method_not_implemented(std::string_view token) {
  return {errc::method_not_implemented, "No path of the service supports the method " +
                                            in_quotes(token) +
                                            ". Methods are upper-case: GET, HEAD, POST, OPTIONS."};
}

tl::unexpected<base::error> malformed(std::string detail) {
  return base::fail(errc::request_malformed, std::move(detail));
}

} // namespace matchcloud::http
