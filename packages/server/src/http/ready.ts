import type { RequestHandler } from "express";
import type { Inside } from "../rpc/peer.ts";
import { answerJson } from "./responses.ts";

/** Whether this process should be sent requests right now. Unlike its health, that changes with what it depends on. */
export const readinessOf =
  ({ unready }: Pick<Inside, "unready">): RequestHandler =>
  async (_, response) => {
    const problem = await unready?.();
    if (problem === undefined) answerJson(response, 200, { status: "ready" });
    else answerJson(response, 503, { status: "not ready", problem });
  };
