// How plans are read: plan.hpp.
#include "actors/fault_control/fault_rule.hpp"
#include "app/faults/fault_listing.hpp"
#include "app/faults/rule_options.hpp"
#include "app/plans/plan.hpp"
#include "cli/bounded_input.hpp"
#include "cli/toml_document.hpp"
#include "model/text/suggestion.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <random>
#include <span>
#include <sstream>

namespace matchcloud::app {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t plan_limit_bytes = 256UL * 1024;

constexpr std::array<std::string_view, 6> plan_names{"about", "seed", "lasts",
                                                     "load",  "step", "check"};
constexpr std::array<std::string_view, 10> step_names{
    "at", "inject", "heal", "kill", "pause", "resume", "load", "expect", "on", "signal"};
/// A step must have one of these.
constexpr std::array<std::string_view, 7> action_names{"inject", "heal", "kill",  "pause",
                                                       "resume", "load", "expect"};

struct signal_row {
  std::string_view name;
  int number;
};
constexpr std::array signals{signal_row{"TERM", SIGTERM}, signal_row{"KILL", SIGKILL},
                             signal_row{"INT", SIGINT},   signal_row{"HUP", SIGHUP},
                             signal_row{"USR2", SIGUSR2}, signal_row{"QUIT", SIGQUIT}};

/// Options that the plan itself gives to matchcloud-load.
constexpr std::array<std::string_view, 5> own_load_options{"--duration", "--seed", "--json",
                                                           "--hdr", "--assert"};

std::string listed(std::span<const std::string_view> names) {
  std::string all;
  for (const auto each : names)
    all.append(all.empty() ? "" : ", ").append(each);
  return all;
}

std::vector<std::string> split(const std::string& text) {
  std::istringstream words{text};
  std::vector<std::string> all;
  for (std::string word; words >> word;)
    all.push_back(word);
  return all;
}

/// Reads the document of one plan.
class plan_reader {
public:
  plan_reader(const std::string& file, std::optional<std::uint64_t> seed) : seed_{seed} {
    plan_.file = file;
  }

  base::expected<plan> read(const toml::table& top) {
    return check_names(top, plan_names, "A plan")
        .and_then([&] { return read_head(top); })
        .and_then([&] { return read_load(top); })
        .and_then([&] { return read_steps(top); })
        .and_then([&] { return read_checks(top); })
        .map([&] {
          std::ranges::stable_sort(plan_.steps, {}, &plan_step::at);
          return plan_;
        });
  }

private:
  using done = base::expected<void>;

  tl::unexpected<base::error> refuse(const toml::node& at, const std::string& why) const {
    return base::fail(base::errc::config_invalid,
                      plan_.file + ":" + std::to_string(at.source().begin.line) + ": " + why);
  }

  done check_names(const toml::table& table, std::span<const std::string_view> names,
                   const std::string& of) const {
    for (const auto& [key, node] : table) {
      if (std::ranges::find(names, key.str()) != names.end()) continue;
      const auto close = model::closest_name(key.str(), names);
      return refuse(node, of + " has no `" + std::string{key.str()} + "`. " +
                              (close.empty() ? "It can have: " + listed(names) + "."
                                             : "Did you mean `" + std::string{close} + "`?"));
    }
    return {};
  }

  done read_head(const toml::table& top) {
    if (const auto about = top["about"].value_exact<std::string>()) plan_.about = *about;
    if (const auto* seed = top.get("seed")) {
      const auto number = seed->value_exact<std::int64_t>();
      if (!number || *number < 0) return refuse(*seed, "`seed` must be a number, 0 or greater.");
      plan_.seed = static_cast<std::uint64_t>(*number);
    }
    plan_.seed = seed_.value_or(plan_.seed);
    random_.seed(plan_.seed);
    const auto* lasts = top.get("lasts");
    if (lasts == nullptr)
      return refuse(top, "`lasts` is missing. Add how long the plan lasts, such as \"30s\".");
    const auto time = parse_time(lasts->value_exact<std::string>().value_or(""));
    if (!time || time->count() <= 0)
      return refuse(*lasts, "`lasts` must be a time of at most a day, such as \"30s\".");
    plan_.lasts = std::chrono::duration_cast<milliseconds>(*time);
    return {};
  }

  done read_load(const toml::table& top) {
    const auto* node = top.get("load");
    if (node == nullptr) return {};
    plan_step first;
    first.action = step_action::load;
    if (auto read = read_load_options(*node, first); !read) return read;
    plan_.steps.push_back(std::move(first));
    return {};
  }

