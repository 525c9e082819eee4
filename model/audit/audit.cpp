#include "model/audit/audit.hpp"

#include "base/decimal.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <utility>

namespace matchcloud::model {

namespace {

void write_text(json_writer& json, std::string_view name, const std::string& text) {
  json.name(name);
  if (text.empty())
    json.null();
  else
    json.text(text);
}

void write_json(json_writer& json, std::string_view name, const std::string& value) {
  json.name(name);
  if (value.empty())
    json.null();
  else
    json.raw(value);
}

void write_entry(json_writer& json, const audit_entry& one) {
  json.object().name("entry").number(one.entry).name("at").text(format_timestamp(one.at_ms));
  json.name("who").object().name("kind").text(name_of(one.who.what));
  write_text(json, "name", one.who.name);
  write_text(json, "id", one.who.id);
  json.end_object();
  write_text(json, "address", one.who.address);
  write_text(json, "request_id", one.who.request_id);
  json.name("action").text(one.what.action);
  write_text(json, "subject", one.what.subject);
  write_json(json, "before", one.what.before);
  write_json(json, "after", one.what.after);
  json.end_object();
}

} // namespace

std::string describe(const audit_author& who) {
  auto text = std::string{name_of(who.what)};
  if (!who.name.empty()) text += " " + who.name;
  if (!who.id.empty()) text += " (" + who.id + ")";
  return text;
}

std::string render_entry(const audit_entry& one) {
  json_writer json;
  write_entry(json, one);
  return json.take();
}

std::size_t size_of(const audit_entry& one) noexcept {
  return one.what.subject.size() + one.what.before.size() + one.what.after.size();
}

std::string render_page(const audit_page& page) {
  json_writer json;
  json.object().name("entries").array();
  for (const auto& each : page.entries)
    write_entry(json, each);
  json.end_array().name("next_before");
  if (page.next_before == 0)
    json.null();
  else
    json.number(page.next_before);
  return json.end_object().take();
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
