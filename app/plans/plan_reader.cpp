// How plans are read: plan.hpp.
#include "actors/fault_control/fault_rule.hpp"
#include "app/faults/fault_listing.hpp"
#include "app/faults/rule_options.hpp"
#include "app/plans/plan.hpp"
#include "base/failure.hpp"
#include "cli/toml_document.hpp"
#include "model/text/suggestion.hpp"
#include "model/text/unicode.hpp"

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
constexpr std::array<std::string_view, 10> step_names{"inject", "heal", "kill",   "stop", "pause",
                                                      "resume", "load", "expect", "at",   "on"};
/// A step must have one of these; they are in the order of `step_action`.
constexpr auto action_names = std::span{step_names}.first(8);

/// Options that the plan itself gives to matchcloud-load, or whose work its checks do.
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
    for (const auto& each :
         list_of(top, "step", "A plan needs steps: tables `[[step]]`, with two brackets."))
      read_step(each);
    std::ranges::stable_sort(plan_.steps, {}, &plan_step::at);
    for (const auto& each : list_of(top, "check",
                                    "A plan needs checks: a list of strings, such as check = "
                                    "[\"errors = 0\"]."))
      read_check(each);
    return std::move(plan_);
  }

private:
  [[noreturn]] void refuse(const toml::node& at, const std::string& why) const {
    throw base::failure{base::errc::config_invalid, "{}:{}: {}", plan_.file, at.source().begin.line,
                        why};
  }

  template <class Value>
  Value value_at(const toml::node& at, const base::expected<Value>& read) const {
    if (!read) refuse(at, read.error().detail);
    return *read;
  }

  const toml::array& list_of(const toml::table& top, std::string_view name,
                             const char* needed) const {
    const auto* const node = top.get(name);
    const auto* const list = node == nullptr ? nullptr : node->as_array();
    if (list == nullptr || list->empty()) refuse(node == nullptr ? top : *node, needed);
    return *list;
  }

  void check_names(const toml::table& table, std::span<const std::string_view> names,
                   const char* of) const {
    for (const auto& [key, node] : table)
      if (std::ranges::find(names, key.str()) == names.end())
        refuse(node, fmt::format("{} has no `{}`. {}", of, key.str(),
                                 model::instead_of(key.str(), names, "It can have")));
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
    const auto time = parse_time(text_of(lasts));
    if (!time || time->count() <= 0)
      refuse(lasts == nullptr ? top : *lasts,
             "`lasts` must be a time of at most a day, such as \"30s\".");
    plan_.lasts = in_ms(*time);
  }

  void read_load(const toml::node& node, plan_step& into) const {
    constexpr std::string_view mix = "--mix";
    const auto words = texts_of(node);
    if (words.empty() || std::ranges::find(words, "") != words.end())
      refuse(node, "`load` must be options of matchcloud-load, such as \"--rate 200 "
                   "--operation regions\", or a list of strings.");
    for (auto word : words) {
      if (word == "-" || (word.starts_with("--") && word.ends_with("=-")))
        refuse(node, "The load of a plan cannot read from stdin. Name a file.");
      const auto name = word.substr(0, word.find('='));
      if (std::ranges::find(own_load_options, name) != own_load_options.end())
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
    into.text = fmt::format("load {}", fmt::join(into.load, " "));
  }

  void read_step(const toml::node& node) {
    if (!node.is_table()) refuse(node, "A step must be a table `[[step]]`.");
    const auto& table = *node.as_table();
    check_names(table, step_names, "A step");
    plan_step step;
    const toml::node* what = nullptr;
    for (std::size_t i = 0; i < action_names.size(); ++i) {
      const auto* const found = table.get(action_names[i]);
      if (found == nullptr) continue;
      if (what != nullptr)
        refuse(table, fmt::format("A step can do only one thing, but this one has `{}` and `{}`. "
                                  "Split it into two steps.",
                                  step.text, action_names[i]));
      what = found;
      step.action = static_cast<step_action>(i);
      step.text = action_names[i];
    }
    if (what == nullptr)
      refuse(table,
             fmt::format("This step does nothing. Add one of {}.", fmt::join(action_names, ", ")));
    step.at = time_of(table);
    read_names(table, step);
    read_action(*what, step);
    plan_.steps.push_back(std::move(step));
  }

  milliseconds time_of(const toml::table& table) {
    const auto* node = table.get("at");
    const auto span = parse_times(text_of(node));
    if (!span || span->first > span->second)
      refuse(node == nullptr ? table : *node,
             "`at` must be a time such as \"5s\", or a span such as \"2s..4s\", in which the seed "
             "chooses a time.");
    const auto least = in_ms(span->first);
    const auto most = in_ms(span->second);
    if (most > plan_.lasts)
      refuse(*node, "`at` is " + model::quoted_excerpt(text_of(node)) +
                        ", which is after the end of the plan. Increase `lasts`, or move the "
                        "step earlier.");
    if (least == most) return least;
    return least + milliseconds{random_() % static_cast<std::uint64_t>((most - least).count() + 1)};
  }

  void read_names(const toml::table& table, plan_step& step) const {
    using enum step_action;
    const auto* node = table.get("on");
    if (node == nullptr) return;
    if (step.action != inject && step.action != heal && step.action != expect)
      refuse(*node, "`on` is only for inject, heal and expect. Remove it.");
    step.on = texts_of(*node);
    std::ranges::sort(step.on);
    step.on.erase(std::ranges::unique(step.on).begin(), step.on.end());
    if (step.on.empty() || step.on.front().empty())
      refuse(*node, "`on` must be the name of a process, or a list of names.");
  }

  void read_action(const toml::node& node, plan_step& step) const {
    switch (step.action) {
    case step_action::inject: return read_inject(node, step);
    case step_action::heal: return read_heal(node, step);
    case step_action::kill: return read_signal(node, SIGKILL, step);
    case step_action::stop: return read_signal(node, SIGTERM, step);
    case step_action::pause: return read_signal(node, SIGSTOP, step);
    case step_action::resume: return read_signal(node, SIGCONT, step);
    case step_action::load: return read_load(node, step);
    case step_action::expect: return read_expect(node, step);
    }
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
    step.text += fmt::format(" {}: {}", facts_of(placed.point).name,
                             describe_rule(actors::fault_rule_json(placed.rule)));
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
    if (node.value_exact<bool>() == true) return;
    if (!node.is_string())
      refuse(node, "`heal` must be true (for all faults of the plan) or a fault point.");
    step.point = point_of(node, text_of(&node));
    step.text += " " + text_of(&node);
  }

  void read_expect(const toml::node& node, plan_step& step) const {
    const auto what = text_of(&node);
    step.ready = what == "ready";
    if (!step.ready && what != "not ready")
      refuse(node, "`expect` must be \"ready\" or \"not ready\".");
    step.text += " " + what;
  }

  void read_signal(const toml::node& node, int signal, plan_step& step) const {
    const auto name = text_of(&node);
    if (name.empty()) refuse(node, "`" + step.text + "` must be the name of a process.");
    step.on = {name};
    step.signal = signal;
    step.text += " " + name;
  }

  void read_check(const toml::node& node) {
    const auto check = value_at(node, parse_check(text_of(&node), plan_.moments()));
    if (check.needs_load() && !plan_.has(step_action::load))
      refuse(node, "`" + check.metric +
                       "` is about the load, and the plan has none. Add load = \"--rate "
                       "200 --operation regions\" at its top.");
    plan_.checks.push_back(check);
  }

  std::optional<std::uint64_t> seed_;
  std::mt19937_64 random_;
  plan plan_;
};

} // namespace

