// How plans are read: plan.hpp.
#include "actors/fault_control/fault_rule.hpp"
#include "app/faults/fault_listing.hpp"
#include "app/faults/rule_options.hpp"
#include "app/plans/plan.hpp"
#include "base/failure.hpp"
#include "cli/bounded_input.hpp"
#include "cli/toml_document.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <random>
#include <span>
#include <sstream>
#include <utility>

namespace matchcloud::app {

namespace {

using std::chrono::milliseconds;

constexpr std::size_t plan_limit_bytes = 256UL * 1024;

constexpr std::array<std::string_view, 6> plan_names{"about", "seed", "lasts",
                                                     "load",  "step", "check"};
constexpr std::array<std::string_view, 10> step_names{
    "at", "inject", "heal", "kill", "pause", "resume", "load", "expect", "on", "signal"};
/// A step must have one of these.
constexpr auto action_names = std::span{step_names}.subspan(1, 7);

constexpr std::array<std::pair<std::string_view, int>, 6> signal_numbers{{{"TERM", SIGTERM},
                                                                          {"KILL", SIGKILL},
                                                                          {"INT", SIGINT},
                                                                          {"HUP", SIGHUP},
                                                                          {"USR2", SIGUSR2},
                                                                          {"QUIT", SIGQUIT}}};

/// Options that the plan itself gives to matchcloud-load.
constexpr std::array<std::string_view, 4> own_load_options{"--duration", "--seed", "--json",
                                                           "--assert"};

/// The text of a node; empty if there is none or it is something else.
std::string text_of(const toml::node* node) {
  return node == nullptr ? "" : node->value_exact<std::string>().value_or("");
}

/// The words of a text, or the texts of a list; "" for an element that is something else.
std::vector<std::string> texts_of(const toml::node& node) {
  std::vector<std::string> all;
  if (const auto* list = node.as_array()) {
    for (const auto& each : *list)
      all.push_back(text_of(&each));
    return all;
  }
  std::istringstream words{text_of(&node)};
  for (std::string word; words >> word;)
    all.push_back(word);
  return all;
}

milliseconds in_ms(std::chrono::microseconds time) {
  return std::chrono::duration_cast<milliseconds>(time);
}

/// Reads the document of one plan. Its functions throw a `base::failure`.
class plan_reader {
public:
  plan_reader(const std::string& file, std::optional<std::uint64_t> seed) : seed_{seed} {
    plan_.file = file;
  }

  plan read(const toml::table& top) {
    check_names(top, plan_names, "A plan");
    read_head(top);
    if (const auto* load = top.get("load")) read_load(*load, plan_.steps.emplace_back());
    read_steps(top);
    read_checks(top);
    std::ranges::stable_sort(plan_.steps, {}, &plan_step::at);
    return std::move(plan_);
  }

private:
  [[noreturn]] void refuse(const toml::node& at, const std::string& why) const {
    throw base::failure{base::errc::config_invalid,
                        fmt::format("{}:{}: {}", plan_.file, at.source().begin.line, why)};
  }

  template <class Value>
  Value value_at(const toml::node& at, const base::expected<Value>& read) const {
    if (!read) refuse(at, read.error().detail);
    return *read;
  }

  void check_names(const toml::table& table, std::span<const std::string_view> names,
                   const char* of) const {
    for (const auto& [key, node] : table)
      if (!is_one_of(key.str(), names))
        refuse(node, fmt::format("{} has no `{}`. {}", of, key.str(),
                                 instead_of(key.str(), names, "It can have")));
  }

  void read_head(const toml::table& top) {
    plan_.about = text_of(top.get("about"));
    if (const auto* seed = top.get("seed")) {
      const auto number = seed->value_exact<std::int64_t>();
      if (!number || *number < 0) refuse(*seed, "`seed` must be a number, 0 or greater.");
      plan_.seed = static_cast<std::uint64_t>(*number);
    }
    plan_.seed = seed_.value_or(plan_.seed);
    random_.seed(plan_.seed);
    const auto* lasts = top.get("lasts");
    if (lasts == nullptr)
      refuse(top, "`lasts` is missing. Add how long the plan lasts, such as \"30s\".");
    const auto time = parse_time(text_of(lasts));
    if (!time || time->count() <= 0)
      refuse(*lasts, "`lasts` must be a time of at most a day, such as \"30s\".");
    plan_.lasts = in_ms(*time);
  }

