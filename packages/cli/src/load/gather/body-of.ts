/** Functions that are only the way to another one, and where they lead: whoever wants its source wants that one's. */
type Body = (...args: never) => unknown;

const bodies = new WeakMap<Body, Body>();

/** The same function, with a note of where it leads; its text is that of where it leads, as a run is known by it. */
export function leadingTo<Way extends Body>(body: Body, way: Way): Way {
  bodies.set(way, body);
  Object.defineProperty(way, "toString", { value: () => String(body) });
  return way;
}

/** What a function leads to in the end; mostly itself. */
export function bodyOf(run: Body): Body {
  const body = bodies.get(run);
  return body === undefined ? run : bodyOf(body);
}
