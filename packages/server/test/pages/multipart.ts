/** A form with a file, byte by byte as a browser sends it, or as nobody else would. */
export interface FilePart {
  readonly name: string;
  readonly type?: string;
  readonly bytes: Buffer | string;
  /** The name of the field: `f0`. */
  readonly field?: string;
}

const BOUNDARY = "----photon-test";

export const multipartType: Readonly<Record<string, string>> = {
  "content-type": `multipart/form-data; boundary=${BOUNDARY}`,
};

/** The parts in the order they are given. */
export function multipart(...parts: readonly (FilePart | readonly [string, string])[]): Buffer {
  const spelled = parts.flatMap((part) => ("bytes" in part ? fileOf(part) : fieldOf(part)));
  return Buffer.concat([...spelled, Buffer.from(`--${BOUNDARY}--\r\n`)]);
}

function fieldOf([name, value]: readonly [string, string]): readonly Buffer[] {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`;
  return [Buffer.from(`${head}${value}\r\n`)];
}

function fileOf({ name, type = "text/plain", bytes, field = "f0" }: FilePart): readonly Buffer[] {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${field}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`;
  return [Buffer.from(head), Buffer.from(bytes), Buffer.from("\r\n")];
}
