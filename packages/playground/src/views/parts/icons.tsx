/** Pictures that say nothing by themselves: whatever has one has words as well. */
import type { JSX } from "preact";

const PATHS = {
  tool: "M9.8 2.2a3.6 3.6 0 0 0-4.5 4.6L2 10.2 3.8 14l2-.2 3.4-3.4a3.6 3.6 0 0 0 4.6-4.5L11.5 8 8.9 7 8 4.4z",
  prompt: "M2.5 3h11v8H7l-3 2.5V11H2.5zM5 6h6M5 8.5h4",
  resource: "M4 1.8h5l3 3v9.4H4zM9 1.8v3h3M6 8h4M6 10.8h4",
  template: "M4 1.8h5l3 3v9.4H4zM7 7 5.8 9 7 11M9 7l1.2 2L9 11",
  search: "M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3 14 14",
  run: "M4.5 2.8v10.4L13 8z",
  again: "M13 8a5 5 0 1 1-1.6-3.7M13 1.8v3h-3",
  stop: "M4 4h8v8H4z",
  copy: "M5.5 5.5h8v8h-8zM3 10.5h-.5v-8h8V3",
  link: "M6.5 9.5l3-3M7 4.5 8.6 3a3 3 0 0 1 4.3 4.3L11.4 9M9 11.5 7.4 13a3 3 0 0 1-4.3-4.3L4.6 7",
  save: "M8 2v8M4.8 7 8 10.2 11.2 7M2.5 13.5h11",
  close: "M3.5 3.5l9 9M12.5 3.5l-9 9",
  plus: "M8 3v10M3 8h10",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M8 3v10M4 9l4 4 4-4",
  right: "M6 3.5 10.5 8 6 12.5",
  settings:
    "M2 4.8h6.4M12.6 4.8H14M2 11.2h1.4M7.6 11.2H14M10.5 2.7a2.1 2.1 0 1 0 0 4.2 2.1 2.1 0 0 0 0-4.2zM5.5 9.1a2.1 2.1 0 1 0 0 4.2 2.1 2.1 0 0 0 0-4.2z",
  wire: "M1.5 5.5h11M10 3l2.5 2.5L10 8M14.5 10.5h-11M6 8l-2.5 2.5L6 13",
  question:
    "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM6 6.3a2 2 0 1 1 2.8 1.8c-.6.3-.8.6-.8 1.2M8 11.6v.1",
  done: "M3 8.5 6.5 12 13 4.5",
  failed: "M8 2 14.5 13.5h-13zM8 6.5v3M8 11.5v.1",
  cancelled: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM3.6 3.6l8.8 8.8",
  waiting: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 4.5V8l2.5 1.5",
  running: "M8 1.8A6.2 6.2 0 1 1 1.8 8",
  step: "M2 13h4V9.5h4V6h4V2.5",
  log: "M3 4h10M3 8h10M3 12h6",
  status: "M8 6.5a1.5 1.5 0 1 0 0 3 1.5 1.5 0 0 0 0-3z",
  note: "M8 1.8a6.2 6.2 0 1 0 0 12.4A6.2 6.2 0 0 0 8 1.8zM8 7.3v3.9M8 4.8v.1",
  open: "M9 2.5h4.5V7M13.5 2.5 7.5 8.5M11.5 9.5v4h-9v-9h4",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { readonly name: IconName }): JSX.Element {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}
