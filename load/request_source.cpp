#include "load/request_source.hpp"

#include "model/net/ip_address.hpp"

#include <algorithm>
#include <array>

namespace matchcloud::load {

namespace {

/// Makes an IPv4 address that a player could have: not private, not reserved, not multicast.
std::string public_address(std::mt19937_64& engine) {
  for (;;) {
    const auto bits = engine();
    const std::array<std::uint8_t, 4> octets{
        static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
        static_cast<std::uint8_t>(bits >> 16), static_cast<std::uint8_t>(bits >> 24)};
    const bool special = octets[0] == 0 || octets[0] == 10 || octets[0] == 100 ||
                         octets[0] == 127 || octets[0] == 169 || octets[0] == 172 ||
                         octets[0] == 192 || octets[0] == 198 || octets[0] == 203 ||
                         octets[0] >= 224;
    if (!special) return model::to_string(model::ip_address::from_v4(octets));
  }
}

std::string display_name(std::mt19937_64& engine, std::string_view of_what) {
  return "{\"display_name\":\"" + std::string{of_what} + " " +
         std::to_string(engine() % 1'000'000) + "\"";
}

/// Makes a version without findings: it refers to no tier or region.
std::string version_body(std::mt19937_64& engine) {
  constexpr std::array<std::string_view, 4> modes{"duel", "squad", "battle-royale", "practice"};
  const auto players = 2 + engine() % 62;
  std::string body = display_name(engine, "version") +
                     R"(,"config":{"cdn":{"site_id":"c4f1d0de-5a0b-4b6c-9a52-0f9f4f1b2a10"},)"
                     R"("matchmaker":{"game_modes":{)";
  for (std::size_t i = 0; i < modes.size(); ++i)
    body += (i == 0 ? "\"" : ",\"") + std::string{modes[i]} + R"(":{"max_players":)" +
            std::to_string(players) + R"(,"idle_lobbies":{"min":0,"max":)" +
            std::to_string(1 + engine() % 3) +
            R"(},"docker":{"image_id":"7e0a2f60-1d5c-4b8e-8c7f-1f2d3a4b5c6d",)"
            R"("ports":{"game":{"port":7777,"protocol":"udp"}}}})";
  return body + "}}}}";
}

std::string export_body(const mix_part& part, std::mt19937_64& engine) {
  const auto begin = part.from_ms + engine() % (part.to_ms - part.from_ms - part.length_ms + 1);
  return R"({"query_start":)" + std::to_string(begin) + R"(,"query_end":)" +
         std::to_string(begin + part.length_ms) + "}";
}

std::vector<std::string> bodies_of(const mix_part& part, std::mt19937_64& engine) {
  if (row_of(part.what).body == http::body_kind::none) return {std::string{}};
  if (const auto* given = std::get_if<std::vector<std::string>>(&part.bodies)) return *given;
  std::vector<std::string> bodies(std::get<std::size_t>(part.bodies));
  std::ranges::generate(bodies, [&]() -> std::string {
    switch (part.what) {
    case http::operation::validate_group: return display_name(engine, "Group") + "}";
    case http::operation::validate_game: return display_name(engine, "Game") + "}";
    case http::operation::validate_version: return version_body(engine);
    case http::operation::export_lobby_history: return export_body(part, engine);
    default: return {};
    }
  });
  return bodies;
}

std::vector<std::string> clients_of(const mix_part& part, std::mt19937_64& engine) {
  if (!part.clients) return {std::string{}};
  if (const auto* given = std::get_if<std::vector<std::string>>(&*part.clients)) return *given;
  std::vector<std::string> clients(std::get<std::size_t>(*part.clients));
  std::ranges::generate(clients, [&engine] { return public_address(engine); });
  return clients;
}

/// The operation's path, with the part's game as its parameter.
std::string path_of(const mix_part& part) {
  const auto path = row_of(part.what).path;
  const auto begin = path.find('{');
  if (begin == path.npos) return std::string{path};
  return std::string{path.substr(0, begin)} + part.game +
         std::string{path.substr(path.find('}') + 1)};
}

} // namespace

request_pool::request_pool(const mix_part& part, const request_frame& frame, std::uint64_t seed) {
  std::mt19937_64 engine{seed};
  if (const auto* any = std::get_if<any_request>(&part.any)) make_any(*any, frame, engine);
  if (part.any.index() != 0) return;
  const auto bodies = bodies_of(part, engine);
  const auto clients = clients_of(part, engine);
  const bool posts = row_of(part.what).method == http::method::post;
  const auto head = begin_request(frame, posts ? "POST" : "GET", frame.base_path + path_of(part));
  const auto count = std::max(bodies.size(), clients.size());
  requests_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& client = clients[i % clients.size()];
    const auto& body = bodies[i % bodies.size()];
    auto request = head;
    auto& text = request.text;
    if (!client.empty()) text.append("X-Forwarded-For: ").append(client).append("\r\n");
    if (posts)
      text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n";
    text.append("\r\n").append(body);
    requests_.push_back(std::move(request));
  }
}

void request_pool::make_any(const any_request& any, const request_frame& frame,
                            std::mt19937_64& engine) {
  requests_.reserve(any.count);
  for (std::size_t i = 0; i < any.count; ++i) {
    std::string_view line;
    if (!any.lines.empty()) line = any.lines[i % any.lines.size()];
    // Cannot fail: values were checked when the mix file was read.
    requests_.push_back(make_request(any.form, frame, {engine, line, {}}).value());
  }
}

request_source::request_source(const std::vector<mix_part>& parts,
                               const std::vector<request_pool>& pools, std::uint64_t seed)
    : parts_{&parts}, pools_{&pools}, engine_{seed} {
  std::vector<double> weights;
  weights.reserve(parts.size());
  for (const auto& part : parts)
    weights.push_back(part.weight);
  part_ = {weights.begin(), weights.end()};
  const auto rows = rows_of(parts);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (rows[i].step == 0) first_rows_.push_back(i);
}

request_source::request request_source::next() {
  const auto part = pools_->size() == 1 ? 0 : part_(engine_);
  const auto& pool = (*pools_)[part];
  if (pool.size() == 0) return {first_rows_[part], {}};
  const auto& chosen = pool[engine_() % pool.size()];
  return {first_rows_[part], chosen.text, chosen.token_at, (*parts_)[part].status};
}

} // namespace matchcloud::load
