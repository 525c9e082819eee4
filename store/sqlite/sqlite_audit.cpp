#include "store/sqlite/sqlite_audit.hpp"

#include "base/clock.hpp"
#include "model/access/token_text.hpp"
#include "store/local_author.hpp"
#include "store/sqlite/rows.hpp"

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

/// Binds a text without the tokens that it may have by mistake.
void bind_or_null(statement& to, const std::string& text) {
  if (text.empty())
    to.bind_null();
  else
    to.bind(model::redact_tokens(text));
}

} // namespace

base::expected<void> sqlite_audit::write(connection& on, const model::audit_change& what) const {
  if (run_ && run_->is_recorded) return {};
  const auto& who = run_ ? run_->by : local_author();
  const auto& change = run_ && run_->as ? *run_->as : what;
  auto insert =
      on.prepare("INSERT INTO audit (at_ms, author_kind, author_name, author_id, address, "
                 "request_id, action, subject, before, after) "
                 "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                 "write the audit log");
  if (!insert) return tl::unexpected(insert.error());
  insert->bind(base::machine_clock().unix_ms()).bind(model::name_of(who.what));
  for (const auto* text : {&who.name, &who.id, &who.address, &who.request_id})
    bind_or_null(*insert, *text);
  insert->bind(change.action);
  for (const auto& text : {change.subject, kept(change.before), kept(change.after)})
    bind_or_null(*insert, text);
  return insert->run();
}

base::expected<void> sqlite_audit::commit(transaction& changes) const {
  auto done = changes.commit();
  if (done && run_) run_->is_recorded = true;
  return done;
}

base::expected<std::vector<model::audit_entry>> select_audit(connection& on,
                                                             const model::audit_query& query) {
  auto select = on.prepare("SELECT entry, at_ms, author_kind, author_name, author_id, address, "
                           "request_id, action, subject, before, after FROM audit "
                           "WHERE entry < ? AND at_ms >= ? ORDER BY entry DESC LIMIT ?",
                           "read the audit log");
  if (!select) return tl::unexpected(select.error());
  select->bind(query.before > 0 ? query.before : INT64_MAX).bind(query.since_ms);
  select->bind(static_cast<std::int64_t>(query.limit));
  std::vector<model::audit_entry> found;
  std::size_t bytes = 0;
  while (bytes < model::audit_page_limit_bytes) {
    const auto is_row = select->step();
    if (!is_row) return tl::unexpected(is_row.error());
    if (!*is_row) break;
    auto& row = *select;
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
    bytes += size_of(each);
    found.push_back(std::move(each));
  }
  return found;
}

base::expected<std::size_t> delete_audit(connection& on, std::int64_t before_ms) {
  auto remove = on.prepare("DELETE FROM audit WHERE entry IN "
                           "(SELECT entry FROM audit WHERE at_ms < ? LIMIT ?)",
                           "remove old entries of the audit log");
  if (!remove) return tl::unexpected(remove.error());
  if (auto done = remove->bind(before_ms).bind(audit_expiry_limit).run(); !done)
    return tl::unexpected(done.error());
  return static_cast<std::size_t>(on.changes());
}

} // namespace matchcloud::store
