#include "store/housekeeping/kept_data_json.hpp"

#include "model/json/json_writer.hpp"
#include "model/text/timestamp.hpp"

namespace matchcloud::store {

namespace {

void write(model::json_writer& json, const erasure& one) {
  json.object().name("game_id").text(to_string(one.game_id));
  json.name("begun").text(model::format_timestamp(one.begun_ms));
  json.name("finished");
  if (one.finished_ms)
    json.text(model::format_timestamp(*one.finished_ms));
  else
    json.null();
  json.name("lobbies").number(one.lobbies).name("avatars").number(one.avatars);
  json.name("exports").number(one.exports).name("tokens").number(one.tokens);
  json.end_object();
}

} // namespace

std::string json_of(const erasure& one) {
  model::json_writer json;
  write(json, one);
  return json.take();
}

std::string json_of(const std::vector<erasure>& all) {
  model::json_writer json;
  json.object().name("erasures").array();
  for (const auto& each : all)
    write(json, each);
  return json.end_array().end_object().take();
}

std::string json_of(const std::vector<game_retention>& all, std::chrono::days overall) {
  model::json_writer json;
  json.object().name("retention_days").number(overall.count()).name("games").array();
  for (const auto& each : all) {
    json.object().name("game_id").text(to_string(each.game_id));
    json.name("retention_days").number(each.retention_days).name("complete_from");
    if (each.complete_from_ts > 0)
      json.text(model::format_timestamp(each.complete_from_ts));
    else
      json.null();
    json.name("due").number(each.due).end_object();
  }
  return json.end_array().end_object().take();
}

} // namespace matchcloud::store
