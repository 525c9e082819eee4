// What panels use of preact, in one place, so that no panel imports preact itself.
export { html } from "htm/preact";
export { render, Fragment } from "preact";
export {
  useCallback, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState,
} from "preact/hooks";
export { signal, computed, effect, batch, useSignal, useComputed } from "@preact/signals";
