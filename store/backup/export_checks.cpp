#include "store/backup/export_checks.hpp"

#include "base/hexadecimal.hpp"
#include "store/export_records.hpp"
#include "store/exports/export_folder.hpp"

#include <filesystem>
#include <optional>
#include <system_error>

namespace matchcloud::store {

namespace {

namespace fs = std::filesystem;

base::expected<void> check(const std::string& in, const model::uuid& id) {
  const auto folder = export_folder::open(in, id);
  if (!folder) return tl::unexpected(folder.error());
  const auto about = folder->about();
  if (!about) return tl::unexpected(about.error());
  if (const auto csv = folder->csv(*about); !csv) return tl::unexpected(csv.error());
  if (const auto gzip = folder->gzip(); !gzip) return tl::unexpected(gzip.error());
  return {};
}

} // namespace

void check_export_files(const std::string& in, verification& into) {
  std::error_code none;
  fs::directory_iterator entry{exports_path(in), none};
  for (; !none && entry != fs::directory_iterator{}; entry.increment(none)) {
    const auto id = model::parse_uuid(entry->path().filename().string());
    std::error_code ignored;
    if (!id || fs::is_empty(entry->path(), ignored)) continue;
    const auto done = check(in, *id);
    // An export that expired during the check is no fault.
    if (done || done.error().code != base::errc::export_not_found) ++into.exports;
    if (!done && done.error().code != base::errc::export_not_found)
      into.found.push_back({finding::kind::damaged,
                            std::string{exports_name} + "/" + model::to_string(*id),
                            done.error().detail});
  }
}

base::expected<void> check_export_objects(database& in, object_store& objects,
                                          const copy_watch& watch, verification& into) {
  std::vector<export_record> whole;
  auto read = in.exports().and_then([&](const auto& from) {
    return from->read_exports([&](const export_record& each) {
      if (each.is_complete) whole.push_back(each);
      return true;
    });
  });
  if (!read) return read;
  for (const auto& each : whole) {
    if (watch.stop && watch.stop()) return base::fail(base::errc::cancelled, "interrupted");
    const auto name = object_of(each);
    base::sha256_stream hash;
    const auto got = objects.read(name, std::nullopt, [&](std::string_view piece) {
      hash.add(piece);
      return true;
    });
    ++into.exports;
    if (watch.show) watch.show("exports read", into.exports);
    if (!got)
      into.found.push_back({finding::kind::damaged, name.text(), got.error().detail});
    else if (*got && base::hexadecimal(hash.digest()) != each.sha256)
      into.found.push_back(
          {finding::kind::damaged, name.text(), "its bytes do not have the digest in its record"});
  }
  return {};
}

} // namespace matchcloud::store
