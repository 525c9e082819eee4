#pragma once

#include "http/front/static_content.hpp"
#include "model/catalog/catalog.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace matchcloud::http {

/// The files of the console by their names: `index.html`, `docs.html`, and what these refer to as
/// `assets/NAME`. Immutable.
struct console_files {
  std::map<std::string, std::shared_ptr<const static_content>, std::less<>> by_name;

  /// Null: there is no such file.
  std::shared_ptr<const static_content> find(std::string_view name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
  }
};

/// The media type of a file by the end of its name.
std::string_view media_type_of(std::string_view file_name) noexcept;

/// The origins of the catalog's ping URLs, for the policy below: ` https://..` each. At most 64,
/// because browsers and proxies limit a header's size.
std::string ping_origins(const model::catalog& of);

/// The `Content-Security-Policy` of the console's pages. They may send requests to the service
/// itself and to `ping_origins`, each ` https://..`.
std::string console_policy(std::string_view ping_origins);

} // namespace matchcloud::http
