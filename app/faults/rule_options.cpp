#include "app/faults/rule_options.hpp"

#include "actors/fault_control/fault_presets.hpp"
#include "actors/fault_control/fault_rule.hpp"
#include "base/failure.hpp"
#include "cli/command.hpp"
#include "cli/duration.hpp"
#include "model/json/members.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace matchcloud::app {

namespace {

using model::quoted_excerpt;
using std::chrono::microseconds;

constexpr std::array<cli::duration_unit, 5> units{{{"us", microseconds{1}},
                                                   {"ms", std::chrono::milliseconds{1}},
                                                   {"s", std::chrono::seconds{1}},
                                                   {"m", std::chrono::minutes{1}},
                                                   {"h", std::chrono::hours{1}}}};

/// Sets a member, which replaces an earlier one; `name` is kept as it is.
void set_member(rapidjson::Document& in, const char* name, rapidjson::Value value) {
  in.RemoveMember(name);
  in.AddMember(rapidjson::StringRef(name), value, in.GetAllocator());
}

/// Adds an option whose value becomes a member of the rule, unless it is an empty text.
template <class Value>
void add_member(CLI::App& command, rule_options& options, const char* option, const char* member,
                const char* what) {
  const auto take = [&to = options.members, member](const Value& given) {
    if constexpr (std::is_same_v<Value, std::string>) {
      if (!given.empty())
        set_member(to, member, rapidjson::Value{given.c_str(), to.GetAllocator()});
    } else if constexpr (std::is_same_v<Value, double>) {
      // JSON has no inf and nan; -1 is refused like them.
      set_member(to, member, rapidjson::Value{std::isfinite(given) ? given : -1});
    } else {
      set_member(to, member, rapidjson::Value{given});
    }
  };
  command.add_option_function<Value>(option, take, what);
}

void add_flag(CLI::App& command, rule_options& options, const char* option, const char* member,
              const char* what) {
  const auto take = [&to = options.members, member] {
    set_member(to, member, rapidjson::Value{true});
  };
  command.add_flag_callback(option, take, what);
}

rapidjson::Value read_delay(const std::string& text, rapidjson::Document& to) {
  const auto times = parse_times(text);
  if (!times)
    cli::refuse("--delay is " + quoted_excerpt(text) +
                ", which is not a time. Use one such as 5ms, or a range such as 5ms..20ms.");
  rapidjson::Value range{rapidjson::kArrayType};
  for (const auto each : {times->first, times->second})
    range.PushBack(static_cast<double>(each.count()) / 1'000, to.GetAllocator());
  return range;
}

std::int64_t read_lasts(const std::string& text) {
  const auto time = parse_time(text);
  if (!time || time->count() == 0)
    cli::refuse("--lasts is " + quoted_excerpt(text) + ". Use a time such as 60s, 5m or 2h.");
  return std::chrono::ceil<std::chrono::seconds>(*time).count();
}

} // namespace

std::optional<microseconds> parse_time(std::string_view text) {
  const auto time = cli::parse_duration(text, units, base::fault_longest_time);
  if (!time) return std::nullopt;
  return std::chrono::duration_cast<microseconds>(*time);
}

std::optional<std::pair<microseconds, microseconds>> parse_times(std::string_view text) {
  const auto dots = text.find("..");
  const auto least = parse_time(text.substr(0, dots));
  const auto most = dots == text.npos ? least : parse_time(text.substr(dots + 2));
  if (!least || !most) return std::nullopt;
  return std::pair{*least, *most};
}

base::expected<placed_rule> preset_rule(std::string_view name) {
  std::array<std::string_view, actors::fault_presets.size()> names;
  std::ranges::transform(actors::fault_presets, names.begin(), &actors::fault_preset::name);
  for (const auto& each : actors::fault_presets)
    if (each.name == name)
      return actors::read_fault_rule(each.point, each.rule).map([&](const base::fault_rule& rule) {
        return placed_rule{each.point, rule};
      });
  return base::fail(base::errc::config_invalid, quoted_excerpt(name) + " is not a preset. " +
                                                    model::instead_of(name, names, "Presets"));
}

void add_rule_options(CLI::App& command, rule_options& options) {
  auto* point = command.add_option(
      "POINT", options.point, "The fault point, such as store.commit: see `fault list --all`.");
  command
      .add_option("KIND", options.kind,
                  "The kind of fault: delay, error, drop, crash, abort, short-write, corrupt, "
                  "stall or full. Each point supports some of these.")
      ->needs(point);
  command
      .add_option("--preset", options.preset,
                  "A fault by its effect, instead of POINT and KIND: see `fault list --all`.")
      ->excludes(point);
  command.add_option("--delay", options.delay,
                     "For the kind delay: 5ms, or 5ms..20ms for a random time between.");
  add_member<double>(command, options, "--probability", "probability",
                     "The share of passes that are hit.");
  add_member<std::uint64_t>(command, options, "--every", "every", "Only every n-th pass is hit.");
  add_member<std::uint64_t>(command, options, "--first", "first", "No pass after the n-th is hit.");
  add_flag(command, options, "--once", "once", "Only one pass is hit.");
  add_flag(command, options, "--header", "header", "Only requests whose X-Fault names the point.");
  add_member<std::string>(command, options, "--game", "game",
                          "Only operations of the game with this id.");
  add_member<std::string>(command, options, "--client", "client",
                          "Only clients with this address, or in this block such as 10.0.0.0/8.");
  add_member<std::string>(command, options, "--token-id", "token",
                          "Only requests with the token of this id.");
  add_member<double>(command, options, "--connections", "connections",
                     "The share of connections that are hit, always the same ones.");
  command.add_option("--lasts", options.lasts,
                     "How long until the fault heals by itself: 60s, 5m, up to 24h. Default: 1h.");
}

placed_rule rule_of(const rule_options& options) {
  if (options.preset.empty() && options.kind.empty())
    cli::refuse("Give POINT and KIND, or --preset");
  placed_rule made;
  rapidjson::Document rule{rapidjson::kObjectType};
  if (options.preset.empty()) {
    const auto at = base::find_fault_point(options.point);
    if (!at) cli::refuse(actors::no_such_fault_point(options.point).detail);
    if ((options.kind == "delay") == options.delay.empty())
      cli::refuse(options.delay.empty()
                      ? "The kind delay needs --delay, such as --delay 5ms..20ms."
                      : "--delay works only with the kind delay. Remove it, or use delay as KIND.");
    made.point = *at;
    set_member(rule, "kind", rapidjson::Value{options.kind.c_str(), rule.GetAllocator()});
  } else {
    made = base::value_of(preset_rule(options.preset));
    rule = model::parse_members(actors::fault_rule_json(made.rule));
  }
  if (!options.delay.empty()) set_member(rule, "delay_ms", read_delay(options.delay, rule));
  if (!options.lasts.empty())
    set_member(rule, "lasts_s", rapidjson::Value{read_lasts(options.lasts)});
  for (const auto& [name, value] : options.members.GetObject())
    set_member(rule, name.GetString(), rapidjson::Value{value, rule.GetAllocator()});
  made.rule = base::value_of(actors::read_fault_rule(made.point, model::as_json(rule)));
  return made;
}

} // namespace matchcloud::app
