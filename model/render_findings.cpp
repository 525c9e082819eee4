#include "model/rapidjson.hpp"
#include "model/validation.hpp"

namespace matchcloud::model {

namespace {

using json_writer = rapidjson::Writer<rapidjson::StringBuffer>;

void write(json_writer& writer, std::string_view text) {
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void write(json_writer& writer, const finding& found) {
  writer.StartObject();
  writer.Key("path");
  writer.StartArray();
  for (const auto& step : found.path)
    write(writer, step);
  writer.EndArray();
  writer.Key("code");
  write(writer, found.code);
  writer.Key("message");
  write(writer, found.message);
  writer.EndObject();
}

/// As RapidJSON's writer escapes it: two bytes for the short escapes, six for other controls.
std::size_t quoted_bytes(std::string_view text) noexcept {
  std::size_t bytes = text.size() + 2;
  for (const char c : text) {
    if (c == '"' || c == '\\' || c == '\b' || c == '\f' || c == '\n' || c == '\r' || c == '\t')
      bytes += 1;
    else if (static_cast<unsigned char>(c) < 0x20)
      bytes += 5;
  }
  return bytes;
}

} // namespace

std::size_t rendered_bytes(const finding& found) noexcept {
  constexpr std::string_view frame = R"({"path":[],"code":,"message":},)";
  std::size_t bytes = frame.size() + quoted_bytes(found.code) + quoted_bytes(found.message);
  for (const auto& step : found.path)
    bytes += quoted_bytes(step) + 1;
  return bytes - (found.path.empty() ? 0 : 1);
}

std::string render_findings(const std::vector<finding>& findings) {
  if (findings.empty()) return R"({"errors":[]})";
  rapidjson::StringBuffer buffer;
  json_writer writer{buffer};
  writer.StartObject();
  writer.Key("errors");
  writer.StartArray();
  for (const auto& found : findings)
    write(writer, found);
  writer.EndArray();
  writer.EndObject();
  return {buffer.GetString(), buffer.GetSize()};
}

} // namespace matchcloud::model
