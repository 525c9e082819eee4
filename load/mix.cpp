#include "load/mix.hpp"

#include "base/failure.hpp"
#include "cli/toml_document.hpp"
#include "model/text/joined.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <utility>

namespace matchcloud::load {

namespace {

constexpr std::size_t mix_limit_bytes = 256UL * 1024;
/// The number of different requests if something is drawn for each.
constexpr std::size_t usual_count = 100;

const toml::table& shipped_requests() {
  static const auto parsed = cli::parse_toml(std::string{shipped_operations}, "operations");
  return parsed;
}

const toml::table* find_shipped(std::string_view name) {
  for (const auto& each : *shipped_requests()["request"].as_array())
    if ((*each.as_table())["name"].value<std::string_view>() == name) return each.as_table();
  return nullptr;
}

/// Adds what `to` lacks, at all levels.
void fill(toml::table& to, const toml::table& from) {
  for (const auto& [key, node] : from) {
    auto* const own = to.get(key.str());
    if (own == nullptr)
      to.insert(key, node);
    else if (own->is_table() && node.is_table())
      fill(*own->as_table(), *node.as_table());
  }
}

/// Adds to an [[operation]] the keys that it lacks of the [[request]] that ships under its name.
void complete_operation(const table_reader& reader, toml::table& table) {
  const auto* const found = find_shipped(table["name"].value_or(std::string_view{}));
  if (found == nullptr)
    reader.refuse(table, "`name` must be one of: " + model::joined(operation_names()) + ".");
  auto shipped = *found;
  if (table.contains("lines")) shipped.erase("variants");
  if (table.contains("body_file")) shipped.erase("body");
  // Only a 200 has the content that the shipped request expects.
  if (table["expect"]["status"].value_or(std::int64_t{200}) != 200) shipped.erase("expect");
  fill(table, shipped);
}

/// Reads one part of a mix file.
class part_reader {
public:
  part_reader(const std::string& file, toml::table& table) : reader_{file}, table_{&table} {}

  mix_part read(std::string_view kind) {
    if (kind == "operation") complete_operation(reader_, *table_);
    if (const auto* const node = table_->get("lines")) part_.lines = reader_.lines("lines", *node);
    if (const auto* const node = table_->get("variables")) read_variables(*node);
    if (kind == "flow")
      read_flow();
    else
      read_request();
    return std::move(part_);
  }

private:
  void read_variables(const toml::node& node) {
    for (const auto& [key, each] : reader_.table("variables", node)) {
      const std::string name{key.str()};
      take_name(each, name);
      auto made = read_template(reader_, name, each, reader_.text(name, each), {});
      if (made.uses_line() || !made.consists_of(base::target_characters))
        reader_.refuse(each, "`" + name + "` must have characters of URLs only, and no {line}.");
      part_.variables.push_back(std::move(made));
    }
  }

  /// Adds the name of a value.
  void take_name(const toml::node& node, const std::string& name) {
    if (!text_template::can_name(name))
      reader_.refuse(node, "`" + name +
                               "` cannot be the name of a saved value. Use letters, digits and `_` "
                               "after a letter, and not the name of a placeholder.");
    if (std::ranges::find(part_.values, name) == part_.values.end()) part_.values.push_back(name);
  }

  void read_request() {
    flow_step step;
    const toml::node* count = nullptr;
    for (const auto& [key, node] : *table_) {
      if (take_common(key.str(), node)) continue;
      if (key == "variants")
        count = &node;
      else if (!read_form_key(reader_, key.str(), node, part_.values, step.form))
        reader_.refuse_key(node, key,
                           "name, weight, lines, variables, variants, " + std::string{form_keys});
    }
    check_step(*table_, step);

    const bool uses_line =
        step.form.any_template([](const auto& each) { return each.uses_line(); });
    if (const auto* lines = table_->get("lines"); lines != nullptr && !uses_line)
      reader_.refuse(*lines, "nothing uses `lines`. Add {line} where a line should go, or remove "
                             "`lines`.");
    const bool is_random = step.form.any_template(
        [this](const auto& each) { return each.is_random(part_.variables); });
    part_.count = std::max(part_.lines.size(), is_random ? usual_count : 1);
    if (count != nullptr) part_.count = reader_.whole("variants", *count, 1, variants_limit);
    if (part_.name.empty()) part_.name = step.form.method + " request";
    part_.steps.push_back(std::move(step));
  }

  void read_flow() {
    if (part_.name.empty()) part_.name = "flow";
    for (const auto& [key, node] : *table_)
      if (key != "step" && !take_common(key.str(), node))
        reader_.refuse_key(node, key, "name, weight, lines, variables, [[flow.step]]");
    const auto* const node = table_->get("step");
    if (node == nullptr)
      reader_.refuse(*table_, "has no [[flow.step]]. Add one for each request of the flow.");
    const auto* const steps = node->as_array();
    if (steps == nullptr || steps->empty() || steps->size() > flow_steps_limit)
      reader_.refuse(*node, "`step` must be 1 to " + std::to_string(flow_steps_limit) +
                                " tables: [[flow.step]].");
    for (const auto& each : *steps)
      read_step(reader_.table("step", each));
  }

