#include "model/audit/audit.hpp"

#include "base/decimal.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <utility>

namespace matchcloud::model {

std::string describe(const audit_author& who) {
  auto text = std::string{name_of(who.what)};
  if (!who.name.empty()) text += " " + who.name;
  if (!who.id.empty()) text += " (" + who.id + ")";
  return text;
}

std::size_t size_of(const audit_entry& one) noexcept {
  return one.what.subject.size() + one.what.before.size() + one.what.after.size();
}

base::expected<audit_query> parse_audit_query(audit_query_texts texts) {
  audit_query query;
  const auto refuse = [](const char* why) { return base::fail(base::errc::query_invalid, why); };
  if (!texts.before.empty()) {
    const auto number = base::parse_decimal<std::uint32_t>(texts.before);
    if (!number || *number == 0) return refuse("before must be the number of an entry.");
    query.before = *number;
  }
  if (!texts.limit.empty()) {
    const auto number = base::parse_decimal<std::uint32_t>(texts.limit);
    if (!number || *number == 0 || *number > audit_page_limit)
      return refuse("limit must be a number from 1 to 1000.");
    query.limit = *number;
  }
  if (!texts.since.empty()) {
    const auto time = parse_timestamp(texts.since);
    if (!time) return refuse("since must be a time such as 2027-01-31T00:00:00Z.");
    query.since_ms = *time;
  }
  for (const auto* text : {&texts.action, &texts.subject, &texts.who})
    if (text->size() > audit_filter_limit_bytes || text->find('\0') != std::string::npos ||
        find_malformed_utf8(*text) < text->size())
      return refuse("action, subject and who must be at most 1024 bytes of UTF-8, without NUL.");
  query.action = std::move(texts.action);
  query.subject = std::move(texts.subject);
  query.who = std::move(texts.who);
  return query;
}

} // namespace matchcloud::model
