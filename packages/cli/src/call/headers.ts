/** The headers that go with every request: those that were typed, and the token. Pure. */
import { UsageError } from "../errors.ts";

export type Headers = { readonly [name: string]: string };

/** Nothing of a value is ever shown: most of them are secrets. */
export function readHeaders(typed: readonly string[], token: string | undefined): Headers {
  const headers: { [name: string]: string } = {};
  for (const text of typed) {
    const [, name, value] = /^([^:\s]+):(.*)$/s.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new UsageError("--header takes 'Name: value'.");
    headers[name.toLowerCase()] = checked(name, value.trim());
  }
  // What was typed goes before what stands in the environment.
  if (token !== undefined) headers["authorization"] ??= checked("Authorization", `Bearer ${token}`);
  return headers;
}

function checked(name: string, value: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw new UsageError(`${JSON.stringify(name)} is no name of a header.`);
  if (/[^\t\u0020-\u007E\u0080-\u00FF]/.test(value))
    throw new UsageError(`The value of the header ${name} has characters that no header may have.`);
  return value;
}
