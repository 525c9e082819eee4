#pragma once

#include "tests/e2e/process.hpp"
#include "tests/fixtures/raw_connection.hpp"
#include "tests/fixtures/temporary_directory.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::e2e {

/// Ids of `matchcloud demo`.
inline constexpr std::string_view demo_game = "00000000-0000-4000-8000-000000000001";
inline constexpr std::string_view prod_namespace = "00000000-0000-4000-8000-000000000011";

/// A data directory with the demo catalog and a second game, whose namespace `eu` has the regions
/// fra and lon only; and a GeoIP file: 192.0.2.0/24 and 2001:db8::/32 in London, 198.51.100.0/24 in
/// Tokyo, 127.0.0.0/8 in Sydney.
class world {
public:
  world();
  /// The data directory is below `parent`.
  explicit world(const std::string& parent);

  const std::string& data_dir() const noexcept { return directory_.path(); }
  const std::string& geoip() const noexcept { return geoip_; }
  const fixtures::temporary_directory& directory() const noexcept { return directory_; }
  /// `matchcloud import catalog` of `document`, in a process of its own.
  void import(std::string_view document) const;

private:
  void seed() const;

  fixtures::temporary_directory directory_;
  std::string geoip_;
};

/// The world that all tests share that do not change it.
const world& shared_world();

/// `matchcloud serve` on ports of the kernel's choice, ready when constructed.
class server {
public:
  /// Without a `--listen` among `flags` it listens on 127.0.0.1.
  explicit server(const arguments& flags = {}, const world& in = shared_world(),
                  const environment& added = {});

  const address& data() const noexcept { return data_.front(); }
  /// In the order of the `--listen` flags.
  const std::vector<address>& listeners() const noexcept { return data_; }
  const address& ops() const noexcept { return ops_; }
  child_process& process() noexcept { return process_; }
  const child_process& process() const noexcept { return process_; }
  /// What it said of --take-over.
  std::optional<pid_t> took_over_from() const noexcept { return predecessor_; }

  /// The value of a metric's line, `name` with its labels; 0 where there is no such line.
  double metric(const std::string& name) const;
  int ready_status() const;

private:
  child_process process_;
  std::vector<address> data_;
  address ops_;
  std::optional<pid_t> predecessor_;
};

/// A request with a Host, `headers` (lines with their line ends) and, where the method may have one
/// or it is not empty, a body with its length.
std::string request(std::string_view method, std::string_view target, std::string_view body = {},
                    std::string_view headers = {});

inline const std::string regions_target = "/matchmaker/regions";
inline const std::string groups_target = "/cloud/groups/validate";
inline const std::string games_target = "/cloud/games/validate";
inline const std::string versions_target =
    "/cloud/games/" + std::string{demo_game} + "/versions/validate";
inline const std::string good_group = R"({"display_name":"Team"})";

/// That a fresh connection to `to` gets a listing.
void check_serves(const address& to);

} // namespace matchcloud::e2e
