/** Of what is answered on a page of the server's own: how somebody gets there. `photon inbox` says the same. Pure. */
export function pageWords(ask: string | undefined): string {
  const thing = ask === "secret" ? "A secret" : ask === "file" ? "A file" : "This";
  return `${thing} is given on a page of the server, and the client that called leads there.`;
}
