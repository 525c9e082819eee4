#include "app/node/last_protections.hpp"

#include "app/process/host_name.hpp"
#include "model/text/timestamp.hpp"

#include <algorithm>

namespace matchcloud::app {

namespace {

std::string subject() {
  return "hosts/" + host_name();
}

} // namespace

bool has_fixed_port(const serve_config& config) {
  return std::ranges::any_of(config.listen,
                             [](const data_listener& each) { return each.where.port != 0; });
}

base::expected<std::optional<last_protections>> find_last_protections(store::database& in) {
  auto log = in.audit();
  if (!log) return tl::unexpected(log.error());
  model::audit_query query{.limit = 1, .action = "service", .subject = subject()};
  while (true) {
    const auto page = (*log)->read_audit(query);
    if (!page) return tl::unexpected(page.error());
    if (!page->entries.empty()) {
      const auto& last = page->entries.front();
      return read_protections(last.what.after).map([&](given_protections given) {
        return std::optional{last_protections{std::move(given), last.at_ms}};
      });
    }
    if (page->next_before == 0) return std::nullopt;
    query.before = page->next_before;
  }
}

base::expected<void> check_against(const last_protections& last, const given_protections& wanted) {
  auto kept = check_protections(last.given, wanted);
  if (!kept)
    kept.error().detail +=
        "\nThe last start on this host was at " + model::format_timestamp(last.at_ms);
  return kept;
}

base::expected<void> record_protections(store::database& in, model::audit_action action,
                                        const given_protections& given) {
  return in.access().and_then([&](const auto& log) {
    return log->record({action, subject(), {}, to_json(given)});
  });
}

} // namespace matchcloud::app
