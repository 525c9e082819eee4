#include "tests/model/validation/json_tree.hpp"

#include "model/json/json_writer.hpp"

#include <algorithm>

namespace matchcloud::model {

namespace {

void append(std::string& out, const json_tree& tree) {
  if (tree.is == json_tree::shape::scalar) {
    out += tree.text;
    return;
  }
  const bool is_object = tree.is == json_tree::shape::object;
  out += is_object ? '{' : '[';
  bool is_first = true;
  for (const auto& [name, value] : tree.children) {
    if (!is_first) out += ',';
    is_first = false;
    if (is_object) {
      append_json_string(out, name);
      out += ':';
    }
    append(out, value);
  }
  out += is_object ? '}' : ']';
}

} // namespace

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (; times > 0; --times)
    text += piece;
  return text;
}

json_tree* json_tree::find(std::string_view name) {
  const auto found = std::ranges::find(
      children, name, [](const auto& each) { return std::string_view{each.first}; });
  return found == children.end() ? nullptr : &found->second;
}

const json_tree* json_tree::find(std::string_view name) const {
  return const_cast<json_tree*>(this)->find(name);
}

void json_tree::erase(std::string_view name) {
  std::erase_if(children, [name](const auto& each) { return each.first == name; });
}

json_tree scalar_tree(std::string_view role, std::string text) {
  return {json_tree::shape::scalar, role, std::move(text)};
}

json_tree string_tree(std::string_view role, std::string_view text) {
  std::string quoted;
  append_json_string(quoted, text);
  return scalar_tree(role, std::move(quoted));
}

json_tree integer_tree(std::string_view role, std::int64_t number) {
  return scalar_tree(role, std::to_string(number));
}

std::string to_text(const json_tree& tree) {
  std::string out;
  append(out, tree);
  return out;
}

void shuffle_members(json_tree& tree, chance& random) {
  if (tree.is == json_tree::shape::object) random.shuffle(tree.children);
  for (auto& [name, value] : tree.children)
    shuffle_members(value, random);
}

} // namespace matchcloud::model
