/** The CPU and memory of a process. */
export interface ProcessUsage {
  /** CPU of all threads since the process started, in microseconds. */
  readonly cpu: number;
  /** This and the following are in bytes. */
  readonly resident: number;
  readonly heap: number;
  readonly external: number;
}
