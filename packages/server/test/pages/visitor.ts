/** Somebody who visits pages with the headers and cookies of a browser, or with any others. */
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";

export interface Seen {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export type Headers = Readonly<Record<string, string>>;
/** Fields as names and values; a list where a name is sent more than once. */
export type Fields = Readonly<Record<string, string | readonly string[]>>;

export class Visitor {
  readonly #cookies = new Map<string, string>();
  /** What forms of the page last seen carry as proof that they are its own. */
  proof = "";

  get cookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  async get(url: string, headers: Headers = {}, method = "GET"): Promise<Seen> {
    return this.#send(url, method, headers);
  }

  /** Sends a form as the page at the same address would. */
  async post(url: string, fields: Fields, headers: Headers = {}): Promise<Seen> {
    return this.send(url, serialize(fields), {
      "content-type": "application/x-www-form-urlencoded",
      ...headers,
    });
  }

  async send(url: string, body: string | Buffer, headers: Headers): Promise<Seen> {
    const own = { origin: new URL(url).origin, "sec-fetch-site": "same-origin" };
    return this.#send(url, "POST", { ...own, ...headers }, body);
  }

  /** Opens a page as a person does: looks at it, and presses the button. Gives back the question. */
  async open(url: string): Promise<Seen> {
    await this.get(url);
    const { status, headers } = await this.post(url, { do: "open" });
    if (status !== 303) throw new Error(`The page was not opened: ${status}.`);
    return this.get(new URL(headers.location ?? "", url).href);
  }

  /** Presses the button that sends what was filled in. */
  async answer(url: string, fields: Fields, headers: Headers = {}): Promise<Seen> {
    return this.post(url, { proof: this.proof, do: "accept", ...fields }, headers);
  }

  #send(url: string, method: string, headers: Headers, body?: string | Buffer): Promise<Seen> {
    const cookie = this.cookies === "" ? {} : { cookie: this.cookies };
    return new Promise((resolve, reject) => {
      const request = httpRequest(url, { method, headers: { ...cookie, ...headers }, agent: false });
      request.once("error", reject);
      request.once("response", (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        response.once("error", reject);
        response.once("end", () => {
          const seen = {
            status: response.statusCode ?? 0,
            headers: response.headers,
            text: Buffer.concat(parts).toString("utf8"),
          };
          this.#keep(seen);
          resolve(seen);
        });
      });
      request.end(body);
    });
  }

  #keep({ headers, text }: Seen): void {
    for (const cookie of headers["set-cookie"] ?? []) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
    this.proof = /name="proof" value="([^"]+)"/.exec(text)?.[1] ?? this.proof;
  }
}

function serialize(fields: Fields): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    for (const one of typeof value === "string" ? [value] : value) form.append(name, one);
  }
  return form.toString();
}
