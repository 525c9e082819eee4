#include "store/backup/verify.hpp"

#include "base/hexadecimal.hpp"
#include "store/backup/backup_database.hpp"
#include "store/backup/export_checks.hpp"
#include "store/backup/whole_backup.hpp"
#include "store/database_file.hpp"
#include "store/objects/object_audit.hpp"
#include "store/sql/copy_mark.hpp"
#include "store/sqlite/migrations.hpp"
#include "store/sqlite/sqlite.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace matchcloud::store {

namespace {

base::expected<void> may_go_on(const copy_watch& watch) {
  if (watch.stop && watch.stop()) return base::fail(base::errc::cancelled, "interrupted");
  return {};
}

/// A failure is a finding.
void check_pages(sql_connection& on, const copy_watch& watch, findings& found) {
  if (watch.show) watch.show("database checked", 0);
  try {
    on.find_damage(watch.stop, [&](std::string_view mistake) {
      found.push_back({finding::kind::damaged, database_file_name, std::string{mistake}});
    });
  } catch (const base::failure& failed) {
    if (failed.why().code == base::errc::cancelled) throw;
    found.push_back({finding::kind::damaged, database_file_name, failed.what()});
  }
}

store_rows read_all(sql_connection& on, const std::string& name, const copy_watch& watch,
                    verification& into) {
  const auto snapshot = sql_transaction::read(on, "begin reading the store");
  check_is_whole(on, name);
  check_pages(on, watch, into.found);
  auto rows = read_rows(on, watch, true);
  into.tables = rows.tables;
  into.images = rows.images.size();
  std::ranges::move(rows.found, std::back_inserter(into.found));
  return rows;
}

// -- a store ------------------------------------------------------------------

/// Finds objects that are missing, or that nothing refers to.
base::expected<void> compare_objects(database& in, object_store& objects, bool has_exports,
                                     const copy_watch& watch, verification& into) {
  object_audit_settings settings;
  settings.has_exports = has_exports;
  settings.stop = watch.stop;
  const auto now_ts = in.replicas().and_then([](const auto& of) { return of->store_time(); });
  if (!now_ts) return tl::unexpected(now_ts.error());
  settings.now_ts = *now_ts;
  const auto audit = audit_objects(in, objects, settings);
  if (!audit) return tl::unexpected(audit.error());
  for (const auto& each : audit->missing)
    into.found.push_back({finding::kind::missing, each.name, "the store refers to it"});
  for (const auto& each : audit->unreferred)
    into.found.push_back({finding::kind::unreferenced, each.name,
                          std::to_string(each.size_bytes) + " bytes that nothing refers to"});
  return {};
}

base::expected<void> read_images(const std::vector<image_key>& images, object_store& objects,
                                 const copy_watch& watch, verification& into) {
  std::uint64_t read = 0;
  for (const auto& key : images) {
    if (auto may = may_go_on(watch); !may) return may;
    const auto name = object_of(key);
    base::sha256_stream hash;
    const auto got = objects.read(name, std::nullopt, [&](std::string_view piece) {
      hash.add(piece);
      return true;
    });
    if (watch.show) watch.show("images read", ++read);
    if (!got)
      into.found.push_back({finding::kind::damaged, name.text(), got.error().detail});
    else if (*got && !base::hexadecimal(hash.digest()).starts_with(model::digest_text(key.name)))
      into.found.push_back(
          {finding::kind::damaged, name.text(), "its bytes do not match the digest in its name"});
  }
  return {};
}

base::expected<void> verify_objects(const store_place& place, const std::vector<image_key>& images,
                                    const copy_watch& watch, verification& into) {
  const auto in = open_to_read(place);
  if (!in) return tl::unexpected(in.error());
  const auto objects = open_objects(place);
  if (!objects) return tl::unexpected(objects.error());
  auto done = compare_objects(**in, **objects, place.has_bucket(), watch, into);
  if (done) done = read_images(images, **objects, watch, into);
  if (!done) return done;
  if (place.has_bucket()) return check_export_objects(**in, **objects, watch, into);
  check_export_files(place.data_dir, into);
  return {};
}

// -- a backup -----------------------------------------------------------------

void compare_tables(const whole_backup& of, verification& into) {
  for (const auto& each : of.manifest.tables) {
    const auto at = std::ranges::find(into.tables, each.name, &table_facts::name);
    if (at == into.tables.end() || *at == each) continue;
    into.found.push_back({finding::kind::damaged, each.name,
                          std::to_string(at->rows) + " rows with the SHA-256 " + at->sha256 +
                              "; the manifest has " + std::to_string(each.rows) + " with " +
                              each.sha256});
  }
}

/// Compares the files with the images that rows refer to.
void compare_images(const whole_backup& of, const std::vector<image_key>& images,
                    verification& into) {
  std::map<std::string, std::string> digests;
  const auto folder = images_folder().text() + "/";
  for (const auto& each : of.manifest.files)
    if (each.name.starts_with(folder)) digests.emplace(each.name, each.sha256);
  std::set<std::string> named;
  for (const auto& key : images) {
    const auto name = object_of(key).text();
    named.insert(name);
    const auto at = digests.find(name);
    if (at == digests.end())
      into.found.push_back({finding::kind::missing, name, "the database refers to it"});
    else if (!at->second.starts_with(model::digest_text(key.name)))
      into.found.push_back(
          {finding::kind::damaged, name, "its bytes do not match the digest in its name"});
  }
  for (const auto& [name, digest] : digests)
    if (!named.contains(name))
      into.found.push_back({finding::kind::unreferenced, name, "nothing refers to it"});
}

void verify_database(const whole_backup& of, const copy_watch& watch, verification& into) {
  auto db = open_backup_database(of.folder);
  if (check_schema(db) < sqlite_schema().newest()) {
    into.left_out = "the rows, because matchcloud " + of.manifest.program +
                    " made the backup with an older schema; restore it and verify the store";
    check_pages(db, watch, into.found);
    return;
  }
  const auto rows = read_all(db, of.folder, watch, into);
  compare_tables(of, into);
  compare_images(of, rows.images, into);
}

} // namespace

base::expected<verification> verify_store(const store_place& place, const copy_watch& watch) {
  verification found;
  found.name = place.name();
  if (auto there = require_store(place); !there) return tl::unexpected(there.error());
  const auto on = open_connection(place, older_schema::refuses);
  if (!on) return tl::unexpected(on.error());
  const auto rows = base::attempt([&] { return read_all(**on, found.name, watch, found); });
  if (!rows) return tl::unexpected(rows.error());
  const auto done = verify_objects(place, rows->images, watch, found);
  if (done) return found;
  // If the database is damaged, what it says about objects may be wrong, too.
  if (found.faults() == 0 || done.error().code != base::errc::store_failed)
    return tl::unexpected(done.error());
  found.left_out = "images and exports, because this failed: " + done.error().detail;
  return found;
}

base::expected<verification> verify_backup(const std::string& folder, const copy_watch& watch) {
  const auto backup = open_backup(folder);
  if (!backup) return tl::unexpected(backup.error());
  verification found;
  found.name = folder;
  auto files = check_files(*backup, watch);
  if (!files) return tl::unexpected(files.error());
  found.found = *std::move(files);
  if (auto done = base::attempt([&] { verify_database(*backup, watch, found); }); !done) {
    if (done.error().code != base::errc::store_failed) return tl::unexpected(done.error());
    found.found.push_back({finding::kind::damaged, database_file_name, done.error().detail});
  }
  check_export_files(folder, found);
  return found;
}

} // namespace matchcloud::store
