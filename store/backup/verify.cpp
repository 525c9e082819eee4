#include "store/backup/verify.hpp"

#include "store/database_file.hpp"
#include "store/export_records.hpp"
#include "store/files/data_directory.hpp"
#include "store/objects/object_audit.hpp"
#include "store/sql/shared_statements.hpp"
#include "store/sqlite/sqlite.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <system_error>
#include <utility>

namespace matchcloud::store {

namespace {

using base::value_of;
using enum finding::kind;

void leave_out(verification& from, const std::string& what) {
  from.left_out += (from.left_out.empty() ? "" : "; ") + what;
}

/// A failure is a finding about `what`, unless the check was stopped.
template <class Check>
void look_at(const std::string& what, findings& found, Check check) {
  try {
    check();
  } catch (const base::failure& failed) {
    if (failed.why().code == base::errc::cancelled) throw;
    found.push_back({damaged, what, failed.what()});
  }
}

void check_pages(sql_connection& on, const copy_watch& watch, findings& found) {
  watch.tell("database checked", 0);
  look_at(database_file_name, found, [&] {
    on.find_damage(watch.stop, [&](std::string_view mistake) {
      found.push_back({damaged, database_file_name, std::string{mistake}});
    });
  });
}

store_rows read_all(sql_connection& on, const copy_watch& watch, verification& into) {
  const auto snapshot = sql_transaction::read(on, "begin reading the store");
  check_is_whole(on, into.name);
  check_pages(on, watch, into.found);
  auto rows = read_rows(on, watch, true);
  into.tables = std::move(rows.tables);
  into.images = rows.images.size();
  std::ranges::move(rows.found, std::back_inserter(into.found));
  return rows;
}

// -- a store ------------------------------------------------------------------

/// Finds objects that are missing, or that nothing refers to.
void compare_objects(database& in, object_store& objects, const copy_watch& watch,
                     verification& into) {
  object_audit_settings settings;
  settings.stop = watch.stop;
  settings.now_ts = value_of(value_of(in.replicas())->store_time());
  const auto audit = value_of(audit_objects(in, objects, settings));
  for (const auto& each : audit.missing)
    into.found.push_back({missing, each.name, "the store refers to it"});
  for (const auto& each : audit.unreferred)
    into.found.push_back(
        {unreferenced, each.name, fmt::format("{} bytes that nothing refers to", each.size_bytes)});
}

/// Compares the bytes of an object, if it exists, with the first digits of their SHA-256.
void check_object(object_store& in, const object_name& name, std::string_view digits,
                  std::string_view whose, const copy_watch& watch, verification& into) {
  look_at(name.text(), into.found, [&] {
    const auto read = read_object(in, name, watch);
    if (read && !read->starts_with(digits))
      into.found.push_back({damaged, name.text(),
                            fmt::format("its bytes do not match the digest in its {}", whose)});
  });
}

void verify_objects(const store_place& place, const std::vector<image_key>& images,
                    const copy_watch& watch, verification& into) {
  const auto in = value_of(open_to_read(place));
  const auto objects = value_of(open_objects(place));
  compare_objects(*in, *objects, watch, into);
  std::uint64_t read = 0;
  for (const auto& key : images) {
    watch.go_on();
    check_object(*objects, object_of(key), model::digest_text(key.name), "name", watch, into);
    watch.tell("images read", ++read);
  }
  std::vector<export_record> exports;
  value_of(value_of(in->exports())->read_exports([&](const export_record& each) {
    if (each.is_complete) exports.push_back(each);
    return true;
  }));
  into.exports = exports.size();
  read = 0;
  for (const auto& each : exports) {
    watch.go_on();
    check_object(*objects, object_of(each), each.sha256, "record", watch, into);
    watch.tell("exports read", ++read);
  }
}

// -- a backup -----------------------------------------------------------------

/// Finds files that are in the folder but not in the manifest.
void find_strangers(const whole_backup& of, findings& found) {
  std::set<std::string, std::less<>> known{manifest_name};
  for (const auto& each : of.manifest.files)
    known.insert(each.name);
  std::error_code failed;
  std::filesystem::recursive_directory_iterator entry{of.folder, failed};
  for (; !failed && entry != std::filesystem::recursive_directory_iterator{};
       entry.increment(failed)) {
    std::error_code ignored;
    if (entry->is_directory(ignored) && !entry->is_symlink(ignored)) continue;
    const auto name = entry->path().lexically_relative(of.folder).string();
    if (!known.contains(name)) found.push_back({unreferenced, name, "it is not in the manifest"});
  }
  if (failed) throw file_failure(of.folder, "list the folder", failed.value());
}

/// The SQL of everything in a schema, by kind and name.
std::map<std::string, std::string> schema_of(sqlite_connection& in) {
  // Statistics come and go, and change no result.
  static constexpr sql_command query{
      "SELECT type || ' ' || name, tbl_name || ' ' || coalesce(sql, '') FROM sqlite_schema "
      "WHERE type <> 'table' OR name NOT GLOB 'sqlite_stat[14]'",
      "read the schema"};
  std::map<std::string, std::string> found;
  in.each(query, {}, [&](sql_row& row) { found.emplace(row.text(0), row.text(1)); });
  return found;
}

void compare_tables(const backup_manifest& with, verification& into) {
  for (const auto& each : into.tables) {
    const auto at = std::ranges::find(with.tables, each.name, &table_facts::name);
    if (at != with.tables.end() && *at == each) continue;
    into.found.push_back({damaged, each.name,
                          fmt::format("{}; the manifest has {}", described(each),
                                      at == with.tables.end() ? "no such table" : described(*at))});
  }
}

/// Compares the files with the images that rows refer to.
void compare_images(const backup_manifest& with, const std::vector<image_key>& images,
                    findings& found) {
  std::map<std::string, std::string> digests;
  const auto folder = images_folder().text() + "/";
  for (const auto& each : with.files)
    if (each.name.starts_with(folder)) digests.emplace(each.name, each.sha256);
  std::set<std::string> named;
  for (const auto& key : images) {
    const auto name = object_of(key).text();
    named.insert(name);
    const auto at = digests.find(name);
    if (at == digests.end())
      found.push_back({missing, name, "the database refers to it"});
    else if (!at->second.starts_with(model::digest_text(key.name)))
      found.push_back({damaged, name, "its bytes do not match the digest in its name"});
  }
  for (const auto& [name, digest] : digests)
    if (!named.contains(name)) found.push_back({unreferenced, name, "nothing refers to it"});
}

void check_database(const whole_backup& of, const copy_watch& watch, verification& into) {
  auto db = open_backup_database(of.folder);
  const auto version = check_schema(db);
  if (version != of.manifest.schema)
    into.found.push_back(
        {damaged, database_file_name,
         fmt::format("it has the schema {} instead of {}", version, of.manifest.schema)});
  std::ranges::move(compare_schema(db, version), std::back_inserter(into.found));
  if (version == sqlite_schema().newest()) {
    const auto rows = read_all(db, watch, into);
    compare_tables(of.manifest, into);
    compare_images(of.manifest, rows.images, into.found);
    return;
  }
  leave_out(into, fmt::format("the rows, because matchcloud {} made the backup with an older "
                              "schema; restore it and verify the store",
                              of.manifest.program));
  check_pages(db, watch, into.found);
}

} // namespace

findings compare_schema(sqlite_connection& in, std::int64_t version) {
  auto fresh = sqlite_connection::open(":memory:", sqlite_connection::missing_file::is_made);
  migrate(fresh, sqlite_schema().up_to(version));
  auto expected = schema_of(fresh);
  findings found;
  const auto add = [&](const std::string& name, const char* how) {
    found.push_back(
        {damaged, database_file_name,
         fmt::format("its {}{} in a new store with the schema {}", name, how, version)});
  };
  for (const auto& [name, sql] : schema_of(in)) {
    const auto node = expected.extract(name);
    if (node.empty() || node.mapped() != sql) add(name, " is not the same as");
  }
  for (const auto& [name, sql] : expected)
    add(name, " is missing, which is");
  return found;
}

std::size_t verification::faults() const noexcept {
  return static_cast<std::size_t>(
      std::ranges::count_if(found, [](const finding& each) { return each.is != unreferenced; }));
}

base::expected<verification> verify_store(const store_place& place, const copy_watch& watch) {
  return base::attempt([&] {
    verification found{place.name()};
    value_of(require_store(place));
    const auto on = value_of(open_connection(place, older_schema::refuses));
    const auto rows = read_all(*on, watch, found);
    try {
      verify_objects(place, rows.images, watch, found);
    } catch (const base::failure& failed) {
      // If the database is damaged, what it says about objects may be wrong, too.
      if (found.faults() == 0 || failed.why().code != base::errc::store_failed) throw;
      leave_out(found, fmt::format("images and exports, because this failed: {}", failed.what()));
    }
    return found;
  });
}

verification check_backup(const whole_backup& of, const copy_watch& watch) {
  verification found{of.folder};
  if (!of.manifest.is_protected)
    leave_out(found, fmt::format("whether the manifest was changed: it is unprotected, because "
                                 "matchcloud {} wrote no digest of it",
                                 of.manifest.program));
  std::uint64_t read = 0;
  for (const auto& each : of.manifest.files) {
    watch.go_on();
    look_at(each.name, found.found, [&] {
      if (auto wrong = of.read(each, watch)) found.found.push_back(*std::move(wrong));
    });
    watch.tell("files read", ++read);
  }
  find_strangers(of, found.found);
  const bool has_database = std::ranges::none_of(found.found, [](const finding& each) {
    return each.is == missing && each.what == database_file_name;
  });
  if (has_database)
    look_at(database_file_name, found.found, [&] { check_database(of, watch, found); });
  return found;
}

base::expected<verification> verify_backup(const std::string& folder, const copy_watch& watch) {
  return base::attempt([&] { return check_backup(open_backup(folder, watch), watch); });
}

} // namespace matchcloud::store
