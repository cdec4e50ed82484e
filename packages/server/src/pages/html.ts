/** HTML templates that escape every value, unless it is `Html`. Pure. */

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | false | undefined | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Control characters except tab and line feed, and those that change the direction of text. */
const INVISIBLE = /(?![\t\n])\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu;

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + textOf(parts[index])).join(""));
}

/** Attributes, each after a space. `true` makes one without a value; `false` and `undefined` are left out. */
export function attributes(given: Readonly<Record<string, string | number | boolean | undefined>>): Html {
  const written = Object.entries(given).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    return value === true ? [` ${name}`] : [` ${name}="${escape(String(value))}"`];
  });
  return new Html(written.join(""));
}

/** Keeps browsers from storing the typed text, and from filling in stored passwords. */
export const NO_AUTOFILL: Readonly<Record<string, string>> = {
  autocomplete: "new-password",
  autocapitalize: "none",
  spellcheck: "false",
};

function textOf(part: Part): string {
  if (part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  return typeof part === "object" ? part.map(textOf).join("") : escape(part);
}

function escape(text: string): string {
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(INVISIBLE, "")
    .replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
