#include "tests/model/validation/schema_probes.hpp"

#include "tests/fixtures/json.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>

namespace matchcloud::model {

namespace {

using json = rapidjson::Value;
using verdict = schema_probe::verdict;

/// Sample texts: any printed pattern matches some of them and not others. Likely matches come
/// first.
const std::array<std::string, 27> samples{"a",
                                          "https://example.com/",
                                          "A",
                                          "a1",
                                          "a-b",
                                          "a_b",
                                          "a b",
                                          "a/*/b",
                                          "a/**",
                                          "",
                                          " a",
                                          "a ",
                                          "a  b",
                                          "a\tb",
                                          "a\nb",
                                          "a\x01"
                                          "b",
                                          "a\x7f"
                                          "b",
                                          "-a",
                                          "a-",
                                          "a--b",
                                          "1a",
                                          "a.b",
                                          "a**",
                                          "\xc3\xa9",
                                          "http:///a",
                                          "ftp://example.com/",
                                          "https://user@example.com/"};

std::string in_quotes(std::string_view text) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer{buffer};
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  return {buffer.GetString(), buffer.GetSize()};
}

const json* find(const json* object, const char* name) {
  if (!object) return nullptr;
  const auto found = object->FindMember(name);
  return found == object->MemberEnd() ? nullptr : &found->value;
}

std::vector<std::string> texts(const json* array) {
  std::vector<std::string> all;
  if (array)
    for (const auto& each : array->GetArray())
      if (each.IsString()) all.emplace_back(each.GetString(), each.GetStringLength());
  return all;
}

bool has(const std::vector<std::string>& list, const std::string& text) {
  return std::ranges::find(list, text) != list.end();
}

/// A schema, plus the schema that a condition on the enclosing object adds (null: none).
struct schema_view {
  const json* schema;
  const json* added;

  /// The added schema's keyword, which is the stricter one in printed schemas, or else the schema's
  /// own.
  const json* keyword(const char* name) const {
    const auto* found = find(added, name);
    return found ? found : find(schema, name);
  }

  /// A violation of an added constraint may be reported at the enclosing object.
  verdict refused(const char* name) const {
    return find(added, name) ? verdict::refused_near : verdict::refused_here;
  }

  std::vector<std::string> types() const {
    const auto* types = keyword("type");
    return types->IsString() ? std::vector<std::string>{types->GetString()} : texts(types);
  }

  std::string type() const {
    for (const auto& each : types())
      if (each != "null") return each;
    return "null";
  }

  bool is_nullable() const {
    const auto* words = keyword("enum");
    const bool lists_null =
        !words || std::ranges::any_of(words->GetArray(), [](auto& each) { return each.IsNull(); });
    return has(types(), "null") && lists_null;
  }
};

/// A value's path, and the parts of the body before and after the value.
struct place {
  std::vector<std::string> path;
  std::string before;
  std::string after;

  place inside(const std::string& step, const std::string& opened,
               const std::string& closed) const {
    auto steps = path;
    steps.push_back(step);
    return {std::move(steps), before + opened, closed + after};
  }
};

struct named_text {
  std::string name;
  std::string value;
};
using members = std::vector<named_text>;

std::string joined(const members& all) {
  std::string text;
  for (const auto& each : all)
    text.append(text.empty() ? "" : ",")
        .append(in_quotes(each.name))
        .append(":")
        .append(each.value);
  return text;
}

std::string object(const members& all) {
  return "{" + joined(all) + "}";
}

members without(members all, const std::string& name) {
  std::erase_if(all, [&](const named_text& each) { return each.name == name; });
  return all;
}

members with(members all, const std::string& name, const std::string& value) {
  all = without(std::move(all), name);
  all.push_back({name, value});
  return all;
}

/// Walks the schema and collects probes.
class prober {
public:
  explicit prober(const schema_evaluator& schema) : schema_(schema) {}

  std::vector<schema_probe> run() {
    probe({&schema_.root(), nullptr}, {});
    return std::move(probes_);
  }

private:
  schema_view view(const json& schema, const json* added = nullptr) const {
    return {&schema_.resolved(schema), added};
  }

  schema_view property(const schema_view& of, const std::string& name) const {
    return view(*find(find(of.schema, "properties"), name.c_str()),
                find(find(of.added, "properties"), name.c_str()));
  }

  // Minimal values that a schema accepts.

  std::string least(const schema_view& of) const {
    if (const auto words = texts(of.keyword("enum")); !words.empty())
      return in_quotes(words.front());
    const auto type = of.type();
    if (type == "string") return in_quotes(sample(of));
    if (type == "boolean") return "true";
    if (type == "array") return "[]";
    if (type == "null") return "null";
    if (type == "integer") {
      const auto* lowest = of.keyword("minimum");
      return lowest->IsUint64() ? e2e::json_text(*lowest) : "0";
    }
    if (!find(of.schema, "properties")) return "{}";
    const auto branches = branches_of(of);
    return object(least_members({of.schema, branches.front()}));
  }

