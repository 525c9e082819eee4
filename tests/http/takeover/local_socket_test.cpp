#include "http/takeover/handover_channel.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/forked_process.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/not_tested.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

namespace matchcloud::http {
namespace {

const std::string name = "take-over-[2001:db8::1]:65535.sock";

TEST_CASE("only its user can connect, and both sides know the other process") {
  const fixtures::temporary_directory in;
  const auto listening = listen_local(in.path(), name);
  REQUIRE(listening);
  struct stat found {};
  REQUIRE(::stat(in.path(name).c_str(), &found) == 0);
  CHECK((found.st_mode & 0777) == 0600);
  const auto connected = connect_local(in.path(), name);
  REQUIRE(connected);
  REQUIRE(*connected);
  const base::file_descriptor accepted{::accept(listening->socket.get(), nullptr, nullptr)};
  CHECK(same_user_peer((*connected)->get()) == ::getpid());
  CHECK(same_user_peer(accepted.get()) == ::getpid());
}

TEST_CASE("a data directory may have a path longer than a socket's name") {
  const fixtures::temporary_directory in;
  auto deep = in.path();
  for (int i = 0; i < 4; ++i)
    deep += "/" + std::string(100, 'd');
  std::filesystem::create_directories(deep);
  const auto listening = listen_local(deep, name);
  REQUIRE(listening);
  CHECK(std::filesystem::is_socket(deep + "/" + name));
  CHECK(connect_local(deep, name).value());
  CHECK(!listen_local(deep, std::string(200, 'n')));
}

TEST_CASE("nobody listens in a directory that is not there, or under another name") {
  const fixtures::temporary_directory in;
  CHECK_FALSE(connect_local(in.path("nowhere"), name).value());
  CHECK_FALSE(connect_local(in.path(), name).value());
}

TEST_CASE("the file of a process that is gone is replaced, that of a living one is not") {
  const fixtures::temporary_directory in;
  { const auto gone = listen_local(in.path(), name); }
  CHECK(std::filesystem::is_socket(in.path(name)));
  CHECK_FALSE(connect_local(in.path(), name).value());
  const auto living = listen_local(in.path(), name);
  REQUIRE(living);
  const auto another = listen_local(in.path(), name);
  REQUIRE(!another);
  CHECK(another.error().code == base::errc::address_unavailable);
  CHECK(connect_local(in.path(), name).value());
  living->remove_file();
  CHECK_FALSE(std::filesystem::exists(in.path(name)));
}

TEST_CASE("something else of that name is left alone") {
  const fixtures::temporary_directory in;
  in.file(name, "precious");
  // A plain file refuses connections like a dead socket.
  const auto refused = listen_local(in.path(), name);
  CHECK(!refused);
  CHECK(std::filesystem::file_size(in.path(name)) == 8);
}

TEST_CASE("another user is kept out by the mode, and known by the credentials where that is wide "
          "open") {
  if (::geteuid() != 0) return fixtures::not_tested("only root can become another user");
  const fixtures::temporary_directory in;
  std::filesystem::permissions(in.path(), std::filesystem::perms{0755});
  const auto listening = listen_local(in.path(), name);
  REQUIRE(listening);
  const auto as_another = [&](const auto& body) {
    return fixtures::child{[&] { return ::setgid(65534) == 0 && ::setuid(65534) == 0 && body(); }}
        .succeeded();
  };
  CHECK(as_another([&] { return !connect_local(in.path(), name).has_value(); }));
  REQUIRE(::chmod(in.path(name).c_str(), 0666) == 0);
  // The client notices that the listener belongs to another user.
  CHECK(as_another([&] {
    const auto connected = connect_local(in.path(), name);
    return connected && *connected && !same_user_peer((*connected)->get());
  }));
  const base::file_descriptor accepted{::accept(listening->socket.get(), nullptr, nullptr)};
  REQUIRE(accepted);
  CHECK_FALSE(same_user_peer(accepted.get()));
}

} // namespace
} // namespace matchcloud::http
