#include "tests/faults/probed_service.hpp"

#include "tests/catch.hpp"
#include "tests/fixtures/json.hpp"

#include <filesystem>
#include <iostream>
#include <iterator>
#include <system_error>

namespace matchcloud::faults {

namespace {

namespace fs = std::filesystem;
using namespace e2e;

const arguments flags{"--loops", "2"};

std::size_t entries_in(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator{folder}, fs::directory_iterator{}));
}

/// The number of entries in the temporary folders of all processes.
std::size_t unfinished_of(const world& in) {
  std::size_t count = 0;
  std::error_code gone; // a folder that its process has removed in the meantime
  for (const auto& own : fs::directory_iterator{in.data_dir() + "/tmp"})
    count += static_cast<std::size_t>(
        std::distance(fs::directory_iterator{own.path(), gone}, fs::directory_iterator{}));
  return count;
}

bool is_done(const answer& got, const refusal& otherwise) {
  if (got.status == 200 || got.status == 201) return true;
  const auto detail = text_at(parse_json(got.body), "detail");
  const bool as_told = got.status == otherwise.status && got.problem_code() == otherwise.code &&
                       detail.find(otherwise.advice) != std::string::npos;
  if (!as_told) throw wrong_answer{std::to_string(got.status) + " " + got.body};
  return false;
}

void expect_done(const answer& got) {
  static_cast<void>(is_done(got, {}));
}

std::string path_of(const std::string& target) {
  return target.substr(0, target.find('?'));
}

} // namespace

probed_service::probed_service(const world& in) : in_{&in} {
  in.import(ledger_.catalog());
  restart();
  link_ = download_target(ask_export(server_->data(), demo_game));
  REQUIRE(!link_.empty());
  exports_.insert(path_of(link_));
  content_ = get(server_->data(), link_).body;
}

void probed_service::restart() {
  server_.reset();
  server_ = std::make_unique<server>(flags, *in_);
}

void probed_service::read() const {
  const auto& data = server_->data();
  expect_done(get(data, regions_target));
  expect_done(get(data, "/cloud/games/" + std::string{demo_game} + "/avatars"));
  raw_connection client{data};
  expect_done(
      client.ask(request("POST", groups_target, good_group, "Content-Type: application/json\r\n")));
  for (const auto* target : {"/healthz", "/readyz", "/metrics", "/v1/regions"})
    expect_done(ask_ops(server_->ops(), "GET", target));
  for (const bool gzip : {false, true}) {
    const auto got = get(data, link_, gzip);
    expect_done(got);
    if (unpacked(got) != content_) throw wrong_answer{"an old export has other bytes now"};
  }
}

bool probed_service::ingest(chances& by, const refusal& otherwise) {
  const auto batch = ledger_.next(by, 400);
  if (!is_done(faults::ingest(server_->ops(), batch.lines), otherwise)) return false;
  ledger_.acknowledge(batch);
  return true;
}

bool probed_service::rename(const refusal& otherwise) {
  const auto name = std::to_string(++names_tried_);
  if (!is_done(put_region(server_->ops(), "atl", name), otherwise)) return false;
  name_ = name;
  return true;
}

bool probed_service::export_history(const refusal& otherwise) {
  const auto at_least = ledger_.acknowledged();
  // Each call uses another span: an existing file would be returned again.
  const auto got = ask_export(server_->data(), ledger_.game_id(), UINT64_MAX - ++exports_tried_);
  if (!is_done(got, otherwise)) return false;
  const auto target = download_target(got);
  {
    const std::lock_guard lock{mutex_};
    exports_.insert(path_of(target));
  }
  const auto file = get(server_->data(), target);
  expect_done(file);
  if (const auto problem = ledger_.problem_of(file.body, at_least); !problem.empty())
    throw wrong_answer{problem};
  return true;
}

void probed_service::check_heals(chances& by, const refusal& otherwise) {
  const auto begun = e2e::clock::now();
  const refusal still{otherwise.status, otherwise.code, {}};
  const auto all_done = [&] { return ingest(by, still) && rename(still) && export_history(still); };
  CHECK(eventually(all_done, deadline{healing_limit}));
  const auto took = std::chrono::ceil<milliseconds>(e2e::clock::now() - begun);
  std::cout << "faults: all works again after " << took.count() << " ms" << std::endl;
  check_kept();
}

void probed_service::check_kept() {
  CHECK_NOTHROW(read());
  CHECK_NOTHROW(export_history({}));
  CHECK(region_name(server_->ops(), "atl") == name_);
  CHECK(entries_in(in_->data_dir() + "/exports") == exports_.size());
  // A running compression may still need a moment to end.
  CHECK(eventually([&] { return unfinished_of(*in_) == 0; }));
}

void check_start_refused(const world& in, const std::string& advice) {
  const auto refused = run({"serve", "--data-dir", in.data_dir(), "--listen", "127.0.0.1:0",
                            "--ops-listen", "127.0.0.1:0"});
  INFO(refused.errors);
  CHECK(refused.exit_code == 1);
  CHECK(refused.errors.starts_with("matchcloud serve: "));
  CHECK(refused.errors.find(advice) != std::string::npos);
}

} // namespace matchcloud::faults
