import { createServer as createHttpServer, type Server } from "node:http";
import express from "express";
import { createServer } from "@photon/server";
import { greet } from "./greet.photon.ts";

/** An express app with its own routes, which also serves the tools at `/tools/mcp`. */
export async function createApp(): Promise<Server> {
  const photon = createServer({ name: "app", tools: [greet] });
  const { router, attach } = await photon.router();

  const app = express();
  app.get("/", (_, response) => void response.send("An app of your own."));
  app.use("/tools", router);

  const server = createHttpServer(app);
  // Express does not see WebSocket upgrades: the HTTP server hands them to Photon.
  attach(server, "/tools/mcp");
  server.on("close", () => void photon.close());
  return server;
}
