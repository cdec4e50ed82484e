import type { RestartedServer } from "./restarted-server.ts";

/** Tries until it succeeds, once more for every process that was killed meanwhile. */
export async function untilDone<T>(
  server: RestartedServer,
  attempt: () => Promise<T>,
  onFailure?: () => void,
): Promise<T> {
  for (;;) {
    try {
      return await attempt();
    } catch {
      onFailure?.();
      await server.restarted;
    }
  }
}
