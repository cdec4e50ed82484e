/** What the sections of a page are linked to by, as GitHub spells it. */
export function anchorsIn(page: string): ReadonlySet<string> {
  const prose = page.replaceAll(/^ *```[^]*?^ *```$/gm, "");
  const anchors = new Set<string>();
  for (const [, heading = ""] of prose.matchAll(/^#{1,6} (.*)$/gm)) {
    const anchor = spell(heading);
    // The second of a name is counted.
    let other = anchor;
    for (let count = 1; anchors.has(other); count++) other = `${anchor}-${count}`;
    anchors.add(other);
  }
  return anchors;
}

function spell(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, "")
    .replaceAll(" ", "-");
}
