/**
 * A list that grows long. It is drawn in chunks of a hundred.
 *
 *   1. A chunk is drawn while it is near what is seen, or in use; the last one is drawn at once.
 *   2. It is drawn again only when something in it is new.
 *   3. What is out of sight is not laid out.
 */
import type { ComponentChildren, JSX } from "preact";
import { memo } from "preact/compat";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface Item {
  readonly id: number;
}

const SIZE = 100;
/** About the height of an item, in pixels: how much room a chunk takes that was not laid out yet. */
const ROW = 28;
/** How near is near enough. */
const NEAR = "600px";

interface ChunksProps<T extends Item> {
  readonly items: readonly T[];
  readonly draw: (item: T) => ComponentChildren;
  /** What decides which items are there: another one, and everything is drawn again. */
  readonly by: string;
}

export function Chunks<T extends Item>({ items, draw, by }: ChunksProps<T>): JSX.Element {
  const chunks = new Map<number, T[]>();
  for (const item of items) {
    const number = Math.floor(item.id / SIZE);
    const chunk = chunks.get(number);
    if (chunk === undefined) chunks.set(number, [item]);
    else chunk.push(item);
  }
  const last = [...chunks.keys()].at(-1);
  return (
    <>
      {[...chunks].map(([number, chunk]) => (
        <Chunk key={number} items={chunk} draw={draw} by={by} isLast={number === last} />
      ))}
    </>
  );
}

interface ChunkProps<T extends Item> extends ChunksProps<T> {
  readonly isLast: boolean;
}

function DrawnChunk<T extends Item>({ items, draw, isLast }: ChunkProps<T>): JSX.Element {
  const list = useRef<HTMLOListElement>(null);
  const height = useRef(0);
  const [isNear, setNear] = useState(isLast);
  useLayoutEffect(() => {
    const element = list.current;
    if (element === null) return undefined;
    const observer = new IntersectionObserver(
      (seen) => {
        const comes = seen.at(-1)?.isIntersecting === true;
        if (!comes && isInUse(element)) return;
        if (!comes) height.current = element.offsetHeight;
        setNear(comes);
      },
      // Both: what scrolls is a pane, or on a narrow screen the page.
      { rootMargin: NEAR, scrollMargin: NEAR },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const room = items.length * ROW;
  const style = isNear
    ? { minHeight: "", containIntrinsicBlockSize: `auto ${room}px` }
    : { minHeight: `${height.current || room}px`, containIntrinsicBlockSize: "" };
  return (
    <ol ref={list} class="chunk" style={style}>
      {isNear && items.map((item) => <li key={item.id}>{draw(item)}</li>)}
    </ol>
  );
}

/** Somebody has opened something in it, or is at it with the keyboard: it would be lost. */
const isInUse = (element: Element): boolean =>
  element.querySelector("details[open]") !== null || element.contains(document.activeElement);

const Chunk = memo(
  DrawnChunk,
  (before, after) =>
    before.by === after.by &&
    before.items.length === after.items.length &&
    before.items[0] === after.items[0],
);
