#include "app/config/reload.hpp"

#include "model/access/hidden_passwords.hpp"
#include "model/access/token_text.hpp"
#include "model/json/json_writer.hpp"
#include "model/text/joined.hpp"
#include "model/text/timestamp.hpp"
#include "model/text/unicode.hpp"

#include <string_view>
#include <utility>

namespace matchcloud::app {

namespace {

/// At most this many characters of a value are shown.
constexpr std::size_t value_limit = 4'096;

/// Adds the value last given for a key, if there is one.
void keep(std::vector<given_value>& in, const std::vector<given_value>& from,
          const config_key& key) {
  if (const auto* last = last_given(from, key)) in.push_back(*last);
}

/// Without passwords and tokens.
std::string shown(const std::vector<std::string>& values) {
  auto text = model::joined(values, ",");
  text = model::hide_passwords(model::redact_tokens(std::move(text)));
  return model::printable_excerpt(text, value_limit);
}

void add_value(model::json_writer& json, std::string_view name, const config_key& key,
               const std::vector<std::string>& values) {
  json.name(name);
  if (key.may_be_secret || values.empty())
    json.null();
  else
    json.text(shown(values));
}

void add_key(model::json_writer& json, const config_key& key,
             const std::vector<given_value>& in_force, const std::vector<given_value>& wanted) {
  const auto* given = last_given(in_force, key);
  const auto values = values_of(in_force, key);
  json.object().name("name").text(key.name);
  add_value(json, "value", key, values);
  json.name("hidden").boolean(key.may_be_secret && !values.empty());
  json.name("default");
  if (key.default_value.empty())
    json.null();
  else
    json.text(key.default_value);
  json.name("source").text(name_of(source_of(given)));
  json.name("place").text(given == nullptr ? ""
                                           : model::printable_excerpt(given->source, value_limit));
  json.name("reloadable").boolean(key.is_reloadable);
  const auto next = values_of(wanted, key);
  json.name("needs_restart").boolean(next != values);
  add_value(json, "next_value", key, next);
  json.end_object();
}

} // namespace

reload_plan plan_reload(const std::vector<given_value>& in_force,
                        const std::vector<given_value>& wanted) {
  reload_plan plan;
  for (const auto& key : config_keys()) {
    keep(plan.given, key.is_reloadable ? wanted : in_force, key);
    if (values_of(in_force, key) == values_of(wanted, key)) continue;
    (key.is_reloadable ? plan.changed : plan.waiting).push_back(key.name);
  }
  return plan;
}

std::string describe_outcome(const reload_plan& done) {
  auto text = done.changed.empty() ? std::string{"no reloadable key has changed\n"}
                                   : "in force now: " + model::joined(done.changed) + "\n";
  if (!done.waiting.empty())
    text += "changed, but in force only after a restart: " + model::joined(done.waiting) + "\n";
  return text;
}

std::string describe_configuration(const std::vector<given_value>& in_force,
                                   const std::vector<given_value>& wanted, const std::string& file,
                                   std::int64_t read_ms) {
  model::json_writer json;
  json.object().name("file");
  if (file.empty())
    json.null();
  else
    json.text(model::printable_excerpt(file, value_limit));
  json.name("read").text(model::format_timestamp(read_ms)).name("keys").array();
  for (const auto& key : config_keys())
    add_key(json, key, in_force, wanted);
  return json.end_array().end_object().take();
}

} // namespace matchcloud::app
