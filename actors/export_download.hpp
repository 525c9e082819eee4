#pragma once

#include "actors/export_job.hpp"
#include "actors/protocol.hpp"
#include "actors/supervised_actor.hpp"
#include "base/blocking_pool.hpp"
#include "base/clock.hpp"
#include "store/exports/export_files.hpp"
#include "store/exports/signing_key_ring.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace matchcloud::actors {

/// How downloads of exports reach what they need. What is pointed at must outlive the actor.
struct export_download_settings {
  store::export_files* files = nullptr;
  store::signing_key_ring* keys = nullptr;
  /// Opens files.
  base::blocking_pool* short_work = nullptr;
  /// Compresses them, one at a time: threads of low priority.
  base::blocking_pool* long_work = nullptr;
  const base::clock* clock = nullptr;
  export_metrics* metrics = nullptr;
  /// Requests that wait for a file, all together.
  std::size_t waiting_limit = 4'096;
  /// Between looks for new signing keys.
  std::chrono::milliseconds tick{1'000};
};

/// Checks the signatures of export URLs, opens the files for downloads and has compressed ones made
/// when they are first asked for. One, on the pool.
class export_download final : public supervised_actor {
public:
  /// Shorter files are not compressed: nobody would notice.
  static constexpr std::uint64_t least_compressed_bytes = 1'024;
  /// While a longer file is being compressed, it is sent as it is: nobody waits for that.
  static constexpr std::uint64_t awaited_bytes = 32UL * 1024 * 1024;
  /// Who waits for a compressed file gets the plain one after that.
  static constexpr std::chrono::milliseconds compression_patience{2'000};
  /// A file that could not be compressed, because the disk was full, is tried again after that.
  static constexpr std::chrono::milliseconds compression_pause{60'000};
  /// Files that wait to be compressed; beyond, they stay as they are until asked for again.
  static constexpr std::size_t compression_queue_limit = 64;

  export_download(caf::actor_config& cfg, export_download_settings settings);

  const char* name() const override { return "export_download"; }

protected:
  caf::behavior make_behavior() override;
  void on_exit() override;

private:
  struct download {
    caf::actor front;
    exchange_ref exchange;
    ticket_ptr ticket;
    bool gzip = false;
    /// What it gets if the compressed file is not to be had. Null before that was tried.
    std::shared_ptr<const store::opened_export> plain = {};
  };
  /// Requests that wait until a file is compressed.
  struct compression {
    std::shared_ptr<const store::opened_export> plain;
    base::steady_time asked_at;
    std::vector<download> waiters;
  };

  void handle(const open_export& request);
  void open(const model::uuid& export_id, download who);
  void on(const export_open_ended& ended);
  void give(const std::shared_ptr<const store::opened_export>& file, const download& who);
  bool may_compress(const store::opened_export& file) const;
  void compress(const std::shared_ptr<const store::opened_export>& file);
  void start_compression();
  void on(const export_compressed& ended);
  void do_housekeeping();
  void fail(const download& who, const base::error& why);

  export_download_settings settings_;
  /// Tells a compression, which outlives this for a moment.
  std::shared_ptr<std::atomic<bool>> ended_ = std::make_shared<std::atomic<bool>>(false);
  /// Who waits for a file that is being opened.
  std::unordered_map<model::uuid, std::vector<download>> opening_;
  /// Being compressed or waiting for it.
  std::unordered_map<model::uuid, compression> compressions_;
  std::deque<model::uuid> queue_;
  bool compressing_ = false;
  /// When these could not be compressed; forgotten at the limit.
  std::unordered_map<model::uuid, base::steady_time> incompressible_;
  std::size_t waiting_count_ = 0;
};

} // namespace matchcloud::actors
