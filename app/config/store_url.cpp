#include "app/config/store_url.hpp"

#include "store/open_store.hpp"

#include <cstdlib>

namespace matchcloud::app {

base::expected<void> check_store_url(const std::string& url, url_source from) {
  if (!store::is_postgres_url(url))
    return base::fail(base::errc::config_invalid,
                      "not the URL of a store; use postgresql://[USER@]HOST[:PORT]/DATABASE, or "
                      "for a store in a directory only --data-dir");
  if (auto checked = store::check_postgres_url(url); !checked) return checked;
  if (from == url_source::flag && store::has_password(url))
    return base::fail(
        base::errc::config_invalid,
        "a password on the command line can be read by every user of the machine; put it into "
        "~/.pgpass or a service file, or set MATCHCLOUD_STORE to the URL");
  return {};
}

std::string store_url_of_environment() {
  const auto* url = std::getenv(store_variable); // NOLINT(concurrency-mt-unsafe): nobody sets it
  return url ? url : "";
}

} // namespace matchcloud::app
