// The choice of a span.
import { ChevronLeft, ChevronRight, ZoomIn, ZoomOut } from "lucide-preact";
import { html, useEffect, useState } from "../../core/html.js";
import { Field } from "../../core/components.js";
import { fieldText, fieldTime, moved, scaled, spanText, spans } from "./span.js";

const names = { hour: "Last hour", day: "Last day", yesterday: "Yesterday", week: "Last week",
  month: "Last 30 days", year: "Last year" };

const moves = [["Earlier", ChevronLeft, (span) => moved(span, -0.5)],
  ["Later", ChevronRight, (span) => moved(span, 0.5)],
  ["Zoom in", ZoomIn, (span) => scaled(span, 0.5)],
  ["Zoom out", ZoomOut, (span) => scaled(span, 2)]];

function Edges({ span, onSpan }) {
  const [texts, setTexts] = useState([fieldText(span.start), fieldText(span.end)]);
  const [wrong, setWrong] = useState(null);
  useEffect(() => {
    setTexts([fieldText(span.start), fieldText(span.end)]);
    setWrong(null);
  }, [span.start, span.end]);
  const submit = (event) => {
    event.preventDefault();
    const [start, end] = texts.map(fieldTime);
    const isSpan = start !== null && end !== null && start < end;
    setWrong(isSpan ? null : "The end must be after the start.");
    if (isSpan) onSpan({ start, end });
  };
  const shared = { type: "datetime-local", step: "1", required: true };
  return html`<form class="edges" onSubmit=${submit}>
    <${Field} label="From (UTC)" ...${shared} value=${texts[0]}
      onValue=${(text) => setTexts([text, texts[1]])} />
    <${Field} label="To (UTC)" ...${shared} value=${texts[1]} error=${wrong}
      onValue=${(text) => setTexts([texts[0], text])} />
    <button type="submit">Show</button>
  </form>`;
}

/**
 * The choice of a span. Its children are at the end.
 * @param {object} props
 * @param {{start: number, end: number, name: string|null}} props.span
 * @param {(span: {start: number, end: number}) => void} props.onSpan
 * @param {(name: string) => void} props.onName of one of `spans`
 */
export function SpanChoice({ span, onSpan, onName, children }) {
  return html`<div class="span-choice">
    <div class="actions" role="group" aria-label="Span">
      ${Object.keys(spans).map((name) => html`<button key=${name} type="button" class="span"
        aria-current=${span.name === name ? "true" : undefined}
        onClick=${() => onName(name)}>${names[name]}</button>`)}
    </div>
    <div class="actions" role="group" aria-label="Move the span">
      ${moves.map(([label, Icon, move]) => html`<button key=${label} type="button"
        class="icon-only" aria-label=${label} title=${label}
        onClick=${() => onSpan(move(span))}><${Icon} /></button>`)}
    </div>
    <details class="edges-more"><summary title="Type another span">${spanText(span)}</summary>
      <${Edges} span=${span} onSpan=${onSpan} /></details>
    ${children}
  </div>`;
}
