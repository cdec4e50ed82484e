/** The messages that the thin server expects, without checking them. */
interface Reply {
  readonly content?: { readonly value?: string };
}

export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly protocolVersion?: string;
    readonly arguments?: { readonly text?: string; readonly questions?: number };
    readonly _meta?: Readonly<Record<string, unknown>>;
    readonly inputResponses?: Readonly<Record<string, Reply>>;
    readonly requestState?: string;
  };
  readonly result?: Reply;
}