  void read_load(const toml::node& node, plan_step& into) const {
    constexpr std::string_view mix = "--mix";
    const auto words = texts_of(node);
    if (words.empty())
      refuse(node, "`load` must be options of matchcloud-load, such as \"--rate 200 "
                   "--operation regions\".");
    for (auto word : words) {
      if (word.empty())
        refuse(node, "Options of matchcloud-load must be strings. Put this one in quotes.");
      const auto name = word.substr(0, word.find('='));
      if (is_one_of(name, own_load_options))
        refuse(node, "The plan itself gives " + name + " to matchcloud-load. Remove it.");
      if (name == mix && name != word) {
        into.load.push_back(name);
        word.erase(0, name.size() + 1);
      }
      // A mix file is looked up next to the plan.
      if (!into.load.empty() && into.load.back() == mix)
        word = (std::filesystem::path{plan_.file}.parent_path() / word).string();
      into.load.push_back(word);
    }
    into.action = step_action::load;
    into.text = fmt::format("load {}", fmt::join(into.load, " "));
  }

  void read_steps(const toml::table& top) {
    const auto* node = top.get("step");
    if (node == nullptr) refuse(top, "A plan needs steps. Add a table `[[step]]`.");
    if (!node->is_array()) refuse(*node, "Steps must be tables `[[step]]`, with two brackets.");
    for (const auto& each : *node->as_array()) {
      if (!each.is_table()) refuse(each, "A step must be a table `[[step]]`.");
      read_step(*each.as_table());
    }
  }

  void read_step(const toml::table& table) {
    check_names(table, step_names, "A step");
    std::string_view action;
    for (const auto each : action_names) {
      if (!table.contains(each)) continue;
      if (!action.empty())
        refuse(table, fmt::format("A step can do only one thing, but this one has `{}` and `{}`. "
                                  "Split it into two steps.",
                                  action, each));
      action = each;
    }
    if (action.empty())
      refuse(table,
             fmt::format("This step does nothing. Add one of {}.", fmt::join(action_names, ", ")));
    if (table.contains("signal") && action != "kill")
      refuse(*table.get("signal"), "`signal` is only for `kill`. Remove it.");
    const bool is_for_some = action == "inject" || action == "heal" || action == "expect";
    if (table.contains("on") && !is_for_some)
      refuse(*table.get("on"), "`on` is only for inject, heal and expect. Remove it.");
    plan_step step;
    step.at = time_of(table);
    read_names(table, step);
    read_action(action, *table.get(action), table, step);
    plan_.steps.push_back(std::move(step));
  }

  milliseconds time_of(const toml::table& table) {
    const auto* node = table.get("at");
    if (node == nullptr)
      refuse(table, "`at` is missing. Add the time of the step, such as at = \"5s\".");
    const auto text = text_of(node);
    const auto dots = text.find("..");
    const auto least = parse_time(text.substr(0, dots));
    const auto most = dots == text.npos ? least : parse_time(text.substr(dots + 2));
    if (!least || !most || *least > *most)
      refuse(*node, "`at` must be a time such as \"5s\", or a span such as \"2s..4s\", in "
                    "which the seed chooses a time.");
    if (in_ms(*most) > plan_.lasts)
      refuse(*node, "`at` is " + plan_excerpt(text) +
                        ", which is after the end of the plan. Increase `lasts`, or move the "
                        "step earlier.");
    if (dots == text.npos) return in_ms(*least);
    const auto choices = static_cast<std::uint64_t>((in_ms(*most) - in_ms(*least)).count()) + 1;
    return in_ms(*least) + milliseconds{random_() % choices};
  }

  void read_names(const toml::table& table, plan_step& step) const {
    const auto* node = table.get("on");
    if (node == nullptr) return;
    step.on = texts_of(*node);
    if (step.on.empty() || std::ranges::find(step.on, "") != step.on.end())
      refuse(*node, "`on` must be the name of a process, or a list of names.");
  }

  void read_action(std::string_view action, const toml::node& node, const toml::table& table,
                   plan_step& step) {
    if (action == "inject") return read_inject(node, step);
    if (action == "heal") return read_heal(node, step);
    if (action == "expect") return read_expect(node, step);
    if (action == "load") return read_load(node, step);
    read_signal(action, node, table.get("signal"), step);
  }

  base::fault_point point_of(const toml::node& node, const std::string& name) const {
    const auto found = base::find_fault_point(name);
    if (!found) refuse(node, actors::no_such_fault_point(name).detail);
    return *found;
  }

  void read_inject(const toml::node& node, plan_step& step) const {
    const auto placed =
        node.is_string() ? value_at(node, preset_rule(text_of(&node))) : placed_rule_of(node);
    step.point = placed.point;
    step.rule = placed.rule;
    step.text = fmt::format("inject {}: {}", facts_of(placed.point).name,
                            describe_rule(rule_json(placed.rule)));
  }

