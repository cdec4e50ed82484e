import type * as crypto from "node:crypto";
import { createRequire } from "node:module";

type Crypto = typeof crypto;

let loaded: Crypto | undefined;

/** Node's cryptography, loaded when it is first needed: a JavaScript tool is loaded without. */
export function nodeCrypto(): Crypto {
  // What `require` gives is what the name says.
  loaded ??= createRequire(import.meta.url)("node:crypto") as Crypto;
  return loaded;
}
