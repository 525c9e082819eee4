// Which game, and which span.
import { html, useEffect, useState } from "../../core/html.js";
import { Field, Select } from "../../core/components.js";
import { fieldText, fieldTime, moved, scaled, spans } from "./span.js";

const names = { hour: "Last hour", day: "Last day", week: "Last week", month: "Last 30 days",
  year: "Last year" };

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
    setWrong(isSpan ? null : "The end must be behind the start.");
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
 * The choice of a game and a span.
 * @param {object} props
 * @param {object[]} props.games of the catalog
 * @param {string} props.game its id
 * @param {{start: number, end: number, name: string|null}} props.span
 * @param {(id: string) => void} props.onGame
 * @param {(span: {start: number, end: number}) => void} props.onSpan
 * @param {(name: string) => void} props.onName of a span that ends now
 */
export function SpanChoice({ games, game, span, onGame, onSpan, onName }) {
  return html`<div class="choices">
    <${Select} label="Game" value=${game} onValue=${onGame}
      options=${games.map((one) => [one.game_id, one.display_name])} />
    <${Edges} span=${span} onSpan=${onSpan} />
  </div>
  <div class="actions" role="group" aria-label="Span">
    ${Object.keys(spans).map((name) => html`<button key=${name} type="button" class="span"
      aria-current=${span.name === name ? "true" : undefined}
      onClick=${() => onName(name)}>${names[name]}</button>`)}
    <button type="button" onClick=${() => onSpan(moved(span, -0.5))}>Earlier</button>
    <button type="button" onClick=${() => onSpan(moved(span, 0.5))}>Later</button>
    <button type="button" onClick=${() => onSpan(scaled(span, 0.5))}>Zoom in</button>
    <button type="button" onClick=${() => onSpan(scaled(span, 2))}>Zoom out</button>
  </div>`;
}
