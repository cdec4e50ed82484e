import { createServer } from "node:net";
import { once } from "node:events";
import { PlaygroundMissing, PortTaken } from "@photon/server";
import { describe, expect, it } from "vitest";
import { listenError } from "../../src/serve/transports.ts";
import { UsageError } from "../../src/errors.ts";

describe("somebody whose server cannot listen", () => {
  it("is told to take another port only where that would help", () => {
    const missing = new PlaygroundMissing("install @photon/playground");

    const said = listenError(missing, 3001, "127.0.0.1");

    expect(said).toBeInstanceOf(UsageError);
    expect(said.message).toBe("The playground cannot be served: install @photon/playground.");
    expect(said.cause).toBe(missing);
    expect(listenError(new PortTaken(3001, "127.0.0.1"), 3001, "127.0.0.1").message).toBe(
      "Port 3001 of 127.0.0.1 is taken; stop the process that listens there, or choose another port with --port (0: any that is free).",
    );
  });

  it("is told why Node would not, where it is something else", async () => {
    const server = createServer().listen(1, "192.0.2.1");
    const [error] = await once(server, "error").catch((thrown: unknown) => [thrown]);

    expect(listenError(error, 1, "192.0.2.1").message).toMatch(
      /^Cannot listen on port 1 of 192\.0\.2\.1 \(listen E\w+: .+\); choose another with --port\.$/,
    );
  });
});
