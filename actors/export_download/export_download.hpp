#pragma once

#include "actors/export_download/messages.hpp"
#include "actors/lobby_export/export_job.hpp"
#include "actors/request/messages.hpp"
#include "actors/request/services.hpp"
#include "actors/request/supervised_actor.hpp"
#include "base/clock.hpp"
#include "store/exports/export_store.hpp"
#include "store/secrets/secret_store.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <vector>

namespace matchcloud::actors {

struct export_download_settings {
  /// The limit on all requests that wait for a file.
  std::size_t waiting_limit = 4'096;
  /// The interval of housekeeping, which also refreshes the signing keys.
  std::chrono::milliseconds tick{1'000};
};

/// Checks the signatures of export URLs, opens files for downloads and starts compressing files
/// when they are first requested, one at a time. One, on the actors' pool.
class export_download final : public supervised_actor {
public:
  /// Files shorter than this are not compressed, because the gain would not be noticeable.
  static constexpr std::uint64_t least_compressed_bytes = 1'024;
  /// Files longer than this are sent uncompressed while they are being compressed; no request
  /// waits.
  static constexpr std::uint64_t awaited_bytes = 32UL * 1024 * 1024;
  /// A request that has waited this long for a compressed file gets the plain one.
  static constexpr std::chrono::milliseconds compression_patience{2'000};
  /// The pause before compression is tried again after a failure, such as a full disk.
  static constexpr std::chrono::milliseconds compression_pause{60'000};
  /// The limit on files that wait to be compressed; other files stay plain until requested again.
  static constexpr std::size_t compression_queue_limit = 64;

  export_download(caf::actor_config& cfg, const services& with,
                  export_download_settings settings = {});

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
    /// The file to send if the compressed one is not available. Null until compression was tried.
    store::opened_export_ptr plain = {};
  };
  /// A file to be compressed and the requests that wait for it.
  struct compression {
    store::opened_export_ptr plain;
    base::steady_time asked_at;
    std::vector<download> waiters;
  };

  void handle(const open_export& request);
  void open(const model::uuid& export_id, download who);
  void on(const export_open_ended& ended);
  void answer(const store::opened_export_ptr& file, const download& who);
  void answer(const download& who, const store::opened_export_ptr& file);
  bool may_compress(const store::opened_export& file) const;
  void compress(const store::opened_export_ptr& file);
  void start_compression();
  void on(const export_compressed& ended);
  void do_housekeeping();
  void fail(const download& who, const base::error& why);

  const services* with_;
  export_download_settings settings_;
  /// Tells a running compression that this actor has ended; the compression outlives it briefly.
  std::shared_ptr<std::atomic<bool>> ended_ = std::make_shared<std::atomic<bool>>(false);
  /// Requests that wait for a file that is being opened, by export.
  std::unordered_map<model::uuid, std::vector<download>> opening_;
  /// Files that are being compressed or wait for compression, by export.
  std::unordered_map<model::uuid, compression> compressions_;
  std::deque<model::uuid> queue_;
  bool compressing_ = false;
  /// When each of these exports failed to compress; cleared when the map reaches its limit.
  std::unordered_map<model::uuid, base::steady_time> incompressible_;
  std::size_t waiting_count_ = 0;
};

} // namespace matchcloud::actors
