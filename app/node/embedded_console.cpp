#include "app/node/embedded_console.hpp"

#include <string>

namespace matchcloud::app {

std::shared_ptr<const http::console_files> embedded_console() {
  const auto files = embedded_console_files();
  if (files.empty()) return nullptr;
  auto made = std::make_shared<http::console_files>();
  for (const auto& each : files)
    made->by_name.emplace(each.name, http::make_static_content(http::media_type_of(each.name),
                                                               std::string{each.bytes},
                                                               std::string{each.gzip}));
  return made;
}

} // namespace matchcloud::app
