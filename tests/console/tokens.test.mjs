// The tokens panel: tokens created, rotated and revoked, for games and namespaces by name.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { judge, until, withConsole } from "./support/browser.mjs";
import { ask, command, demoFolder, ops, startService } from "./support/service.mjs";

const secondGame = "00000000-0000-4000-8000-0000000007b1";

before(async () => {
  await ask("PUT", `/v1/games/${secondGame}`, { display_name: "Second Game" });
});
after(async () => {
  await ask("DELETE", `/v1/games/${secondGame}`);
});

const allow = (page) => page.getByRole("button", { name: "Allow changes" }).click();
const create = (page) => page.getByRole("button", { name: "Create token", exact: true }).click();
const tokensOf = async () => (await ask("GET", "/v1/tokens")).tokens;
const works = async (token) => (await fetch(new URL("/v1/games", ops),
  { headers: { Authorization: `Bearer ${token}` } })).status === 200;

test("a token's text is shown once; rotating and revoking do what they say", () =>
  withConsole("#/tokens", {}, async (page) => {
    await allow(page);
    await create(page);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "Viewer" }).check();
    await dialog.getByText("Changes nothing.").waitFor();
    await dialog.getByLabel("Name").fill("dashboard");
    await dialog.getByLabel("Expires").selectOption({ label: "in a day" });
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    const text = () => dialog.locator(".token-text").textContent();
    const first = await text();
    assert.match(first, /^mc_viewer_\w{49}$/);
    await until(() => works(first), "the token to work");
    await dialog.getByRole("button", { name: "Done" }).click();
    await dialog.waitFor({ state: "detached" });
    assert.ok(!(await page.content()).includes(first));
    await page.getByText("token.create").waitFor();
    await page.getByRole("row", { name: /^dashboard/ }).getByText("soon").waitFor();

    await page.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByLabel("The old text still works").selectOption({ label: "not at all" });
    await dialog.getByRole("button", { name: "Rotate" }).click();
    await dialog.getByRole("button", { name: "Done" }).waitFor();
    const second = await text();
    assert.notEqual(second, first);
    await dialog.getByRole("button", { name: "Done" }).click();
    await page.getByText("token.rotate").waitFor();
    await until(() => works(second), "the new text to work");
    await until(async () => !(await works(first)), "the former text to end");

    await page.getByRole("button", { name: "Revoke" }).click();
    await dialog.getByLabel("Type dashboard to continue.").fill("dashboard");
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("token.revoke").waitFor();
    // The button that led there is gone.
    await until(() => page.getByRole("heading", { level: 1 }).evaluate((one) =>
      one === document.activeElement), "the focus on the heading");
    await until(async () => !(await works(second)), "the token to end");
    assert.equal((await tokensOf()).find(({ name }) => name === "dashboard").state, "revoked");
  }));

test("a token for a chosen game takes four clicks from any panel", () =>
  withConsole("#/configuration", {}, async (page) => {
    await allow(page);
    let clicks = 0;
    const click = async (found) => {
      clicks++;
      await found.click();
    };
    await click(page.getByRole("link", { name: "Tokens", exact: true }));
    await click(page.getByRole("button", { name: "Create token", exact: true }));
    await click(page.getByRole("option", { name: "Second Game" }));
    await click(page.getByRole("button", { name: "Create", exact: true }));
    await page.getByRole("button", { name: "Done" }).waitFor();
    assert.equal(clicks, 4);
    const made = (await tokensOf()).find(({ name }) => name === "Second Game");
    assert.deepEqual([made.kind, made.game_id], ["game", secondGame]);
    await page.getByRole("button", { name: "Done" }).click();
    await page.getByRole("row", { name: /^Second Game game Second Game/ }).waitFor();
  }));

test("all mistakes are shown at once, and Escape does not lose what was typed", () =>
  withConsole("#/tokens", {}, async (page) => {
    await allow(page);
    await create(page);
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("radio", { name: "Player" }).check();
    await dialog.getByText("Own rate limits").click();
    await dialog.getByLabel("Cheap requests").fill("much");
    await dialog.getByRole("button", { name: "Create", exact: true }).click();
    for (const text of ["Choose a namespace.", /^Enter a name/, /^much is not a limit/]) {
      await dialog.getByText(text).waitFor();
    }
    await page.waitForFunction(() => document.activeElement.getAttribute("role") === "combobox");
    await judge(page, "the form with what is wrong");
    await page.keyboard.press("Escape");
    await dialog.getByRole("alertdialog", { name: "Discard the changes?" }).waitFor();
    await dialog.getByRole("button", { name: "Keep editing" }).click();
    await dialog.getByRole("combobox", { name: "Namespace" }).click();
    await dialog.getByRole("option", { name: "Demo Game / prod" }).click();
    assert.equal(await dialog.getByLabel("Name", { exact: true }).inputValue(), "Demo Game / prod");
    assert.equal(await dialog.getByText("Choose a namespace.").count(), 0);
  }));

test("a request that a token may not make is sent only once for each token", async () => {
  const dataDir = demoFolder();
  const make = (kind) => command("token", "create", "--data-dir", dataDir, "--kind", kind,
    "--name", kind, "--expires", "1d").trim();
  const [admin, viewer] = [make("admin"), make("viewer")];
  const service = await startService({ dataDir, flags: ["--ops-auth", "required"] });
  try {
    await withConsole("#/live",
      { url: service.ops, clock: true, expected: [/40[13] \(/] }, async (page, { requests }) => {
        const give = async (text) => {
          await page.getByRole("button", { name: /Sign in|token/ }).first().click();
          await page.getByRole("dialog").getByLabel(/^(Token|Another token)$/).fill(text);
          await page.keyboard.press("Enter");
        };
        await give(viewer);
        await page.getByRole("link", { name: "Tokens", exact: true }).click();
        await page.getByRole("alert").getByText("not_permitted").waitFor();
        await page.clock.fastForward("05:00");
        const asked = () => requests.filter(({ path }) => path === "/v1/tokens").length;
        assert.equal(asked(), 1);
        assert.equal(await page.getByRole("button", { name: /^Create/ }).count(), 0);
        await page.getByRole("link", { name: "Audit log", exact: true }).click();
        await page.getByRole("alert").getByText("not_permitted").waitFor();
        const vain = page.getByRole("button", { name: /^(Refresh|Filter|Try again)$/ });
        assert.equal(await vain.count(), 0);
        await page.getByRole("link", { name: "Catalog", exact: true }).click();
        await page.getByText("Read only. Sign in with an admin token to change the catalog.")
          .waitFor();
        await page.getByRole("link", { name: "Tokens", exact: true }).click();
        await page.clock.resume();
        await give(admin);
        await page.getByRole("cell", { name: "viewer" }).first().waitFor();
      });
  } finally {
    await service.stop();
  }
});
