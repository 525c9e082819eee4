#include "store/backup/backup_manifest.hpp"

#include "base/crypto/sha256.hpp"
#include "base/decimal.hpp"
#include "base/failure.hpp"
#include "base/hexadecimal.hpp"
#include "model/json/json_document.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/timestamp.hpp"
#include "store/database_file.hpp"
#include "store/object_name.hpp"
#include "store/secrets/secret_versions.hpp"

#include <algorithm>
#include <numeric>

namespace matchcloud::store {

namespace {

using model::json_document;
using model::json_kind;
using model::json_node;

/// The format before had no digest of the manifest.
constexpr std::uint64_t manifest_format = 2;
constexpr std::size_t depth_limit = 3;
constexpr std::size_t sha256_digits = 64;
/// Around the digest, at the end of the manifest.
constexpr std::string_view before_digest = ",\"sha256\":\"";
constexpr std::string_view after_digest = "\"}\n";

base::failure expected_to_have(const std::string& what) {
  return {base::errc::import_invalid, "{}: it is damaged: expected {}", manifest_name, what};
}

/// The members of one object of a document. Throws if one is missing or invalid.
class members {
public:
  members(const json_document& in, const json_node& of) : in_{&in}, of_{&of} {}

  bool has(std::string_view name) const { return find(name) != nullptr; }
  std::string text(std::string_view name) const {
    return std::string{in_->text(get(name, json_kind::string))};
  }
  std::uint64_t number(std::string_view name) const {
    const auto number = base::parse_decimal<std::int64_t>(in_->text(get(name, json_kind::number)));
    if (!number || *number < 0) throw wrong(name);
    return static_cast<std::uint64_t>(*number);
  }
  std::int64_t time(std::string_view name) const {
    const auto time = model::parse_timestamp(text(name));
    if (!time) throw wrong(name);
    return *time;
  }
  std::string sha256() const {
    auto digits = text("sha256");
    if (digits.size() != sha256_digits ||
        digits.find_first_not_of("0123456789abcdef") != std::string::npos)
      throw wrong("sha256");
    return digits;
  }
  /// Facts of each object of an array: a name, a size and a digest.
  template <class Facts>
  std::vector<Facts> each(std::string_view name, std::string_view of, std::string_view size) const {
    std::vector<Facts> all;
    in_->for_each_in(get(name, json_kind::array), [&](const json_node& each) {
      if (each.kind != json_kind::object) throw wrong(name);
      const members object{*in_, each};
      all.push_back({object.text(of), object.number(size), object.sha256()});
    });
    return all;
  }

private:
  static base::failure wrong(std::string_view name) {
    return expected_to_have("another value of \"" + std::string{name} + "\"");
  }
  /// The first member of that name, or null.
  const json_node* find(std::string_view name) const {
    const json_node* found = nullptr;
    in_->for_each_in(*of_, [&](const json_node& each) {
      if (found == nullptr && in_->name(each) == name) found = &each;
    });
    return found;
  }
  const json_node& get(std::string_view name, json_kind kind) const {
    const auto* found = find(name);
    if (found == nullptr || found->kind != kind) throw wrong(name);
    return *found;
  }

  const json_document* in_;
  const json_node* of_;
};

/// Whether the text ends with the digest of all before that.
bool has_own_digest(std::string_view text) {
  const auto end_bytes = before_digest.size() + sha256_digits + after_digest.size();
  if (text.size() < end_bytes) return false;
  const auto head = text.substr(0, text.size() - end_bytes);
  return text.substr(head.size()) == std::string{before_digest} +
                                         base::hexadecimal(base::sha256(head)) +
                                         std::string{after_digest};
}

template <class Facts>
void append_facts(model::json_writer& to, std::string_view list, std::string_view of,
                  std::string_view size, const std::vector<Facts>& all) {
  to.name(list).array();
  for (const auto& [name, number, sha256] : all) {
    to.object().name(of).text(name).name(size).number(number);
    to.name("sha256").text(sha256).end_object();
  }
  to.end_array();
}

backup_manifest parse_whole(std::string_view text) {
  const auto document = json_document::parse_object(text, depth_limit);
  if (!document) throw expected_to_have("one JSON object: " + document.error().detail);
  const members root{*document, document->root()};
  backup_manifest read;
  const auto format = root.number("format");
  if (format > manifest_format)
    throw base::failure{base::errc::import_invalid,
                        "{}: it has the format {}, and this program knows {}; use the program that "
                        "made the backup, or a newer one",
                        manifest_name, format, manifest_format};
  read.is_protected = has_own_digest(text);
  // The former format has no digest, so that a damaged number does not stand for it.
  if (format == 0 || read.is_protected != (format == manifest_format) ||
      read.is_protected != root.has("sha256"))
    throw expected_to_have("its own SHA-256 as \"sha256\"");
  read.program = root.text("program");
  read.schema = static_cast<std::int64_t>(root.number("schema"));
  read.engine = root.text("engine");
  read.source = root.text("source");
  read.begun_ts = root.time("begun");
  read.ended_ts = root.time("ended");
  read.tables = root.each<table_facts>("tables", "table", "rows");
  read.files = root.each<backup_file>("files", "name", "bytes");
  for (const auto& each : read.files)
    if (!object_name::parse(each.name)) throw expected_to_have("names of files in \"files\"");
  if (read.find(database_file_name) == nullptr)
    throw expected_to_have(std::string{database_file_name} + " in \"files\"");
  return read;
}

} // namespace

const backup_file* backup_manifest::find(std::string_view name) const noexcept {
  const auto at = std::ranges::find(files, name, &backup_file::name);
  return at == files.end() ? nullptr : &*at;
}

bool backup_manifest::has_secrets() const noexcept {
  return find(signing_keys_name) != nullptr;
}

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
  json.name("secrets").boolean(manifest.has_secrets());
  append_facts(json, "tables", "table", "rows", manifest.tables);
  append_facts(json, "files", "name", "bytes", manifest.files);
  json.end_object();
  auto text = json.take();
  text.pop_back(); // the brace
  const auto digest = base::hexadecimal(base::sha256(text));
  return text.append(before_digest).append(digest).append(after_digest);
}

base::expected<backup_manifest> parse_manifest(std::string_view text) {
  return base::attempt([&] { return parse_whole(text); });
}

} // namespace matchcloud::store
