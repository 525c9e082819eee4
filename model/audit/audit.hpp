#pragma once

#include "base/expected.hpp"
#include "model/audit/audit_action.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matchcloud::model {

/// The author of a change, and the request that made it. Never contains a token.
struct audit_author {
  enum class kind : std::uint8_t {
    /// `name` and `id` are the token's.
    token,
    /// A command on this machine, whose user has the number `id` and the name `name`; or a request
    /// from this machine without a token, whose user is not known.
    local,
    /// `name` is the subject of the client's certificate.
    certificate,
    /// The service itself, such as when entries expire.
    service,
  };

  kind what = kind::local;
  std::string name;
  std::string id;
  /// The client's address; empty for a command.
  std::string address;
  /// Empty for a command.
  std::string request_id;

  friend bool operator==(const audit_author&, const audit_author&) = default;
};

/// The kinds' names, in JSON and in queries.
inline constexpr std::array<std::string_view, 4> audit_author_names{"token", "local", "certificate",
                                                                    "service"};

constexpr std::string_view name_of(audit_author::kind kind) noexcept {
  return audit_author_names[static_cast<std::size_t>(kind)];
}

/// `token build (2f..)`, `local root (0)`.
std::string describe(const audit_author& who);

/// The content of a change. `before` and `after` are JSON; empty: there is none.
struct audit_change {
  audit_change() = default;
  audit_change(audit_action done, std::string about, std::string from, std::string into)
      : action{name_of(done)},
        subject{std::move(about)},
        before{std::move(from)},
        after{std::move(into)} {}

  /// The name of an `audit_action`. Entries that other versions wrote may have other actions.
  std::string action;
  /// What it is about, such as `games/2f..`, or the name of a file.
  std::string subject;
  std::string before;
  std::string after;

  friend bool operator==(const audit_change&, const audit_change&) = default;
};

/// An entry of the audit log.
struct audit_entry {
  /// Ascends; may have gaps.
  std::int64_t entry = 0;
  /// Milliseconds since 1970.
  std::int64_t at_ms = 0;
  audit_author who;
  audit_change what;
};

/// Which entries to read: the newest first. Texts select entries unless they are empty.
struct audit_query {
  /// Entries with a lower number only; 0: from the newest on.
  std::int64_t before = 0;
  std::size_t limit = 100;
  /// Milliseconds since 1970: entries of that time or later.
  std::int64_t since_ms = 0;
  /// An action such as `token.create`, or the first words of several, such as `token`.
  std::string action = {};
  /// A subject such as `games/2f..`, or the first names of several, such as `games`.
  std::string subject = {};
  /// The name, id or kind of an author.
  std::string who = {};

  bool selects() const noexcept { return !(action.empty() && subject.empty() && who.empty()); }
};
/// The limit on the texts of a query.
inline constexpr std::size_t audit_filter_limit_bytes = 1'024;
inline constexpr std::size_t audit_page_limit = 1'000;
/// Entries that a query with texts looks at for one page; the next page continues after them.
inline constexpr std::size_t audit_scan_limit = 20'000;
/// A page ends with the entry at which its texts reach this size.
inline constexpr std::size_t audit_page_limit_bytes = 4UL * 1024 * 1024;
/// The size of an entry's texts.
std::size_t size_of(const audit_entry& one) noexcept;

/// Longer texts in `before` and `after` are left out of an entry, which then has their size.
inline constexpr std::size_t audit_text_limit_bytes = 64 * 1024;

/// One run of changes by one author: a request, or an import. The first transaction of a run that
/// changes anything writes the run's only entry. Shared by the sessions of a run, one at a time.
struct audit_run {
  audit_author by;
  /// If given, the entry shows this and not the change of one transaction, as a run has many.
  std::optional<audit_change> as = {};
  /// Set when the entry is committed.
  bool is_recorded = false;
};
using audit_run_ptr = std::shared_ptr<audit_run>;

inline audit_run_ptr run_of(audit_author by) {
  return std::make_shared<audit_run>(audit_run{std::move(by)});
}
inline audit_run_ptr run_of(audit_author by, audit_change as) {
  return std::make_shared<audit_run>(audit_run{std::move(by), std::move(as)});
}

/// Entries, newest first.
struct audit_page {
  std::vector<audit_entry> entries;
  /// `audit_query::before` for the next page; 0: there are no older entries.
  std::int64_t next_before = 0;
};

/// The query of `GET /v1/audit`, already split and decoded; empty: not given.
struct audit_query_texts {
  std::string before;
  std::string limit;
  std::string since;
  std::string action;
  std::string subject;
  std::string who;
};
/// Fails with `query_invalid`.
base::expected<audit_query> parse_audit_query(audit_query_texts texts);

} // namespace matchcloud::model
