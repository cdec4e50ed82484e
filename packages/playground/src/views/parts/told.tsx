import type { JSX } from "preact";
import { clip } from "./clip.ts";

/** What a server says, in a sentence of the page's own: whichever way it is read, the words around it stay as they are. */
export function Told({ text, most }: { readonly text: string; readonly most?: number }): JSX.Element {
  return <bdi>{clip(text, most)}</bdi>;
}
