#include "store/backup/backup_manifest.hpp"

#include "model/json/json_document.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/exact_integer.hpp"
#include "model/text/timestamp.hpp"
#include "store/object_name.hpp"

#include <numeric>
#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

using model::json_document;
using model::json_kind;
using model::json_node;

constexpr std::int64_t manifest_format = 1;
constexpr std::size_t depth_limit = 3;
constexpr std::size_t sha256_digits = 64;

tl::unexpected<base::error> expected_to_have(std::string_view what) {
  return base::fail(base::errc::import_invalid,
                    std::string{manifest_name}.append(": it is damaged: expected ").append(what));
}

/// Finds members of one object of a document. O(members).
class members {
public:
  members(const json_document& in, const json_node& object, std::uint32_t at)
      : in_{&in}, object_{&object}, first_{at + 1} {}

  const json_node* find(std::string_view name, json_kind kind, std::uint32_t* at = nullptr) const {
    auto index = first_;
    for (std::uint32_t each = 0; each < object_->count; ++each) {
      const auto& node = in_->node(index);
      if (in_->name(node) == name && node.kind == kind) {
        if (at != nullptr) *at = index;
        return &node;
      }
      index = node.next;
    }
    return nullptr;
  }
  // Each returns nothing if the member is missing or invalid.
  std::optional<std::string> text(std::string_view name) const {
    const auto* found = find(name, json_kind::string);
    return found ? std::optional{std::string{in_->text(*found)}} : std::nullopt;
  }
  std::optional<std::int64_t> number(std::string_view name) const {
    const auto* found = find(name, json_kind::number);
    const auto number = found ? model::read_integer(in_->text(*found)) : std::nullopt;
    if (!number || number->negative || !std::in_range<std::int64_t>(number->magnitude))
      return std::nullopt;
    return static_cast<std::int64_t>(number->magnitude);
  }
  std::optional<std::int64_t> time(std::string_view name) const {
    const auto written = text(name);
    return written ? model::parse_timestamp(*written) : std::nullopt;
  }
  std::optional<std::string> sha256() const {
    auto digits = text("sha256");
    const bool is_digest = digits && digits->size() == sha256_digits &&
                           digits->find_first_not_of("0123456789abcdef") == std::string::npos;
    return is_digest ? digits : std::nullopt;
  }

private:
  const json_document* in_;
  const json_node* object_;
  std::uint32_t first_;
};

/// Calls `take` for each object of an array of the root, until it returns false.
template <class Take>
bool for_each(const json_document& in, const members& root, std::string_view name, Take take) {
  std::uint32_t at = 0;
  const auto* array = root.find(name, json_kind::array, &at);
  if (array == nullptr) return false;
  auto index = at + 1;
  for (std::uint32_t each = 0; each < array->count; ++each) {
    const auto& node = in.node(index);
    if (node.kind != json_kind::object || !take(members{in, node, index})) return false;
    index = node.next;
  }
  return true;
}

bool read_tables(const json_document& in, const members& root, backup_manifest& into) {
  return for_each(in, root, "tables", [&](const members& each) {
    const auto name = each.text("table");
    const auto rows = each.number("rows");
    const auto sha256 = each.sha256();
    if (!name || !rows || !sha256) return false;
    into.tables.push_back({*name, static_cast<std::uint64_t>(*rows), *sha256});
    return true;
  });
}

bool read_files(const json_document& in, const members& root, backup_manifest& into) {
  return for_each(in, root, "files", [&](const members& each) {
    const auto name = each.text("name");
    const auto bytes = each.number("bytes");
    const auto sha256 = each.sha256();
    if (!name || !object_name::parse(*name) || !bytes || !sha256) return false;
    into.files.push_back({*name, static_cast<std::uint64_t>(*bytes), *sha256});
    return true;
  });
}

} // namespace

std::uint64_t backup_manifest::size_bytes() const noexcept {
  return std::accumulate(
      files.begin(), files.end(), std::uint64_t{0},
      [](std::uint64_t sum, const backup_file& each) { return sum + each.size_bytes; });
}

std::string render_manifest(const backup_manifest& manifest) {
  model::json_writer json{model::json_escapes::beyond_ascii};
  json.object().name("format").number(manifest_format);
  json.name("program").text(manifest.program).name("schema").number(manifest.schema);
  json.name("engine").text(manifest.engine).name("source").text(manifest.source);
  json.name("begun").text(model::format_timestamp(manifest.begun_ts));
  json.name("ended").text(model::format_timestamp(manifest.ended_ts));
  json.name("secrets").boolean(manifest.has_secrets).name("tables").array();
  for (const auto& each : manifest.tables)
    json.object()
        .name("table")
        .text(each.name)
        .name("rows")
        .number(each.rows)
        .name("sha256")
        .text(each.sha256)
        .end_object();
  json.end_array().name("files").array();
  for (const auto& each : manifest.files)
    json.object()
        .name("name")
        .text(each.name)
        .name("bytes")
        .number(each.size_bytes)
        .name("sha256")
        .text(each.sha256)
        .end_object();
  json.end_array().end_object();
  return json.take() + "\n";
}

base::expected<backup_manifest> parse_manifest(std::string_view text) {
  const auto document = json_document::parse_object(text, depth_limit);
  if (!document) return expected_to_have("one JSON object: " + document.error().detail);
  const members root{*document, document->root(), 0};
  const auto format = root.number("format");
  if (!format) return expected_to_have("an integer as \"format\"");
  if (*format > manifest_format)
    return base::fail(base::errc::import_invalid,
                      std::string{manifest_name} + ": it has the format " +
                          std::to_string(*format) + ", and this program knows " +
                          std::to_string(manifest_format) +
                          "; use the program that made the backup, or a newer one");
  const auto program = root.text("program");
  const auto engine = root.text("engine");
  const auto source = root.text("source");
  if (!program || !engine || !source)
    return expected_to_have("texts as \"program\", \"engine\" and \"source\"");
  const auto schema = root.number("schema");
  if (!schema) return expected_to_have("an integer as \"schema\"");
  const auto begun = root.time("begun");
  const auto ended = root.time("ended");
  if (!begun || !ended) return expected_to_have("times as \"begun\" and \"ended\"");
  const auto* secrets = root.find("secrets", json_kind::boolean);
  if (secrets == nullptr) return expected_to_have("true or false as \"secrets\"");
  backup_manifest read{
      *program, *schema, *engine, *source, *begun, *ended, document->text(*secrets) == "true",
      {},       {}};
  if (!read_tables(*document, root, read))
    return expected_to_have("objects with table, rows and sha256 as \"tables\"");
  if (!read_files(*document, root, read))
    return expected_to_have("objects with name, bytes and sha256 as \"files\"");
  return read;
}

} // namespace matchcloud::store