  void read_step(const toml::table& table) {
    flow_step step;
    step.name = "step " + std::to_string(part_.steps.size() + 1);
    for (const auto& [key, node] : table) {
      if (key == "name") {
        step.name = reader_.text("name", node);
      } else if (key == "cut_bytes") {
        step.cut_bytes = reader_.whole("cut_bytes", node, 1, 1'000'000'000);
      } else if (key != "save" &&
                 !read_form_key(reader_, key.str(), node, part_.values, step.form)) {
        reader_.refuse_key(node, key, "name, " + std::string{form_keys} + ", save, cut_bytes");
      }
    }
    check_step(table, step);
    // Only later steps can use what a step saves.
    if (const auto* const save = table.get("save")) read_save(*save, step);
    part_.steps.push_back(std::move(step));
  }

  /// A first path has no URL of the server to begin with.
  void check_step(const toml::table& table, const flow_step& step) {
    check_form(reader_, table, step.form, part_.lines);
    if (part_.steps.empty() && step.form.target.begins_with_saved())
      reader_.refuse(*table.get("path"), "`path` must begin with a slash.");
  }

  void read_save(const toml::node& node, flow_step& step) {
    for (const auto& [key, each] : reader_.table("save", node)) {
      const std::string name{key.str()};
      auto from = reader_.text(name, each);
      take_name(each, name);
      auto place = parse_json_pointer(from);
      if (from.empty() ||
          (!place && from != saved_length && !base::token_characters.contains_all(from)))
        reader_.refuse(each, "`" + name +
                                 "` must be saved from a JSON pointer such as `/url`, a header "
                                 "such as `ETag`, or `:bytes` (the number of bytes in the body).");
      const auto index = std::ranges::find(part_.values, name) - part_.values.begin();
      step.saves.push_back({static_cast<std::size_t>(index), std::move(from), std::move(place)});
    }
    if (part_.values.size() > saved_values_limit)
      reader_.refuse(node, "a flow can save at most " + std::to_string(saved_values_limit) +
                               " values. Save fewer.");
  }

  bool take_common(std::string_view key, const toml::node& node) {
    if (key == "name")
      part_.name = reader_.text(key, node);
    else if (key == "weight")
      part_.weight = reader_.weight(node);
    else
      return key == "lines" || key == "variables";
    return true;
  }

  table_reader reader_;
  toml::table* table_;
  mix_part part_;
};

std::vector<mix_part> read_parts(const std::string& file, toml::table document) {
  constexpr std::array<std::string_view, 3> kinds{"operation", "request", "flow"};
  const auto refuse = [&file](const std::string& why) {
    throw base::failure{base::errc::config_invalid, file + ": " + why};
  };
  for (const auto& [key, node] : document)
    if (std::ranges::find(kinds, key.str()) == kinds.end())
      refuse(fmt::format("there is no `{}`. Allowed: [[operation]], [[request]] and [[flow]].",
                         key.str()));
  std::vector<mix_part> parts;
  for (const auto kind : kinds) {
    if (!document.contains(kind)) continue;
    auto* const tables = document[kind].as_array();
    if (tables == nullptr || !tables->is_homogeneous<toml::table>())
      refuse(fmt::format("`{0}` must be tables: [[{0}]].", kind));
    for (auto& node : *tables)
      parts.push_back(part_reader{file, *node.as_table()}.read(kind));
  }
  if (parts.empty())
    refuse("has no [[operation]], [[request]] or [[flow]]. Add one for each part of the "
           "mix.");
  return parts;
}

} // namespace

std::vector<std::string> operation_names() {
  std::vector<std::string> names;
  for (const auto& each : *shipped_requests()["request"].as_array())
    names.push_back((*each.as_table())["name"].value_or(std::string{}));
  return names;
}

std::vector<mix_part> read_mix(const std::string& file) {
  const auto text = file_content(file, mix_limit_bytes, "a mix file");
  return read_parts(file, cli::parse_toml(text, file));
}

std::vector<mix_part> single_mix(std::string_view operation) {
  auto table = *find_shipped(operation);
  return {part_reader{"operations", table}.read("request")};
}

std::string mix_row::name() const {
  return part->is_flow() ? part->name + ": " + part->steps[step].name : part->name;
}

std::vector<mix_row> rows_of(const std::vector<mix_part>& mix) {
  std::vector<mix_row> rows;
  for (const auto& part : mix)
    for (std::size_t i = 0; i < part.steps.size(); ++i)
      rows.push_back({&part, i});
  return rows;
}

std::vector<std::string> first_values(const mix_part& part, std::mt19937_64& engine) {
  std::vector<std::string> made(part.values.size());
  for (std::size_t i = 0; i < part.variables.size(); ++i)
    part.variables[i].append(made[i], {engine, {}, {}});
  return made;
}

} // namespace matchcloud::load
