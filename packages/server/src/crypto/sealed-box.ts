/**
 * Seals what is given into other hands: nobody else can read it, and what was changed does not open.
 *
 *   1. AES-256-GCM, with 96 random bits for each seal.
 *   2. The first key encrypts; every key decrypts. A new key is added last, and moved to the front when every process has it:
 *      otherwise a process that has only the old key could not decrypt what another encrypts.
 *   3. What a seal is bound to is not in it: it opens only where the same is known already.
 */
import type * as crypto from "node:crypto";
import type { KeyObject } from "node:crypto";
import { InvalidDefinition } from "@photon/core";
import { createRequire } from "node:module";

const ALGORITHM = "aes-256-gcm";
const NAME_BYTES = 4;
const IV_BYTES = 12;
/** Random bits are made for so many seals at once: that takes as long as for one. */
const IVS_AT_ONCE = 128;
const TAG_BYTES = 16;
const LEAST_CHARACTERS = 32;

interface Key {
  /** Tells which key sealed something, without trying them all. */
  readonly name: Buffer;
  readonly secret: KeyObject;
}

export class SealedBox {
  readonly #texts: readonly string[];
  /** Made with the first seal. */
  #made: readonly [Key, ...Key[]] | undefined;
  /** Random bits, and how many bytes of them have sealed something. */
  #random: Buffer | undefined;
  #used = 0;

  /** Without keys, one is made up that nobody else has: what it seals opens in this process only. */
  constructor(keys: readonly string[] = []) {
    keys.forEach(refuseShort);
    this.#texts = keys;
  }

  get #keys(): readonly [Key, ...Key[]] {
    if (this.#made === undefined) {
      const [first = lazyNodeCrypto().randomBytes(32).toString("base64"), ...others] = this.#texts;
      this.#made = [keyFrom(first), ...others.map(keyFrom)];
    }
    return this.#made;
  }

  /** Seals a text; it opens only together with what it was `bound` to. */
  encrypt(text: string, bound: string): string {
    const [{ name, secret }] = this.#keys;
    const iv = this.#newIv();
    const cipher = lazyNodeCrypto().createCipheriv(ALGORITHM, secret, iv).setAAD(Buffer.from(bound));
    const sealed = cipher.update(text, "utf8");
    // In this mode nothing is left for the end but the tag.
    cipher.final();
    return Buffer.concat([name, iv, sealed, cipher.getAuthTag()]).toString("base64url");
  }

  #newIv(): Buffer {
    if (this.#random === undefined || this.#used === this.#random.length) {
      this.#random = lazyNodeCrypto().randomBytes(IV_BYTES * IVS_AT_ONCE);
      this.#used = 0;
    }
    this.#used += IV_BYTES;
    return this.#random.subarray(this.#used - IV_BYTES, this.#used);
  }

  /** What was sealed; nothing where it was not sealed by one of the keys, was changed, or is bound to something else. */
  decrypt(sealed: string, bound: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    // Other spellings of the same bytes are not what was sealed.
    if (bytes.length < NAME_BYTES + IV_BYTES + TAG_BYTES || bytes.toString("base64url") !== sealed)
      return undefined;
    const name = bytes.subarray(0, NAME_BYTES);
    const key = this.#keys.find((one) => one.name.equals(name));
    if (key === undefined) return undefined;
    const iv = bytes.subarray(NAME_BYTES, NAME_BYTES + IV_BYTES);
    const decipher = lazyNodeCrypto()
      .createDecipheriv(ALGORITHM, key.secret, iv, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(bound))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(NAME_BYTES + IV_BYTES, -TAG_BYTES));
      // What was changed is noticed here.
      decipher.final();
      return text.toString("utf8");
    } catch {
      return undefined;
    }
  }
}

/** The keys in a text such as `PHOTON_KEYS`: separated by commas. */
export function parseKeys(text = ""): readonly string[] {
  return text
    .split(",")
    .map((key) => key.trim())
    .filter((key) => key !== "");
}

function refuseShort(text: string): void {
  if (text.length < LEAST_CHARACTERS) {
    throw new InvalidDefinition(
      `A key has at least ${LEAST_CHARACTERS} characters; make one with: openssl rand -base64 32`,
    );
  }
}

/** A key from a text that somebody keeps. It is not the key itself, so that any text will do that is long enough. */
function keyFrom(text: string): Key {
  const { createHash, createSecretKey, hkdfSync } = lazyNodeCrypto();
  const bytes = Buffer.from(hkdfSync("sha256", text, "", "photon state", 32));
  const name = createHash("sha256").update(bytes).digest().subarray(0, NAME_BYTES);
  return { name, secret: createSecretKey(bytes) };
}

type Crypto = typeof crypto;

let loaded: Crypto | undefined;

/** Node's cryptography, loaded when it is first needed: it takes a tenth of the time in which a server on stdio starts. */
export function lazyNodeCrypto(): Crypto {
  // What `require` gives is what the name says.
  loaded ??= createRequire(import.meta.url)("node:crypto") as Crypto;
  return loaded;
}
