#include "tests/simulation/requests.hpp"

#include "model/avatars/image_content.hpp"

#include <array>
#include <utility>

namespace matchcloud::simulation {

namespace {

using base::owner;

const std::array<std::string, 6> bodies{
    "{}",
    "[]",
    "{\"nonsense\":1}",
    R"({"display_name":"x","tier":"basic-1d1"})",
    "{\"display_name\":",
    "{\"cdn\":{},\"matchmaker\":{\"game_modes\":[]}}",
};

std::string text_of(owner who) {
  return std::string{name_of(who)};
}

} // namespace

std::shared_ptr<simulated_request> requests::start(std::string what, owner who) {
  auto made = std::make_shared<simulated_request>();
  made->id = "s" + std::to_string(world_->seed) + "-" + std::to_string(++last_);
  made->what = std::move(what);
  made->owner = who;
  made->strict = strict_;
  return made;
}

std::shared_ptr<simulated_request> requests::start_of_ops(std::string what, owner who) {
  auto made = start(std::move(what), who);
  made->of_ops = true;
  return made;
}

void requests::write(simulated_request& to, std::string_view line, std::string headers,
                     std::string_view body) {
  auto& random = world_->random;
  to.head = line.starts_with("HEAD ");
  std::string version = " HTTP/1.1\r\n";
  if (!to.strict && random.one_in(24)) {
    version = " HTTP/1.0\r\n";
    to.closes = true;
  } else if (!to.strict && random.one_in(24)) {
    headers += "Connection: close\r\n";
    to.closes = true;
  }
  headers += "Host: localhost\r\n";
  headers += "X-Request-Id: " + to.id + "\r\n";
  if (!to.strict && to.owner != owner::none && random.one_in(20)) {
    headers += "X-Fault: " + text_of(to.owner) + ".receive, front.reply\r\n";
    to.poisoned = true;
  }
  to.bytes.append(line).append(version);
  if (body.empty() && !line.starts_with("POST ")) {
    to.bytes.append(headers).append("\r\n");
    return;
  }
  const bool chunked = version == " HTTP/1.1\r\n" && random.one_in(4);
  if (chunked) headers += "Transfer-Encoding: chunked\r\n";
  write_body(to, headers, body);
  if (!chunked) return;
}

void requests::write_body(simulated_request& to, std::string& headers, std::string_view body) {
  auto& random = world_->random;
  const bool chunked = headers.find("chunked") != std::string::npos;
  if (to.bytes.ends_with("1.1\r\n") && random.one_in(8)) {
    headers += "Expect: 100-continue\r\n";
    to.expects_continue = true;
  }
  if (!chunked) {
    headers += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    to.bytes.append(headers).append("\r\n");
    to.pieces.push_back({0, to.bytes.size(), body.size()});
    to.bytes.append(body);
    return;
  }
  to.bytes.append(headers).append("\r\n");
  const auto all = body.size();
  while (!body.empty()) {
    const auto size = std::min(body.size(), 1 + random.below(body.size()));
    std::array<char, 20> digits{};
    std::snprintf(digits.data(), digits.size(), "%zx", size);
    to.bytes.append(digits.data()).append("\r\n");
    to.pieces.push_back({all - body.size(), to.bytes.size(), size});
    to.bytes.append(body.substr(0, size)).append("\r\n");
    body.remove_prefix(size);
  }
  to.bytes.append("0\r\n\r\n");
}

std::shared_ptr<simulated_request> requests::ping() {
  auto made = start("ping", owner::none);
  write(*made, world_->random.one_in(4) ? "HEAD /ping" : "GET /ping", {});
  made->judge = [](const simulated_request&, const answer& got) { return expect(got, 204, {}); };
  return made;
}

std::shared_ptr<simulated_request> requests::listing(std::uint8_t client) {
  auto& random = world_->random;
  auto made = start("regions of client " + std::to_string(client), owner::region_ranking);
  const auto domain = random.one_in(2) ? random.of(known_domains()) : std::string{};
  const std::string rtt = random.one_in(4) ? "nrt:250,ams:257.5,none:1" : "";
  const bool detailed = random.one_in(4);
  std::string query = rtt.empty() ? "" : "?rtt=" + rtt;
  if (detailed) query += (rtt.empty() ? "?" : "&") + std::string{"fields=latency"};
  std::string headers;
  if (!domain.empty()) headers += "Origin: https://" + domain + "\r\n";
  if (random.one_in(3)) headers += "Accept-Encoding: gzip\r\n";
  write(*made, "GET /matchmaker/regions" + query, std::move(headers));
  made->judge = [this, asked = asked_listing{client, domain, rtt, detailed}](
                    const simulated_request& request, const answer& got) {
    return oracle_->judge_listing(request, got, asked);
  };
  return made;
}

std::shared_ptr<simulated_request> requests::report() {
  auto& random = world_->random;
  auto made = start("report of latencies", owner::latency_map);
  // Half of the way around the earth and back takes light 200 ms.
  const auto least = made->strict || random.one_in(2) ? 300 : 0;
  std::string body;
  for (const std::string id : {"ams", "fra", "nrt"})
    if (body.empty() || random.one_in(2))
      body +=
          (body.empty() ? "\"" : ",\"") + id + "\":" + std::to_string(least + random.below(100));
  const std::string unknown = random.one_in(4) ? "\"none\"" : "";
  if (!unknown.empty()) body += "," + unknown + ":1";
  write(*made, "POST /matchmaker/latencies",
        random.one_in(2) ? "Content-Type: application/json\r\n" : "",
        "{\"latencies\":{" + body + "}}");
  made->judge = [this, unknown](const simulated_request& request, const answer& got) {
    return oracle_->judge_report(request, got, unknown);
  };
  return made;
}

std::shared_ptr<simulated_request> requests::group() {
  auto& random = world_->random;
  auto made = start("regions for a group", owner::region_ranking);
  const auto domain = random.one_in(2) ? random.of(known_domains()) : std::string{};
  // Figures that depend neither on GeoIP files nor on what others report.
  const std::string body = R"({"players":[{"id":"a","latencies":{"nrt":5,"ams":30}},)"
                           R"({"latencies":{"ams":7.5,"none":1}},{}],"strategy":")" +
                           random.of(std::vector<std::string>{"worst", "mean", "fair"}) + "\"}";
  write(*made, "POST /matchmaker/regions/group",
        domain.empty() ? ""
                       : "Origin: https://" + domain + "\r\nContent-Type: application/json\r\n",
        body);
  made->judge = [this, domain, body](const simulated_request& request, const answer& got) {
    return oracle_->judge_group(request, got, domain, body);
  };
  return made;
}

