/** Collects bytes that arrive in parts in one buffer: many small buffers take far more memory than their bytes. */

const MIN_CAPACITY = 1024;

export class GrowingBuffer {
  /** The only part itself, or a buffer with all parts and room for more. */
  #memory: Buffer | undefined;
  #size = 0;

  /** The memory that the buffer takes after so many more bytes are appended. */
  memoryWith(bytes: number): number {
    const size = this.#size + bytes;
    if (this.#memory === undefined) return bytes;
    return size <= this.#memory.length ? this.#memory.length : Math.max(2 * this.#size, size, MIN_CAPACITY);
  }

  append(part: Buffer): void {
    const memory = this.memoryWith(part.length);
    if (this.#memory === undefined) this.#memory = part;
    else {
      if (memory > this.#memory.length) {
        const grown = Buffer.allocUnsafeSlow(memory);
        this.#memory.copy(grown, 0, 0, this.#size);
        this.#memory = grown;
      }
      part.copy(this.#memory, this.#size);
    }
    this.#size += part.length;
  }

  toString(): string {
    return this.#memory?.toString("utf8", 0, this.#size) ?? "";
  }
}
