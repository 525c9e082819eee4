#include "app/http_answer.hpp"

#include "http/characters.hpp"
#include "http/media_type.hpp"
#include "http/response.hpp"
#include "model/json_document.hpp"
#include "model/unicode.hpp"

#include <algorithm>
#include <charconv>

namespace matchcloud::app {

namespace {

constexpr std::size_t depth_limit = 8;
/// A detail may list all that is wrong.
constexpr std::size_t shown_limit = 4'096;

/// A member of the root that is a string, such that a terminal can print it.
std::string member(const model::json_document& document, std::string_view name) {
  for (std::uint32_t at = 1; at < document.node_count(); at = document.node(at).next) {
    const auto& node = document.node(at);
    if (node.kind == model::json_kind::string && document.name(node) == name)
      return model::printable_excerpt(document.text(node), shown_limit);
  }
  return {};
}

} // namespace

http_problem read_problem(const httplib::Response& head, std::string_view body) {
  http_problem problem{head.status, {}, "it answered with status " + std::to_string(head.status)};
  if (!http::is_media_type(head.get_header_value("Content-Type"), http::problem_type))
    return problem;
  const auto document = model::json_document::parse(body, depth_limit);
  if (!document || document->root().kind != model::json_kind::object) return problem;
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
  const auto value = head.get_header_value("Retry-After");
  std::uint32_t seconds = 0;
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), seconds);
  if (status != std::errc{} || end != value.data() + value.size()) return std::nullopt;
  return std::chrono::seconds{seconds};
}

std::optional<std::uint64_t> parse_length(std::string_view value) noexcept {
  std::uint64_t length = 0;
  const auto [end, status] = std::from_chars(value.data(), value.data() + value.size(), length);
  if (status != std::errc{} || end != value.data() + value.size()) return std::nullopt;
  return length;
}

std::optional<content_part> parse_content_part(std::string_view value) noexcept {
  constexpr std::string_view unit = "bytes ";
  if (!value.starts_with(unit)) return std::nullopt;
  value.remove_prefix(unit.size());
  const auto dash = value.find('-');
  const auto slash = value.find('/');
  if (dash == std::string_view::npos || slash == std::string_view::npos || slash < dash)
    return std::nullopt;
  const auto first = parse_length(value.substr(0, dash));
  const auto last = parse_length(value.substr(dash + 1, slash - dash - 1));
  const auto total = parse_length(value.substr(slash + 1));
  if (!first || !last || !total || *last < *first || *last >= *total) return std::nullopt;
  return content_part{*first, *last + 1, *total};
}

bool is_strong_etag(std::string_view value) noexcept {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return false;
  const auto opaque = value.substr(1, value.size() - 2);
  return std::all_of(opaque.begin(), opaque.end(),
                     [](char c) { return c > 0x20 && c < 0x7f && c != '"'; });
}

} // namespace matchcloud::app