  placed_rule placed_rule_of(const toml::node& node) const {
    const auto* table = node.as_table();
    if (table == nullptr || !table->contains("point"))
      refuse(node, "`inject` must be the name of a preset, or a rule with its point, such "
                   "as { point = \"store.read\", kind = \"error\" }.");
    const auto point = point_of(node, text_of(table->get("point")));
    auto rest = *table;
    rest.erase("point");
    std::ostringstream json;
    json << toml::json_formatter{rest};
    return {point, value_at(node, actors::read_fault_rule(point, json.str()))};
  }

  void read_heal(const toml::node& node, plan_step& step) const {
    step.action = step_action::heal;
    step.text = "heal";
    if (node.value_exact<bool>() == true) return;
    if (!node.is_string())
      refuse(node, "`heal` must be true (for all faults of the plan) or a fault point.");
    step.point = point_of(node, text_of(&node));
    step.text += " " + text_of(&node);
  }

  void read_expect(const toml::node& node, plan_step& step) const {
    const auto what = text_of(&node);
    if (what != "ready" && what != "not ready")
      refuse(node, "`expect` must be \"ready\" or \"not ready\".");
    step.action = step_action::expect;
    step.ready = what == "ready";
    step.text = "expect " + what;
  }

  void read_signal(std::string_view action, const toml::node& node, const toml::node* wanted,
                   plan_step& step) const {
    const auto name = text_of(&node);
    if (name.empty()) refuse(node, fmt::format("`{}` must be the name of a process.", action));
    step.action = step_action::signal;
    step.on = {name};
    step.text = fmt::format("{} {}", action, name);
    step.signal = action == "pause" ? SIGSTOP : action == "resume" ? SIGCONT : SIGKILL;
    if (wanted == nullptr) return;
    const auto text = text_of(wanted);
    const auto* found =
        std::ranges::find(signal_numbers, text, &decltype(signal_numbers)::value_type::first);
    if (found == signal_numbers.end())
      refuse(*wanted, "`signal` must be one of TERM, KILL, INT, HUP, USR2, QUIT.");
    step.signal = found->second;
    step.text += " with " + text;
  }

  void read_checks(const toml::table& top) {
    const auto* node = top.get("check");
    if (node == nullptr)
      refuse(top, "A plan needs checks. Add some, such as check = [\"errors = 0\"].");
    const auto* list = node->as_array();
    if (list == nullptr || list->empty())
      refuse(*node, "`check` must be a list of strings, such as [\"errors = 0\"].");
    for (const auto& each : *list) {
      plan_.checks.push_back(value_at(each, parse_check(text_of(&each))));
      if (plan_.checks.back().needs_load() && !plan_.has_load())
        refuse(each, "`" + plan_.checks.back().metric +
                         "` is about the load, and the plan has none. Add load = \"--rate "
                         "200 --operation regions\" at its top.");
    }
  }

  std::optional<std::uint64_t> seed_;
  std::mt19937_64 random_;
  plan plan_;
};

} // namespace

bool plan_step::is_for(const std::string& name) const {
  return on.empty() || std::ranges::find(on, name) != on.end();
}

bool plan::has_load() const noexcept {
  return std::ranges::find(steps, step_action::load, &plan_step::action) != steps.end();
}

plan_moments plan::moments() const noexcept {
  plan_moments made{lasts, lasts, milliseconds{0}};
  for (const auto& each : steps) {
    if (each.action == step_action::heal) made.healing = each.at;
    if (each.action != step_action::inject) continue;
    made.injecting = std::min(made.injecting, each.at);
    const auto ends_it = [&](const plan_step& other) {
      return other.action == step_action::heal && (!other.point || other.point == each.point) &&
             (other.on.empty() ||
              (!each.on.empty() && std::ranges::all_of(each.on, [&](const std::string& name) {
                return other.is_for(name);
              })));
    };
    // Steps are sorted by time; those of one moment are done in their order.
    const auto heal = std::find_if(steps.begin() + (&each - steps.data()), steps.end(), ends_it);
    const auto healed = heal == steps.end() ? lasts : heal->at;
    made.ended = std::max(made.ended, std::min<milliseconds>(each.at + each.rule.lasts, healed));
  }
  return made;
}

base::expected<plan> parse_plan(const std::string& text, const std::string& file,
                                std::optional<std::uint64_t> seed) {
  return cli::parse_toml(text, file).and_then([&](const toml::table& top) {
    return base::attempt([&] { return plan_reader{file, seed}.read(top); });
  });
}

base::expected<plan> read_plan(const std::string& file, std::optional<std::uint64_t> seed) {
  const auto content = cli::read_bounded_file(file, plan_limit_bytes);
  if (content && content->size() <= plan_limit_bytes) return parse_plan(*content, file, seed);
  const auto why =
      content ? fmt::format("has more than {} bytes", plan_limit_bytes) : content.error().detail;
  return base::fail(base::errc::config_invalid, file + ": " + why);
}

} // namespace matchcloud::app
