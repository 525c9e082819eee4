// `matchcloud tls self-signed`, and `matchcloud export` from a server with such a certificate.
#include "tests/catch.hpp"
#include "tests/contains.hpp"
#include "tests/fixtures/temporary_directory.hpp"
#include "tests/fixtures/tls_server.hpp"
#include "tests/fixtures/whole_file.hpp"
#include "tests/service/process.hpp"
#include "tests/service/server.hpp"

#include <sys/stat.h>

#include <filesystem>
#include <regex>

namespace {

using namespace matchcloud::e2e;
using matchcloud::fixtures::contains;
using matchcloud::fixtures::mode_of;
using matchcloud::fixtures::read_whole;

/// A folder for a pair that is not there yet.
struct pair_folder {
  matchcloud::fixtures::temporary_directory directory;

  std::string path(const std::string& name = {}) const {
    return directory.path("tls") + (name.empty() ? "" : "/" + name);
  }
  command_result make(const arguments& more = {}) const {
    arguments words{"tls", "self-signed", "--out-dir", path()};
    words.insert(words.end(), more.begin(), more.end());
    return run(words);
  }
};

TEST_CASE("a self-signed pair is made, with what to do next", "[operations]") {
  const pair_folder in;
  const auto made = in.make();
  INFO(made.errors);
  CHECK(made.exit_code == 0);
  CHECK(made.errors.empty());
  CHECK(contains(made.out, "made " + in.path("cert.pem") + " for localhost, 127.0.0.1, ::1"));
  CHECK(std::regex_search(made.out,
                          std::regex{"SHA-256 fingerprint ([0-9A-F]{2}:){31}[0-9A-F]{2}\n"}));
  CHECK(contains(made.out, "matchcloud serve --listen 127.0.0.1:8443/tls --tls-cert " +
                               in.path("cert.pem") + " --tls-key " + in.path("key.pem") + "\n"));
  CHECK(contains(made.out,
                 "curl --cacert " + in.path("cert.pem") + " https://127.0.0.1:8443/ping\n"));
  CHECK(mode_of(in.path()) == 0700);
  CHECK(mode_of(in.path("key.pem")) == 0600);
  CHECK(mode_of(in.path("cert.pem")) == 0644);
  CHECK(read_whole(in.path("key.pem")).starts_with("-----BEGIN PRIVATE KEY-----\n"));
  CHECK_FALSE(contains(made.out, "PRIVATE KEY"));
}

TEST_CASE("a pair replaces nothing unless it is forced", "[operations]") {
  const pair_folder in;
  REQUIRE(in.make().exit_code == 0);
  const auto key = read_whole(in.path("key.pem"));
  const auto again = in.make();
  CHECK(again.exit_code == 1);
  CHECK(again.out.empty());
  CHECK(contains(again.errors, in.path("key.pem") + ": it already exists"));
  CHECK(contains(again.errors, "--force"));
  CHECK(read_whole(in.path("key.pem")) == key);

  // Neither half is made where one is there.
  std::filesystem::remove(in.path("key.pem"));
  CHECK(in.make().exit_code == 1);
  CHECK_FALSE(std::filesystem::exists(in.path("key.pem")));

  CHECK(in.make({"--force"}).exit_code == 0);
  CHECK(read_whole(in.path("key.pem")) != key);
  CHECK(mode_of(in.path("key.pem")) == 0600);
}

TEST_CASE("a pair that is asked for wrongly exits with 2 and says what is allowed",
          "[operations]") {
  const pair_folder in;
  struct wrong_line {
    arguments words;
    std::string says;
  };
  for (const auto& wrong : {
           wrong_line{{"--host", "https://a"}, "\"https://a\" is neither a host name nor"},
           {{"--days", "0"}, "1 to 398"},
           {{"--days", "399"}, "1 to 398"},
           {{"--client", "../a"}, "not a valid name of a client"},
           {{"--client", "a", "--host", "b"}, "excludes"},
       }) {
    const auto got = in.make(wrong.words);
    INFO(got.errors);
    CHECK(got.exit_code == 2);
    CHECK(got.out.empty());
    CHECK(contains(got.errors, wrong.says));
    CHECK_FALSE(std::filesystem::exists(in.path()));
  }
  const auto nowhere = run({"tls", "self-signed", "--out-dir", in.path("deep/er")});
  CHECK(nowhere.exit_code == 1);
  CHECK(contains(nowhere.errors, in.path("deep/er") + ": cannot create the directory"));
  for (const bool is_there : {false, true}) {
    const auto slashed = run({"tls", "self-signed", "--force", "--out-dir", in.path() + "/"});
    INFO(slashed.errors);
    CAPTURE(is_there);
    CHECK(slashed.exit_code == 0);
  }
}

TEST_CASE("a pair issues a client's certificate", "[operations]") {
  const pair_folder in;
  const auto too_early = in.make({"--client", "bob"});
  CHECK(too_early.exit_code == 1);
  CHECK(contains(too_early.errors, "without --client"));
  REQUIRE(in.make().exit_code == 0);
  const auto made = in.make({"--client", "bob"});
  INFO(made.errors);
  CHECK(made.exit_code == 0);
  CHECK(contains(made.out,
                 "--cert " + in.path("client-bob.pem") + " --key " + in.path("client-bob.key")));
  CHECK(mode_of(in.path("client-bob.key")) == 0600);
  CHECK(in.make({"--client", "bob"}).exit_code == 1);
}

/// An export from a server with the certificate of `in`, and `more` options.
command_result export_over_tls(const pair_folder& in, const std::string& host,
                               const arguments& more, const environment& added = {}) {
  matchcloud::fixtures::tls_server server{in.path("cert.pem"), in.path("key.pem")};
  server.answers.Post(".*", [&](const httplib::Request&, httplib::Response& to) {
    to.set_content("{\"url\":\"" + server.url(host, "/day.csv") + "\"}", "application/json");
  });
  server.answers.Get("/day.csv", [](const httplib::Request&, httplib::Response& to) {
    to.set_content("lobby_id\r\n1\r\n", "text/csv");
  });
  server.begin();
  arguments words{"export", "--game", std::string{demo_game}, "--start", "0", "--end",
                  "1",      "--url",  server.url(host),       "-o",      "-"};
  words.insert(words.end(), more.begin(), more.end());
  return run(words, added);
}

TEST_CASE("export trusts the authority of --ca-file, for names and addresses", "[operations]") {
  const pair_folder in;
  REQUIRE(in.make().exit_code == 0);
  const auto certificate = in.path("cert.pem");
  for (const std::string host : {"localhost", "127.0.0.1"}) {
    const auto done = export_over_tls(in, host, {"--ca-file", certificate});
    INFO(done.errors);
    CHECK(done.exit_code == 0);
    CHECK(done.out == "lobby_id\r\n1\r\n");
  }
  const auto by_environment =
      export_over_tls(in, "localhost", {}, {"MATCHCLOUD_CA_FILE=" + certificate});
  CHECK(by_environment.exit_code == 0);

  const auto without = export_over_tls(in, "localhost", {});
  CHECK(without.exit_code == 1);
  CHECK(without.out.empty());
  CHECK(contains(without.errors, "that this system trusts"));
  CHECK(contains(without.errors, "--ca-file"));
}

TEST_CASE("export refuses a certificate for another host, and a file of no authority",
          "[operations]") {
  const pair_folder in;
  REQUIRE(in.make({"--host", "play.example"}).exit_code == 0);
  const auto mismatched = export_over_tls(in, "localhost", {"--ca-file", in.path("cert.pem")});
  CHECK(mismatched.exit_code == 1);
  CHECK(contains(mismatched.errors, "is not for localhost"));

  const auto junk = in.directory.file("junk.pem", "junk");
  const arguments asked{"export", "--game", std::string{demo_game}, "--start", "0", "--end", "1",
                        "-o",     "-"};
  const auto with = [&](const arguments& more, const environment& added = {}) {
    auto words = asked;
    words.insert(words.end(), more.begin(), more.end());
    return run(words, added);
  };
  const auto refused = with({"--url", "https://127.0.0.1:1", "--ca-file", junk});
  CHECK(refused.exit_code == 2);
  CHECK(contains(refused.errors, "--ca-file: " + junk + ": it has no certificate"));
  const auto of_environment =
      with({"--url", "https://127.0.0.1:1"}, {"MATCHCLOUD_CA_FILE=" + junk});
  CHECK(of_environment.exit_code == 2);
  CHECK(contains(of_environment.errors, "MATCHCLOUD_CA_FILE: " + junk));
}

} // namespace
