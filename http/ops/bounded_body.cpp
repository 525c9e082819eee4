#include "http/ops/bounded_body.hpp"

#include <algorithm>

namespace matchcloud::http {

base::expected<std::string> read_bounded_body(const httplib::ContentReader& body,
                                              std::size_t limit_bytes) {
  std::string text;
  bool in_time = true;
  const auto until = std::chrono::steady_clock::now() + bounded_body_timeout;
  const bool complete = body([&](const char* bytes, std::size_t count) {
    in_time = std::chrono::steady_clock::now() < until;
    text.append(bytes, std::min(count, limit_bytes + 1 - text.size()));
    return in_time && text.size() <= limit_bytes;
  });
  if (text.size() > limit_bytes) return text;
  if (!in_time)
    return base::fail(base::errc::body_timeout, "The body took too long to arrive; send it again.");
  if (!complete)
    return base::fail(base::errc::request_malformed,
                      "The body did not arrive whole: it ended early, stalled, or its chunks are "
                      "malformed.");
  return text;
}

} // namespace matchcloud::http
