#include "app/reports/findings_report.hpp"
#include "model/json/json_writer.hpp"

namespace matchcloud::app {

namespace {

class json_report final : public findings_report {
public:
  std::string begin() override {
    out_.object().name("files").array();
    return out_.take();
  }

  std::string add(const validated_file& file) override {
    out_.object().name("file").text(well_formed(file.name)).name("kind").text(name_of(file.kind));
    out_.name("errors").array();
    for (const auto& each : file.findings)
      write(each);
    out_.end_array();
    if (file.error) write(*file.error);
    out_.end_object();
    findings_ += file.findings.size();
    return out_.take();
  }

  std::string end() override {
    out_.end_array().name("findings").number(findings_).end_object();
    return out_.take() + "\n";
  }

private:
  void write(const placed_finding& each) {
    out_.object().name("path").array();
    for (const auto& step : each.found.path)
      out_.text(step);
    out_.end_array().name("code").text(each.found.code).name("message").text(each.found.message);
    write_place(each.at, each.found.offset);
    out_.end_object();
  }

  void write(const unusable_file& error) {
    out_.name("error").object().name("code").text(base::describe(error.code).code);
    out_.name("message").text(error.message);
    if (error.offset) write_place(error.at, *error.offset);
    out_.end_object();
  }

  void write_place(const model::text_position& at, std::size_t offset) {
    out_.name("line").number(at.line).name("column").number(at.column);
    out_.name("offset").number(offset);
  }

  model::json_writer out_{model::json_escapes::beyond_ascii};
  std::uint64_t findings_ = 0;
};

} // namespace

std::unique_ptr<findings_report> make_json_report() {
  return std::make_unique<json_report>();
}

} // namespace matchcloud::app
