#include "store/exports/former_exports.hpp"

#include "base/decimal.hpp"
#include "base/events/log.hpp"
#include "base/failure.hpp"
#include "base/files/sync_directory.hpp"
#include "model/json/json_document.hpp"
#include "store/files/data_directory.hpp"

#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;
using model::json_document;
using model::json_kind;

constexpr std::size_t about_limit_bytes = 4'096;
constexpr const char* about_name = "about.json";
constexpr const char* csv_name = "lobby-history.csv";
constexpr const char* gzip_name = "lobby-history.csv.gz";

std::optional<export_record> parse_about(std::string_view text) {
  const auto document = json_document::parse_object(text, 1);
  if (!document) return std::nullopt;
  const auto number = [&](std::string_view name) {
    const auto* found = document->find_member(name, json_kind::number);
    return found ? base::parse_decimal<std::uint64_t>(document->text(*found)) : std::nullopt;
  };
  const auto id = model::parse_uuid(document->member_text("export_id"));
  const auto game_id = model::parse_uuid(document->member_text("game_id"));
  const auto begin = number("query_start");
  const auto end = number("query_end");
  const auto keep_until_ts = number("keep_until_ts");
  const auto bytes = number("csv_bytes");
  const auto* const csv = document->find_member("csv", json_kind::string);
  const auto dialect =
      model::parse_csv_dialect(csv ? document->text(*csv) : model::csv_dialect_names.front());
  if (!id || !game_id || !begin || !end || *begin > *end || !keep_until_ts || !bytes ||
      !std::in_range<std::int64_t>(*keep_until_ts) || !dialect)
    return std::nullopt;
  export_record record;
  record.is_complete = true;
  record.facts = {
      *id, {*game_id, {*begin, *end}, *dialect}, static_cast<std::int64_t>(*keep_until_ts)};
  record.size_bytes = *bytes;
  return record;
}

/// The size of a regular file; nothing if there is none.
std::optional<std::uint64_t> size_of(const fs::path& path) {
  std::error_code failed;
  if (!fs::is_regular_file(fs::symlink_status(path, failed))) return std::nullopt;
  const auto bytes = fs::file_size(path, failed);
  return failed ? std::nullopt : std::optional<std::uint64_t>{bytes};
}

/// The record of the export in `folder`; nothing if it is damaged. Its CSV may already have its
/// present name.
std::optional<export_record> read_former(const fs::path& folder) {
  const auto about_bytes = size_of(folder / about_name);
  if (!about_bytes || *about_bytes > about_limit_bytes) return std::nullopt;
  std::string about(*about_bytes, '\0');
  if (!std::ifstream{folder / about_name, std::ios::binary}.read(about.data(), std::ssize(about)))
    return std::nullopt;
  auto record = parse_about(about);
  if (!record || model::to_string(record->facts.export_id) != folder.filename().string())
    return std::nullopt;
  auto csv_bytes = size_of(folder / csv_name);
  if (!csv_bytes) csv_bytes = size_of(folder / "1");
  if (csv_bytes != record->size_bytes) return std::nullopt;
  return record;
}

void rename_if_there(const fs::path& from, const fs::path& to) {
  if (fs::exists(from)) fs::rename(from, to);
}

void adopt(const fs::path& folder, database& in, std::int64_t now_ts) {
  const auto record = read_former(folder);
  if (!record || record->facts.keep_until_ts <= now_ts) {
    if (!record)
      base::log(base::log_event::export_damaged, "exports: {}: damaged; it is removed",
                folder.string());
    for (const auto* name : {csv_name, gzip_name, about_name})
      fs::remove(folder / name);
    std::error_code ignored;
    fs::remove(folder, ignored); // unless an adopted export is in it
    return;
  }
  // In this order, so that the next start continues wherever this one ends.
  rename_if_there(folder / csv_name, folder / "1");
  rename_if_there(folder / gzip_name, folder / "1.gz");
  base::value_of(base::sync_directory(folder.string()));
  base::value_of(base::value_of(in.exports())->adopt_export(*record));
  fs::remove(folder / about_name);
}

bool is_former(const fs::path& folder) {
  const auto name = folder.filename().string();
  const auto id = model::parse_uuid(name);
  std::error_code none;
  return id && model::to_string(*id) == name &&
         fs::is_directory(fs::symlink_status(folder, none)) &&
         (fs::exists(folder / about_name, none) || fs::exists(folder / csv_name, none) ||
          fs::exists(folder / gzip_name, none));
}

/// The next start tries again after a failure.
void try_to_adopt(const fs::path& folder, database& in, std::int64_t now_ts) {
  try {
    adopt(folder, in, now_ts);
  } catch (const std::exception& error) {
    base::log(base::log_event::export_hampered, "exports: {}: {}", folder.string(), error.what());
  }
}

} // namespace

void adopt_former_exports(const std::string& data_dir, database& in, std::int64_t now_ts) {
  const auto all = data_dir + "/" + exports_folder().text();
  std::error_code failed;
  if (!fs::is_directory(all, failed)) return;
  try {
    const auto alone = directory_lock::acquire(all);
    for (const auto& entry : fs::directory_iterator{all})
      if (is_former(entry.path())) try_to_adopt(entry.path(), in, now_ts);
  } catch (const std::exception& error) {
    base::log(base::log_event::export_hampered, "exports: {}", error.what());
  }
}

} // namespace matchcloud::store
