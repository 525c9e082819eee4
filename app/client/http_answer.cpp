#include "app/client/http_answer.hpp"

#include "base/characters.hpp"
#include "base/decimal.hpp"
#include "base/hexadecimal.hpp"
#include "http/wire/header_characters.hpp"
#include "http/wire/media_type.hpp"
#include "http/wire/response.hpp"
#include "model/json/json_document.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>

namespace matchcloud::app {

namespace {

/// Large, because a detail may list many findings.
constexpr std::size_t shown_detail_limit = 4'096;

/// The string member of the root with that name, made safe for terminals; empty if there is none.
std::string member(const model::json_document& document, std::string_view name) {
  return model::printable_excerpt(document.member_text(name), shown_detail_limit);
}

} // namespace

http_problem read_problem(const httplib::Response& head, std::string_view body) {
  http_problem problem{head.status, {}, "it returned status " + std::to_string(head.status)};
  if (!http::is_media_type(head.get_header_value("Content-Type"), http::problem_type))
    return problem;
  const auto document = model::json_document::parse(body, answer_depth_limit);
  if (!document) return problem;
  problem.code = member(*document, "code");
  auto what = member(*document, "detail");
  if (what.empty()) what = member(*document, "title");
  if (what.empty()) return problem;
  const auto request = member(*document, "request_id");
  problem.text = what + " (" + std::to_string(head.status);
  if (!problem.code.empty()) problem.text.append(" ").append(problem.code);
  if (!request.empty()) problem.text.append(", request ").append(request);
  problem.text += ")";
  return problem;
}

std::optional<std::chrono::seconds> retry_after(const httplib::Response& head) {
  const auto seconds = base::parse_decimal<std::uint32_t>(head.get_header_value("Retry-After"));
  if (!seconds) return std::nullopt;
  return std::chrono::seconds{*seconds};
}

std::string location_of(const httplib::Response& head) {
  auto value = head.get_header_value("Location");
  if (value.find('%') != value.npos) return value;
  std::string encoded;
  for (const char c : value) {
    if (c != '+' && base::target_characters.contains(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<std::uint8_t>(c);
    encoded += '%';
    base::append_hexadecimal(encoded, {&byte, 1});
  }
  return encoded;
}

bool is_strong_etag(std::string_view value) noexcept {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return false;
  const auto opaque = value.substr(1, value.size() - 2);
  return std::all_of(opaque.begin(), opaque.end(),
                     [](char c) { return c > 0x20 && c < 0x7f && c != '"'; });
}

} // namespace matchcloud::app
