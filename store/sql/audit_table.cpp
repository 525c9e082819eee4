#include "store/sql/audit_table.hpp"

#include "base/clock.hpp"
#include "model/access/token_text.hpp"
#include "store/local_author.hpp"

#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr std::array kinds{model::audit_author::kind::token, model::audit_author::kind::local,
                           model::audit_author::kind::certificate,
                           model::audit_author::kind::service};

/// What an entry keeps of a text: all of it, or its size where it is too long.
std::string kept(const std::string& json) {
  if (json.size() <= model::audit_text_limit_bytes) return json;
  return "{\"left_out_bytes\":" + std::to_string(json.size()) + "}";
}

/// A text without the tokens that it may have by mistake; none where it is empty.
std::optional<std::string> redacted(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{model::redact_tokens(text)};
}

model::audit_entry entry_at(sql_row& row) {
  model::audit_entry each;
  each.entry = row.integer(0);
  each.at_ms = row.integer(1);
  for (const auto kind : kinds)
    if (model::name_of(kind) == row.text(2)) each.who.what = kind;
  each.who.name = row.text(3);
  each.who.id = row.text(4);
  each.who.address = row.text(5);
  each.who.request_id = row.text(6);
  each.what.action = row.text(7);
  each.what.subject = row.text(8);
  each.what.before = row.text(9);
  each.what.after = row.text(10);
  return each;
}

} // namespace

base::expected<void> audit_table::write(sql_connection& on, const model::audit_change& what) const {
  static constexpr sql_command insert{
      "INSERT INTO audit (at_ms, author_kind, author_name, author_id, address, request_id, "
      "action, subject, before, after) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
      "write the audit log"};
  if (run_ && run_->is_recorded) return {};
  const auto& who = run_ ? run_->by : local_author();
  const auto& change = run_ && run_->as ? *run_->as : what;
  return on.run(insert, {base::machine_clock().unix_ms(), model::name_of(who.what),
                         redacted(who.name), redacted(who.id), redacted(who.address),
                         redacted(who.request_id), change.action, redacted(change.subject),
                         redacted(kept(change.before)), redacted(kept(change.after))});
}

void audit_table::note_committed() const {
  if (run_) run_->is_recorded = true;
}

base::expected<void> audit_table::commit(sql_transaction& changes) const {
  auto done = changes.commit();
  if (done) note_committed();
  return done;
}

base::expected<std::vector<model::audit_entry>> select_audit(sql_connection& on,
                                                             const model::audit_query& query) {
  static constexpr sql_command select{
      "SELECT entry, at_ms, author_kind, author_name, author_id, address, request_id, action, "
      "subject, before, after FROM audit WHERE entry < $1 AND at_ms >= $2 "
      "ORDER BY entry DESC LIMIT $3",
      "read the audit log"};
  std::vector<model::audit_entry> found;
  std::size_t bytes = 0;
  const auto before = query.before > 0 ? query.before : INT64_MAX;
  const auto limit = static_cast<std::int64_t>(query.limit);
  auto read = on.select(select, {before, query.since_ms, limit}, [&](sql_row& row) {
    found.push_back(entry_at(row));
    bytes += size_of(found.back());
    return bytes < model::audit_page_limit_bytes;
  });
  if (!read) return tl::unexpected(read.error());
  return found;
}

base::expected<std::size_t> delete_audit(sql_connection& on, std::int64_t before_ms) {
  static constexpr sql_command remove{"DELETE FROM audit WHERE entry IN "
                                      "(SELECT entry FROM audit WHERE at_ms < $1 LIMIT $2)",
                                      "remove old entries of the audit log"};
  const auto gone = on.count_changes(remove, {before_ms, audit_expiry_limit});
  if (!gone) return tl::unexpected(gone.error());
  return static_cast<std::size_t>(*gone);
}

} // namespace matchcloud::store
