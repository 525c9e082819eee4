#include "http/ops/fault_rule.hpp"

#include "model/json/rapidjson.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace matchcloud::http {

namespace {

using base::fault_kind;
using base::fault_point;
using base::fault_rule;
using rapidjson::Value;

constexpr std::array<std::string_view, 7> members{"kind",  "delay_ms", "probability", "every",
                                                  "first", "once",     "header"};

/// Of a text that is refused, in code points.
constexpr std::size_t shown_limit = 64;

/// What was found, for people: a string or number as it is, of others only the type.
std::string found(const Value& value) {
  switch (value.GetType()) {
  case rapidjson::kNullType: return "null";
  case rapidjson::kFalseType: return "false";
  case rapidjson::kTrueType: return "true";
  case rapidjson::kObjectType: return "an object";
  case rapidjson::kArrayType: return "an array";
  case rapidjson::kStringType:
    return model::quoted_excerpt({value.GetString(), value.GetStringLength()}, shown_limit);
  case rapidjson::kNumberType: break;
  }
  rapidjson::StringBuffer digits;
  rapidjson::Writer writer{digits};
  value.Accept(writer);
  return digits.GetString();
}

/// The sentence behind "X is no such thing": what was probably meant, or everything there is.
template <class Names>
std::string instead(std::string_view name, const Names& names) {
  if (const auto close = model::closest_name(name, names); !close.empty())
    return "Did you mean `" + std::string{close} + "`?";
  std::string all;
  for (const auto each : names)
    all.append(all.empty() ? "" : ", ").append(each);
  return "There are: " + all + ".";
}

/// Reads the members of one rule.
class rule_reader {
public:
  explicit rule_reader(fault_point at) : name_{facts_of(at).name} {}

  base::expected<fault_rule> read(const Value& object) {
    if (!object.IsObject())
      return refuse("a rule is an object such as {\"kind\": \"error\", \"every\": 3}, not " +
                    found(object) + ".");
    for (auto each = object.MemberBegin(); each != object.MemberEnd(); ++each) {
      const std::string_view name{each->name.GetString(), each->name.GetStringLength()};
      if (object.FindMember(each->name) != each)
        return refuse(model::quoted_excerpt(name, shown_limit) + " is there twice. Leave out one.");
      if (auto taken = take(name, each->value); !taken) return tl::unexpected(taken.error());
    }
    if (rule_.kind == fault_kind::none)
      return refuse("`kind` is missing. Write what is to happen, such as \"error\".");
    if ((rule_.kind == fault_kind::delay) != has_delay_)
      return refuse(has_delay_ ? "`delay_ms` belongs to the kind \"delay\"."
                               : "`delay_ms` is missing. Write a number of milliseconds, or "
                                 "[least, most].");
    return rule_;
  }

  tl::unexpected<base::error> refuse(const std::string& what) const {
    return base::fail(base::errc::config_invalid, std::string{name_} + ": " + what);
  }

private:
  tl::unexpected<base::error> refuse(std::string_view key, std::string_view allowed,
                                     const Value& value) const {
    return refuse("`" + std::string{key} + "` must be " + std::string{allowed} + ", but is " +
                  found(value) + ".");
  }

  base::expected<void> take(std::string_view key, const Value& value) {
    if (key == "kind") return take_kind(value);
    if (key == "delay_ms") return take_delay(value);
    if (key == "probability") return take_probability(value);
    if (key == "every") return take_count(key, value, rule_.every);
    if (key == "first") return take_count(key, value, rule_.first);
    if (key == "once") return take_flag(key, value, rule_.once);
    if (key == "header") return take_flag(key, value, rule_.by_header);
    return refuse(model::quoted_excerpt(key, shown_limit) + " is no member of a rule. " +
                  instead(key, members));
  }

  base::expected<void> take_kind(const Value& value) {
    const std::string_view text =
        value.IsString() ? std::string_view{value.GetString(), value.GetStringLength()} : "";
    for (std::size_t i = 1; i < base::fault_kind_names.size(); ++i)
      if (base::fault_kind_names[i] == text) rule_.kind = static_cast<fault_kind>(i);
    if (rule_.kind != fault_kind::none) return {};
    const std::span<const std::string_view> kinds{base::fault_kind_names};
    return refuse("`kind` must be one of the kinds of faults, but is " + found(value) + ". " +
                  instead(text, kinds.subspan(1)));
  }

