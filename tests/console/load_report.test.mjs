// The page that matchcloud-load --report makes, which its own script draws.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fits, judge, widths, withConsole } from "./support/browser.mjs";
import { data, ops } from "./support/service.mjs";

const folder = process.env.MATCHCLOUD_TEST_FOLDER;
const hostile = "</script><script>document.title = 'hostile'</script><!-- <script>";

/** Makes the page of a run with `args`, and opens it with `look`; see withConsole. */
async function withReport(args, look, check) {
  const path = join(folder, "report.html");
  const { stderr } = spawnSync(join(dirname(process.env.MATCHCLOUD_BINARY), "matchcloud-load"),
    [...args, "--report", path, data], { encoding: "utf8" });
  await withConsole("", { ...look, url: "file://", path }, async (page, { requests }) => {
    const part = (heading) => page.locator("section")
      .filter({ has: page.getByRole("heading", { name: heading }) });
    assert.ok(await part("Intervals").isVisible(), stderr);
    await check(page, part);
    assert.equal(requests.length, 1, "the page loads nothing else");
  });
}

const narrow = { colorScheme: "dark", viewport: { width: widths.narrow, height: 900 } };
test("a page about stages has charts and tables of the run and of the service", () =>
  withReport(["--stages", "50:1s,50..100:1s,100:1s", "--ops", ops, "--assert", "errors=0,sent>9"],
    narrow, async (page, part) => {
      assert.match(await page.title(), /3 stages up to 100 requests\/s/);
      assert.match(await part("Results").textContent(), /trueerrors=0: 0/);
      const curve = part("Latency and throughput");
      assert.deepEqual(await curve.locator("tr td:nth-child(2)").allTextContents(),
        ["50:1s", "50..100:1s", "100:1s"]);
      const over_time = part("Latency over time");
      assert.equal(await over_time.locator("polyline").count(), 5);
      assert.ok(await over_time.getByRole("img", { name: "latency over time" }).isVisible());
      assert.match(await over_time.textContent(), /50\.\.100:1s/, "stages are marked");
      const cell = part("Distribution over time").locator("rect title").first();
      assert.match(await cell.textContent(), /^0 s: \d+$/);
      assert.match(await part("Operations").textContent(), /regions225/);
      assert.equal(await part("own view").getByRole("img").count(), 4);
      assert.match(await part("The run").textContent(), /mean.*kernelLinux/s);
      await fits(page);
      await judge(page);
    }));

test("a page about a search shows its curve, and texts of a run are only texts", () => {
  const mix = join(folder, "report.toml");
  writeFileSync(mix, `[[request]]\nname = "${hostile}"\npath = "/ping"\nexpect.status = 204\n`);
  const search = ["--find", "errors=0", "--find-limit", "1ms", "--duration", "100ms"];
  return withReport([...search, "--mix", mix], { colorScheme: "light" }, async (page, part) => {
    const curve = part("Latency and throughput");
    assert.match(await curve.textContent(), /1,000\/s keeps errors=0/);
    assert.equal(await curve.locator("polyline").count(), 5);
    assert.ok(await part("Operations").getByRole("cell", { name: hostile }).isVisible());
    assert.equal(await part("own view").count(), 0);
    assert.notEqual(await page.title(), "hostile");
    await judge(page);
  });
});
