#include "store/copy/store_copy.hpp"

#include "store/copy/copied_tables.hpp"
#include "store/sql/audit_table.hpp"
#include "store/sql/shared_statements.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

/// How many rows a transaction has in SQLite, which writes each page of an index once per
/// transaction: in the index of lobbies by id, nearly every row is on a different page.
constexpr std::uint64_t sqlite_rows_together = 20 * copy_page_rows;

constexpr int lock_tries = 20;

base::failure is_taken(const std::string& name) {
  return {base::errc::import_invalid,
          "{}: another `matchcloud restore` or `store copy` into it is at work; wait until that "
          "one has ended",
          name};
}

/// Takes the store of a PostgreSQL server, as `filling` a data directory, until the connection
/// ends.
void begin_filling(sql_connection& on, const std::string& name) {
  // The key is the bytes "mcfl".
  static constexpr sql_command take{
      "SELECT CASE WHEN pg_try_advisory_lock(1835230828) THEN 1 ELSE 0 END",
      "look whether another copy is at work"};
  static constexpr sql_command wait{"SELECT 1 FROM pg_sleep(0.1)", "wait for another copy"};
  if (on.dialect() == sql_dialect::sqlite) return;
  // The server may not know yet that a copy ended a moment ago.
  for (int left = lock_tries; left > 0; --left) {
    if (on.number(take) == 1) return;
    on.has(wait, {});
  }
  throw is_taken(name);
}

const table_statements& statements_in(const copy_side& side, const copied_table& of) {
  return statements_of(of, side.on.dialect());
}

/// Marks the target, so that nothing uses it until the end, and empties it.
void begin_copy(const copy_side& into) {
  auto changes = sql_transaction::write(into.on, std::nullopt, "begin a copy");
  const bool is_unfinished = has_copy_mark(into.on);
  for (const auto& each : copied_tables()) {
    const auto& statements = statements_in(into, each);
    if (!is_unfinished && into.on.has({statements.is_used, statements.reading}, {}))
      throw base::failure{base::errc::import_invalid,
                          "{}: its table {} has rows, so it is neither empty nor an unfinished "
                          "copy; nothing was changed. Use a new data directory or database",
                          into.name, each.name};
  }
  set_copy_mark(into.on);
  // In PostgreSQL, deleting a large table's rows would take longer than a statement may.
  if (into.on.dialect() == sql_dialect::postgres)
    into.on.run({truncation_of_all(), "begin a copy"}, {});
  const auto tables = copied_tables();
  for (auto each = tables.rbegin(); each != tables.rend(); ++each) {
    const auto& statements = statements_in(into, *each);
    into.on.run({statements.clear, statements.writing}, {});
  }
  changes.commit();
}

/// Call it in a write transaction, which `next` may commit to begin another one. At the end sets
/// the next number and updates the planner's statistics.
table_facts copy_table(const copy_side& from, const copy_side& into, const copied_table& table,
                       const copy_watch& watch, const std::function<void()>& next) {
  const auto rows_together =
      into.on.dialect() == sql_dialect::sqlite ? sqlite_rows_together : copy_page_rows;
  row_writer writer{into.on, table};
  std::uint64_t rows = 0;
  auto facts = read_table(from.on, table, watch, "copied", [&](sql_row& row) {
    writer.put(row);
    if (++rows % rows_together != 0) return;
    writer.flush();
    next();
  });
  writer.flush();
  const auto& statements = statements_in(into, table);
  if (!statements.renumber.empty()) into.on.has({statements.renumber, statements.writing}, {});
  if (!statements.analyze.empty()) into.on.run({statements.analyze, statements.writing}, {});
  return facts;
}

void compare_table(const copy_side& from, const copy_side& into, const copied_table& table,
                   const table_facts& ours, const copy_watch& watch) {
  const auto theirs = read_table(into.on, table, watch, "compared");
  if (theirs == ours) return;
  throw base::failure{base::errc::import_invalid,
                      "the table {} is not the same: {} has {}, {} {}. Another process may be "
                      "writing to {}. Do not use it; copy into a new store",
                      ours.name,
                      from.name,
                      described(ours),
                      into.name,
                      described(theirs),
                      into.name};
}

std::vector<table_facts> copy_all(const copy_side& from, const copy_side& into,
                                  const copy_watch& watch, const std::function<void()>& first) {
  read_along_keys(from.on);
  read_along_keys(into.on);
  const auto source = sql_transaction::read(from.on, "begin reading the store");
  check_is_whole(from.on, from.name);
  begin_filling(into.on, into.name);
  begin_copy(into);
  if (first) first();
  const auto& revisions = copied_tables().back();
  const auto tables = copied_tables().first(copied_tables().size() - 1);
  std::vector<table_facts> copied;
  std::optional<sql_transaction> changes;
  const auto write = [&] {
    if (changes) changes->commit();
    changes.reset();
    changes.emplace(sql_transaction::write(into.on, std::nullopt, "write a copy"));
  };
  for (const auto& each : tables) {
    write();
    copied.push_back(copy_table(from, into, each, watch, write));
  }
  changes->commit();
  changes.reset();
  {
    const auto target = sql_transaction::read(into.on, "begin comparing the stores");
    for (std::size_t each = 0; each < tables.size(); ++each)
      compare_table(from, into, tables[each], copied[each], watch);
  }
  write();
  copied.push_back(copy_table(from, into, revisions, watch, {}));
  compare_table(from, into, revisions, copied.back(), watch);
  record_copy(into.on, from.name, copied);
  remove_copy_mark(into.on);
  changes->commit();
  return copied;
}

} // namespace

void record_copy(sql_connection& into, const std::string& from,
                 const std::vector<table_facts>& tables) {
  std::uint64_t rows = 0;
  for (const auto& each : tables)
    rows += each.rows;
  audit_table{}.write(
      into, {model::audit_action::store_copy, from, {}, "{\"rows\":" + std::to_string(rows) + "}"});
}

base::expected<std::vector<table_facts>> copy_store(const copy_side& from, const copy_side& into,
                                                    const copy_watch& watch,
                                                    const std::function<void()>& first) {
  return base::attempt([&] { return copy_all(from, into, watch, first); });
}

filling filling::begin(const std::string& data_dir) {
  auto path = data_dir + "/" + filling_name;
  if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    throw file_failure(path, "create the directory");
  auto lock = directory_lock::try_take(path);
  // The process that had it may have removed it in between.
  if (!lock || !lock->is_on(path)) throw is_taken(data_dir);
  return {std::move(path), *std::move(lock)};
}

filling::~filling() {
  if (!path_.empty()) ::rmdir(path_.c_str());
}

} // namespace matchcloud::store