  base::expected<void> take_delay(const Value& value) {
    has_delay_ = true;
    const bool pair = value.IsArray() && value.Size() == 2;
    const auto& least = pair ? value[0] : value;
    const auto& most = pair ? value[1] : value;
    if (!least.IsNumber() || !most.IsNumber())
      return refuse("delay_ms", "a number of milliseconds, or [least, most]", value);
    const auto as_time = [](const Value& ms) {
      // Beyond what is taken anyway there is no need to be exact.
      const auto bounded = std::fmin(std::fmax(ms.GetDouble(), -1), 1e8);
      return std::chrono::microseconds{std::llround(bounded * 1'000)};
    };
    rule_.least_delay = as_time(least);
    rule_.most_delay = as_time(most);
    return {};
  }

  base::expected<void> take_probability(const Value& value) {
    if (!value.IsNumber()) return refuse("probability", "a number from 0 to 1", value);
    rule_.probability = value.GetDouble();
    return {};
  }

  base::expected<void> take_count(std::string_view key, const Value& value, std::uint64_t& into) {
    if (!value.IsUint64()) return refuse(key, "a whole number, from 1", value);
    into = value.GetUint64();
    return {};
  }

  base::expected<void> take_flag(std::string_view key, const Value& value, bool& into) {
    if (!value.IsBool()) return refuse(key, "true or false", value);
    into = value.GetBool();
    return {};
  }

  std::string_view name_;
  fault_rule rule_{.kind = fault_kind::none};
  bool has_delay_ = false;
};

void write_ms(model::json_writer& json, std::chrono::microseconds time) {
  std::string number;
  model::append_thousandths(number, static_cast<double>(time.count()) / 1'000);
  json.raw(number);
}

} // namespace

base::expected<fault_rule> read_fault_rule(fault_point at, std::string_view json) {
  rule_reader reader{at};
  if (json.size() > fault_rule_limit_bytes)
    return reader.refuse("a rule has at most " + std::to_string(fault_rule_limit_bytes) +
                         " bytes.");
  rapidjson::Document document;
  constexpr unsigned flags = rapidjson::kParseFullPrecisionFlag |
                             rapidjson::kParseValidateEncodingFlag | rapidjson::kParseIterativeFlag;
  document.Parse<flags>(json.data(), json.size());
  // For RapidJSON a NUL ends the text.
  if (document.HasParseError() || json.find('\0') != json.npos)
    return reader.refuse(
        "the rule is not JSON, from byte " +
        std::to_string(document.HasParseError() ? document.GetErrorOffset() : json.find('\0')) +
        " on.");
  auto rule = reader.read(document);
  if (!rule) return rule;
  if (auto fine = base::faults::check(at, *rule); !fine) return tl::unexpected(fine.error());
  return rule;
}

void write_fault_rule(model::json_writer& json, const fault_rule& rule) {
  json.object().name("kind").text(name_of(rule.kind));
  if (rule.kind == fault_kind::delay) {
    json.name("delay_ms").array();
    write_ms(json, rule.least_delay);
    write_ms(json, rule.most_delay);
    json.end_array();
  }
  if (rule.probability != 1) {
    std::string number;
    model::append_shortest(number, rule.probability);
    json.name("probability").raw(number);
  }
  if (rule.every != 1) json.name("every").number(rule.every);
  if (rule.first != std::numeric_limits<std::uint64_t>::max())
    json.name("first").number(rule.first);
  if (rule.once) json.name("once").boolean(true);
  if (rule.by_header) json.name("header").boolean(true);
  json.end_object();
}

void write_fault_status(model::json_writer& json, const base::fault_status& of) {
  const auto& facts = facts_of(of.point);
  json.object().name("point").text(facts.name).name("what").text(facts.sentence);
  json.name("kinds").array();
  for (std::size_t i = 1; i < base::fault_kind_names.size(); ++i)
    if (facts.kinds.has(static_cast<fault_kind>(i))) json.text(base::fault_kind_names[i]);
  json.end_array().name("rule");
  if (of.rule)
    write_fault_rule(json, *of.rule);
  else
    json.null();
  json.name("passes").number(of.passes).name("hits").number(of.hits).end_object();
}

base::error no_such_fault_point(std::string_view name) {
  std::array<std::string_view, base::fault_point_count> names;
  for (std::size_t i = 0; i < names.size(); ++i)
    names[i] = base::fault_points[i].name;
  return {base::errc::element_not_found,
          model::quoted_excerpt(name, shown_limit) + " is no fault point. " + instead(name, names)};
}

} // namespace matchcloud::http