  members least_members(const schema_view& of) const {
    auto names = texts(find(of.schema, "required"));
    for (const auto& name : texts(find(of.added, "required")))
      if (!has(names, name)) names.push_back(name);
    members all;
    for (const auto& name : names)
      all.push_back({name, least(property(of, name))});
    // Rules that only descriptions state.
    const auto* known = find(of.schema, "properties");
    if (known->HasMember("network_mode")) all.push_back({"network_mode", "\"host\""});
    if (known->HasMember("min") && known->HasMember("max"))
      all = with(all, "max", e2e::json_text(*property(of, "max").keyword("maximum")));
    return all;
  }

  std::string sample(const schema_view& of) const {
    for (const auto& each : samples)
      if (is_sound(of, each)) return each;
    throw std::logic_error("no sample keeps " + e2e::json_text(*of.schema));
  }

  bool is_sound(const schema_view& of, const std::string& text) const {
    return schema_.accepts(*of.schema, json{rapidjson::StringRef(text.data(), text.size())});
  }

  /// The alternatives of an object's `allOf` relations; the schema added before if there are none.
  std::vector<const json*> branches_of(const schema_view& of) const {
    std::vector<const json*> branches;
    if (const auto* relations = find(of.schema, "allOf"))
      for (const auto& each : relations->GetArray())
        for (const auto* keyword : {"anyOf", "oneOf"})
          if (const auto* choice = find(&each, keyword))
            for (const auto& branch : choice->GetArray())
              branches.push_back(&branch);
    if (branches.empty()) branches.push_back(of.added);
    return branches;
  }

  // Probes.

  void add(const std::string& what, const place& at, const std::string& value, verdict expected) {
    probes_.push_back({what, at.before + value + at.after, at.path, expected});
  }

  void probe(const schema_view& of, const place& at) {
    const auto type = of.type();
    add("type", at, least(of), verdict::clean);
    // The body itself must be an object, or it is no body.
    if (!at.path.empty()) probe_types(of, at);
    if (type == "string") probe_string(of, at);
    if (type == "integer") probe_integer(of, at);
    if (type == "array") probe_array(of, at);
    if (type == "object") probe_object(of, at);
  }

  void probe_types(const schema_view& of, const place& at) {
    const auto* source = find(of.added, "enum") ? "enum" : "type";
    add("null", at, "null", of.is_nullable() ? verdict::clean : of.refused(source));
    add("another type", at, of.type() == "string" ? "1" : "\"x\"", verdict::refused_here);
  }

  void probe_string(const schema_view& of, const place& at) {
    if (const auto* words = of.keyword("enum")) return probe_words(of, texts(words), at);
    probe_lengths(of, [&](const std::string& text, verdict expected) {
      add("length", at, in_quotes(text), expected);
    });
    if (!of.keyword("pattern")) return;
    for (const auto& each : samples)
      if (!is_sound(of, each)) add("pattern", at, in_quotes(each), verdict::refused_here);
  }

  void probe_words(const schema_view& of, const std::vector<std::string>& words, const place& at) {
    for (const auto& each : words)
      add("enum", at, in_quotes(each), verdict::clean);
    add("enum", at, in_quotes("no-such-word"), verdict::refused_here);
    for (const auto& each : texts(find(of.schema, "enum")))
      if (!has(words, each)) add("enum", at, in_quotes(each), verdict::refused_near);
  }

  /// Calls `use` with texts of the maximum length and one more, and of the minimum length and one
  /// less.
  template <class Use>
  void probe_lengths(const schema_view& of, Use use) const {
    const auto text = sample(of);
    if (const auto* most = of.keyword("maxLength")) {
      use(text + std::string(most->GetUint() - text.size(), 'a'), verdict::clean);
      use(text + std::string(most->GetUint() - text.size() + 1, 'a'), verdict::refused_here);
    }
    if (of.keyword("minLength")) use("", verdict::refused_here);
  }

  void probe_integer(const schema_view& of, const place& at) {
    constexpr std::string_view beyond_64_bits = "9300000000000000000";
    const auto lowest = e2e::json_text(*of.keyword("minimum"));
    const auto highest = e2e::json_text(*of.keyword("maximum"));
    add("minimum", at, lowest, verdict::clean);
    add("maximum", at, highest, verdict::clean);
    const bool is_64_bit = !of.keyword("minimum")->IsUint64();
    add("minimum", at,
        is_64_bit ? "-" + std::string{beyond_64_bits} : std::to_string(std::stoll(lowest) - 1),
        of.refused("minimum"));
    add("maximum", at,
        is_64_bit ? std::string{beyond_64_bits} : std::to_string(std::stoll(highest) + 1),
        of.refused("maximum"));
    if (!is_64_bit) add("an integer with a point", at, lowest + ".0", verdict::clean);
    add("a fraction", at, "12.5", verdict::refused_here);
  }

