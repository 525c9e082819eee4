// One place that says what panels are written with, so that none imports preact by itself.
export { html } from "htm/preact";
export { render, Fragment } from "preact";
export {
  useCallback, useEffect, useErrorBoundary, useId, useLayoutEffect, useMemo, useRef, useState,
} from "preact/hooks";
export { signal, computed, effect, batch, useSignal, useComputed } from "@preact/signals";
