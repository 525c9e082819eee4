import { Chart } from "../../core/chart.js";
import { Section, Select, Time } from "../../core/components.js";
import { microsText } from "../../core/components/values.js";
import { history } from "../../core/events.js";
import { html } from "../../core/html.js";
import { turn } from "../../core/router.js";
import { columnsOf } from "../../core/series.js";
import { marks } from "./marks.js";

const spans = [["60", "1 minute"], ["180", "3 minutes"], ["600", "10 minutes"]];
const listed_marks = 8;
const perSecond = (n) => `${Math.round(n * 10) / 10}/s`;

/** What faults did to clients: latency and 5xx, with marks where rules were set or ended. */
export function Effect({ route }) {
  const asked = route.params.get("window");
  const span = spans.some(([value]) => value === asked) ? asked : "60";
  const seconds = Number(span);
  const { times, now, rate } = columnsOf(history.value, seconds);
  const latency = (name) => now(({ latency_us: found }) =>
    (found.count ? Math.max(1, found[name]) : null));
  const lines = [{ label: "p50", color: "series-1", values: latency("p50") },
    { label: "p99", color: "series-3", values: latency("p99") }];
  const errors = [{ label: "5xx", color: "series-bad",
    values: rate(({ planes }) => planes.data.answers["5xx"]) }];
  const shared = { times, seconds, marks: marks.value };
  const actions = html`<${Select} label="Span" className="inline" options=${spans} value=${span}
    onValue=${(value) => turn({ window: value })} />`;
  return html`<${Section} title="What it did to clients" className="effect" actions=${actions}>
    <div class="grid">
      <div><h3>Latency of the data plane</h3>
        <${Chart} title="Latency of the data plane" series=${lines} format=${microsText}
          log=${true} ...${shared} /></div>
      <div><h3>5xx of the data plane</h3>
        <${Chart} title="5xx of the data plane" series=${errors} format=${perSecond}
          ...${shared} /></div>
    </div>
    ${marks.value.length > 0 && html`<ul class="marks" aria-label="Rules that were set or ended">
      ${marks.value.slice(-listed_marks).reverse().map(({ at, sign, text }) => html`
        <li key=${sign}><span class="sign">${sign}</span> <${Time} at=${at} /> ${text}</li>`)}
      </ul>`}
  </${Section}>`;
}