std::shared_ptr<simulated_request> requests::validation() {
  auto& random = world_->random;
  const auto kind = std::array{model::payload_kind::version, model::payload_kind::game,
                               model::payload_kind::group}[random.below(3)];
  auto body = random.of(bodies);
  const bool large = random.one_in(6);
  if (large) body.append(70'000, ' ');
  auto made = start(large ? "validation of a large body" : "validation",
                    large ? owner::large_validator : owner::validator);
  const auto game = numbered(static_cast<std::uint32_t>(1 + random.below(4)));
  std::string line = "POST /cloud/games/validate";
  if (kind == model::payload_kind::group) line = "POST /cloud/groups/validate";
  if (kind == model::payload_kind::version)
    line = "POST /cloud/games/" + model::to_string(game) + "/versions/validate";
  write(*made, line, "Content-Type: application/json\r\n", body);
  made->judge = [this, kind, game, body](const simulated_request& request, const answer& got) {
    return oracle_->judge_validation(request, got, kind, game, body);
  };
  return made;
}

std::shared_ptr<simulated_request> requests::avatars(const model::uuid& game) {
  auto made = start("avatars of game " + std::to_string(game.bytes.back()), owner::avatar);
  write(*made, "GET /cloud/games/" + model::to_string(game) + "/avatars", {});
  made->judge = [this, game](const simulated_request& request, const answer& got) {
    return oracle_->judge_avatars(request, got, game);
  };
  return made;
}

std::shared_ptr<simulated_request> requests::image() {
  auto& random = world_->random;
  const auto& which = random.of(world_->on_disk->images());
  auto made = start("image of " + std::to_string(which.bytes.size()) + " bytes", owner::media);
  auto id = which.key.upload_id;
  const bool missing = random.one_in(8);
  if (missing) id.bytes[0] = 9;
  const auto target =
      "/media/avatars/" + model::to_string(id) + "/" + model::to_string(which.key.name);
  if (missing) {
    write(*made, "GET " + target, {});
    made->judge = [](const simulated_request&, const answer& got) -> std::string {
      return is_problem(got, base::errc::media_not_found) ? "" : "an image that there is not";
    };
  } else if (random.one_in(4)) {
    write(*made, "GET " + target, "Range: bytes=10-59\r\n");
    made->judge = [&which](const simulated_request&, const answer& got) {
      return expect(got, 206, std::string_view{which.bytes}.substr(10, 50));
    };
  } else if (random.one_in(4)) {
    write(*made, "HEAD " + target, {});
    made->judge = [&which](const simulated_request&, const answer& got) -> std::string {
      return got.status == 200 && got.header("content-length") == std::to_string(which.bytes.size())
                 ? ""
                 : "another head than its image's";
    };
  } else {
    write(*made, "GET " + target, {});
    made->judge = [&which](const simulated_request&, const answer& got) {
      return expect(got, 200, which.bytes);
    };
  }
  return made;
}

model::export_query requests::any_query(const model::uuid& game) {
  auto& random = world_->random;
  // Few different spans, so that exports are joined and reused; some end in the future.
  constexpr std::uint64_t begin = 1'700'003'500'000;
  const std::array<model::time_span, 4> spans{
      model::time_span{0, 1'900'000'000'000}, model::time_span{begin, begin + 102'000},
      model::time_span{begin + 50'000, begin + 110'000}, model::time_span{begin, begin}};
  return {game, random.of(spans)};
}

std::shared_ptr<simulated_request> requests::export_of(const model::uuid& game) {
  auto made = start("export of game " + std::to_string(game.bytes.back()), owner::lobby_export);
  const auto query = any_query(game);
  write(*made, "POST /cloud/games/" + model::to_string(game) + "/matchmaker/lobbies/export-history",
        {},
        "{\"query_start\":" + std::to_string(query.span.begin) +
            ",\"query_end\":" + std::to_string(query.span.end) + "}");
  made->judge = [this, query](const simulated_request& request, const answer& got) {
    return oracle_->judge_export(request, got, query);
  };
  return made;
}

std::shared_ptr<simulated_request> requests::download(linked_export& of) {
  auto& random = world_->random;
  auto made = start("download", owner::export_download);
  const auto forged = !made->strict && random.one_in(12);
  auto target = of.target;
  if (forged) target.back() = target.back() == 'A' ? 'B' : 'A';
  write(*made, "GET " + target, random.one_in(2) ? "Accept-Encoding: gzip\r\n" : "");
  if (forged)
    made->judge = [](const simulated_request&, const answer& got) -> std::string {
      return is_problem(got, base::errc::signature_invalid) ? "" : "a forged URL is believed";
    };
  else
    made->judge = [this, &of](const simulated_request& request, const answer& got) {
      return oracle_->judge_download(request, got, of);
    };
  return made;
}

std::shared_ptr<simulated_request> requests::any_download() {
  auto& all = oracle_->links;
  if (all.empty()) return export_of(world_->random.of(known_games()));
  return download(all[world_->random.below(all.size())]);
}

std::shared_ptr<simulated_request> requests::health() {
  auto made = start_of_ops("health", owner::none);
  write(*made, "GET /healthz", {});
  made->judge = [](const simulated_request&, const answer& got) {
    return expect(got, 200, R"({"status":"ok"})");
  };
  return made;
}

std::shared_ptr<simulated_request> requests::ingest() {
  auto& all = oracle_->batches;
  return ingest(all.emplace_back(all.size(), world_->random));
}

std::shared_ptr<simulated_request> requests::ingest(lobby_batch& of) {
  auto made = start_of_ops("ingest " + std::to_string(of.number()) + " of " +
                               std::to_string(of.line_count()) + " lines",
                           owner::ingestion);
  write(*made, "POST /v1/lobbies",
        world_->random.one_in(2) ? "Content-Type: application/x-ndjson\r\n" : "", of.body());
  of.begin_try();
  made->batch = &of;
  made->judge = [this, &of](const simulated_request& request, const answer& got) {
    return oracle_->judge_ingest(request, got, of);
  };
  return made;
}

std::shared_ptr<simulated_request> requests::any_of_ops() {
  auto& random = world_->random;
  if (random.one_in(6)) return health();
  auto& all = oracle_->batches;
  // Most often one that is not known to be taken: it may be on its way at the same time.
  if (all.empty() || random.one_in(2)) return ingest();
  auto& which = all[random.below(all.size())];
  return which.is_taken() && !random.one_in(8) ? ingest() : ingest(which);
}

std::shared_ptr<simulated_request> requests::refused() {
  struct row {
    std::string line;
    base::errc code;
  };
  static const std::vector<row> rows{
      {"GET /nowhere", base::errc::route_not_found},
      {"DELETE /ping", base::errc::method_not_allowed},
      {"GET /cloud/games/nonsense/avatars", base::errc::id_malformed},
      {"GET /matchmaker/regions?rtt=ams", base::errc::query_invalid},
      {"GET /matchmaker/regions?fields=speed", base::errc::query_invalid},
      {"GET /%zz", base::errc::target_malformed}};
  const auto& which = world_->random.of(rows);
  auto made = start("refused: " + which.line, owner::none);
  write(*made, which.line, {});
  made->judge = [&which](const simulated_request&, const answer& got) -> std::string {
    return is_problem(got, which.code) ? "" : "another refusal: " + got.body;
  };
  return made;
}

std::shared_ptr<simulated_request> requests::malformed() {
  static const std::vector<std::string> all{
      "GET / HTTP/1.1\nHost: x\n\n",
      "GET / HTTP/1.1\r\n\r\n",
      "POST /cloud/games/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n"
      "Transfer-Encoding: chunked\r\n\r\n",
      "POST /cloud/games/validate HTTP/1.1\r\nHost: x\r\nContent-Length: 9999999\r\n\r\n",
      "GET / HTTP/2.0\r\nHost: x\r\n\r\n",
      "GET /" + std::string(3'000, 'x') + " HTTP/1.1\r\nHost: x\r\n\r\n"};
  auto made = start("malformed", owner::none);
  made->malformed = made->closes = true;
  made->bytes = world_->random.of(all);
  made->judge = [](const simulated_request&, const answer& got) -> std::string {
    return got.status >= 400 && got.status <= 505 && got.status != 404 ? "" : "it was taken";
  };
  return made;
}

std::shared_ptr<simulated_request> requests::any(std::uint8_t client) {
  auto& random = world_->random;
  switch (random.below(21)) {
  case 0: return ping();
  case 1:
  case 2:
  case 3: return listing(client);
  case 4:
  case 5:
  case 6: return validation();
  case 7:
  case 8:
  case 9: return avatars(numbered(static_cast<std::uint32_t>(1 + random.below(4))));
  case 10:
  case 11: return image();
  case 12:
  case 13: return export_of(random.of(known_games()));
  case 14:
  case 15: return any_download();
  case 16: return refused();
  case 17: return group();
  case 18:
  case 19: return report();
  default: return random.one_in(4) ? malformed() : ping();
  }
}

} // namespace matchcloud::simulation
