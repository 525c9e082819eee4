#include "cli/empty_variables.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::cli {

namespace {

constexpr std::array<std::string_view, 4> prefixes{"MATCHCLOUD_", "AWS_", "PG", "SSL_CERT_"};

} // namespace

void forget_empty_variables() {
  std::vector<std::string> names;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text{*entry};
    const bool is_read = std::ranges::any_of(
        prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
    if (is_read && text.ends_with('=') && text.find('=') == text.size() - 1)
      names.emplace_back(text.substr(0, text.size() - 1));
  }
  for (const auto& name : names)
    ::unsetenv(name.c_str()); // NOLINT(concurrency-mt-unsafe): before any thread
}

} // namespace matchcloud::cli
