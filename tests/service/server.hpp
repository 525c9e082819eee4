#pragma once

#include "tests/fixtures/raw_connection.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/service/process.hpp"
#include "tests/service/tls_tunnel.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::e2e {

/// Ids that `matchcloud demo` creates.
inline constexpr std::string_view demo_game = "00000000-0000-4000-8000-000000000001";
inline const std::string second_game = "00000000-0000-4000-8000-000000000002";
inline constexpr std::string_view prod_namespace = "00000000-0000-4000-8000-000000000011";

/// A data directory with the demo data of January 2026 and a second game, whose namespace `eu` has
/// the regions fra and lon only, and a GeoIP file that locates 192.0.2.0/24 and 2001:db8::/32 in
/// London, 198.51.100.0/24 in Tokyo and 127.0.0.0/8 in Sydney. With MATCHCLOUD_TEST_POSTGRES=1 its
/// store is in a PostgreSQL database of its own, which every process finds that gets --data-dir.
class world {
public:
  world();
  /// Creates the data directory below `parent`.
  explicit world(const std::string& parent);
  /// Keeps its store in a database that the test has.
  explicit world(const store_url& store);
  /// Every process that gets its --data-dir is told these `NAME=value` lines, the first ones too.
  explicit world(const environment& told);
  world(const environment& told, const store_url& store);
  world(const world&) = delete;
  world& operator=(const world&) = delete;
  ~world();

  const std::string& data_dir() const noexcept { return directory_.path(); }
  /// Its database; empty if there is none.
  const store_url& store() const noexcept { return store_; }
  const std::string& geoip() const noexcept { return geoip_; }
  const fixtures::temporary_directory& directory() const noexcept { return directory_; }
  /// Runs `matchcloud import catalog` on `document` in a separate process.
  void import(std::string_view document) const;

private:
  void seed() const;

  fixtures::temporary_directory directory_;
  store_url store_;
  bool owns_store_ = true;
  std::string geoip_;
};

/// The world shared by all tests that do not change it.
const world& shared_world();

/// A running `matchcloud serve` on ports that the kernel chooses. It is ready once constructed.
class server {
public:
  /// With MATCHCLOUD_TEST_TLS=1 and without `--listen`, the data plane speaks TLS, and its address
  /// is that of a tunnel. Listens on 127.0.0.1 unless `flags` contain `--listen`, and
  /// `--ops-listen` for the ops plane.
  explicit server(const arguments& flags = {}, const world& in = shared_world(),
                  const environment& added = {});
  /// Its output goes to `to`.
  server(const arguments& flags, const world& in, const environment& added,
         const output_descriptors& to);

  /// Another program than the one that is built, as of an earlier release.
  server(const program_file& program, const arguments& flags, const world& in);

  const address& data() const noexcept { return data_.front(); }
  /// The data plane's listeners, in the order of the `--listen` flags.
  const std::vector<address>& listeners() const noexcept { return data_; }
  const address& ops() const noexcept { return ops_; }
  /// Asks the ops plane on a connection of its own, with TLS if it speaks that.
  answer ask_ops_plane(std::string_view request) const;
  child_process& process() noexcept { return process_; }
  const child_process& process() const noexcept { return process_; }
  /// The process id that the server reported to have taken over from; absent without --take-over.
  std::optional<pid_t> took_over_from() const noexcept { return predecessor_; }

  /// The value of the metric line `name` (with its labels); 0 if there is no such line.
  double metric(const std::string& name) const;
  int ready_status() const;

private:
  /// Reads from the program's output where it listens.
  void await_listeners();

  /// Null where clients reach the data plane directly.
  std::unique_ptr<tls_tunnel> tunnel_;
  child_process process_;
  std::vector<address> data_;
  address ops_;
  bool ops_speaks_tls_ = false;
  std::optional<pid_t> predecessor_;
};

/// The ops plane of a service that waits for its store, once its log says so.
address waiting_ops_plane(const child_process& of);

/// A request with a Host header and `headers` (complete lines with line ends). It has a body and
/// Content-Length if `body` is not empty or the method may have one.
std::string request(std::string_view method, std::string_view target, std::string_view body = {},
                    std::string_view headers = {});

inline const std::string regions_target = "/matchmaker/regions";
inline const std::string regions_request = request("GET", regions_target);
inline const std::string demo_avatars_target =
    "/cloud/games/" + std::string{demo_game} + "/avatars";
inline const std::string groups_target = "/cloud/groups/validate";
inline const std::string games_target = "/cloud/games/validate";
inline const std::string versions_target =
    "/cloud/games/" + std::string{demo_game} + "/versions/validate";
inline const std::string good_group = R"({"display_name":"Team"})";

/// Lets this process have as many descriptors as it may.
void raise_descriptor_limit();

/// Checks that a fresh connection to `to` gets a region listing.
void check_serves(const address& to);

// Servers that tests share, one per transport ("loops" or "httplib"), started on first use. Main
// thread only. Each operation is requested from both transports once, all others from loops alone.

/// Default settings: no GeoIP, and no client is a trusted proxy.
server& plain_server(const std::string& transport = "loops");

/// With GeoIP. 127.0.0.1 is a trusted proxy, 127.0.0.2 is not.
server& located_server(const std::string& transport = "loops");

/// With many non-default settings: base path /mm, fallback location 35 N 139 E, the CORS origins
/// https://play.example and http://localhost:3000, unknown members ignored.
server& configured_server(const std::string& transport = "loops");

} // namespace matchcloud::e2e
