#include "store/sql/audit_table.hpp"

#include "base/clock.hpp"
#include "model/access/token_text.hpp"
#include "store/local_author.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace matchcloud::store {

namespace {

constexpr std::array kinds{model::audit_author::kind::token, model::audit_author::kind::local,
                           model::audit_author::kind::certificate,
                           model::audit_author::kind::service};

/// The part of a text that an entry keeps: all of it, or only its size if it is too long.
std::string kept(const std::string& json) {
  if (json.size() <= model::audit_text_limit_bytes) return json;
  return "{\"left_out_bytes\":" + std::to_string(json.size()) + "}";
}

/// A text with accidental tokens redacted; nothing if it is empty.
std::optional<std::string> redacted(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional{model::redact_tokens(text)};
}

model::audit_entry audit_entry_at(sql_row& row) {
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

std::int64_t first_before(const model::audit_query& query) {
  return query.before > 0 ? query.before : INT64_MAX;
}

void select_all(sql_connection& on, const model::audit_query& query,
                const sql_connection::take_row& take) {
  static constexpr sql_command select{
      "SELECT entry, at_ms, author_kind, author_name, author_id, address, request_id, action, "
      "subject, before, after FROM audit WHERE entry < $1 AND at_ms >= $2 "
      "ORDER BY entry DESC LIMIT $3",
      "read the audit log"};
  on.select(select, {first_before(query), query.since_ms, query.limit}, take);
}

/// Scans a bounded number of entries, because no index has the texts and there may be no match.
void select_matching(sql_connection& on, const model::audit_query& query,
                     const sql_connection::take_row& take) {
  static constexpr sql_command select{
      "SELECT entry, at_ms, author_kind, author_name, author_id, address, request_id, action, "
      "subject, before, after FROM (SELECT * FROM audit WHERE entry < $1 AND at_ms >= $2 "
      "ORDER BY entry DESC LIMIT $3) AS looked_at, (SELECT CAST($4 AS TEXT) AS wanted_action, "
      "CAST($5 AS TEXT) AS wanted_subject, CAST($6 AS TEXT) AS wanted_who) AS wanted WHERE "
      "(wanted_action IN ('', action) OR "
      "substr(action, 1, length(wanted_action) + 1) = wanted_action || '.') AND "
      "(wanted_subject IN ('', subject) OR "
      "substr(subject, 1, length(wanted_subject) + 1) = wanted_subject || '/') AND "
      "wanted_who IN ('', author_kind, coalesce(author_name, ''), coalesce(author_id, '')) "
      "ORDER BY entry DESC LIMIT $7",
      "read the audit log"};
  on.select(select,
            {first_before(query), query.since_ms, model::audit_scan_limit, query.action,
             query.subject, query.who, query.limit},
            take);
}

/// The entry at which `select_matching` stopped; 0 if it scanned all.
std::int64_t last_looked_at(sql_connection& on, const model::audit_query& query) {
  static constexpr sql_command select{
      "SELECT CASE WHEN count(*) < $1 THEN 0 ELSE min(entry) END FROM (SELECT entry FROM audit "
      "WHERE entry < $2 AND at_ms >= $3 ORDER BY entry DESC LIMIT $4) AS looked_at",
      "read the audit log"};
  const auto limit = model::audit_scan_limit;
  return on.number(select, {limit, first_before(query), query.since_ms, limit});
}

/// Whether a text has one of the ids.
bool has_any(const std::string& text, const std::set<std::string>& ids) {
  return std::any_of(ids.begin(), ids.end(),
                     [&](const std::string& each) { return text.find(each) != std::string::npos; });
}

/// Removes from an entry what names anything of an erased game. Returns whether it had any.
bool blank(model::audit_entry& each, audit_names& names) {
  static constexpr std::string_view blanked = R"({"erased":true})";
  static constexpr std::string_view tokens = "tokens/";
  auto& what = each.what;
  bool is_changed = false;
  if (what.action.rfind("game.", 0) != 0 &&
      (has_any(what.subject, names.ids) || has_any(what.before, names.ids) ||
       has_any(what.after, names.ids))) {
    if (what.subject.rfind(tokens, 0) == 0) names.ids.insert(what.subject.substr(tokens.size()));
    for (auto* text : {&what.before, &what.after}) {
      if (text->empty() || *text == blanked) continue;
      *text = blanked;
      is_changed = true;
    }
  }
  if (!each.who.name.empty() && names.ids.contains(each.who.id)) {
    each.who.name.clear();
    is_changed = true;
  }
  return is_changed;
}

/// Writes an entry in place of the one with its number: entries cannot be updated.
void replace(sql_connection& on, const model::audit_entry& each) {
  static constexpr sql_command remove{"DELETE FROM audit WHERE entry = $1",
                                      "erase names in the audit log"};
  static constexpr sql_command insert{
      "INSERT INTO audit (entry, at_ms, author_kind, author_name, author_id, address, request_id, "
      "action, subject, before, after) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
      "erase names in the audit log"};
  const auto column = [](const std::string& text) {
    return text.empty() ? std::nullopt : std::optional{text};
  };
  const auto& who = each.who;
  const auto& what = each.what;
  on.run(remove, {each.entry});
  on.run(insert, {each.entry, each.at_ms, model::name_of(who.what), column(who.name),
                  column(who.id), column(who.address), column(who.request_id), what.action,
                  column(what.subject), column(what.before), column(what.after)});
}

} // namespace

void audit_table::write(sql_connection& on, const model::audit_change& what) {
  static constexpr sql_command insert{
      "INSERT INTO audit (at_ms, author_kind, author_name, author_id, address, request_id, "
      "action, subject, before, after) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
      "write the audit log"};
  is_written_ = true;
  if (run_ && run_->is_recorded) return;
  const auto& who = run_ ? run_->by : local_author();
  const auto& change = run_ && run_->as ? *run_->as : what;
  on.run(insert,
         {base::machine_clock().unix_ms(), model::name_of(who.what), redacted(who.name),
          redacted(who.id), redacted(who.address), redacted(who.request_id), change.action,
          redacted(change.subject), redacted(kept(change.before)), redacted(kept(change.after))});
}

void audit_table::note_committed() const {
  if (run_ && is_written_) run_->is_recorded = true;
}

void audit_table::commit(sql_transaction& changes) const {
  changes.commit();
  note_committed();
}

model::audit_page select_audit(sql_connection& on, const model::audit_query& query) {
  model::audit_page page;
  std::size_t bytes = 0;
  const auto take = [&](sql_row& row) {
    page.entries.push_back(audit_entry_at(row));
    bytes += size_of(page.entries.back());
    return bytes < model::audit_page_limit_bytes;
  };
  if (query.selects())
    select_matching(on, query, take);
  else
    select_all(on, query, take);
  if (page.entries.size() >= query.limit || bytes >= model::audit_page_limit_bytes)
    page.next_before = page.entries.back().entry;
  else if (query.selects())
    page.next_before = last_looked_at(on, query);
  return page;
}

std::size_t delete_audit(sql_connection& on, std::int64_t before_ms) {
  static constexpr sql_command remove{"DELETE FROM audit WHERE entry IN "
                                      "(SELECT entry FROM audit WHERE at_ms < $1 LIMIT $2)",
                                      "remove old entries of the audit log"};
  return on.count_changes(remove, {before_ms, audit_expiry_limit});
}

void erase_names(sql_connection& on, audit_names& names, std::size_t limit) {
  static constexpr sql_command select{
      "SELECT entry, at_ms, author_kind, author_name, author_id, address, request_id, action, "
      "subject, before, after FROM audit WHERE entry > $1 ORDER BY entry LIMIT $2",
      "read the audit log"};
  auto looked_at = on.all(select, {names.after, limit}, audit_entry_at);
  names.is_done = looked_at.size() < limit;
  if (!looked_at.empty()) names.after = looked_at.back().entry;
  for (auto& each : looked_at)
    if (blank(each, names)) replace(on, each);
}

} // namespace matchcloud::store