  done read_load_options(const toml::node& node, plan_step& into) {
    if (const auto text = node.value_exact<std::string>()) {
      into.load = split(*text);
    } else if (const auto* words = node.as_array()) {
      for (const auto& each : *words) {
        const auto word = each.value_exact<std::string>();
        if (!word)
          return refuse(each,
                        "Options of matchcloud-load must be strings. Put this one in quotes.");
        into.load.push_back(*word);
      }
    } else {
      return refuse(node, "`load` must be options of matchcloud-load, such as \"--rate 200 "
                          "--operation regions\".");
    }
    for (auto& each : into.load) {
      const auto name = each.substr(0, each.find('='));
      if (std::ranges::find(own_load_options, name) != own_load_options.end())
        return refuse(node, "The plan itself gives " + name + " to matchcloud-load. Remove it.");
      // A mix file is looked up next to the plan.
      const auto beside = std::filesystem::path{plan_.file}.parent_path();
      if (&each != into.load.data() && *(&each - 1) == "--mix")
        each = (beside / each).string();
      else if (name == "--mix" && each.size() > name.size())
        each = std::string{name}.append("=").append(beside / each.substr(name.size() + 1));
      into.text.append(into.text.empty() ? "load " : " ").append(each);
    }
    return {};
  }

  done read_steps(const toml::table& top) {
    const auto* node = top.get("step");
    if (node == nullptr) return refuse(top, "A plan needs steps. Add a table `[[step]]`.");
    const auto* steps = node->as_array();
    if (steps == nullptr)
      return refuse(*node, "Steps must be tables `[[step]]`, with two brackets.");
    for (const auto& each : *steps) {
      const auto* table = each.as_table();
      if (table == nullptr) return refuse(each, "A step must be a table `[[step]]`.");
      if (auto read = read_step(*table); !read) return read;
    }
    return {};
  }

  done read_step(const toml::table& table) {
    if (auto known = check_names(table, step_names, "A step"); !known) return known;
    std::string_view action;
    for (const auto each : action_names) {
      if (!table.contains(each)) continue;
      if (!action.empty())
        return refuse(table, "A step can do only one thing, but this one has `" +
                                 std::string{action} + "` and `" + std::string{each} +
                                 "`. Split it into two steps.");
      action = each;
    }
    if (action.empty())
      return refuse(table, "This step does nothing. Add one of " + listed(action_names) + ".");
    if (table.contains("signal") && action != "kill")
      return refuse(*table.get("signal"), "`signal` is only for `kill`. Remove it.");
    const bool is_for_some = action == "inject" || action == "heal" || action == "expect";
    if (table.contains("on") && !is_for_some)
      return refuse(*table.get("on"), "`on` is only for inject, heal and expect. Remove it.");
    plan_step step;
    return read_time(table, step)
        .and_then([&] { return read_names(table, step); })
        .and_then([&] { return read_action(action, *table.get(action), table, step); })
        .map([&] { plan_.steps.push_back(std::move(step)); });
  }

  done read_time(const toml::table& table, plan_step& step) {
    const auto* node = table.get("at");
    if (node == nullptr)
      return refuse(table, "`at` is missing. Add the time of the step, such as at = \"5s\".");
    const auto text = node->value_exact<std::string>().value_or("");
    const auto dots = text.find("..");
    const auto least = parse_time(std::string_view{text}.substr(0, dots));
    const auto most =
        dots == std::string::npos ? least : parse_time(std::string_view{text}.substr(dots + 2));
    if (!least || !most || *least > *most)
      return refuse(*node, "`at` must be a time such as \"5s\", or a span such as \"2s..4s\", in "
                           "which the seed chooses a time.");
    const auto begin = std::chrono::duration_cast<milliseconds>(*least);
    const auto end = std::chrono::duration_cast<milliseconds>(*most);
    if (end > plan_.lasts)
      return refuse(
          *node,
          "`at` is " + plan_excerpt(text) +
              ", which is after the end of the plan. Increase `lasts`, or move the step earlier.");
    const auto choices = static_cast<std::uint64_t>((end - begin).count()) + 1;
    step.at = begin + milliseconds{dots == std::string::npos ? 0 : random_() % choices};
    return {};
  }

  done read_names(const toml::table& table, plan_step& step) {
    const auto* node = table.get("on");
    if (node == nullptr) return {};
    if (const auto name = node->value_exact<std::string>()) step.on = {*name};
    if (const auto* all = node->as_array())
      for (const auto& each : *all)
        step.on.push_back(each.value_exact<std::string>().value_or(""));
    if (step.on.empty() || std::ranges::find(step.on, "") != step.on.end())
      return refuse(*node, "`on` must be the name of a process, or a list of names.");
    return {};
  }

  done read_action(std::string_view action, const toml::node& node, const toml::table& table,
                   plan_step& step) {
    if (action == "inject") return read_inject(node, step);
    if (action == "heal") return read_heal(node, step);
    if (action == "expect") return read_expect(node, step);
    if (action == "load") {
      step.action = step_action::load;
      return read_load_options(node, step);
    }
    return read_signal(action, node, table, step);
  }

