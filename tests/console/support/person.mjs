// Somebody who uses the console with a mouse and keys, and sees only what is in the window. The
// clicks are counted.
import assert from "node:assert/strict";
import { until } from "./browser.mjs";

/** A pattern for times from `hundreds` hundred ms to 9 s: a busy machine makes a delay longer. */
export const longerThan = (hundreds) => `(?:(?:[${hundreds}-9]|\\d\\d)\\d\\d ms|\\d(?:\\.\\d+)? s)`;

export class Person {
  clicks = 0;

  constructor(page) {
    this.page = page;
  }

  /**
   * Fails unless `locator` comes into the window without scrolling. A row that is drawn again is
   * away for a moment.
   */
  async see(locator) {
    const { width, height } = this.page.viewportSize();
    await locator.waitFor();
    await until(async () => {
      const box = await locator.boundingBox();
      return box && box.x >= 0 && box.y >= 0 && box.x + Math.min(box.width, 8) <= width
        && box.y + Math.min(box.height, 24) <= height;
    }, `not in the window: ${locator}`);
    return locator;
  }

  async click(locator) {
    await (await this.see(locator)).click();
    this.clicks += 1;
  }

  /** Replaces a field's text. It is clicked first unless it has the focus already. */
  async type(locator, text) {
    await this.see(locator);
    const isHere = await locator.evaluate((field) => document.activeElement === field);
    if (!isHere) await this.click(locator);
    await this.page.keyboard.press("Control+a");
    await this.page.keyboard.type(text);
  }

  /** Keys do not count as clicks. */
  press(key) {
    return this.page.keyboard.press(key);
  }

  within(limit) {
    assert.ok(this.clicks <= limit, `${this.clicks} clicks, at most ${limit}`);
  }
}
