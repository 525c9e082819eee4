#pragma once

#include "base/expected.hpp"
#include "base/faults.hpp"
#include "model/json/record.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::actors {

/// The largest rule that is accepted.
inline constexpr std::size_t fault_rule_limit_bytes = 4UL * 1024;

/// Reads a rule for a point in the form of the ops plane: `{"kind": "delay", "delay_ms": [5, 20],
/// "every": 3}`. Fails with `config_invalid`; the detail says where, what was found and what to
/// write.
base::expected<base::fault_rule> read_fault_rule(base::fault_point at, std::string_view json);

/// The schema of a rule in that form.
model::named_schema fault_rule_schema();

/// Writes a rule in the form that `read_fault_rule` reads.
void write_fault_rule(model::json_writer& json, const base::fault_rule& rule);
std::string fault_rule_json(const base::fault_rule& rule);

/// The status of a point, as it is shown at `now`.
struct shown_point : base::fault_status {
  base::steady_time now;
  /// Whether the data plane reads tokens. If not, a rule of a token has a note that says so.
  bool reads_tokens = true;

  std::vector<std::string_view> kinds() const;
  std::vector<std::string_view> choices() const;
  std::optional<model::raw_json> rule_json() const;
  std::optional<std::int64_t> heals_in_s() const;
  std::optional<std::string_view> note() const;
};

constexpr auto describe(const shown_point*) {
  using of = shown_point;
  using namespace model::types;
  return record{
      "FaultPoint",
      field{"point", text, "Its name, such as `avatar.receive`.",
            [](const of& one) { return facts_of(one.point).name; }},
      field{"what", text, "What happens at this point.",
            [](const of& one) { return facts_of(one.point).sentence; }},
      field{"group",
            {R"("type":"string","enum":["connection","front","actor","background",)"
             R"("store","geoip","file","bucket","clock"])"},
            "Where it is on a request's path.",
            [](const of& one) { return facts_of(one.point).group; }},
      field{"kinds", list_of(a("FaultKind")), "The faults that are possible here.", &of::kinds},
      field{"choose_by", list_of(a("FaultChoice")), "How rules may choose passes here.",
            &of::choices},
      field{"rule", or_null(a("FaultRule")), "The rule in force; null: none.", &of::rule_json},
      field{"passes", count, "Passes since the rule was set.", &of::passes},
      field{"hits", count, "How many of them the rule hit.", &of::hits},
      field{"heals_in_s", integer_or_null, "Seconds until the rule heals; null: there is no rule.",
            &of::heals_in_s},
      field{"note", maybe(text), "Why the rule may never hit, if so.", &of::note}};
}

/// The error for a name that is not a fault point.
base::error no_such_fault_point(std::string_view name);

} // namespace matchcloud::actors
