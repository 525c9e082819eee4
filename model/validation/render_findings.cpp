#include "model/json/json_writer.hpp"
#include "model/validation/validation.hpp"

namespace matchcloud::model {

namespace {

constexpr std::string_view path_begin = R"({"path":[)";
constexpr std::string_view code_begin = R"(],"code":)";
constexpr std::string_view message_begin = R"(,"message":)";
constexpr std::size_t frame_bytes =
    path_begin.size() + code_begin.size() + message_begin.size() + std::string_view{"},"}.size();

/// The size of the findings if no character needs an escape.
std::size_t plain_bytes(const std::vector<finding>& findings) noexcept {
  constexpr std::size_t quotes = 2;
  std::size_t bytes = 0;
  for (const auto& found : findings) {
    bytes += frame_bytes + found.code.size() + found.message.size() + 2 * quotes;
    for (const auto& step : found.path)
      bytes += step.size() + quotes + 1;
  }
  return bytes;
}

void append(std::string& json, const finding& found) {
  json += path_begin;
  for (const auto& step : found.path) {
    if (&step != &found.path.front()) json += ',';
    append_json_string(json, step);
  }
  json += code_begin;
  append_json_string(json, found.code);
  json += message_begin;
  append_json_string(json, found.message);
  json += '}';
}

} // namespace

std::size_t rendered_bytes(const finding& found) noexcept {
  std::size_t bytes =
      frame_bytes + json_string_bytes(found.code) + json_string_bytes(found.message);
  for (const auto& step : found.path)
    bytes += json_string_bytes(step) + 1;
  return bytes - (found.path.empty() ? 0 : 1);
}

std::string render_findings(const std::vector<finding>& findings) {
  constexpr std::string_view begin = R"({"errors":[)";
  constexpr std::string_view end = "]}";
  // Reserved once: growing step by step would repeatedly move up to a mebibyte.
  std::string json;
  json.reserve(begin.size() + plain_bytes(findings) + end.size());
  json = begin;
  for (const auto& found : findings) {
    if (&found != &findings.front()) json += ',';
    append(json, found);
  }
  return json += end;
}

} // namespace matchcloud::model
