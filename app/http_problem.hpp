#pragma once

#include <httplib.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace matchcloud::app {

/// What an answer that is no success says for itself.
struct http_problem {
  int status = 0;
  /// Of a problem (RFC 9457) as this service makes them; empty where the answer is none.
  std::string code;
  /// For people and terminals: the problem's detail, code and request id, or just the status.
  std::string text;
};

http_problem read_problem(const httplib::Response& head, std::string_view body);

/// The seconds of a `Retry-After` header; nothing where there is none, or a date.
std::optional<std::chrono::seconds> retry_after(const httplib::Response& head);

} // namespace matchcloud::app
