#include "app/config/config.hpp"
#include "app/config/service_keys.hpp"
#include "http/front/front_settings.hpp"
#include "http/limits/limits.hpp"
#include "http/tls/tls_material.hpp"
#include "model/validation/rule_keys.hpp"
#include "store/engines/store_keys.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace matchcloud::app {

namespace {

using section = config_key::section;

/// Collects the rows of the rooms, heading by heading.
class key_table {
public:
  void head(std::string_view heading, section where = section::service) {
    heading_ = heading;
    where_ = where;
  }
  /// Adds the rows of the settings that `part(config)` is.
  template <class Settings, class Part>
  void add(const base::config_rows<Settings>& rows, Part part) {
    for (const auto& row : rows)
      keys_.push_back({base::row_of_part<serve_config>(row, part), where_, heading_});
  }
  void add(const base::config_rows<serve_config>& rows) { add(rows, std::identity{}); }

  std::vector<config_key> take() { return std::move(keys_); }

private:
  std::string_view heading_;
  section where_ = section::service;
  std::vector<config_key> keys_;
};

std::vector<config_key> collect() {
  constexpr auto access = [](serve_config & of) -> auto& {
    return of.front.access;
  };
  constexpr auto store_watch = [](serve_config & of) -> auto& {
    return of.front.store;
  };
  key_table all;
  all.head("Listening");
  all.add(listening_keys());
  all.add(http::tls_keys(), &serve_config::tls);
  all.add(http::path_keys(), &serve_config::front);
  all.head("Data");
  all.add(store::data_keys(), &serve_config::store);
  all.add(geoip_keys());
  all.head("PostgreSQL");
  all.add(store::server_keys(), &serve_config::store);
  all.add(store::session_keys(), &serve_config::store_sessions);
  all.add(http::store_watch_keys(), store_watch);
  all.add(start_keys());
  all.head("Images and exports in a bucket");
  all.add(store::bucket_keys(), &serve_config::store);
  all.head("Clients and proxies");
  all.add(http::page_keys(), &serve_config::front);
  all.head("Tokens and rate limits");
  all.add(http::access_keys(), access);
  all.add(http::client_keys(), &serve_config::limits);
  all.add(store::retention_keys(), &serve_config::retention);
  all.head("Limits");
  all.add(http::limit_keys(), &serve_config::limits);
  all.head("Timeouts");
  all.add(http::timeout_keys(), &serve_config::limits);
  all.add(process_keys());
  all.head("Logs");
  all.add(log_keys());
  all.add(http::access_log_keys(), &serve_config::access_log);
  all.head("Mailboxes and supervision");
  all.add(http::mailbox_keys(), &serve_config::limits);
  all.add(actors::restart_keys(), &serve_config::restarts);
  all.add(trace_keys());
  all.head("Regions");
  all.add(actors::ranking_keys(), &serve_config::ranking);
  all.add(actors::latency_keys(), &serve_config::latencies);
  all.head("Avatars and images");
  all.add(actors::avatar_keys(), &serve_config::avatars);
  all.add(actors::media_keys(), &serve_config::media);
  all.add(store::image_retention_keys(), &serve_config::retention);
  all.head("Ingestion of lobbies");
  all.add(actors::ingestion_keys(), &serve_config::ingestion);
  all.head("Exports");
  all.add(actors::export_keys(), &serve_config::exports);
  all.head("Validation, also [rules] of the TOML file", section::rules);
  all.add(model::rule_keys(), &serve_config::rules);
  all.head("Limits of validation, also [limits] of the TOML file, without limit-", section::limits);
  all.add(model::validation_limit_keys(), &serve_config::rules);
  all.head("Fault injection");
  all.add(fault_keys());
  return all.take();
}

} // namespace

std::string_view table_of(section where) noexcept {
  switch (where) {
  case section::service: return {};
  case section::rules: return "rules";
  case section::limits: return "limits";
  }
  return {};
}

std::string_view name_in_table(const config_key& key) noexcept {
  std::string_view name = key.name;
  if (key.where == section::limits) name.remove_prefix(model::validation_limit_prefix.size());
  return name;
}

std::span<const config_key> config_keys() {
  static const auto keys = collect();
  return keys;
}

const config_key* find_config_key(std::string_view name) {
  const auto keys = config_keys();
  const auto found = std::ranges::find(keys, name, &config_key::name);
  return found == keys.end() ? nullptr : &*found;
}

} // namespace matchcloud::app
