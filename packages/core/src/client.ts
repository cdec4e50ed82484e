/** What a client may be able to do for a tool. */
export type Capability = "form" | "url" | "sample" | "roots";

/** The other side, as far as a body may know it. */
export interface Client {
  readonly name: string;
  readonly version: string;
  /** What it can be asked for. */
  readonly can: { readonly [ability in Capability]: boolean };
}

/** A client that can do everything: a program that runs a tool itself. */
export const inProcessClient: Client = {
  name: "program",
  version: "",
  can: { form: true, url: true, sample: true, roots: true },
};
