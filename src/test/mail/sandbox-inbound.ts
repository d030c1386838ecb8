import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import nodemailer from 'nodemailer';
import { afterAll } from 'vitest';
import type { InboundPort } from '@/mail/inbound/port';
import { startSandboxInbound } from '@/mail/sandbox/inbound';

/** Starts the sandbox's inbound server in a folder of its own, with an SMTP client, for the tests of one file. */
export async function startInbound(port: InboundPort, { maxMessageBytes }: { maxMessageBytes: number }) {
  const dir = await mkdtemp(path.join(tmpdir(), 'inbound-'));
  const options = { dir, maxMessageBytes, minFreeBytes: 0, port: 0, isPortConfigured: true };
  const inbound = await startSandboxInbound({ ...options, ...port });
  const client = nodemailer.createTransport({ host: '127.0.0.1', port: inbound.port, ignoreTLS: true });
  afterAll(async () => {
    client.close();
    await inbound.close();
    await rm(dir, { recursive: true, force: true });
  });

  /** Sends a raw message unchanged. @returns the server's response */
  async function sendRaw(raw: string, to: string | string[], from = 'bo@far.example'): Promise<string> {
    return (await client.sendMail({ envelope: { from, to }, raw })).response;
  }

  return { dir, port: inbound.port, client, sendRaw };
}
