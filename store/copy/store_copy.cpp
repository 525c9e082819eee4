#include "store/copy/store_copy.hpp"

#include "base/hexadecimal.hpp"
#include "model/catalog/catalog.hpp"
#include "store/copy/filling.hpp"
#include "store/copy/row_writer.hpp"
#include "store/copy/table_pages.hpp"
#include "store/sql/audit_table.hpp"
#include "store/sql/copy_mark.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace matchcloud::store {

namespace {

/// How many pages of rows a transaction has in SQLite, which writes each page of an index once per
/// transaction: in the index of lobbies by id, nearly every row is on a different page.
constexpr int sqlite_pages_together = 20;

/// What is known of a table of the target before anything is written.
struct target_table {
  const copied_table* table = nullptr;
  /// Positioned at the last row that both stores have.
  table_pages found;
  /// Whether it has the rows of a new store instead of the source's first rows.
  bool is_as_new = false;
  std::uint64_t written = 0;
};

std::int64_t last_entry(sql_connection& on) {
  static constexpr sql_command query{"SELECT max(entry) FROM audit", "read the audit log"};
  return on.number(query, {}, 0);
}

/// A revision of a new store or of the source.
struct revision_row {
  std::string name;
  std::int64_t revision = 0;

  friend bool operator==(const revision_row&, const revision_row&) = default;
};

std::vector<revision_row> read_revisions(sql_connection& on) {
  std::vector<revision_row> found;
  table_pages{on, revisions_table()}.next([&](sql_row& row) {
    if (row.text(0) != copy_mark) found.push_back({std::string{row.text(0)}, row.integer(1)});
    return true;
  });
  return found;
}

std::string describe(const row_digest& rows) {
  std::string text = std::to_string(rows.rows()) + " rows with the SHA-256 ";
  base::append_hexadecimal(text, rows.digest());
  return text;
}

class store_copy {
public:
  store_copy(const copy_side& from, const copy_side& into, const copy_watch& watch)
      : from_{&from}, into_{&into}, watch_{&watch} {}

  std::vector<copied_rows> run() {
    const auto snapshot = begin();
    try {
      mark();
      write_all();
      compare_all();
      finish();
    } catch (const base::failure& failed) {
      throw base::failure{with_advice(failed.why())};
    }
    return std::move(result_);
  }

  void check() { begin(); }

private:
  /// Examines both sides. The source is read from the snapshot that this returns.
  sql_transaction begin() {
    read_along_keys(from_->on);
    read_along_keys(into_->on);
    auto snapshot = sql_transaction::read(from_->on, "begin reading the store");
    check_is_whole(from_->on, from_->name);
    last_entry_ = last_entry(from_->on);
    begin_filling(into_->on, into_->name);
    look();
    return snapshot;
  }

  /// Adds the advice to the error if the copy can be completed.
  base::error with_advice(base::error failed) const {
    if (failed.code != base::errc::import_invalid) failed.detail.append(watch_->advice);
    return failed;
  }

  bool has_to_stop() {
    is_stopped_ = is_stopped_ || (watch_->stop && watch_->stop());
    return is_stopped_;
  }
  void go_on() {
    if (has_to_stop()) throw base::failure{base::errc::cancelled, "interrupted"};
  }

  void show(std::string_view table, std::string_view done, std::uint64_t rows) const {
    if (watch_->show) watch_->show(std::string{table}.append(" ").append(done), rows);
  }

  table_pages pages(const copy_side& of, const copied_table& table) const {
    // The entries that copies wrote into the target's audit log follow the source's.
    if (&table == &audit_log_table()) return {of.on, table, last_entry_};
    return {of.on, table};
  }

  // -- before anything is written ---------------------------------------------

  base::failure foreign(std::string_view table) const {
    std::string detail = into_->name + ": its table ";
    detail.append(table).append(" has rows that ").append(from_->name);
    detail.append(" does not begin with, so this is not an unfinished copy; nothing was changed. "
                  "Copy into a new data directory or database, or empty this one, also if a copy "
                  "was interrupted and the source has changed since");
    return {base::errc::import_invalid, std::move(detail)};
  }

