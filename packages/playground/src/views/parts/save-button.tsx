import type { JSX } from "preact";
import { Icon } from "./icons.tsx";

/** Saves something as a file. It is made when it is asked for, and let go at once. */
export function SaveButton({
  name,
  label,
  make,
}: {
  readonly name: string;
  readonly label: string;
  readonly make: () => Blob;
}): JSX.Element {
  return (
    <button type="button" class="quiet" onClick={() => save(name, make())}>
      <Icon name="save" /> {label}
    </button>
  );
}

function save(name: string, blob: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // Not at once: the download has to have begun.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
