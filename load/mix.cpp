#include "load/mix.hpp"

#include "cli/bounded_input.hpp"
#include "cli/toml_document.hpp"
#include "model/net/ip_address.hpp"
#include "model/text/uuid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <sstream>

namespace matchcloud::load {

namespace {

constexpr std::size_t mix_limit_bytes = 256UL * 1024;
constexpr std::size_t content_limit_bytes = 256UL * 1024 * 1024;

std::string all_names() {
  std::string text;
  for (const auto& row : http::operations)
    if (!row.load_name.empty()) text += (text.empty() ? "" : ", ") + std::string{row.load_name};
  return text;
}

/// The lines of a text that are not empty.
std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

/// Reads one [[operation]] of a mix file.
class part_reader {
public:
  part_reader(std::string file, const toml::table& table) : file_{std::move(file)}, table_{table} {}

  base::expected<mix_part> read() {
    take_name();
    for (const auto& [key, node] : table_)
      if (!failure_) read_key(key.str(), node);
    if (!failure_) check_use();
    if (!failure_ && (part_.to_ms < part_.from_ms || part_.to_ms - part_.from_ms < part_.length_ms))
      refuse(table_, "`from_ms` to `to_ms` is shorter than `length_ms`. Make the span longer.");
    if (failure_) return tl::unexpected(*failure_);
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

  /// Refuses keys that the operation does not use: such a mistake would go unnoticed.
  void check_use() {
    const bool has_body = row_of(part_.what).body != http::body_kind::none;
    const bool is_export = part_.what == http::operation::export_lobby_history;
    const auto use = [this](const char* key, bool has_use) {
      const auto* node = table_.get(key);
      if (node != nullptr && !has_use)
        refuse(*node, "`" + std::string{name_of(part_.what)} + "` has no `" + key + "`.");
    };
    use("bodies", has_body);
    use("findings", has_body && !is_export);
    for (const auto* key : {"from_ms", "to_ms", "length_ms"})
      use(key, is_export);
  }

  void read_key(std::string_view key, const toml::node& node) {
    constexpr std::uint64_t latest_ms = 253'402'300'799'999; // the year 9999
    if (key == "name") return;
    if (key == "weight") return take_weight(node);
    if (key == "game") return take_game(node);
    if (key == "clients") return take_clients(node);
    if (key == "bodies") return take_bodies(node);
    if (key == "from_ms") return take_whole(key, node, 0, latest_ms, part_.from_ms);
    if (key == "to_ms") return take_whole(key, node, 0, latest_ms, part_.to_ms);
    if (key == "length_ms") return take_whole(key, node, 0, latest_ms, part_.length_ms);
    if (key == "status") return take_whole(key, node, 200, 599, part_.status);
    if (key == "findings") return take_whole(key, node, 0, 1'000'000, part_.findings.emplace());
    refuse(node, "there is no `" + std::string{key} +
                     "`. Known: name, weight, game, clients, bodies, from_ms, to_ms, length_ms, "
                     "status, findings.");
  }

  void take_weight(const toml::node& node) {
    const auto weight = node.value<double>();
    if (!weight || !std::isfinite(*weight) || *weight <= 0 || *weight > 1e9)
      return refuse(node, "`weight` must be a number over 0.");
    part_.weight = *weight;
  }

  void take_game(const toml::node& node) {
    const auto game = node.value<std::string>();
    if (!game || !model::parse_uuid(*game)) return refuse(node, "`game` must be a UUID.");
    part_.game = *game;
  }

  template <class Number>
  void take_whole(std::string_view key, const toml::node& node, std::uint64_t least,
                  std::uint64_t most, Number& to) {
    const auto number = node.value<std::int64_t>();
    if (!number || *number < 0 || static_cast<std::uint64_t>(*number) < least ||
        static_cast<std::uint64_t>(*number) > most)
      return refuse(node, "`" + std::string{key} + "` must be a whole number from " +
                              std::to_string(least) + " to " + std::to_string(most) + ".");
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
      return refuse(node, "`clients`: \"" + wrong->substr(0, 50) + "\" is no IP address.");
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
    if (!failure_ && is_countable(node, "bodies", texts.size())) part_.bodies = std::move(texts);
  }

  /// How many values to make; nothing if `node` is not a number from 0 to `variants_limit`.
  std::optional<std::size_t> count_of(const toml::node& node) const {
    const auto count = node.value_exact<std::int64_t>();
    if (!count || *count < 0 || static_cast<std::uint64_t>(*count) > variants_limit)
      return std::nullopt;
    return static_cast<std::size_t>(*count);
  }

  std::optional<std::string> content_of(std::string_view key, const toml::node& node) {
    const auto name = node.value_exact<std::string>();
    if (!name || name->empty()) {
      refuse(node, "`" + std::string{key} + "` must be the name of a file, or how many to make (" +
                       "at most " + std::to_string(variants_limit) + ").");
      return std::nullopt;
    }
    const auto beside = std::filesystem::path{file_}.parent_path() / *name;
    auto content = cli::read_bounded_file(beside.string(), content_limit_bytes);
    if (!content)
      refuse(node, beside.string() + " " + content.error().detail);
    else if (content->size() > content_limit_bytes)
      refuse(node, beside.string() + " has more than 256 MiB.");
    else
      return *std::move(content);
    return std::nullopt;
  }

  bool is_countable(const toml::node& node, std::string_view key, std::size_t count) {
    if (count > 0 && count <= variants_limit) return true;
    refuse(node, "`" + std::string{key} + "` has " + std::to_string(count) + " lines: 1 to " +
                     std::to_string(variants_limit) + " are allowed.");
    return false;
  }

  void refuse(const toml::node& node, const std::string& why) {
    if (failure_) return;
    failure_ = {base::errc::config_invalid,
                file_ + ":" + std::to_string(node.source().begin.line) + ": " + why};
  }

  std::string file_;
  const toml::table& table_;
  mix_part part_;
  std::optional<base::error> failure_;
};

base::expected<std::vector<mix_part>> read_parts(const std::string& file,
                                                 const toml::table& document) {
  const auto* operations = document["operation"].as_array();
  const auto refuse = [&file](const std::string& why) {
    return base::fail(base::errc::config_invalid, file + ": " + why);
  };
  for (const auto& [key, node] : document)
    if (key.str() != "operation")
      return refuse("there is no `" + std::string{key.str()} + "`, only [[operation]].");
  if (operations == nullptr || operations->empty())
    return refuse("has no [[operation]]. Write one for each part of the mix.");
  std::vector<mix_part> parts;
  for (const auto& node : *operations) {
    const auto* table = node.as_table();
    if (table == nullptr) return refuse("`operation` must be tables: [[operation]].");
    auto part = part_reader{file, *table}.read();
    if (!part) return tl::unexpected(part.error());
    parts.push_back(*std::move(part));
  }
  return parts;
}

} // namespace

std::optional<http::operation> find_operation(std::string_view load_name) noexcept {
  for (const auto& row : http::operations)
    if (!load_name.empty() && row.load_name == load_name) return row.id;
  return std::nullopt;
}

base::expected<std::vector<mix_part>> read_mix(const std::string& file) {
  auto text = cli::read_bounded_file(file, mix_limit_bytes);
  if (!text) return base::fail(base::errc::io_failed, file + " " + text.error().detail);
  if (text->size() > mix_limit_bytes)
    return base::fail(base::errc::config_invalid, file + " has more than 256 KiB");
  const auto document = cli::parse_toml(*text, file);
  if (!document) return tl::unexpected(document.error());
  return read_parts(file, *document);
}

std::size_t request_count(const mix_part& part) noexcept {
  const auto count = [](const variants& of) {
    const auto* texts = std::get_if<std::vector<std::string>>(&of);
    return texts != nullptr ? texts->size() : std::get<std::size_t>(of);
  };
  const bool has_body = http::row_of(part.what).body != http::body_kind::none;
  const auto bodies = has_body ? count(part.bodies) : 1;
  return std::max(bodies, part.clients ? count(*part.clients) : 1);
}

double average_body_bytes(const mix_part& part) noexcept {
  constexpr double made_bytes = 1'000;
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
