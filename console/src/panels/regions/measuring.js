// Pings of regions, and their results.
import { html, useEffect, useRef, useState } from "../../core/html.js";
import { CopyText, announce } from "../../core/components.js";
import { linkTo } from "../../core/router.js";
import { isPingable, measure } from "./ping.js";

/**
 * Measures on demand.
 * @param {object[]} regions of the catalog
 * @returns {{results: Map<string, {ms: number|null}>, running: boolean, start: () => void,
 *   stop: () => void}}
 */
export function useMeasuring(regions) {
  const [results, setResults] = useState(new Map());
  const [running, setRunning] = useState(false);
  const ending = useRef(null);
  useEffect(() => () => ending.current?.abort(), []);
  const stop = () => {
    ending.current?.abort();
    setRunning(false);
  };
  const start = async () => {
    ending.current?.abort();
    const mine = new AbortController();
    ending.current = mine;
    setResults(new Map());
    setRunning(true);
    await measure(regions, (id, result) => {
      setResults((before) => new Map(before).set(id, result));
    }, mine.signal);
    if (mine.signal.aborted) return;
    setRunning(false);
    announce("Measured.");
  };
  return { results, running, start, stop };
}

/** The pings as commands, one for each region: they carry no token. */
const curlsOf = (regions) => regions.filter(({ ping_url: url }) => isPingable(url))
  .map(({ ping_url: url }) => "curl -sS -o /dev/null -w '%{time_total} s %{url}\\n' "
    + `'${url.replaceAll("'", "%27")}'`).join("\n");

/** The button that measures, and a sentence about the result. */
export function Measuring({ regions, measuring, ranked }) {
  const { results, running, start, stop } = measuring;
  const count = regions.filter(({ ping_url: url }) => isPingable(url)).length;
  if (count === 0) {
    const catalog = linkTo("catalog", { kind: "regions" });
    return html`<p class="faint">To measure latency from this browser, give regions a${" "}
      <code>ping_url</code> in the <a href=${catalog}>catalog</a>.</p>`;
  }
  const reached = [...results].filter(([, { ms }]) => ms !== null);
  const failed = results.size - reached.length;
  const nearest = reached.sort(([, one], [, other]) => one.ms - other.ms)[0];
  return html`<div class="measuring">
    <button type="button" onClick=${running ? stop : start}>
      ${running ? `Stop (${results.size} of ${count})` : "Measure from here"}</button>
    <${CopyText} className="curl" label="Copy as curl" text=${() => curlsOf(regions)} />
    <span class="faint">${results.size === 0
      ? `Pings ${count} of ${regions.length} regions from this browser.`
      : html`${nearest && html`Lowest latency: <bdi>${nearest[0]}</bdi>, ${
          nearest[1].ms.toFixed(1)} ms.`}
        ${ranked && nearest && (ranked[0]?.region_id === nearest[0]
          ? " The ranking puts it first too." : " The ranking puts another one first.")}
        ${failed > 0 && ` Not reached: ${failed}. If a ping_url was added after this page was `
          + "loaded, load the page again."}`}</span>
  </div>`;
}
