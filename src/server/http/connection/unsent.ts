import type { ServerResponse } from 'node:http';

const MB = 1024 * 1024;
const LIMITS = { addressBytes: 16 * MB, totalBytes: 256 * MB };

type Address = { bytes: number; held: Map<ServerResponse, number> };

export type UnsentLimits = typeof LIMITS;

/**
 * Counts the bytes of responses that clients have not received yet. A client address that leaves more than its share
 * unread loses its oldest response; if all of them together leave too much, the address with the most does.
 */
export function createUnsent(limits: UnsentLimits = LIMITS) {
  const addresses = new Map<string, Address>();
  let totalBytes = 0;

  function add(address: string, response: ServerResponse, bytes: number): void {
    const entry = addresses.get(address) ?? { bytes: 0, held: new Map() };
    addresses.set(address, entry);
    if (!entry.held.has(response)) response.once('close', () => subtract(address, response, Number.POSITIVE_INFINITY));
    entry.held.set(response, (entry.held.get(response) ?? 0) + bytes);
    entry.bytes += bytes;
    totalBytes += bytes;
  }

  /** Bytes that were sent, or all that is left of a response. */
  function subtract(address: string, response: ServerResponse, bytes: number): void {
    const entry = addresses.get(address);
    const left = entry?.held.get(response);
    if (!entry || left === undefined) return;
    const sent = Math.min(bytes, left);
    // A response that ends stays listed with 0 bytes until its 'close', which is waited for only once.
    entry.held.set(response, left - sent);
    if (bytes === Number.POSITIVE_INFINITY) entry.held.delete(response);
    entry.bytes -= sent;
    totalBytes -= sent;
    if (entry.held.size === 0) addresses.delete(address);
  }

  function disconnectOldest(address: string): void {
    const oldest = [...(addresses.get(address)?.held ?? [])].find(([, bytes]) => bytes > 0)?.[0];
    if (!oldest) return;
    subtract(address, oldest, Number.POSITIVE_INFINITY);
    oldest.destroy();
  }

  function largestAddress(): string {
    const [[address] = ['']] = [...addresses].sort(([, one], [, other]) => other.bytes - one.bytes);
    return address;
  }

  return {
    /** Writes a part of a response. @returns false if the client is slower than the app, as `response.write` does */
    write(response: ServerResponse, chunk: Uint8Array, address: string): boolean {
      add(address, response, chunk.byteLength);
      const isFlowing = response.write(chunk, () => subtract(address, response, chunk.byteLength));
      while ((addresses.get(address)?.bytes ?? 0) > limits.addressBytes) disconnectOldest(address);
      while (totalBytes > limits.totalBytes) disconnectOldest(largestAddress());
      return isFlowing;
    },
    bytes: () => totalBytes,
  };
}
