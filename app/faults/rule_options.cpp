#include "app/faults/rule_options.hpp"

#include "actors/fault_control/fault_presets.hpp"
#include "actors/fault_control/fault_rule.hpp"
#include "cli/duration.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"
#include "model/text/uuid.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <vector>

namespace matchcloud::app {

namespace {

using base::fault_kind;
using base::fault_rule;
using model::quoted_excerpt;

constexpr std::array<cli::duration_unit, 5> units{{{"us", std::chrono::microseconds{1}},
                                                   {"ms", std::chrono::milliseconds{1}},
                                                   {"s", std::chrono::seconds{1}},
                                                   {"m", std::chrono::minutes{1}},
                                                   {"h", std::chrono::hours{1}}}};

[[noreturn]] void refuse_rule(std::string why) {
  throw CLI::ValidationError{std::move(why)};
}

void set_delay(fault_rule& rule, const std::string& text) {
  const auto dots = text.find("..");
  const auto least = parse_time(std::string_view{text}.substr(0, dots));
  const auto most =
      dots == std::string::npos ? least : parse_time(std::string_view{text}.substr(dots + 2));
  if (!least || !most)
    refuse_rule("--delay is " + quoted_excerpt(text) +
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
  refuse_rule(quoted_excerpt(kind) + " is not a kind of fault. Kinds: " +
              CLI::detail::join(std::span{base::fault_kind_names}.subspan(1), ", ") + ".");
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
    refuse_rule("--client is " + quoted_excerpt(text) +
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
    refuse_rule("--lasts is " + quoted_excerpt(text) + ". Use a time such as 60s, 5m or 2h.");
  rule.lasts = seconds;
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
    return base::fail(base::errc::config_invalid, quoted_excerpt(name) +
                                                      " is not a preset. Did you mean `" +
                                                      std::string{close} + "`?");
  return base::fail(base::errc::config_invalid,
                    quoted_excerpt(name) +
                        " is not a preset. Presets: " + CLI::detail::join(names, ", ") + ".");
}

void add_rule_options(CLI::App& command, rule_options& options) {
  auto& made = options.made;
  auto& rule = made.rule;
  const auto add = [&](const char* name, const std::function<void(const std::string&)>& set,
                       const char* what) {
    const auto try_to = [&options, set](const std::string& text) {
      try {
        set(text);
      } catch (const CLI::ValidationError& refused) {
        if (options.wrong.empty()) options.wrong = refused.what();
      }
    };
    return command.add_option_function<std::string>(name, try_to, what);
  };
  auto* point = add(
      "POINT",
      [&made](const std::string& name) {
        const auto at = base::find_fault_point(name);
        if (!at) refuse_rule(actors::no_such_fault_point(name).detail);
        made.point = *at;
      },
      "The fault point, such as store.commit: see `fault list --all`.");
  add(
      "KIND", [&rule](const std::string& kind) { set_kind(rule, kind); },
      "The kind of fault: delay, error, drop, crash, abort, short-write, corrupt, stall or full. "
      "Each point supports some of these.")
      ->needs(point);
  // Before the options below, which refine it: CLI11 applies them in this order.
  add(
      "--preset",
      [&options](const std::string& name) {
        auto preset = preset_rule(name);
        if (!preset) refuse_rule(preset.error().detail);
        options.made = *std::move(preset);
        options.is_preset = true;
      },
      "A fault by its effect, instead of POINT and KIND: see `fault list --all`.")
      ->excludes(point);
  add(
      "--delay",
      [&options](const std::string& text) {
        options.has_delay = !text.empty();
        if (options.has_delay) set_delay(options.made.rule, text);
      },
      "For the kind delay: 5ms, or 5ms..20ms for a random time between.");
  command.add_option("--probability", rule.probability, "The share of passes that are hit.");
  command.add_option("--every", rule.every, "Only every n-th pass is hit.");
  command.add_option("--first", rule.first, "No pass after the n-th is hit.");
  command.add_flag("--once", rule.once, "Only one pass is hit.");
  command.add_flag("--header", rule.by_header, "Only requests whose X-Fault names the point.");
  add(
      "--game", [&rule](const std::string& text) { set_id(rule.game, "--game", text); },
      "Only operations of the game with this id.");
  add(
      "--client", [&rule](const std::string& text) { set_client(rule, text); },
      "Only clients with this address, or in this block such as 10.0.0.0/8.");
  add(
      "--token-id", [&rule](const std::string& text) { set_id(rule.token, "--token-id", text); },
      "Only requests with the token of this id.");
  command.add_option("--connections", rule.connections,
                     "The share of connections that are hit, always the same ones.");
  add(
      "--lasts", [&rule](const std::string& text) { set_lasts(rule, text); },
      "How long until the fault heals by itself: 60s, 5m, up to 24h. Default: 1h.");
}

const placed_rule& rule_of(const rule_options& options) {
  const auto& made = options.made;
  if (!options.wrong.empty()) refuse_rule(options.wrong);
  if (made.rule.kind == fault_kind::none) refuse_rule("Give POINT and KIND, or --preset");
  if (!options.is_preset && (made.rule.kind == fault_kind::delay) != options.has_delay)
    refuse_rule(options.has_delay
                    ? "--delay works only with the kind delay. Remove it, or use delay as KIND."
                    : "The kind delay needs --delay, such as --delay 5ms..20ms.");
  if (const auto fine = base::faults::check(made.point, made.rule); !fine)
    refuse_rule(fine.error().detail);
  return made;
}

} // namespace matchcloud::app