  done read_inject(const toml::node& node, plan_step& step) {
    const auto placed = placed_rule_of(node);
    if (!placed) return tl::unexpected(placed.error());
    step.action = step_action::inject;
    step.point = placed->point;
    step.rule = placed->rule;
    step.text = "inject " + std::string{facts_of(placed->point).name} + ": " +
                describe_rule(rule_json(placed->rule));
    return {};
  }

  base::expected<placed_rule> placed_rule_of(const toml::node& node) {
    const auto or_refuse = [&](auto placed) -> base::expected<placed_rule> {
      if (!placed) return refuse(node, placed.error().detail);
      return *placed;
    };
    if (const auto preset = node.value_exact<std::string>()) return or_refuse(preset_rule(*preset));
    const auto* table = node.as_table();
    const auto point = table == nullptr ? std::nullopt : (*table)["point"].value<std::string>();
    if (!point)
      return refuse(node, "`inject` must be the name of a preset, or a rule with its point, such "
                          "as { point = \"store.read\", kind = \"error\" }.");
    const auto at = base::find_fault_point(*point);
    if (!at) return refuse(node, actors::no_such_fault_point(*point).detail);
    auto rest = *table;
    rest.erase("point");
    std::ostringstream json;
    json << toml::json_formatter{rest};
    const auto rule = actors::read_fault_rule(*at, json.str());
    if (!rule) return refuse(node, rule.error().detail);
    return placed_rule{*at, *rule};
  }

  done read_heal(const toml::node& node, plan_step& step) {
    step.action = step_action::heal;
    step.text = "heal";
    if (node.value_exact<bool>() == true) return {};
    const auto name = node.value_exact<std::string>();
    if (!name)
      return refuse(node, "`heal` must be true (for all faults of the plan) or a fault point.");
    step.point = base::find_fault_point(*name);
    if (!step.point) return refuse(node, actors::no_such_fault_point(*name).detail);
    step.text += " " + *name;
    return {};
  }

  done read_expect(const toml::node& node, plan_step& step) {
    const auto what = node.value_exact<std::string>().value_or("");
    if (what != "ready" && what != "not ready")
      return refuse(node, "`expect` must be \"ready\" or \"not ready\".");
    step.action = step_action::expect;
    step.ready = what == "ready";
    step.text = "expect " + what;
    return {};
  }

  done read_signal(std::string_view action, const toml::node& node, const toml::table& table,
                   plan_step& step) {
    const auto name = node.value_exact<std::string>();
    if (!name) return refuse(node, "`" + std::string{action} + "` must be the name of a process.");
    step.action = step_action::signal;
    step.on = {*name};
    step.text = std::string{action} + " " + *name;
    step.signal = action == "pause" ? SIGSTOP : action == "resume" ? SIGCONT : SIGKILL;
    const auto* wanted = table.get("signal");
    if (wanted == nullptr) return {};
    const auto text = wanted->value_exact<std::string>().value_or("");
    const auto* found = std::ranges::find(signals, text, &signal_row::name);
    if (found == signals.end())
      return refuse(*wanted, "`signal` must be one of TERM, KILL, INT, HUP, USR2, QUIT.");
    step.signal = found->number;
    step.text += " with " + text;
    return {};
  }

  done read_checks(const toml::table& top) {
    const auto* node = top.get("check");
    if (node == nullptr)
      return refuse(top, "A plan needs checks. Add some, such as check = [\"errors = 0\"].");
    const auto* checks = node->as_array();
    if (checks == nullptr || checks->empty())
      return refuse(*node, "`check` must be a list of strings, such as [\"errors = 0\"].");
    for (const auto& each : *checks) {
      const auto check = parse_check(each.value_exact<std::string>().value_or(""));
      if (!check) return refuse(each, check.error().detail);
      if (check->needs_load() && !plan_.has_load())
        return refuse(each, "`" + check->metric +
                                "` is about the load, and the plan has none. Add load = \"--rate "
                                "200 --operation regions\" at its top.");
      plan_.checks.push_back(*check);
    }
    return {};
  }

  std::optional<std::uint64_t> seed_;
  std::mt19937_64 random_;
  plan plan_;
};

} // namespace

base::expected<plan> parse_plan(const std::string& text, const std::string& file,
                                std::optional<std::uint64_t> seed) {
  const auto document = cli::parse_toml(text, file);
  if (!document) return tl::unexpected(document.error());
  return plan_reader{file, seed}.read(*document);
}

base::expected<plan> read_plan(const std::string& file, std::optional<std::uint64_t> seed) {
  const auto content = cli::read_bounded_file(file, plan_limit_bytes);
  const auto refuse = [&](const std::string& why) {
    return base::fail(base::errc::config_invalid, file + ": " + why);
  };
  if (!content) return refuse(content.error().detail);
  if (content->size() > plan_limit_bytes)
    return refuse("has more than " + std::to_string(plan_limit_bytes) + " bytes");
  return parse_plan(*content, file, seed);
}

} // namespace matchcloud::app