  void look() {
    // Ends before the first write.
    const auto snapshot = sql_transaction::read(into_->on, "begin reading the store");
    look_at_revisions();
    look_at_audit_log();
    for (const auto& each : copied_tables()) {
      auto& found = targets_.emplace_back(target_table{&each, pages(*into_, each)});
      if (is_beginning(found)) continue;
      if (!is_as_new(each)) throw foreign(each.name);
      found.is_as_new = true;
      found.found = pages(*into_, each);
    }
  }

  /// Marks the target, so that nothing uses it until the end.
  void mark() {
    auto changes = sql_transaction::write(into_->on, std::nullopt, "begin a copy");
    set_copy_mark(into_->on);
    changes.commit();
  }

  void look_at_revisions() {
    revisions_ = read_revisions(from_->on);
    const auto target = read_revisions(into_->on);
    const bool untouched = std::all_of(target.begin(), target.end(),
                                       [](const auto& each) { return each.revision == 0; });
    if (!untouched && target != revisions_) throw foreign(revisions_table().name);
  }

  /// After the source's entries, only entries about copies are allowed.
  void look_at_audit_log() {
    static constexpr sql_command others{
        "SELECT count(*) FROM audit WHERE entry > $1 AND action <> $2", "read the audit log"};
    static constexpr sql_command own{"SELECT count(*) FROM audit WHERE entry > $1",
                                     "read the audit log"};
    const auto action = name_of(model::audit_action::store_copy);
    if (into_->on.number(others, {last_entry_, action}) > 0) throw foreign(audit_log_table().name);
    is_recorded_ = into_->on.number(own, {last_entry_}) > 0;
  }

  /// Whether the rows of the target are the first rows of the source.
  bool is_beginning(target_table& of) {
    auto source = pages(*from_, *of.table);
    std::uint64_t rows = 0;
    while (true) {
      go_on();
      row_digest theirs{*of.table};
      const auto found = add_page(of.found, theirs, copy_page_rows);
      if (found == 0) return true;
      row_digest ours{*of.table};
      add_page(source, ours, found);
      if (ours.rows() != theirs.rows() || ours.digest() != theirs.digest()) return false;
      show(of.table->name, "checked", rows += found);
      if (found < copy_page_rows) return true;
    }
  }

  static std::size_t add_page(table_pages& from, row_digest& to, std::size_t limit) {
    return from.next(
        [&](sql_row& row) {
          to.add(row);
          return true;
        },
        limit);
  }

  /// Whether a table has the rows of a new store, which may differ from the source's.
  bool is_as_new(const copied_table& table) const {
    if (&table != &tiers_table()) return false;
    std::vector<std::string> names;
    bool is_changed = false;
    pages(*into_, table).next([&](sql_row& row) {
      names.emplace_back(row.text(0));
      is_changed = is_changed || row.integer(1) != 0;
      return true;
    });
    auto defaults = model::default_tiers();
    std::sort(defaults.begin(), defaults.end());
    return !is_changed && names == defaults;
  }

  // -- writing ----------------------------------------------------------------

  void write_all() {
    for (auto& each : targets_) {
      write_table(each);
      settle(each);
    }
  }

  void write_table(target_table& of) {
    auto source = pages(*from_, *of.table);
    source.go_on_after(of.found);
    do
      go_on();
    while (write_pages(source, of));
  }

  /// Writes a transaction, which ends early if the copy has to stop. Returns whether there may be
  /// more rows.
  bool write_pages(table_pages& source, target_table& of) {
    static constexpr sql_command remove_tiers{"DELETE FROM tiers", "replace the default tiers"};
    auto changes = sql_transaction::write(into_->on, std::nullopt, "write a copy");
    if (std::exchange(of.is_as_new, false)) into_->on.run(remove_tiers, {});
    bool has_more = true;
    for (int left = pages_together(); has_more && left > 0 && !has_to_stop(); --left) {
      const auto rows = write_page(source, *of.table);
      has_more = rows == copy_page_rows;
      show(of.table->name, "copied", of.written += rows);
    }
    changes.commit();
    return has_more;
  }

