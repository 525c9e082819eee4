#include "load/requests/request_form.hpp"

#include "base/failure.hpp"
#include "http/wire/message_lines.hpp"
#include "model/net/http_url.hpp"

#include <algorithm>
#include <sstream>

namespace matchcloud::load {

void add_bytes(std::size_t& sum_bytes, std::size_t more) {
  constexpr std::size_t limit_bytes = 2UL * 1024 * 1024 * 1024;
  sum_bytes += more;
  if (sum_bytes > limit_bytes)
    throw base::failure{base::errc::config_invalid,
                        "the different requests take more than 2 GiB; use fewer or smaller ones"};
}

request_bytes begin_request(const request_frame& frame, std::string_view method,
                            std::string_view target) {
  request_bytes made;
  auto& head = made.text;
  head.append(method).append(" ").append(target).append(" HTTP/1.1\r\nHost: ");
  head.append(frame.authority).append("\r\n");
  if (frame.has_token) {
    head += "Authorization: Bearer ";
    made.token_at = head.size();
    head += "\r\n";
  }
  for (const auto& line : frame.header_lines)
    head.append(line).append("\r\n");
  if (frame.closes) head += "Connection: close\r\n";
  return made;
}

bool is_own_header(std::string_view name) noexcept {
  const auto framing = http::find_framing_field(name);
  return base::equal_ignoring_case(name, "host") ||
         (framing != http::framing_field::none && framing != http::framing_field::content_encoding);
}

namespace {

std::string read_method(const table_reader& reader, const toml::node& node) {
  constexpr std::size_t longest = 32;
  auto method = reader.text("method", node);
  if (method.empty() || method.size() > longest || !base::token_characters.contains_all(method) ||
      method == "CONNECT")
    reader.refuse(node, "`method` must be a method such as GET, POST or HEAD; CONNECT is not "
                        "supported.");
  return method;
}

text_template read_path(const table_reader& reader, const toml::node& node,
                        std::span<const std::string> saved) {
  auto path = read_template(reader, "path", node, reader.text("path", node), saved);
  if (!path.begins_with('/') && !path.begins_with_saved())
    reader.refuse(node, saved.empty() ? "`path` must begin with a slash."
                                      : "`path` must begin with a slash or a saved value.");
  if (!path.consists_of(base::target_characters))
    reader.refuse(node, "`path` has a character that URLs cannot contain. Percent-encode it, such "
                        "as `%20` for a space.");
  return path;
}

void read_headers(const table_reader& reader, const toml::node& node,
                  std::span<const std::string> saved, request_form& to) {
  for (const auto& [key, each] : reader.table("headers", node)) {
    const std::string name{key.str()};
    auto value = read_template(reader, name, each, reader.text(name, each), saved);
    if (name.empty() || !base::token_characters.contains_all(name))
      reader.refuse(each, "`" + name + "` is not a valid header name.");
    if (is_own_header(name))
      reader.refuse(each, "`" + name + "` is set by the program itself. Remove it.");
    if (!value.consists_of(base::value_characters))
      reader.refuse(each, "`" + name + "` has a control character. Remove it.");
    to.headers.push_back({name, std::move(value)});
  }
}

using json_check = expectation::json_condition::check;

void expect_json(const table_reader& reader, const toml::node& node, const std::string& pointer,
                 json_check by, expectation& to) {
  auto place = parse_json_pointer(pointer);
  if (!place)
    reader.refuse(node, "`" + pointer.substr(0, 50) +
                            "` is not a JSON pointer. Write the names from the outermost in, each "
                            "after a slash, such as `/errors/0/code`.");
  expectation::json_condition made{pointer, *std::move(place), by, nullptr};
  if (by == json_check::count) reader.whole(pointer, node, 0, 1'000'000);
  if (by == json_check::equal || by == json_check::count) {
    std::ostringstream text;
    text << toml::json_formatter{node, toml::json_formatter::default_flags &
                                           ~toml::format_flags::quote_infinities_and_nans};
    auto document = std::make_shared<rapidjson::Document>();
    document->Parse(text.str().c_str());
    if (document->HasParseError())
      reader.refuse(node, "`" + pointer + "` must not be inf or nan, which JSON does not have.");
    made.value = std::move(document);
  }
  to.json.push_back(std::move(made));
}

void read_expect(const table_reader& reader, const toml::node& node, request_form& to) {
  auto& expected = to.expected;
  for (const auto& [key, each] : reader.table("expect", node)) {
    const auto name = "expect." + std::string{key.str()};
    if (key == "status") {
      to.status = static_cast<int>(reader.whole(name, each, 200, 599));
    } else if (key == "json" || key == "json_count") {
      const auto by = key == "json" ? json_check::equal : json_check::count;
      for (const auto& [pointer, value] : reader.table(name, each))
        expect_json(reader, value, std::string{pointer.str()}, by, expected);
    } else if (key == "json_has" || key == "json_rises") {
      const auto by = key == "json_has" ? json_check::any : json_check::rises;
      for (const auto& pointer : reader.texts(name, each))
        expect_json(reader, each, pointer, by, expected);
    } else if (key == "header") {
      for (const auto& [header, value] : reader.table(name, each))
        expected.headers.push_back({std::string{header.str()}, reader.text(header.str(), value)});
    } else if (key == "header_has") {
      for (auto& header : reader.texts(name, each))
        expected.headers.push_back({std::move(header), std::nullopt});
    } else {
      reader.refuse(each, "there is no `" + name +
                              "`. Allowed: status, json, json_has, json_count, json_rises, header, "
                              "header_has.");
    }
  }
}

/// The path and query of a URL, which are what is sent.
std::string without_authority(const std::string& target) {
  const auto url = model::parse_http_url(target);
  return url ? url->target : target;
}

} // namespace

bool request_form::any_template(const std::function<bool(const text_template&)>& is_such) const {
  return is_such(target) || (body && is_such(*body)) ||
         std::ranges::any_of(headers, is_such, &header_form::value);
}

text_template read_template(const table_reader& reader, std::string_view key,
                            const toml::node& node, const std::string& text,
                            std::span<const std::string> saved) {
  try {
    return text_template::parse(text, saved);
  } catch (const base::failure& why) {
    reader.refuse(node, "`" + std::string{key} + "` " + why.what());
  }
}

bool read_form_key(const table_reader& reader, std::string_view key, const toml::node& node,
                   std::span<const std::string> saved, request_form& to) {
  if (key == "method") {
    to.method = read_method(reader, node);
  } else if (key == "path") {
    to.target = read_path(reader, node, saved);
  } else if (key == "headers") {
    read_headers(reader, node, saved, to);
  } else if (key == "body" || key == "body_file") {
    if (to.body) reader.refuse(node, "a request has `body` or `body_file`, not both. Remove one.");
    const auto text = key == "body" ? reader.text(key, node) : reader.content(key, node);
    to.body = read_template(reader, key, node, text, saved);
  } else if (key == "expect") {
    read_expect(reader, node, to);
  } else {
    return false;
  }
  return true;
}

void check_form(const table_reader& reader, const toml::table& table, const request_form& form,
                const std::vector<std::string>& lines) {
  const auto* const path = table.get("path");
  if (path == nullptr) reader.refuse(table, "has no `path`. Add one, such as path = \"/\".");
  const auto uses_line = [](const text_template& each) { return each.uses_line(); };
  if (form.any_template(uses_line) && lines.empty())
    reader.refuse(table, "uses {line}, but has no `lines`. Add the name of a file, such as lines = "
                         "\"ids.txt\".");
  const auto fit = [&](const base::character_set& allowed) {
    return std::ranges::all_of(lines, [&](const auto& line) { return allowed.contains_all(line); });
  };
  if (form.target.uses_line() && !fit(base::target_characters))
    reader.refuse(*path, "a line of `lines` has a character that URLs cannot contain. "
                         "Percent-encode it, such as `%20` for a space.");
  const bool in_header =
      std::ranges::any_of(form.headers, uses_line, &request_form::header_form::value);
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

std::string save_values(const flow_step& step, std::string_view head, std::string_view body,
                        std::size_t arrived, std::vector<std::string>& to) {
  std::optional<rapidjson::Document> document;
  for (const auto& each : step.saves) {
    std::optional<std::string> value;
    const auto wanted = (each.place ? "`" : "header `") + each.from + "`";
    if (each.place) {
      if (!document)
        document.emplace().Parse<rapidjson::kParseIterativeFlag>(body.data(), body.size());
      const auto* found = document->HasParseError() ? nullptr : each.place->Get(*document);
      if (found != nullptr) value = json_text(*found);
    } else if (each.from == saved_length) {
      value = std::to_string(arrived);
    } else {
      value = find_header(head, each.from);
    }
    if (!value) return "has no " + wanted + " to save";
    if (value->size() > saved_value_limit_bytes)
      return "has more than 64 KiB at " + wanted + ", too much to save";
    to[each.to] = *std::move(value);
  }
  return {};
}

} // namespace matchcloud::load
