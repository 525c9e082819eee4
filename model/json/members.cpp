#include "model/json/members.hpp"

#include "base/decimal.hpp"
#include "model/json/json_document.hpp"
#include "model/json/json_number.hpp"

namespace matchcloud::model {

namespace {

rapidjson::Value number_of(std::string_view digits) {
  if (const auto whole = base::parse_decimal<std::uint64_t>(digits))
    return rapidjson::Value{*whole};
  if (const auto whole = base::parse_decimal<std::int64_t>(digits)) return rapidjson::Value{*whole};
  return rapidjson::Value{nearest_double(digits).value_or(0)};
}

using allocator = rapidjson::Document::AllocatorType;

rapidjson::Value value_of(const json_document& in, const json_node& node, allocator& pool) {
  const auto text_in = [&pool](std::string_view text) {
    return rapidjson::Value{text.data(), static_cast<rapidjson::SizeType>(text.size()), pool};
  };
  rapidjson::Value made;
  switch (node.kind) {
  case json_kind::null: break;
  case json_kind::boolean: made.SetBool(in.text(node) == "true"); break;
  case json_kind::number: made = number_of(in.text(node)); break;
  case json_kind::string: made = text_in(in.text(node)); break;
  case json_kind::array:
    made.SetArray();
    in.for_each_in(node,
                   [&](const json_node& each) { made.PushBack(value_of(in, each, pool), pool); });
    break;
  case json_kind::object:
    made.SetObject();
    in.for_each_in(node, [&](const json_node& each) {
      made.AddMember(text_in(in.name(each)), value_of(in, each, pool), pool);
    });
    break;
  }
  return made;
}

} // namespace

rapidjson::Document parse_members(std::string_view json) {
  constexpr std::size_t depth_limit = 64;
  rapidjson::Document made;
  if (const auto read = json_document::parse(json, depth_limit)) {
    auto root = value_of(*read, read->root(), made.GetAllocator());
    static_cast<rapidjson::Value&>(made).Swap(root);
  }
  return made;
}

std::string as_json(const rapidjson::Value& of) {
  rapidjson::StringBuffer text;
  rapidjson::Writer<rapidjson::StringBuffer> writer{text};
  of.Accept(writer);
  return {text.GetString(), text.GetSize()};
}

} // namespace matchcloud::model
