#include "load/requests/flow.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::load {

namespace {

constexpr std::string_view length_source = ":bytes";
constexpr base::character_set name_characters{
    [](unsigned char c) { return base::is_alphanumeric(c) || c == '_'; }};

bool is_name(std::string_view text) noexcept {
  constexpr std::array<std::string_view, 4> taken{"uuid", "int", "pick", "line"};
  return !text.empty() && name_characters.contains_all(text) &&
         !base::is_digit(static_cast<unsigned char>(text.front())) && text.front() != '_' &&
         std::ranges::find(taken, text) == taken.end();
}

std::optional<std::variant<flow_step::from_json, flow_step::from_header, flow_step::from_length>>
read_source(const std::string& text) {
  if (text == length_source) return flow_step::from_length{};
  if (text.starts_with('/')) {
    auto place = parse_json_pointer(text);
    if (!place) return std::nullopt;
    return flow_step::from_json{text, *std::move(place)};
  }
  if (text.empty() || !base::token_characters.contains_all(text)) return std::nullopt;
  return flow_step::from_header{text};
}

/// Reads the steps of one flow in order, because each can use the values that earlier steps saved.
class flow_reader {
public:
  explicit flow_reader(table_reader& reader, const std::vector<std::string>& lines)
      : reader_{&reader}, lines_{&lines} {}

  flow read(const toml::array& steps) {
    for (const auto& node : steps)
      if (const auto* table = node.as_table(); table != nullptr)
        read_step(*table);
      else
        reader_->refuse(node, "`step` must be tables: [[flow.step]].");
    return std::move(made_);
  }

private:
  void read_step(const toml::table& table) {
    flow_step step;
    step.name = "step " + std::to_string(made_.steps.size() + 1);
    const toml::node* save = nullptr;
    for (const auto& [key, node] : table) {
      if (key == "name") {
        if (auto name = reader_->text("name", node)) step.name = *std::move(name);
      } else if (key == "save") {
        save = &node;
      } else if (key == "cut_bytes") {
        step.cut_bytes = reader_->whole("cut_bytes", node, 1, 1'000'000'000).value_or(0);
      } else if (!read_form_key(*reader_, key.str(), node, made_.saved, step.form)) {
        reader_->refuse(node, "there is no `" + std::string{key.str()} + "`. Allowed: name, " +
                                  std::string{form_keys} + ", save, cut_bytes.");
      }
    }
    check_form(*reader_, table, step.form, *lines_);
    // Only later steps can use what a step saves.
    if (save != nullptr) read_save(*save, step);
    made_.steps.push_back(std::move(step));
  }

  void read_save(const toml::node& node, flow_step& step) {
    const auto* table = reader_->table("save", node);
    if (table == nullptr) return;
    for (const auto& [key, each] : *table) {
      const std::string name{key.str()};
      const auto text = reader_->text(name, each);
      if (!text) return;
      if (!is_name(name))
        return reader_->refuse(each, "`" + name +
                                         "` cannot be the name of a saved value. Use "
                                         "letters, digits and `_` after a letter, and "
                                         "not the name of a placeholder.");
      auto source = read_source(*text);
      if (!source)
        return reader_->refuse(each, "`" + name +
                                         "` must be saved from a JSON pointer such as "
                                         "`/url`, a header such as `ETag`, or `:bytes` "
                                         "(the number of bytes in the body).");
      step.saves.push_back({index_of(name), *std::move(source)});
    }
    if (made_.saved.size() > saved_values_limit)
      reader_->refuse(node, "a flow can save at most " + std::to_string(saved_values_limit) +
                                " values. Save fewer.");
  }

  std::size_t index_of(const std::string& name) {
    const auto found = std::ranges::find(made_.saved, name);
    const auto index = static_cast<std::size_t>(found - made_.saved.begin());
    if (found == made_.saved.end()) made_.saved.push_back(name);
    return index;
  }

  table_reader* reader_;
  const std::vector<std::string>* lines_;
  flow made_;
};

} // namespace

flow read_flow(table_reader& reader, const toml::node& node,
               const std::vector<std::string>& lines) {
  const auto* steps = node.as_array();
  if (steps == nullptr || steps->empty() || steps->size() > flow_steps_limit) {
    reader.refuse(node, "`step` must be 1 to " + std::to_string(flow_steps_limit) +
                            " tables: [[flow.step]].");
    return {};
  }
  return flow_reader{reader, lines}.read(*steps);
}

std::string save_values(const flow_step& step, std::string_view head, std::string_view body,
                        std::size_t arrived, std::vector<std::string>& to) {
  std::optional<rapidjson::Document> document;
  for (const auto& each : step.saves) {
    std::optional<std::string> value;
    std::string wanted;
    if (const auto* json = std::get_if<flow_step::from_json>(&each.from)) {
      wanted = "`" + json->pointer + "`";
      if (!document)
        document.emplace().Parse<rapidjson::kParseIterativeFlag>(body.data(), body.size());
      const auto* found = document->HasParseError() ? nullptr : find_json(*document, json->place);
      if (found != nullptr) value = json_text(*found);
    } else if (const auto* header = std::get_if<flow_step::from_header>(&each.from)) {
      wanted = "header `" + header->name + "`";
      value = find_header(head, header->name);
    } else {
      value = std::to_string(arrived);
    }
    if (!value) return "has no " + wanted + " to save";
    if (value->size() > saved_value_limit_bytes)
      return "has more than 64 KiB at " + wanted + ", too much to save";
    to[each.to] = *std::move(value);
  }
  return {};
}

} // namespace matchcloud::load
