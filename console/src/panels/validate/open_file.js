// A payload from a file: chosen, or dropped on the panel.
import { FolderOpen } from "lucide-preact";
import { html, useEffect, useRef, useState } from "../../core/html.js";
import { bytesText } from "../../core/components/values.js";
import { text_limit_bytes } from "./use_findings.js";

/** The text of a file. Throws an Error with a sentence for people. */
async function read(file) {
  if (file.size > text_limit_bytes) {
    throw new Error(`This file has ${bytesText(file.size)}. At most ${
      bytesText(text_limit_bytes)} is allowed.`);
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    throw new Error("This file is not text in UTF-8. Choose a JSON file.");
  }
}

const hasFile = (event) => event.dataTransfer?.types.includes("Files");

/**
 * Lets users drop files on an element, also on the editor in it, which would handle them itself.
 * @param {{current: HTMLElement}} area
 * @param {{current: (file: File) => void}} take
 * @returns {boolean} whether a file is over it now
 */
function useDrop(area, take) {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const ending = new AbortController();
    const on = (name, act) => area.current.addEventListener(name, (event) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      event.stopPropagation();
      act(event);
    }, { capture: true, signal: ending.signal });
    on("dragover", () => setOver(true));
    on("dragleave", (event) => setOver(area.current.contains(event.relatedTarget)));
    on("drop", (event) => {
      setOver(false);
      if (event.dataTransfer.files[0]) take.current(event.dataTransfer.files[0]);
    });
    return () => ending.abort();
  }, []);
  return isOver;
}

/**
 * @param {{current: HTMLElement}} area where files may be dropped
 * @param {(text: string) => void} onText
 * @returns {{isOver: boolean, said: string, error: string, take: (file: File) => void}}
 */
export function useFile(area, onText) {
  const [outcome, setOutcome] = useState({ said: "", error: "" });
  const take = useRef(null);
  take.current = async (file) => {
    try {
      onText(await read(file));
      setOutcome({ said: `Opened ${file.name}, ${bytesText(file.size)}.`, error: "" });
    } catch (error) {
      setOutcome({ said: "", error: error.message });
    }
  };
  const isOver = useDrop(area, take);
  return { isOver, ...outcome, take: (file) => take.current(file) };
}

export function OpenFile({ onFile }) {
  const input = useRef(null);
  const choose = (event) => {
    const [file] = event.currentTarget.files;
    if (file) onFile(file);
    // Lets the user choose the same file again.
    event.currentTarget.value = "";
  };
  return html`<button type="button" onClick=${() => input.current.click()}>
      <${FolderOpen} />Open a file</button>
    <input ref=${input} type="file" hidden aria-label="File to validate"
      accept=".json,application/json" onChange=${choose} />`;
}
