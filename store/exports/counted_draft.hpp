#pragma once

#include "store/exports/export_ledger.hpp"
#include "store/exports/export_store.hpp"

#include <cstdint>
#include <string_view>
#include <utility>

namespace matchcloud::store {

/// A draft whose bytes are taken from a ledger as they are appended, and returned unless it is
/// published.
class counted_draft : public export_draft {
public:
  base::expected<void> append(std::string_view bytes) final {
    if (!is_whole_) return exports_full();
    auto written = taken_.take(bytes.size()).and_then([&] { return write(bytes); });
    is_whole_ = written.has_value();
    return written;
  }
  base::expected<void> publish(std::int64_t keep_until_ts, bool has_running) final {
    if (!std::exchange(is_whole_, false))
      return base::fail(base::errc::store_failed, "an export was not completely written");
    return publish_whole(keep_until_ts, has_running);
  }

protected:
  counted_draft(const export_facts& facts, export_ledger& ledger)
      : export_draft{facts.export_id}, taken_{ledger, facts.query.game_id} {}

  taken_bytes& taken() noexcept { return taken_; }

private:
  virtual base::expected<void> write(std::string_view bytes) = 0;
  virtual base::expected<void> publish_whole(std::int64_t keep_until_ts, bool has_running) = 0;

  taken_bytes taken_;
  /// Whether everything appended has been written.
  bool is_whole_ = true;
};

} // namespace matchcloud::store
