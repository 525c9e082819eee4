#include "model/net/base_url.hpp"

#include "model/net/url_parts.hpp"

namespace matchcloud::model {

base::expected<void> check_base_url(std::string_view url) {
  const auto parts = split_url(url);
  if (parts && parts->authority.find('@') != std::string_view::npos)
    return base::fail(base::errc::config_invalid,
                      "everyone would see the user name and password before the @; remove them");
  if (!is_web_url(url) || url.back() == '/' ||
      url.find_first_of(" ?#\"<>") != std::string_view::npos)
    return base::fail(base::errc::config_invalid, {});
  return {};
}

} // namespace matchcloud::model
