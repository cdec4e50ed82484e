/** An address of a family of them (RFC 6570, as far as resources use it). Pure. */

interface Manner {
  readonly first: string;
  readonly between: string;
  /** Whether names stand beside values: `?name=value`. */
  readonly isNamed: boolean;
  /** Whether signs that have a meaning in addresses stay as they are. */
  readonly isOpen: boolean;
}

const PLAIN: Manner = { first: "", between: ",", isNamed: false, isOpen: false };

const MANNERS: { readonly [operator: string]: Manner } = {
  "+": { first: "", between: ",", isNamed: false, isOpen: true },
  "#": { first: "#", between: ",", isNamed: false, isOpen: true },
  ".": { first: ".", between: ".", isNamed: false, isOpen: false },
  "/": { first: "/", between: "/", isNamed: false, isOpen: false },
  ";": { first: ";", between: ";", isNamed: true, isOpen: false },
  "?": { first: "?", between: "&", isNamed: true, isOpen: false },
  "&": { first: "&", between: "&", isNamed: true, isOpen: false },
};

export function expandTemplate(template: string, given: { readonly [name: string]: unknown }): string {
  return template.replaceAll(/\{([+#./;?&]?)([^{}]*)\}/g, (_whole, operator: string, names: string) => {
    const { first, between, isNamed, isOpen } = MANNERS[operator] ?? PLAIN;
    const encode = isOpen ? encodeURI : encodeStrictly;
    const parts = names.split(",").flatMap((written) => {
      const name = written.replace(/\*$|:\d+$/, "");
      const value = given[name];
      if (value === undefined || value === null || value === "") return [];
      const text = encode(typeof value === "string" ? value : JSON.stringify(value));
      return [isNamed ? `${name}=${text}` : text];
    });
    return parts.length === 0 ? "" : first + parts.join(between);
  });
}

const encodeStrictly = (text: string): string =>
  encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
