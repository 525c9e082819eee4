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

base::expected<std::int64_t> last_entry(sql_connection& on) {
  static constexpr sql_command query{"SELECT coalesce(max(entry), 0) FROM audit",
                                     "read the audit log"};
  return select_integer(on, query);
}

/// A revision of a new store or of the source.
struct revision_row {
  std::string name;
  std::int64_t revision = 0;

  friend bool operator==(const revision_row&, const revision_row&) = default;
};

base::expected<std::vector<revision_row>> read_revisions(sql_connection& on) {
  std::vector<revision_row> found;
  auto read = table_pages{on, revisions_table()}.next([&](sql_row& row) {
    if (row.text(0) != copy_mark) found.push_back({std::string{row.text(0)}, row.integer(1)});
    return true;
  });
  if (!read) return tl::unexpected(read.error());
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

  base::expected<std::vector<copied_rows>> run() {
    const auto snapshot = begin();
    if (!snapshot) return tl::unexpected(snapshot.error());
    auto done = mark();
    if (done) done = write_all();
    if (done) done = compare_all();
    if (done) done = finish();
    if (!done) return tl::unexpected(with_advice(std::move(done).error()));
    return std::move(result_);
  }

  base::expected<void> check() {
    return begin().map([](const sql_transaction&) {});
  }

private:
  /// Examines both sides. The source is read from the snapshot that this returns.
  base::expected<sql_transaction> begin() {
    auto ready = read_along_keys(from_->on);
    if (ready) ready = read_along_keys(into_->on);
    if (!ready) return tl::unexpected(ready.error());
    auto snapshot = sql_transaction::read(from_->on, "begin reading the store");
    if (!snapshot) return snapshot;
    if (auto whole = check_is_whole(from_->on, from_->name); !whole)
      return tl::unexpected(whole.error());
    const auto last = last_entry(from_->on);
    if (!last) return tl::unexpected(last.error());
    last_entry_ = *last;
    if (auto alone = begin_filling(into_->on, into_->name); !alone)
      return tl::unexpected(alone.error());
    if (auto fits = look(); !fits) return tl::unexpected(fits.error());
    return snapshot;
  }

  /// Adds the advice to the error if the copy can be completed.
  base::error with_advice(base::error failed) const {
    if (failed.code != base::errc::import_invalid) failed.detail.append(watch_->advice);
    return failed;
  }

  base::expected<void> may_go_on() {
    is_stopped_ = is_stopped_ || (watch_->stop && watch_->stop());
    if (is_stopped_) return base::fail(base::errc::cancelled, "interrupted");
    return {};
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

  tl::unexpected<base::error> foreign(std::string_view table) const {
    std::string detail = into_->name + ": its table ";
    detail.append(table).append(" has rows that ").append(from_->name);
    detail.append(" does not begin with, so this is not an unfinished copy; nothing was changed. "
                  "Copy into a new data directory or database, or empty this one, also if a copy "
                  "was interrupted and the source has changed since");
    return base::fail(base::errc::import_invalid, std::move(detail));
  }

  base::expected<void> look() {
    // Ends before the first write.
    const auto snapshot = sql_transaction::read(into_->on, "begin reading the store");
    if (!snapshot) return tl::unexpected(snapshot.error());
    if (auto fits = look_at_revisions(); !fits) return fits;
    if (auto fits = look_at_audit_log(); !fits) return fits;
    for (const auto& each : copied_tables()) {
      auto& found = targets_.emplace_back(target_table{&each, pages(*into_, each)});
      const auto begins = is_beginning(found);
      if (!begins) return tl::unexpected(begins.error());
      if (*begins) continue;
      const auto as_new = is_as_new(each);
      if (!as_new) return tl::unexpected(as_new.error());
      if (!*as_new) return foreign(each.name);
      found.is_as_new = true;
      found.found = pages(*into_, each);
    }
    return {};
  }

  /// Marks the target, so that nothing uses it until the end.
  base::expected<void> mark() {
    auto changes = sql_transaction::write(into_->on, std::nullopt, "begin a copy");
    if (!changes) return tl::unexpected(changes.error());
    auto done = set_copy_mark(into_->on);
    return done ? changes->commit() : done;
  }

  base::expected<void> look_at_revisions() {
    auto source = read_revisions(from_->on);
    if (!source) return tl::unexpected(source.error());
    const auto target = read_revisions(into_->on);
    if (!target) return tl::unexpected(target.error());
    revisions_ = *std::move(source);
    const bool untouched = std::all_of(target->begin(), target->end(),
                                       [](const auto& each) { return each.revision == 0; });
    return untouched || *target == revisions_ ? base::expected<void>{}
                                              : foreign(revisions_table().name);
  }

  /// After the source's entries, only entries about copies are allowed.
  base::expected<void> look_at_audit_log() {
    static constexpr sql_command others{
        "SELECT count(*) FROM audit WHERE entry > $1 AND action <> $2", "read the audit log"};
    static constexpr sql_command own{"SELECT count(*) FROM audit WHERE entry > $1",
                                     "read the audit log"};
    const auto strange =
        select_integer(into_->on, others, {last_entry_, name_of(model::audit_action::store_copy)});
    if (!strange) return tl::unexpected(strange.error());
    if (*strange > 0) return foreign(audit_log_table().name);
    const auto recorded = select_integer(into_->on, own, {last_entry_});
    if (!recorded) return tl::unexpected(recorded.error());
    is_recorded_ = *recorded > 0;
    return {};
  }

  /// Whether the rows of the target are the first rows of the source.
  base::expected<bool> is_beginning(target_table& of) {
    auto source = pages(*from_, *of.table);
    std::uint64_t rows = 0;
    while (true) {
      if (auto may = may_go_on(); !may) return tl::unexpected(may.error());
      row_digest theirs{*of.table};
      const auto found = add_page(of.found, theirs, copy_page_rows);
      if (!found) return tl::unexpected(found.error());
      if (*found == 0) return true;
      row_digest ours{*of.table};
      if (const auto read = add_page(source, ours, *found); !read)
        return tl::unexpected(read.error());
      if (ours.rows() != theirs.rows() || ours.digest() != theirs.digest()) return false;
      show(of.table->name, "checked", rows += *found);
      if (*found < copy_page_rows) return true;
    }
  }

  static base::expected<std::size_t> add_page(table_pages& from, row_digest& to,
                                              std::size_t limit) {
    return from.next(
        [&](sql_row& row) {
          to.add(row);
          return true;
        },
        limit);
  }

  /// Whether a table has the rows of a new store, which may differ from the source's.
  base::expected<bool> is_as_new(const copied_table& table) const {
    if (&table != &tiers_table()) return false;
    std::vector<std::string> names;
    bool is_changed = false;
    auto read = pages(*into_, table).next([&](sql_row& row) {
      names.emplace_back(row.text(0));
      is_changed = is_changed || row.integer(1) != 0;
      return true;
    });
    if (!read) return tl::unexpected(read.error());
    auto defaults = model::default_tiers();
    std::sort(defaults.begin(), defaults.end());
    return !is_changed && names == defaults;
  }

  // -- writing ----------------------------------------------------------------

  base::expected<void> write_all() {
    for (auto& each : targets_) {
      if (auto done = write_table(each); !done) return done;
      if (auto done = settle(each); !done) return done;
    }
    return {};
  }

  base::expected<void> write_table(target_table& of) {
    auto source = pages(*from_, *of.table);
    source.go_on_after(of.found);
    bool has_more = true;
    while (has_more) {
      if (auto may = may_go_on(); !may) return may;
      const auto wrote = write_pages(source, of);
      if (!wrote) return tl::unexpected(wrote.error());
      has_more = *wrote;
    }
    return {};
  }

  /// Writes a transaction, which ends early if the copy has to stop. Returns whether there may be
  /// more rows.
  base::expected<bool> write_pages(table_pages& source, target_table& of) {
    static constexpr sql_command remove_tiers{"DELETE FROM tiers", "replace the default tiers"};
    auto changes = sql_transaction::write(into_->on, std::nullopt, "write a copy");
    if (!changes) return tl::unexpected(changes.error());
    base::expected<void> done;
    if (std::exchange(of.is_as_new, false)) done = into_->on.run(remove_tiers, {});
    bool has_more = true;
    for (int left = pages_together(); done && has_more && left > 0 && may_go_on(); --left) {
      const auto rows = write_page(source, *of.table);
      if (!rows) return tl::unexpected(rows.error());
      has_more = *rows == copy_page_rows;
      show(of.table->name, "copied", of.written += *rows);
    }
    if (done) done = changes->commit();
    if (!done) return tl::unexpected(done.error());
    return has_more;
  }

  int pages_together() const noexcept {
    return into_->on.dialect() == sql_dialect::sqlite ? sqlite_pages_together : 1;
  }

  base::expected<std::size_t> write_page(table_pages& source, const copied_table& table) {
    base::expected<void> done;
    row_writer writer{into_->on, table};
    const auto rows = source.next([&](sql_row& row) {
      done = writer.put(row);
      return done.has_value();
    });
    if (!rows) return rows;
    if (done) done = writer.flush();
    if (!done) return tl::unexpected(done.error());
    return rows;
  }

  /// Once all rows are written: sets the next number and updates the planner's statistics.
  base::expected<void> settle(const target_table& of) {
    const auto& statements = statements_of(*of.table, into_->on.dialect());
    if (statements.renumber.empty() && statements.analyze.empty()) return {};
    auto changes = sql_transaction::write(into_->on, std::nullopt, "complete a table");
    if (!changes) return tl::unexpected(changes.error());
    base::expected<void> done;
    if (!statements.renumber.empty())
      done = into_->on.select({statements.renumber, statements.writing}, {},
                              [](sql_row&) { return true; });
    if (done && of.written > 0) done = into_->on.run({statements.analyze, statements.writing}, {});
    return done ? changes->commit() : done;
  }

  // -- comparing --------------------------------------------------------------

  base::expected<void> compare_all() {
    const auto snapshot = sql_transaction::read(into_->on, "begin comparing the stores");
    if (!snapshot) return tl::unexpected(snapshot.error());
    for (const auto& each : targets_)
      if (auto same = compare(*each.table, each.written); !same) return same;
    return {};
  }

  /// Reads both stores in turn, so that neither waits long for the other.
  base::expected<void> compare(const copied_table& table, std::uint64_t written) {
    auto source = pages(*from_, table);
    auto target = pages(*into_, table);
    row_digest ours{table};
    row_digest theirs{table};
    bool has_more = true;
    while (has_more) {
      if (auto may = may_go_on(); !may) return may;
      const auto left = add_page(source, ours, copy_page_rows);
      if (!left) return tl::unexpected(left.error());
      const auto right = add_page(target, theirs, copy_page_rows);
      if (!right) return tl::unexpected(right.error());
      has_more = *left == copy_page_rows || *right == copy_page_rows;
      show(table.name, "compared", ours.rows());
    }
    if (ours.rows() != theirs.rows() || ours.digest() != theirs.digest())
      return base::fail(base::errc::import_invalid,
                        "the table " + std::string{table.name} + " is not the same: " +
                            from_->name + " has " + describe(ours) + ", " + into_->name + " " +
                            describe(theirs) + ". Another process may be writing to " +
                            into_->name + ". Do not use it; copy into a new store");
    result_.push_back({table.name, ours.rows(), written, ours.digest()});
    return {};
  }

  // -- the end ----------------------------------------------------------------

  base::expected<void> finish() {
    const auto before = read_revisions(into_->on);
    if (!before) return tl::unexpected(before.error());
    const bool moves = *before != revisions_;
    auto changes = sql_transaction::write(into_->on, std::nullopt, "complete a copy");
    if (!changes) return tl::unexpected(changes.error());
    auto done = moves ? write_revisions() : base::expected<void>{};
    if (done && !is_recorded_) done = record();
    if (done) done = remove_copy_mark(into_->on);
    if (done) done = changes->commit();
    if (!done) return done;
    return compare(revisions_table(), moves ? revisions_.size() : 0);
  }

  base::expected<void> write_revisions() {
    static constexpr sql_command update{"UPDATE revisions SET revision = $1 WHERE name = $2",
                                        "write the revisions"};
    for (const auto& each : revisions_)
      if (auto done = into_->on.run(update, {each.revision, each.name}); !done) return done;
    return {};
  }

  base::expected<void> record() {
    std::uint64_t rows = 0;
    for (const auto& each : result_)
      rows += each.rows;
    return audit_table{}.write(into_->on, {model::audit_action::store_copy,
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
  return store_copy{from, into, watch}.run();
}

base::expected<void> check_copy(const copy_side& from, const copy_side& into,
                                const copy_watch& watch) {
  return store_copy{from, into, watch}.check();
}

} // namespace matchcloud::store