  int pages_together() const noexcept {
    return into_->on.dialect() == sql_dialect::sqlite ? sqlite_pages_together : 1;
  }

  std::size_t write_page(table_pages& source, const copied_table& table) {
    row_writer writer{into_->on, table};
    const auto rows = source.next([&](sql_row& row) {
      writer.put(row);
      return true;
    });
    writer.flush();
    return rows;
  }

  /// Once all rows are written: sets the next number and updates the planner's statistics.
  void settle(const target_table& of) {
    const auto& statements = statements_of(*of.table, into_->on.dialect());
    if (statements.renumber.empty() && statements.analyze.empty()) return;
    auto changes = sql_transaction::write(into_->on, std::nullopt, "complete a table");
    if (!statements.renumber.empty()) into_->on.has({statements.renumber, statements.writing}, {});
    if (of.written > 0) into_->on.run({statements.analyze, statements.writing}, {});
    changes.commit();
  }

  // -- comparing --------------------------------------------------------------

  void compare_all() {
    const auto snapshot = sql_transaction::read(into_->on, "begin comparing the stores");
    for (const auto& each : targets_)
      compare(*each.table, each.written);
  }

  /// Reads both stores in turn, so that neither waits long for the other.
  void compare(const copied_table& table, std::uint64_t written) {
    auto source = pages(*from_, table);
    auto target = pages(*into_, table);
    row_digest ours{table};
    row_digest theirs{table};
    bool has_more = true;
    while (has_more) {
      go_on();
      const auto left = add_page(source, ours, copy_page_rows);
      const auto right = add_page(target, theirs, copy_page_rows);
      has_more = left == copy_page_rows || right == copy_page_rows;
      show(table.name, "compared", ours.rows());
    }
    if (ours.rows() != theirs.rows() || ours.digest() != theirs.digest())
      throw base::failure{base::errc::import_invalid,
                          "the table " + std::string{table.name} + " is not the same: " +
                              from_->name + " has " + describe(ours) + ", " + into_->name + " " +
                              describe(theirs) + ". Another process may be writing to " +
                              into_->name + ". Do not use it; copy into a new store"};
    result_.push_back({table.name, ours.rows(), written, ours.digest()});
  }

  // -- the end ----------------------------------------------------------------

  void finish() {
    const bool moves = read_revisions(into_->on) != revisions_;
    auto changes = sql_transaction::write(into_->on, std::nullopt, "complete a copy");
    if (moves) write_revisions();
    if (!is_recorded_) record();
    remove_copy_mark(into_->on);
    changes.commit();
    compare(revisions_table(), moves ? revisions_.size() : 0);
  }

  void write_revisions() {
    static constexpr sql_command update{"UPDATE revisions SET revision = $1 WHERE name = $2",
                                        "write the revisions"};
    for (const auto& each : revisions_)
      into_->on.run(update, {each.revision, each.name});
  }

  void record() {
    std::uint64_t rows = 0;
    for (const auto& each : result_)
      rows += each.rows;
    audit_table{}.write(into_->on, {model::audit_action::store_copy,
                                    from_->name,
                                    {},
                                    "{\"rows\":" + std::to_string(rows) + "}"});
  }

  const copy_side* from_;
  const copy_side* into_;
  const copy_watch* watch_;
  bool is_stopped_ = false;
  /// The last entry of the source's audit log.
  std::int64_t last_entry_ = 0;
  std::vector<revision_row> revisions_;
  /// Whether the target's audit log has an entry about a copy of everything in the source.
  bool is_recorded_ = false;
  std::vector<target_table> targets_;
  std::vector<copied_rows> result_;
};

} // namespace

base::expected<std::vector<copied_rows>> copy_store(const copy_side& from, const copy_side& into,
                                                    const copy_watch& watch) {
  return base::attempt([&] { return store_copy{from, into, watch}.run(); });
}

base::expected<void> check_copy(const copy_side& from, const copy_side& into,
                                const copy_watch& watch) {
  return base::attempt([&] { store_copy{from, into, watch}.check(); });
}

} // namespace matchcloud::store
