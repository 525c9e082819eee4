#include "load/requests/request_form.hpp"

#include "http/wire/field_line.hpp"
#include "model/net/http_url.hpp"

#include <algorithm>

namespace matchcloud::load {

namespace {

bool is_own_header(std::string_view name) {
  return base::equal_ignoring_case(name, "host") ||
         (http::find_framing_field(name) != http::framing_field::none &&
          http::find_framing_field(name) != http::framing_field::content_encoding);
}

std::optional<text_template> read_template(table_reader& reader, std::string_view key,
                                           const toml::node& node,
                                           std::span<const std::string> saved) {
  const auto text = reader.text(key, node);
  if (!text) return std::nullopt;
  auto made = text_template::parse(*text, saved);
  if (made) return *std::move(made);
  reader.refuse(node, "`" + std::string{key} + "` " + made.error().detail);
  return std::nullopt;
}

void read_method(table_reader& reader, const toml::node& node, request_form& to) {
  constexpr std::size_t longest = 32;
  const auto method = reader.text("method", node);
  if (!method) return;
  if (method->empty() || method->size() > longest ||
      !base::token_characters.contains_all(*method) || *method == "CONNECT")
    return reader.refuse(node, "`method` must be a method such as GET, POST or HEAD; CONNECT is "
                               "not supported.");
  to.method = *method;
}

void read_path(table_reader& reader, const toml::node& node, std::span<const std::string> saved,
               request_form& to) {
  auto path = read_template(reader, "path", node, saved);
  if (!path) return;
  if (!path->begins_with('/') && !path->begins_with_saved())
    return reader.refuse(node, saved.empty() ? "`path` must begin with a slash."
                                             : "`path` must begin with a slash or a saved value.");
  if (!path->consists_of(base::target_characters))
    return reader.refuse(node, "`path` has a character that URLs cannot contain. Percent-encode "
                               "it, such as `%20` for a space.");
  to.target = *std::move(path);
}

void read_headers(table_reader& reader, const toml::node& node, std::span<const std::string> saved,
                  request_form& to) {
  const auto* table = reader.table("headers", node);
  if (table == nullptr) return;
  for (const auto& [key, each] : *table) {
    const std::string name{key.str()};
    auto value = read_template(reader, name, each, saved);
    if (!value) return;
    if (name.empty() || !base::token_characters.contains_all(name))
      return reader.refuse(each, "`" + name + "` is not a valid header name.");
    if (is_own_header(name))
      return reader.refuse(each, "`" + name + "` is set by the program itself. Remove it.");
    if (!value->consists_of(base::value_characters))
      return reader.refuse(each, "`" + name + "` has a control character. Remove it.");
    to.headers.push_back({name, *std::move(value)});
  }
}

void read_body(table_reader& reader, std::string_view key, const toml::node& node,
               std::span<const std::string> saved, request_form& to) {
  if (to.body)
    return reader.refuse(node, "a request has `body` or `body_file`, not both. Remove one.");
  if (key == "body") {
    to.body = read_template(reader, key, node, saved);
    return;
  }
  const auto content = reader.content(key, node);
  if (!content) return;
  auto made = text_template::parse(*content, saved);
  if (!made) return reader.refuse(node, "`body_file` " + made.error().detail);
  to.body = *std::move(made);
}

/// Writes a TOML value as JSON; false if JSON has no such value.
bool to_json(const toml::node& node, rapidjson::Value& to,
             rapidjson::Document::AllocatorType& memory) {
  if (const auto text = node.value_exact<std::string>()) {
    to.SetString(text->data(), static_cast<rapidjson::SizeType>(text->size()), memory);
  } else if (const auto yes = node.value_exact<bool>()) {
    to.SetBool(*yes);
  } else if (const auto whole = node.value_exact<std::int64_t>()) {
    to.SetInt64(*whole);
  } else if (const auto number = node.value_exact<double>()) {
    to.SetDouble(*number);
  } else if (const auto* list = node.as_array(); list != nullptr) {
    to.SetArray();
    for (const auto& each : *list) {
      rapidjson::Value element;
      if (!to_json(each, element, memory)) return false;
      to.PushBack(element, memory);
    }
  } else if (const auto* table = node.as_table(); table != nullptr) {
    to.SetObject();
    for (const auto& [key, each] : *table) {
      rapidjson::Value name{key.str().data(), static_cast<rapidjson::SizeType>(key.str().size()),
                            memory};
      rapidjson::Value member;
      if (!to_json(each, member, memory)) return false;
      to.AddMember(name, member, memory);
    }
  } else {
    return false;
  }
  return true;
}

void expect_json(table_reader& reader, const toml::node& node, const std::string& pointer,
                 const toml::node* value, expectation& to) {
  auto place = parse_json_pointer(pointer);
  if (!place)
    return reader.refuse(node,
                         "`" + pointer.substr(0, 50) +
                             "` is not a JSON pointer. Write the names from the outermost in, "
                             "each after a slash, such as `/errors/0/code`.");
  expectation::json_condition made{pointer, *std::move(place), nullptr};
  if (value != nullptr) {
    auto document = std::make_shared<rapidjson::Document>();
    if (!to_json(*value, *document, document->GetAllocator()))
      return reader.refuse(*value, "`" + pointer +
                                       "` is a time, which JSON does not have. Put "
                                       "it in quotes.");
    made.value = std::move(document);
  }
  to.json.push_back(std::move(made));
}

void expect_headers(table_reader& reader, const toml::node& node, expectation& to) {
  const auto* table = reader.table("expect.header", node);
  if (table == nullptr) return;
  for (const auto& [key, each] : *table)
    if (auto value = reader.text(key.str(), each))
      to.headers.push_back({std::string{key.str()}, *std::move(value)});
}

void read_expect(table_reader& reader, const toml::node& node, request_form& to) {
  const auto* table = reader.table("expect", node);
  if (table == nullptr) return;
  for (const auto& [key, each] : *table) {
    if (key == "status") {
      if (const auto status = reader.whole("expect.status", each, 200, 599))
        to.status = static_cast<int>(*status);
    } else if (key == "json") {
      if (const auto* values = reader.table("expect.json", each))
        for (const auto& [pointer, value] : *values)
          expect_json(reader, value, std::string{pointer.str()}, &value, to.expected);
    } else if (key == "json_has") {
      for (const auto& pointer : reader.texts("expect.json_has", each))
        expect_json(reader, each, pointer, nullptr, to.expected);
    } else if (key == "header") {
      expect_headers(reader, each, to.expected);
    } else if (key == "header_has") {
      for (auto& name : reader.texts("expect.header_has", each))
        to.expected.headers.push_back({std::move(name), std::nullopt});
    } else {
      reader.refuse(each, "there is no `expect." + std::string{key.str()} +
                              "`. Allowed: status, json, json_has, header, header_has.");
    }
  }
}

/// The path and query of a URL, which are what is sent.
std::string without_authority(const std::string& target) {
  const auto url = model::parse_http_url(target);
  return url ? url->target : target;
}

} // namespace

bool request_form::uses_line() const noexcept {
  return target.uses_line() || (body && body->uses_line()) ||
         std::ranges::any_of(headers, [](const auto& each) { return each.value.uses_line(); });
}

bool request_form::is_constant() const noexcept {
  return target.is_constant() && (!body || body->is_constant()) &&
         std::ranges::all_of(headers, [](const auto& each) { return each.value.is_constant(); });
}

bool read_form_key(table_reader& reader, std::string_view key, const toml::node& node,
                   std::span<const std::string> saved, request_form& to) {
  if (key == "method")
    read_method(reader, node, to);
  else if (key == "path")
    read_path(reader, node, saved, to);
  else if (key == "headers")
    read_headers(reader, node, saved, to);
  else if (key == "body" || key == "body_file")
    read_body(reader, key, node, saved, to);
  else if (key == "expect")
    read_expect(reader, node, to);
  else
    return false;
  return true;
}

void check_form(table_reader& reader, const toml::table& table, const request_form& form,
                const std::vector<std::string>& lines) {
  const auto* path = table.get("path");
  if (path == nullptr) return reader.refuse(table, "has no `path`. Add one, such as path = \"/\".");
  if (form.uses_line() && lines.empty())
    return reader.refuse(table, "uses {line}, but has no `lines`. Add the name of a file, such as "
                                "lines = \"ids.txt\".");
  const auto fit = [&](const base::character_set& allowed) {
    return std::ranges::all_of(lines, [&](const auto& line) { return allowed.contains_all(line); });
  };
  if (form.target.uses_line() && !fit(base::target_characters))
    return reader.refuse(*path, "a line of `lines` has a character that URLs cannot contain. "
                                "Percent-encode it, such as `%20` for a space.");
  const bool in_header =
      std::ranges::any_of(form.headers, [](const auto& each) { return each.value.uses_line(); });
  if (in_header && !fit(base::value_characters))
    reader.refuse(table, "a line of `lines` has a control character, which headers cannot contain. "
                         "Remove it.");
}

base::expected<request_bytes> make_request(const request_form& form, const request_frame& frame,
                                           const text_template::values& values) {
  std::string target;
  form.target.append(target, values);
  if (form.target.begins_with_saved()) {
    target = without_authority(target);
    if (!target.starts_with('/') || !base::target_characters.contains_all(target))
      return base::fail(base::errc::config_invalid,
                        "needs a path or a URL, but the saved value is \"" + target.substr(0, 100) +
                            "\"");
  } else {
    target.insert(0, frame.base_path);
    if (!base::target_characters.contains_all(target))
      return base::fail(base::errc::config_invalid,
                        "cannot send the path \"" + target.substr(0, 100) + "\"");
  }
  auto made = begin_request(frame, form.method, target);
  bool has_type = false;
  for (const auto& each : form.headers) {
    std::string value;
    each.value.append(value, values);
    if (!base::value_characters.contains_all(value))
      return base::fail(base::errc::config_invalid,
                        "cannot send the header `" + each.name + "`: it has a control character");
    has_type = has_type || base::equal_ignoring_case(each.name, "content-type");
    made.text.append(each.name).append(": ").append(value).append("\r\n");
  }
  if (!form.body) {
    // Tells servers that no body follows (RFC 9110 section 8.6).
    const bool says_so = form.method == "POST" || form.method == "PUT" || form.method == "PATCH";
    made.text += says_so ? "Content-Length: 0\r\n\r\n" : "\r\n";
    return made;
  }
  std::string body;
  form.body->append(body, values);
  if (!has_type) made.text += "Content-Type: application/json\r\n";
  made.text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
  made.text += body;
  return made;
}

} // namespace matchcloud::load
