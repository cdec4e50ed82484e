/**
 * Refuses questions for secrets, by the words in them.
 *
 * It keeps a model from asking by mistake, and says what to do instead. It does not stop a model that chooses other words.
 *
 * Loaded with the first question: V8 compiles every pattern when it loads a file, which is slow for classes of letters.
 */
import { SecretInForm } from "../errors.ts";

/** Words before "token" that make it an access token. */
const OPENING =
  "access|api|app|auth|authentication|authorization|bearer|bot|deploy|github|gitlab|id|jwt|login|npm|oauth|personal|refresh|security|service|session|slack|your";

const SECRETS: readonly (readonly [what: string, words: RegExp])[] = [
  ["a password", /\bpass ?(?:word|phrase|code|wd|key)s?\b|\bpwd\b|\bpw\b/],
  [
    "a password",
    /\b(?:pass|kenn)w(?:o|oe)rt\b|\bcontrasenas?\b|\bmots? de passe\b|\bsenhas?\b|\bwachtwoord\b/,
  ],
  ["a password", /пароль|密码|密碼|パスワード|비밀번호/],
  [
    "a key",
    /\b(?:api|access|account|deploy|encryption|gpg|licen[cs]e|master|pgp|private|secret|service|signing|ssh) ?keys?\b/,
  ],
  ["a token", new RegExp(`\\b(?:${OPENING}) ?tokens?\\b|^tokens?$`)],
  ["a token", /\b(?:enter|give|insert|need|paste|provide|send|share|type)\b.* token\b/],
  [
    "a secret",
    /\b(?:api|app|client|jwt|session|shared|webhook|your) ?secrets?\b|^secrets?$|\bcredentials?\b/,
  ],
  ["a card number", /\b(?:bank|credit|debit|payment) ?cards?\b|\bcard (?:data|details|no|number)\b/],
  ["a card number", /\bcv[cv]2?\b|\bcard verification\b|\bsecurity code\b/],
  ["a PIN", /\b(?:account|bank|card|enter|phone|sim|your) pins?\b|\bpin ?(?:code|number)s?\b|^pin$/],
  ["a one-time code", /\b(?:2fa|authenticator|mfa|one time|otp|sms|verification) ?codes?\b|\b(?:otp|totp)\b/],
  ["a recovery phrase", /\b(?:backup|mnemonic|recovery|seed|wallet) (?:code|phrase|word)s?\b|\bmnemonic\b/],
  ["a number that identifies a person", /\bsocial security\b|\bssn\b/],
];

/** Throws if one of the texts asks for a secret. */
export function rejectSecretQuestions(texts: readonly (string | undefined)[]): void {
  for (const text of texts) {
    if (text === undefined) continue;
    const spellings = spellingsOf(text);
    const found = SECRETS.find(([, pattern]) => spellings.some((words) => pattern.test(words)));
    if (found !== undefined) throw new SecretInForm(found[0], text);
  }
}

/** A text as plain words: `apiKey`, `API_KEY` and "Ａｐｉ-Kéy" are "api key". Also as it stands: "GitHub" is one word. */
function spellingsOf(text: string): readonly string[] {
  // Only Latin letters mean the same without their accents.
  const bare = text.normalize("NFKD").replaceAll(/(?<=\p{Script=Latin})\p{M}+|\p{Cf}/gu, "");
  const plain = bare.normalize("NFC");
  const apart = plain.replaceAll(/(?<=\p{Ll}|\d)(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/gu, " ");
  return [plain, apart].map((words) =>
    words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
      .trim(),
  );
}
