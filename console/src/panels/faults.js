import { useEffect, useState } from "preact/hooks";
import { send } from "../core/api.js";
import {
  CopyCurl, CopyText, Field, Loading, Panel as Frame, Problem, Section, Select, announce,
} from "../core/components.js";
import { connection, status } from "../core/events.js";
import { html } from "../core/html.js";
import { useQuery } from "../core/query.js";
import { turn } from "../core/router.js";
import { mayChange } from "../core/session.js";
import { AuditEntry } from "./audit/entry.js";
import { Effect } from "./faults/effect.js";
import { RuleForm } from "./faults/form.js";
import { observe } from "./faults/marks.js";
import { Points } from "./faults/points.js";

const path = "/faults";
const period_ms = 1_000;
const flag = "--enable-fault-injection --fault-seed 7";

function Disabled() {
  return html`<${Section} title="Fault injection is off">
    <p>This service was started without it, so nothing here can make it fail. To try what happens
      when parts of it fail, start one with:</p>
    <p><code>matchcloud serve ${flag}</code> ${" "}<${CopyText} text=${flag}
      label="Copy the flags" /></p>
    <p>Do not do so in production: whoever reaches the ops plane can make it fail then.</p>
  </${Section}>`;
}

function Seed({ seed }) {
  return html`<p>Seed <code>${seed}</code>
    <${CopyText} text=${String(seed)} label="Copy the seed" />
    <span class="faint">It decides what is hit by chance: start with --fault-seed to have the same
      again.</span></p>`;
}

function Armed({ value, route, reload }) {
  const { params } = route;
  const [outcome, setOutcome] = useState({ error: null, requestId: null });
  const armed = value.points.filter(({ rule }) => rule).length;
  const chosen = value.points.find(({ point }) => point === params.get("point"));
  const close = () => turn({ point: "" });
  const done = (requestId) => {
    setOutcome({ error: null, requestId });
    reload();
  };
  const end = async (target, what) => {
    try {
      const answer = await send("DELETE", target);
      announce(`${what} ended.`);
      done(answer.headers.get("X-Request-Id"));
    } catch (error) {
      setOutcome({ error, requestId: null });
    }
  };
  const actions = html`
    ${mayChange.value && html`<button type="button" disabled=${!armed}
      onClick=${() => end(path, "All faults")}>End all</button>`}
    <${CopyCurl} path=${path} />`;
  return html`
    <${Section} title=${`Fault points, ${armed} with a rule`} actions=${actions}>
      <${Seed} seed=${value.seed} />
      ${!mayChange.value && html`<p class="faint">Read only. Changing needs an admin
        token, or "Allow changes" above.</p>`}
      <${Problem} error=${outcome.error} />
      ${outcome.requestId && html`<${AuditEntry} key=${outcome.requestId}
        requestId=${outcome.requestId} />`}
      <div class="fields">
        <${Field} label="Search" type="search" value=${params.get("search") ?? ""}
          onValue=${(search) => turn({ search })} />
        <${Select} label="Show" options=${[["", "all"], ["armed", "with a rule"]]}
          value=${params.get("show") ?? ""} onValue=${(show) => turn({ show })} />
      </div>
      <${Points} points=${value.points} route=${route}
        onEnd=${(point) => end(`${path}/${encodeURIComponent(point)}`, point)} />
    </${Section}>
    ${chosen && mayChange.value && html`<${RuleForm} key=${chosen.point} found=${chosen}
      onClose=${close} onSet=${(requestId) => {
        close();
        done(requestId);
      }} />`}`;
}

// The status says whether faults can be injected, so that nobody has to ask for what is not there;
// where it cannot be had, asking is the only way.
function isOff() {
  if (status.value) return status.value.faults === null;
  return connection.value === "lost" || connection.value === "refused" ? false : null;
}

function Panel({ route }) {
  const told = isOff();
  const { value, error, reload } = useQuery(told === false ? path : null, { every: period_ms });
  useEffect(() => {
    if (value) observe(value.points);
  }, [value]);
  const off = told || error?.status === 404;
  return html`<${Frame} title="Faults">
    ${off ? html`<${Disabled} />` : html`<${Problem} error=${error} onRetry=${reload} />`}
    ${!value && !error && !off && html`<${Loading} />`}
    ${value && !off && html`<div class="faults">
      <div><${Armed} value=${value} route=${route} reload=${reload} /></div>
      <div><${Effect} route=${route} /></div></div>`}
  </${Frame}>`;
}

export default { id: "faults", title: "Faults", Panel };
