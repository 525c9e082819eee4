#include "app/http_problem.hpp"

#include "http/characters.hpp"
#include "http/media_type.hpp"
#include "http/response.hpp"
#include "model/json_document.hpp"
#include "model/unicode.hpp"

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

} // namespace matchcloud::app