bool plan_step::is_for(const std::string& name) const {
  return on.empty() || std::ranges::find(on, name) != on.end();
}

bool plan::has(step_action what) const noexcept {
  return std::ranges::find(steps, what, &plan_step::action) != steps.end();
}

plan_moments plan::moments() const noexcept {
  plan_moments made{lasts, lasts, milliseconds{0}};
  for (auto each = steps.begin(); each != steps.end(); ++each) {
    if (each->action == step_action::heal) made.healing = each->at;
    if (each->action != step_action::inject) continue;
    made.injecting = std::min(made.injecting, each->at);
    // Steps are sorted by time; those of one moment are done in their order.
    const auto heal = std::find_if(each, steps.end(), [&](const plan_step& other) {
      return other.action == step_action::heal && (!other.point || other.point == each->point) &&
             (other.on.empty() || (!each->on.empty() && std::ranges::includes(other.on, each->on)));
    });
    const auto healed = heal == steps.end() ? lasts : heal->at;
    made.ended = std::max(made.ended, std::min<milliseconds>(each->at + each->rule.lasts, healed));
  }
  return made;
}

base::expected<plan> parse_plan(const std::string& text, const std::string& file,
                                std::optional<std::uint64_t> seed) {
  return base::attempt([&] { return plan_reader{file, seed}.read(cli::parse_toml(text, file)); });
}

base::expected<plan> read_plan(const std::string& file, std::optional<std::uint64_t> seed) {
  return base::attempt([&] {
    return plan_reader{file, seed}.read(cli::read_toml_file(file, plan_limit_bytes));
  });
}

} // namespace matchcloud::app
