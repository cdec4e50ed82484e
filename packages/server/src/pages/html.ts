/** HTML that is safe as it is made: what is put into a template is text, and is escaped, unless it is HTML already. Pure. */

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Part = Html | string | number | false | undefined | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

// All but tab and line feed; and what shows text in another order than it is written.
const UNSEEN = /(?![\t\n])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + textOf(parts[index])).join(""));
}

/** The attributes that have a value, each behind a blank; `true` is one without a value. */
export function attributes(given: Readonly<Record<string, string | number | boolean | undefined>>): Html {
  const written = Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [` ${name}`] : [` ${name}="${escape(String(value))}"`];
  });
  return new Html(written.join(""));
}

function textOf(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(textOf).join("") : escape(String(part));
}

function escape(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(UNSEEN, "")
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
