#include "app/faults/rule_options.hpp"

#include "actors/fault_control/fault_presets.hpp"
#include "actors/fault_control/fault_rule.hpp"
#include "base/failure.hpp"
#include "cli/duration.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"
#include "model/text/uuid.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace matchcloud::app {

namespace {

using base::fault_kind;
using base::fault_rule;

constexpr std::array<cli::duration_unit, 5> units{{{"us", std::chrono::microseconds{1}},
                                                   {"ms", std::chrono::milliseconds{1}},
                                                   {"s", std::chrono::seconds{1}},
                                                   {"m", std::chrono::minutes{1}},
                                                   {"h", std::chrono::hours{1}}}};

[[noreturn]] void refuse_rule(std::string why) {
  throw base::failure{base::errc::config_invalid, std::move(why)};
}

std::string excerpt(std::string_view text) {
  return model::quoted_excerpt(text);
}

void set_delay(fault_rule& rule, const std::string& text) {
  const auto dots = text.find("..");
  const auto least = parse_time(std::string_view{text}.substr(0, dots));
  const auto most =
      dots == std::string::npos ? least : parse_time(std::string_view{text}.substr(dots + 2));
  if (!least || !most)
    refuse_rule("--delay is " + excerpt(text) +
                ", which is not a time. Use one such as 5ms, or a range such as 5ms..20ms.");
  rule.least_delay = *least;
  rule.most_delay = *most;
}

void set_kind(fault_rule& rule, const std::string& kind) {
  for (std::size_t i = 1; i < base::fault_kind_names.size(); ++i)
    if (base::fault_kind_names[i] == kind) {
      rule.kind = static_cast<fault_kind>(i);
      return;
    }
  std::string all;
  for (std::size_t i = 1; i < base::fault_kind_names.size(); ++i)
    all.append(all.empty() ? "" : ", ").append(base::fault_kind_names[i]);
  refuse_rule(excerpt(kind) + " is not a kind of fault. Kinds: " + all + ".");
}

void set_id(std::optional<base::fault_bytes>& into, std::string_view option,
            const std::string& text) {
  if (text.empty()) return;
  const auto id = model::parse_uuid(text);
  if (!id) refuse_rule(std::string{option} + " is not an id. Use a UUID.");
  into = id->bytes;
}

void set_client(fault_rule& rule, const std::string& text) {
  if (text.empty()) return;
  const auto block = model::parse_cidr(text);
  if (!block)
    refuse_rule("--client is " + excerpt(text) +
                ". Use an address or a block such as 192.0.2.7 or 10.0.0.0/8, with no bits set "
                "after the prefix.");
  rule.client = base::fault_network{block->network.bytes, block->prefix_length};
}

void set_lasts(fault_rule& rule, const std::string& text) {
  if (text.empty()) return;
  const auto time = parse_time(text);
  const auto seconds =
      time ? std::chrono::ceil<std::chrono::seconds>(*time) : std::chrono::seconds{0};
  if (seconds.count() == 0)
    refuse_rule("--lasts is " + excerpt(text) + ". Use a time such as 60s, 5m or 2h.");
  rule.lasts = seconds;
}

/// Adds the options other than kind and point.
void refine(fault_rule& rule, const rule_options& by) {
  if (!by.delay.empty()) set_delay(rule, by.delay);
  rule.probability = by.probability.value_or(rule.probability);
  rule.every = by.every.value_or(rule.every);
  rule.first = by.first.value_or(rule.first);
  rule.once = rule.once || by.once;
  rule.by_header = rule.by_header || by.header;
  rule.connections = by.connections.value_or(rule.connections);
  set_id(rule.game, "--game", by.game);
  set_id(rule.token, "--token-id", by.token_id);
  set_client(rule, by.client);
  set_lasts(rule, by.lasts);
}

placed_rule begun(const rule_options& options) {
  if (!options.preset.empty()) return base::value_of(preset_rule(options.preset));
  const auto at = base::find_fault_point(options.point);
  if (!at) refuse_rule(actors::no_such_fault_point(options.point).detail);
  placed_rule made{*at, {}};
  set_kind(made.rule, options.kind);
  if ((made.rule.kind == fault_kind::delay) == options.delay.empty())
    refuse_rule(options.delay.empty()
                    ? "The kind delay needs --delay, such as --delay 5ms..20ms."
                    : "--delay works only with the kind delay. Remove it, or use delay as KIND.");
  return made;
}

} // namespace

std::string rule_json(const base::fault_rule& rule) {
  model::json_writer json;
  actors::write_fault_rule(json, rule);
  return json.take();
}

std::optional<std::chrono::microseconds> parse_time(std::string_view text) {
  const auto time = cli::parse_duration(text, units, base::fault_longest_time);
  if (!time) return std::nullopt;
  return std::chrono::duration_cast<std::chrono::microseconds>(*time);
}

base::expected<placed_rule> preset_rule(std::string_view name) {
  const auto* found = std::ranges::find(actors::fault_presets, name, &actors::fault_preset::name);
  if (found != actors::fault_presets.end()) {
    const auto rule = actors::read_fault_rule(found->point, found->rule);
    if (!rule) return tl::unexpected(rule.error());
    return placed_rule{found->point, *rule};
  }
  std::vector<std::string_view> names(actors::fault_presets.size());
  std::ranges::transform(actors::fault_presets, names.begin(), &actors::fault_preset::name);
  if (const auto close = model::closest_name(name, names); !close.empty())
    return base::fail(base::errc::config_invalid, excerpt(name) +
                                                      " is not a preset. Did you mean `" +
                                                      std::string{close} + "`?");
  std::string all;
  for (const auto each : names)
    all.append(all.empty() ? "" : ", ").append(each);
  return base::fail(base::errc::config_invalid,
                    excerpt(name) + " is not a preset. Presets: " + all + ".");
}

void add_rule_options(CLI::App& command, rule_options& options) {
  auto* point = command.add_option(
      "POINT", options.point, "The fault point, such as store.commit: see `fault list --all`.");
  auto* kind =
      command.add_option("KIND", options.kind,
                         "The kind of fault: delay, error, drop, crash, abort, short-write, "
                         "corrupt, stall or full. Each point supports some of these.");
  kind->needs(point);
  command
      .add_option("--preset", options.preset,
                  "A fault by its effect, instead of POINT and KIND: see `fault list --all`.")
      ->excludes(point);
  command.add_option("--delay", options.delay,
                     "For the kind delay: 5ms, or 5ms..20ms for a random time between.");
  command.add_option("--probability", options.probability, "The share of passes that are hit.");
  command.add_option("--every", options.every, "Only every n-th pass is hit.");
  command.add_option("--first", options.first, "No pass after the n-th is hit.");
  command.add_flag("--once", options.once, "Only one pass is hit.");
  command.add_flag("--header", options.header, "Only requests whose X-Fault names the point.");
  command.add_option("--game", options.game, "Only operations of the game with this id.");
  command.add_option("--client", options.client,
                     "Only clients with this address, or in this block such as 10.0.0.0/8.");
  command.add_option("--token-id", options.token_id, "Only requests with the token of this id.");
  command.add_option("--connections", options.connections,
                     "The share of connections that are hit, always the same ones.");
  command.add_option("--lasts", options.lasts,
                     "How long until the fault heals by itself: 60s, 5m, up to 24h. Default: 1h.");
}

base::expected<placed_rule> rule_of(const rule_options& options) {
  return base::attempt([&] {
    auto made = begun(options);
    refine(made.rule, options);
    base::value_of(base::faults::check(made.point, made.rule));
    return made;
  });
}

} // namespace matchcloud::app
