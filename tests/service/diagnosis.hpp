#pragma once

#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"
#include "tests/service/process.hpp"
#include "tests/service/tls_client.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>

namespace matchcloud::e2e {

/// What `doctor --json` has said. Checks that its numbers and its exit code agree.
class diagnosis {
public:
  explicit diagnosis(const command_result& got) : exit_code_{got.exit_code}, errors_{got.errors} {
    INFO(got.out);
    INFO(got.errors);
    const auto document = parse_json(got.out);
    REQUIRE(document.IsObject());
    for (const auto& each : document["findings"].GetArray())
      findings_.emplace(text_at(each, "check"),
                        finding{text_at(each, "level"),
                                text_at(each, "message") + "; " + text_at(each, "advice")});
    CHECK(document["errors"].GetUint64() == count("error"));
    CHECK(document["warnings"].GetUint64() == count("warning"));
    CHECK(document["ok"].GetUint64() == count("ok"));
    CHECK(exit_code_ == (count("error") == 0 ? 0 : 1));
  }

  int exit_code() const noexcept { return exit_code_; }
  /// What it wrote to stderr.
  const std::string& errors() const noexcept { return errors_; }

  std::size_t count(const std::string& level) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        findings_, [&](const auto& each) { return each.second.level == level; }));
  }
  /// Whether a finding of that check and level has `part` in its message or advice.
  bool has(const std::string& check, const std::string& level, const std::string& part = {}) const {
    const auto [first, last] = findings_.equal_range(check);
    return std::any_of(first, last, [&](const auto& each) {
      return each.second.level == level && each.second.text.find(part) != std::string::npos;
    });
  }
  /// All findings, for messages of tests.
  std::string shown() const {
    std::string text;
    for (const auto& [check, found] : findings_)
      text.append(found.level).append(" ").append(check).append(": ").append(found.text) += "\n";
    return text;
  }

private:
  struct finding {
    std::string level;
    std::string text;
  };

  int exit_code_;
  std::string errors_;
  std::multimap<std::string, finding> findings_;
};

inline const arguments kernels_ports{"--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"};

/// Runs `matchcloud doctor --json --data-dir DIRECTORY FLAGS..`.
inline diagnosis doctor(const std::string& data_dir, const arguments& flags = {},
                        const environment& added = {}) {
  return diagnosis{run(arguments{"doctor", "--json", "--data-dir", data_dir} + flags, added)};
}

} // namespace matchcloud::e2e
