/**
 * Encryption of what clients and stores keep: AES-256-GCM with key rotation.
 *
 *   1. Each encryption has a random IV of 96 bits.
 *   2. The first key encrypts; every key decrypts. A new key is added last, and moved to the front when every process has it:
 *      otherwise a process that has only the old key could not decrypt what another encrypts.
 *   3. The caller passes the same additional data (AAD) to decrypt as to encrypt. It is not part of the result.
 */
import type * as crypto from "node:crypto";
import type { KeyObject } from "node:crypto";
import { InvalidDefinition } from "@photon/core";
import { createRequire } from "node:module";

const ALGORITHM = "aes-256-gcm";
const KEY_ID_BYTES = 4;
const IV_BYTES = 12;
/** Random bytes for many IVs take as long as for one: 3 of the 9 microseconds of an encryption. */
const IVS_AT_ONCE = 128;
const TAG_BYTES = 16;
const MIN_KEY_LENGTH = 32;

interface Key {
  /** The first bytes of an encrypted text: the key that decrypts it. */
  readonly id: Buffer;
  readonly secret: KeyObject;
}

export class SealedBox {
  /** The configured keys. */
  readonly #texts: readonly string[];
  /** Created when first used. */
  #derived: readonly [Key, ...Key[]] | undefined;
  /** Random bytes, and how many of them were used. */
  #random: Buffer | undefined;
  #used = 0;

  /** Without keys, a random one is created: only this process can decrypt then. */
  constructor(keys: readonly string[] = []) {
    keys.forEach(assertLongEnough);
    this.#texts = keys;
  }

  get #keys(): readonly [Key, ...Key[]] {
    if (this.#derived === undefined) {
      const [first = lazyNodeCrypto().randomBytes(32).toString("base64"), ...others] = this.#texts;
      this.#derived = [keyFrom(first), ...others.map(keyFrom)];
    }
    return this.#derived;
  }

  encrypt(text: string, aad: string): string {
    const [{ id, secret }] = this.#keys;
    const iv = this.#newIv();
    const cipher = lazyNodeCrypto().createCipheriv(ALGORITHM, secret, iv).setAAD(Buffer.from(aad));
    const encrypted = cipher.update(text, "utf8");
    // GCM is a stream cipher: only the tag is left.
    cipher.final();
    return Buffer.concat([id, iv, encrypted, cipher.getAuthTag()]).toString("base64url");
  }

  #newIv(): Buffer {
    if (this.#random === undefined || this.#used === this.#random.length) {
      this.#random = lazyNodeCrypto().randomBytes(IV_BYTES * IVS_AT_ONCE);
      this.#used = 0;
    }
    this.#used += IV_BYTES;
    return this.#random.subarray(this.#used - IV_BYTES, this.#used);
  }

  /** `undefined` if the text was changed, or encrypted with another key or other additional data. */
  decrypt(sealed: string, aad: string): string | undefined {
    const bytes = Buffer.from(sealed, "base64url");
    // Accepts the canonical base64url only: one text for one ciphertext.
    if (bytes.length < KEY_ID_BYTES + IV_BYTES + TAG_BYTES || bytes.toString("base64url") !== sealed)
      return undefined;
    const id = bytes.subarray(0, KEY_ID_BYTES);
    const key = this.#keys.find((known) => known.id.equals(id));
    if (key === undefined) return undefined;
    const iv = bytes.subarray(KEY_ID_BYTES, KEY_ID_BYTES + IV_BYTES);
    const decipher = lazyNodeCrypto()
      .createDecipheriv(ALGORITHM, key.secret, iv, { authTagLength: TAG_BYTES })
      .setAAD(Buffer.from(aad))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    try {
      const text = decipher.update(bytes.subarray(KEY_ID_BYTES + IV_BYTES, -TAG_BYTES));
      // Throws if the tag is wrong.
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

function assertLongEnough(text: string): void {
  if (text.length < MIN_KEY_LENGTH) {
    throw new InvalidDefinition(
      `A key needs at least ${MIN_KEY_LENGTH} characters; create one with: openssl rand -base64 32`,
    );
  }
}

/** Derives a key from a configured text of any form. */
function keyFrom(text: string): Key {
  const { createHash, createSecretKey, hkdfSync } = lazyNodeCrypto();
  const bytes = Buffer.from(hkdfSync("sha256", text, "", "photon state", 32));
  const id = createHash("sha256").update(bytes).digest().subarray(0, KEY_ID_BYTES);
  return { id, secret: createSecretKey(bytes) };
}

type Crypto = typeof crypto;

let loaded: Crypto | undefined;

/** Node's cryptography, loaded when first used: loading it takes a tenth of the start of a server on stdio. */
export function lazyNodeCrypto(): Crypto {
  // `require` is untyped.
  loaded ??= createRequire(import.meta.url)("node:crypto") as Crypto;
  return loaded;
}
