#include "load/mix.hpp"

#include "base/clock.hpp"
#include "cli/bounded_input.hpp"
#include "cli/toml_document.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/uuid.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::load {

namespace {

constexpr std::size_t mix_limit_bytes = 256UL * 1024;

std::string all_names() {
  std::string text;
  for (const auto& row : http::operations)
    if (!row.load_name.empty()) text += (text.empty() ? "" : ", ") + std::string{row.load_name};
  return text;
}

/// Reads one [[operation]] of a mix file.
class part_reader {
public:
  part_reader(const std::string& file, const toml::table& table) : reader_{file}, table_{table} {}

  base::expected<mix_part> read() {
    take_name();
    for (const auto& [key, node] : table_)
      if (!reader_.has_failed()) read_key(key.str(), node);
    if (!reader_.has_failed()) check_use();
    if (!reader_.has_failed() &&
        (part_.to_ms < part_.from_ms || part_.to_ms - part_.from_ms < part_.length_ms))
      refuse(table_, "`from_ms` to `to_ms` is shorter than `length_ms`. Make the span longer.");
    if (reader_.has_failed()) return tl::unexpected(*reader_.failure());
    return std::move(part_);
  }

private:
  void take_name() {
    const auto name = table_["name"].value<std::string>();
    const auto what = name ? find_operation(*name) : std::nullopt;
    if (!what) return refuse(table_, "`name` must be one of: " + all_names() + ".");
    part_.what = *what;
    if (part_.what == http::operation::list_regions) part_.clients = variants{std::size_t{10'000}};
  }

  /// Refuses keys that the operation does not use, because such a mistake would go unnoticed.
  void check_use() {
    const bool has_body = row_of(part_.what).body != http::body_kind::none;
    const bool is_export = part_.what == http::operation::export_lobby_history;
    const auto use = [this](const char* key, bool has_use) {
      const auto* node = table_.get(key);
      if (node != nullptr && !has_use)
        refuse(*node,
               "`" + std::string{name_of(part_.what)} + "` has no `" + key + "`. Remove it.");
    };
    use("bodies", has_body);
    use("findings", has_body && !is_export);
    for (const auto* key : {"from_ms", "to_ms", "length_ms"})
      use(key, is_export);
  }

  void read_key(std::string_view key, const toml::node& node) {
    constexpr std::uint64_t latest_ms = 253'402'300'799'999; // the year 9999
    if (key == "name") return;
    if (key == "weight") return void(part_.weight = reader_.weight(node).value_or(1));
    if (key == "game") return take_game(node);
    if (key == "clients") return take_clients(node);
    if (key == "bodies") return take_bodies(node);
    if (key == "from_ms") return take_whole(key, node, 0, latest_ms, part_.from_ms);
    if (key == "to_ms") return take_whole(key, node, 0, latest_ms, part_.to_ms);
    if (key == "length_ms") return take_whole(key, node, 0, latest_ms, part_.length_ms);
    if (key == "status") return take_whole(key, node, 200, 599, part_.status);
    if (key == "findings") return take_whole(key, node, 0, 1'000'000, part_.findings.emplace());
    refuse(node, "there is no `" + std::string{key} +
                     "`. Allowed: name, weight, game, clients, bodies, from_ms, to_ms, length_ms, "
                     "status, findings.");
  }

  void take_game(const toml::node& node) {
    const auto game = node.value<std::string>();
    if (!game || !model::parse_uuid(*game)) return refuse(node, "`game` must be a UUID.");
    part_.game = *game;
  }

  template <class Number>
  void take_whole(std::string_view key, const toml::node& node, std::uint64_t least,
                  std::uint64_t most, Number& to) {
    if (const auto number = reader_.whole(key, node, least, most))
      to = static_cast<Number>(*number);
  }

  void take_clients(const toml::node& node) {
    if (const auto count = count_of(node)) {
      part_.clients = *count == 0 ? std::nullopt : std::optional<variants>{*count};
      return;
    }
    const auto content = content_of("clients", node);
    if (!content) return;
    auto lines = lines_of(*content);
    const auto wrong = std::ranges::find_if(
        lines, [](const auto& line) { return !model::parse_ip_address(line); });
    if (wrong != lines.end())
      return refuse(node, "`clients`: \"" + wrong->substr(0, 50) + "\" is not an IP address.");
    if (is_countable(node, "clients", lines.size())) part_.clients = std::move(lines);
  }

  void take_bodies(const toml::node& node) {
    const auto count = count_of(node);
    if (count && *count > 0) {
      part_.bodies = *count;
      return;
    }
    std::vector<std::string> texts;
    const auto* files = node.as_array();
    const auto one = [&](const toml::node& each) {
      const auto content = content_of("bodies", each);
      if (!content) return;
      if (each.value_or(std::string{}).ends_with(".jsonl"))
        std::ranges::move(lines_of(*content), std::back_inserter(texts));
      else
        texts.push_back(*content);
    };
    if (files != nullptr)
      for (const auto& each : *files)
        one(each);
    else
      one(node);
    if (!reader_.has_failed() && is_countable(node, "bodies", texts.size()))
      part_.bodies = std::move(texts);
  }

  /// The number of values to make; nothing if `node` is not a number from 0 to `variants_limit`.
  std::optional<std::size_t> count_of(const toml::node& node) const {
    const auto count = node.value_exact<std::int64_t>();
    if (!count || *count < 0 || static_cast<std::uint64_t>(*count) > variants_limit)
      return std::nullopt;
    return static_cast<std::size_t>(*count);
  }

  std::optional<std::string> content_of(std::string_view key, const toml::node& node) {
    const auto name = node.value_exact<std::string>();
    if (!name || name->empty()) {
      refuse(node, "`" + std::string{key} +
                       "` must be the name of a file, or the number of values to make (" +
                       "at most " + std::to_string(variants_limit) + ").");
      return std::nullopt;
    }
    return reader_.content(key, node);
  }

  bool is_countable(const toml::node& node, std::string_view key, std::size_t count) {
    if (count > 0 && count <= variants_limit) return true;
    refuse(node, "`" + std::string{key} + "` has " + std::to_string(count) + " lines: 1 to " +
                     std::to_string(variants_limit) + " are allowed.");
    return false;
  }

  void refuse(const toml::node& node, const std::string& why) { reader_.refuse(node, why); }

  table_reader reader_;
  const toml::table& table_;
  mix_part part_;
};

/// Reads one [[request]] or [[flow]] of a mix file.
class any_reader {
public:
  any_reader(const std::string& file, const toml::table& table) : reader_{file}, table_{table} {}

  base::expected<mix_part> read_request() {
    any_request made;
    made.lines = take_lines();
    const toml::node* count = nullptr;
    for (const auto& [key, node] : table_) {
      if (take_common(key.str(), node) || read_form_key(reader_, key.str(), node, {}, made.form))
        continue;
      if (key == "variants")
        count = &node;
      else
        reader_.refuse(node, "there is no `" + std::string{key.str()} +
                                 "`. Allowed: name, weight, lines, variants, " +
                                 std::string{form_keys} + ".");
    }
    check_form(reader_, table_, made.form, made.lines);
    if (const auto* lines = table_.get("lines"); lines != nullptr && !made.form.uses_line())
      reader_.refuse(*lines, "nothing uses `lines`. Add {line} where a line should go, or remove "
                             "`lines`.");
    made.count = made.form.is_constant() ? 1 : std::max(made.lines.size(), usual_count);
    if (count != nullptr)
      made.count = reader_.whole("variants", *count, 1, variants_limit).value_or(1);
    made.name = name_.empty() ? made.form.method + " request" : name_;
    part_.status = made.form.status;
    part_.any = std::move(made);
    return finish();
  }

  base::expected<mix_part> read_flow() {
    any_flow made;
    made.lines = take_lines();
    const auto* steps = table_.get("step");
    for (const auto& [key, node] : table_)
      if (key != "step" && !take_common(key.str(), node))
        reader_.refuse(node, "there is no `" + std::string{key.str()} +
                                 "`. Allowed: name, weight, lines, [[flow.step]].");
    if (steps == nullptr)
      reader_.refuse(table_, "has no [[flow.step]]. Add one for each request of the flow.");
    else
      made.steps = load::read_flow(reader_, *steps, made.lines);
    made.name = name_.empty() ? "flow" : name_;
    part_.any = std::move(made);
    return finish();
  }

private:
  static constexpr std::size_t usual_count = 100;

  std::vector<std::string> take_lines() {
    const auto* node = table_.get("lines");
    return node == nullptr ? std::vector<std::string>{} : reader_.lines("lines", *node);
  }

  bool take_common(std::string_view key, const toml::node& node) {
    if (key == "name")
      name_ = reader_.text(key, node).value_or("");
    else if (key == "weight")
      part_.weight = reader_.weight(node).value_or(1);
    else
      return key == "lines";
    return true;
  }

  base::expected<mix_part> finish() {
    if (reader_.has_failed()) return tl::unexpected(*reader_.failure());
    return std::move(part_);
  }

  table_reader reader_;
  const toml::table& table_;
  mix_part part_;
  std::string name_;
};

base::expected<mix_part> read_part(const std::string& file, std::string_view kind,
                                   const toml::table& table) {
  if (kind == "operation") return part_reader{file, table}.read();
  any_reader reader{file, table};
  return kind == "request" ? reader.read_request() : reader.read_flow();
}

base::expected<std::vector<mix_part>> read_parts(const std::string& file,
                                                 const toml::table& document) {
  constexpr std::array<std::string_view, 3> kinds{"operation", "request", "flow"};
  const auto refuse = [&file](const std::string& why) {
    return base::fail(base::errc::config_invalid, file + ": " + why);
  };
  for (const auto& [key, node] : document)
    if (std::ranges::find(kinds, key.str()) == kinds.end())
      return refuse("there is no `" + std::string{key.str()} +
                    "`. Allowed: [[operation]], [[request]] and [[flow]].");
  std::vector<mix_part> parts;
  for (const auto kind : kinds) {
    if (!document.contains(kind)) continue;
    const auto* tables = document[kind].as_array();
    if (tables == nullptr)
      return refuse("`" + std::string{kind} + "` must be tables: [[" + std::string{kind} + "]].");
    for (const auto& node : *tables) {
      const auto* table = node.as_table();
      if (table == nullptr)
        return refuse("`" + std::string{kind} + "` must be tables: [[" + std::string{kind} + "]].");
      auto part = read_part(file, kind, *table);
      if (!part) return tl::unexpected(part.error());
      parts.push_back(*std::move(part));
    }
  }
  if (parts.empty())
    return refuse("has no [[operation]], [[request]] or [[flow]]. Add one for each part of the "
                  "mix.");
  return parts;
}

} // namespace

std::uint64_t now_ms() {
  return static_cast<std::uint64_t>(base::machine_clock().unix_ms());
}

std::optional<http::operation> find_operation(std::string_view load_name) noexcept {
  for (const auto& row : http::operations)
    if (!load_name.empty() && row.load_name == load_name) return row.id;
  return std::nullopt;
}

base::expected<std::vector<mix_part>> read_mix(const std::string& file) {
  auto text = cli::read_bounded_file(file, mix_limit_bytes);
  if (!text) return base::fail(base::errc::io_failed, file + " " + text.error().detail);
  if (text->size() > mix_limit_bytes)
    return base::fail(base::errc::config_invalid,
                      file + " has more than 256 KiB, the limit for a mix file");
  const auto document = cli::parse_toml(*text, file);
  if (!document) return tl::unexpected(document.error());
  return read_parts(file, *document);
}

std::string name_of(const mix_part& part) {
  if (const auto* request = std::get_if<any_request>(&part.any)) return request->name;
  if (const auto* walked = std::get_if<any_flow>(&part.any)) return walked->name;
  return std::string{name_of(part.what)};
}

std::vector<mix_row> rows_of(const std::vector<mix_part>& mix) {
  std::vector<mix_row> rows;
  for (std::size_t i = 0; i < mix.size(); ++i) {
    const auto& part = mix[i];
    if (const auto* request = std::get_if<any_request>(&part.any)) {
      rows.push_back({i, 0, name_of(part), part.status, &request->form});
    } else if (const auto* walked = std::get_if<any_flow>(&part.any)) {
      const auto& steps = walked->steps.steps;
      for (std::size_t k = 0; k < steps.size(); ++k)
        rows.push_back(
            {i, k, walked->name + ": " + steps[k].name, steps[k].form.status, &steps[k].form});
    } else {
      rows.push_back({i, 0, name_of(part), part.status, nullptr});
    }
  }
  return rows;
}

std::size_t request_count(const mix_part& part) noexcept {
  if (const auto* request = std::get_if<any_request>(&part.any)) return request->count;
  if (std::holds_alternative<any_flow>(part.any)) return 0;
  const auto count = [](const variants& of) {
    const auto* texts = std::get_if<std::vector<std::string>>(&of);
    return texts != nullptr ? texts->size() : std::get<std::size_t>(of);
  };
  const bool has_body = http::row_of(part.what).body != http::body_kind::none;
  const auto bodies = has_body ? count(part.bodies) : 1;
  return std::max(bodies, part.clients ? count(*part.clients) : 1);
}

double average_body_bytes(const mix_part& part) {
  constexpr double made_bytes = 1'000;
  if (const auto* request = std::get_if<any_request>(&part.any)) {
    std::mt19937_64 engine;
    const auto one = make_request(request->form, {}, {engine, {}, {}});
    double lines = 0;
    for (const auto& line : request->lines)
      lines += static_cast<double>(line.size());
    return (one ? static_cast<double>(one->text.size()) : 0) +
           lines / static_cast<double>(std::max<std::size_t>(1, request->lines.size()));
  }
  const auto* texts = std::get_if<std::vector<std::string>>(&part.bodies);
  if (texts == nullptr) return made_bytes;
  double bytes = 0;
  for (const auto& text : *texts)
    bytes += static_cast<double>(text.size());
  return bytes / static_cast<double>(std::max<std::size_t>(1, texts->size()));
}

std::vector<mix_part> single_mix(http::operation what) {
  mix_part part;
  part.what = what;
  if (what == http::operation::list_regions) part.clients = variants{std::size_t{10'000}};
  return {part};
}

} // namespace matchcloud::load
