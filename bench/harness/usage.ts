/** What a process has used. */
export interface Usage {
  /** Of all its threads since it began, in microseconds. */
  readonly cpu: number;
  /** In bytes, as are the others. */
  readonly resident: number;
  readonly heap: number;
  readonly external: number;
}