  void probe_array(const schema_view& of, const place& at) {
    const auto items = view(*of.keyword("items"));
    if (const auto* most = of.keyword("maxItems")) {
      const auto array = [&](std::size_t size) {
        std::string text;
        for (std::size_t i = 0; i < size; ++i)
          text += (i == 0 ? "" : ",") + least(items);
        return "[" + text + "]";
      };
      add("maxItems", at, array(most->GetUint()), verdict::clean_here);
      add("maxItems", at, array(most->GetUint() + 1), verdict::refused_here);
    }
    probe(items, at.inside("0", "[", "]"));
  }

  void probe_object(const schema_view& of, const place& at) {
    if (find(of.schema, "properties")) return probe_members(of, at);
    if (const auto* entry = of.keyword("additionalProperties")) return probe_map(of, *entry, at);
    add("anything", at, R"({"a":[null,{"":1.5}]})", verdict::clean);
  }

  void probe_map(const schema_view& of, const json& entry, const place& at) {
    const auto entries = view(entry);
    const auto value = least(entries);
    const auto key_at = [&](const std::string& key) {
      return at.inside(key, "{" + in_quotes(key) + ":", "}");
    };
    std::string key = "a";
    if (const auto* names = of.keyword("propertyNames")) {
      const schema_view name{names, nullptr};
      if (const auto words = texts(name.keyword("enum")); !words.empty()) {
        key = words.front();
        add("propertyNames", key_at("no-such-name"), value, verdict::refused_here);
      } else {
        probe_lengths(name, [&](const std::string& text, verdict expected) {
          add("a name's length", key_at(text), value, expected);
        });
        for (const auto& each : samples)
          if (!is_sound(name, each))
            add("propertyNames", key_at(each), value, verdict::refused_here);
      }
    }
    if (const auto* most = of.keyword("maxProperties"); most && key == "a") {
      members all;
      while (all.size() < most->GetUint())
        all.push_back({key + std::to_string(all.size()), value});
      add("maxProperties", at, object(all), verdict::clean_here);
      all.push_back({key, value});
      add("maxProperties", at, object(all), verdict::refused_here);
    }
    probe(entries, key_at(key));
  }

  void probe_members(const schema_view& of, const place& at) {
    std::set<std::string> probed;
    for (const auto* branch : branches_of(of)) {
      const schema_view choice{of.schema, branch};
      const auto all = least_members(choice);
      add("the least members", at, object(all), verdict::clean);
      for (const auto& name : texts(find(of.schema, "required")))
        add("required", at, name, without(all, name), verdict::refused_here);
      for (const auto& name : texts(find(branch, "required")))
        add("required by a relation", at, name, without(all, name), verdict::refused_near);
      const bool is_closed = find(of.schema, "additionalProperties") != nullptr;
      add("additionalProperties", at, "no_such_member", with(all, "no_such_member", "1"),
          is_closed ? verdict::refused_here : verdict::clean);
      probe_each_member(choice, all, at, probed);
    }
    for (const auto& each : find(of.schema, "properties")->GetObject())
      if (!probed.contains(each.name.GetString()))
        throw std::logic_error(std::string{"no body has "} + each.name.GetString());
    probe_aliases(of, at);
  }

  /// Probes each member that may occur together with `all`.
  void probe_each_member(const schema_view& of, const members& all, const place& at,
                         std::set<std::string>& probed) {
    for (const auto& each : find(of.schema, "properties")->GetObject()) {
      const std::string name{each.name.GetString(), each.name.GetStringLength()};
      const auto member = property(of, name);
      const auto others = without(all, name);
      if (member.type() == "null") continue;
      if (!schema_.accepts(*of.schema, parse_instance(object(with(others, name, least(member))))))
        continue;
      probed.insert(name);
      const auto before = joined(others) + (others.empty() ? "" : ",") + in_quotes(name) + ":";
      probe(member, at.inside(name, "{" + before, "}"));
    }
  }

  void probe_aliases(const schema_view& of, const place& at) {
    const auto* relations = find(of.schema, "allOf");
    if (!relations) return;
    const schema_view choice{of.schema, branches_of(of).front()};
    for (const auto& each : relations->GetArray()) {
      const auto both = texts(find(find(&each, "not"), "required"));
      if (both.empty()) continue;
      auto all = least_members(choice);
      for (const auto& name : both)
        all = with(std::move(all), name, least(property(choice, name)));
      add("an alias next to its name", at, both.back(), all, verdict::refused_here);
    }
  }

  /// Adds a probe about the member `name` of the object at `at`.
  void add(const std::string& what, const place& at, const std::string& name, const members& all,
           verdict expected) {
    auto path = at.path;
    path.push_back(name);
    probes_.push_back({what, at.before + object(all) + at.after, std::move(path), expected});
  }

  const schema_evaluator& schema_;
  std::vector<schema_probe> probes_;
};

} // namespace

std::vector<schema_probe> probes_of(const schema_evaluator& schema) {
  return prober{schema}.run();
}

} // namespace matchcloud::model
